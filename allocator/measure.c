#include "streamd/measure.h"

#include <string.h>

#include "base/merge.h"

/* A launch and its stream. */
struct lane {
	const struct sd_run_time *time;
	uint32_t stream;
};

/* Ends and begins by time; entry 2k is the begin of launch k, 2k + 1 its end. */
struct sweep {
	const struct lane *lane;
};

static uint64_t moment(const struct sweep *w, uint32_t entry)
{
	const struct sd_run_time *time = w->lane[entry / 2].time;

	return entry % 2 ? time->ended_ns : time->began_ns;
}

/* What ends at a moment ends before anything begins, but for a task that takes no time. */
static int compare(const void *ctx, uint32_t a, uint32_t b)
{
	uint64_t x = moment(ctx, a), y = moment(ctx, b);

	if (x != y)
		return x < y ? -1 : 1;
	if (a / 2 != b / 2 && a % 2 != b % 2)
		return a % 2 ? -1 : 1;
	return (a > b) - (a < b);
}

bool sd_measure_start(struct sd_arena *mem, uint32_t stream_count, struct sd_measure *measure)
{
	*measure = (struct sd_measure){ .stream_count = stream_count, .stream = SD_NEW0(mem, struct sd_stream_measure, stream_count + 1) };
	return measure->stream != NULL;
}

static uint32_t list_lanes(const struct sd_issue *issue, const struct sd_run_time *time, struct lane *lane)
{
	uint32_t launch = 0, count = 0;

	for (uint32_t i = 0; i < issue->step_count; i++) {
		if (issue->step[i].kind != SD_STEP_LAUNCH)
			continue;
		/* One that takes no time is busy for none. */
		if (time[launch].is_done && time[launch].ended_ns > time[launch].began_ns)
			lane[count++] = (struct lane){ &time[launch], issue->step[i].stream };
		launch++;
	}
	return count;
}

/* `together` is how long at least two streams were busy so far: a task overlaps by what it grew by meanwhile. */
static void walk(const struct sweep *w, const uint32_t *entry, uint32_t count, struct sd_measure *measure, uint64_t *together_at)
{
	uint64_t last = moment(w, entry[0]), together = 0;
	uint32_t running = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t now = moment(w, entry[i]);
		uint32_t lane = entry[i] / 2;
		struct sd_stream_measure *stream = &measure->stream[w->lane[lane].stream];

		together += running > 1 ? now - last : 0;
		measure->any_ns += running > 0 ? now - last : 0;
		last = now;
		if (entry[i] % 2 == 0) {
			running++;
			together_at[lane] = together;
			continue;
		}
		running--;
		stream->busy_ns += w->lane[lane].time->ended_ns - w->lane[lane].time->began_ns;
		stream->overlap_ns += together - together_at[lane];
		measure->busy_ns += w->lane[lane].time->ended_ns - w->lane[lane].time->began_ns;
	}
	measure->span_ns += last - moment(w, entry[0]);
}

static void count_tasks(const struct sd_issue *issue, struct sd_measure *measure)
{
	for (uint32_t i = 0; i < issue->step_count; i++) {
		if (issue->step[i].kind == SD_STEP_LAUNCH)
			measure->stream[issue->step[i].stream].tasks++;
	}
	measure->runs++;
}

bool sd_measure_add(struct sd_arena *mem, const struct sd_issue *issue, const struct sd_run_time *time, struct sd_measure *measure)
{
	struct sd_arena_mark mark = sd_arena_mark(mem);
	struct lane *lane = SD_NEW(mem, struct lane, issue->launch_count + 1);
	uint32_t *entry = SD_NEW(mem, uint32_t, (size_t)issue->launch_count * 2 + 1), *spare = SD_NEW(mem, uint32_t, (size_t)issue->launch_count * 2 + 1);
	uint64_t *together_at = SD_NEW(mem, uint64_t, issue->launch_count + 1);
	struct sweep sweep = { lane };
	uint32_t count;

	if (!lane || !entry || !spare || !together_at)
		return false;
	count = list_lanes(issue, time, lane) * 2;
	for (uint32_t i = 0; i < count; i++)
		entry[i] = i;
	sd_merge_sort(entry, spare, count, compare, &sweep);
	if (count > 0)
		walk(&sweep, entry, count, measure, together_at);
	count_tasks(issue, measure);
	sd_arena_rewind(mem, mark);
	return true;
}

double sd_measure_share(const struct sd_stream_measure *stream)
{
	return stream->busy_ns ? (double)stream->overlap_ns / (double)stream->busy_ns : 0;
}
