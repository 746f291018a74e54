/* simulation.h - how a plan is expected to run on the device of its request.
 *
 * By the device model (machine.h), one run: of a node that chooses the first body runs, of a StreamSwitchN all streams, a loop takes one turn, and what has no
 * stated duration takes SD_NODE_UNKNOWN_NS. Times are nanoseconds from the start. What is simulated is never
 * measured: it is as good as the durations and the model that the request states. */
#ifndef SD_SIMULATION_H
#define SD_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

/* A launch, in an order in which a host can enqueue them. */
struct sd_simulated_launch {
	uint32_t node, stream;
	bool attached;
	int64_t began_ns, ended_ns;
};

struct sd_simulated_stream {
	int64_t busy_ns;    /* while a launch of it ran */
	int64_t overlap_ns; /* of that, while a launch of another stream ran too */
};

/* Why a launch of the critical chain did not begin sooner. */
enum sd_link_reason {
	SD_LINK_START,      /* nothing was in front: it began as soon as it could */
	SD_LINK_STREAM,     /* the launch before it in the chain is in front of it on its stream */
	SD_LINK_SYNC,       /* that one was waited for by an event or a notify */
	SD_LINK_ACTIVATION, /* that one's stream started its own */
	SD_LINK_ENGINE,     /* that one kept cores, a server or a communicator that it needed */
};

struct sd_chain_link {
	uint32_t launch;
	enum sd_link_reason reason;
};

struct sd_simulation {
	int64_t makespan_ns;   /* until the last launch has ended */
	int64_t one_stream_ns; /* the same launches on one stream, without syncs */
	uint32_t assumed;      /* launches whose node states no duration */
	uint32_t stream_count, launch_count, link_count;
	const struct sd_simulated_stream *stream;
	const struct sd_simulated_launch *launch;
	const struct sd_chain_link *link; /* from the start to the launch that ended last */
};

#endif
