/* measure.h - how far the streams of a run were busy, and busy together.
 *
 * A stream is busy while one of its tasks runs: not while it waits, and not for what lies between two tasks. It
 * overlaps while another one is busy too. Figures of several runs add up. */
#ifndef SD_MEASURE_H
#define SD_MEASURE_H

#include "base/arena.h"
#include "streamd/issue.h"

/* A launch as it was seen, in the order of issue. */
struct sd_run_time {
	uint64_t began_ns, ended_ns;
	bool is_done;
};

struct sd_stream_measure {
	uint64_t tasks, busy_ns, overlap_ns;
};

struct sd_measure {
	uint32_t stream_count;
	struct sd_stream_measure *stream;
	uint64_t runs;
	uint64_t span_ns; /* from the first begin to the last end */
	uint64_t busy_ns; /* of all streams: what one stream alone would take for the same tasks */
	uint64_t any_ns;  /* while at least one stream was busy */
};

/* NULL streams over budget: false. */
bool sd_measure_start(struct sd_arena *mem, uint32_t stream_count, struct sd_measure *measure);

/* Adds a run. O(n log n) in its launches; scratch of `mem` is given back. False over budget. */
bool sd_measure_add(struct sd_arena *mem, const struct sd_issue *issue, const struct sd_run_time *time, struct sd_measure *measure);

/* What part of its busy time a stream overlapped, 0 to 1; 0 where it was never busy. */
double sd_measure_share(const struct sd_stream_measure *stream);

#endif
