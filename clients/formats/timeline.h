/* timeline.h - when each launch of a plan ran, and behind what: what the pictures of a plan are drawn from.
 *
 * A span is one launch of a node. Where bodies run several times there is a span for each time; nodes of
 * bodies that were not chosen have none. An arrow is a sync, from its record to its wait, or an activation.
 * Its ends are the span in front of the record and the one behind the wait, where there are such. */
#ifndef SD_TIMELINE_H
#define SD_TIMELINE_H

#include "base/arena.h"
#include "streamd/request.h"
#include "streamd/plan.h"

#define SD_NO_SPAN UINT32_MAX

enum sd_tie { SD_TIE_NONE, SD_TIE_STREAM, SD_TIE_EVENT, SD_TIE_NOTIFY, SD_TIE_START, SD_TIE_ENGINE };
#define SD_TIE_NAMES { "none", "stream", "event", "notify", "start", "engine", NULL }

struct sd_span {
	uint32_t node, stream;
	bool attached;     /* on an attached stream of the node */
	bool critical;     /* on the chain that ends last */
	uint8_t tie;       /* enum sd_tie: what kept it behind `behind`; engine: cores, a server or a communicator */
	uint32_t behind;   /* span: of those that it had to follow the one that ended last; SD_NO_SPAN: none */
	uint32_t number;   /* of the event or notify */
	int64_t began_ns, ended_ns;
};

struct sd_arrow {
	uint8_t tie;       /* SD_TIE_EVENT, _NOTIFY or _START */
	uint32_t number;   /* of the event or notify */
	uint32_t from, to; /* spans; SD_NO_SPAN: nothing was launched on the stream in front of it, or is behind it */
	uint32_t from_stream, to_stream;
	uint32_t sync;     /* of the plan; SD_NO_SPAN: an activation */
	int64_t from_ns, to_ns;
};

struct sd_timeline {
	const struct sd_plan *plan;
	const struct sd_graph *graph;
	const struct sd_text *name;    /* by node of the plan */
	uint32_t span_count, arrow_count, critical_count, critical_last;
	const struct sd_span *span;    /* in the order of issue: each behind what it waits for */
	const struct sd_arrow *arrow;
	int64_t end_ns;
	int64_t assumed_ns;            /* how long a node takes that does not say */
	uint32_t assumed_count;        /* spans of such nodes */
};

/* One simulated run (simulate.h), whose launches have their times. Everything lies in `mem`. The statuses of sd_simulate(). */
enum sd_status sd_timeline_make(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_timeline *timeline,
                                struct sd_diag *diag);

#endif
