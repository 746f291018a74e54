#include "watch.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/json_path.h"

static void add_fault(struct sd_watch *watch, struct sd_watch_fault fault)
{
	if (watch->fault_count < SD_WATCH_FAULTS_MAX)
		watch->fault[watch->fault_count++] = fault;
}

static void note_edges(struct sd_watch *watch, const struct sd_edges_verdict *verdict)
{
	watch->edges += verdict->edges;
	watch->broken += verdict->broken;
	for (uint32_t i = 0; i < verdict->broken && i < SD_BROKEN_EDGES_MAX; i++) {
		const struct sd_broken_edge *edge = &verdict->edge[i];

		add_fault(watch, (struct sd_watch_fault){ watch->runner.run, edge->before, edge->after, edge->ended_ns - edge->began_ns, false });
	}
}

static void note_order(struct sd_watch *watch, const struct sd_kept_verdict *verdict)
{
	const struct sd_step *step = sd_model_issue(watch->runner.model)->step;

	watch->orders += verdict->orders;
	watch->broken += verdict->broken;
	if (verdict->broken > 0)
		add_fault(watch, (struct sd_watch_fault){ watch->runner.run, verdict->before == SD_NO_LAUNCH ? SD_NO_NODE : step[verdict->before].arg,
		                                          step[verdict->after].arg, verdict->early_ns, true });
}

static bool keep_time(struct sd_arena *mem, struct sd_watch *watch)
{
	size_t launches = sd_model_issue(watch->runner.model)->launch_count;
	struct sd_run_time *time = SD_NEW(mem, struct sd_run_time, launches + 1);

	if (!time)
		return false;
	memcpy(time, watch->runner.time, launches * sizeof(*time));
	watch->time[watch->runner.run - 1] = time;
	return true;
}

static enum sd_status run_once(struct sd_arena *mem, const struct sd_watch_wish *wish, struct sd_watch *watch, struct sd_diag *diag)
{
	const struct sd_issue *issue = sd_model_issue(watch->runner.model);
	uint64_t before = watch->measure.span_ns;
	struct sd_edges_verdict edges;
	struct sd_kept_verdict kept;

	SD_TRY(sd_runner_run(&watch->runner, &edges, diag));
	if (!sd_measure_add(mem, issue, watch->runner.time, &watch->measure) ||
	    !sd_kept_check(mem, watch->runner.plan, issue, watch->runner.time, &kept) || (wish->keeps_times && !keep_time(mem, watch)))
		return sd_memory_fail(mem, diag);
	watch->span_ns[watch->runner.run - 1] = watch->measure.span_ns - before;
	if (wish->has_edges)
		note_edges(watch, &edges);
	note_order(watch, &kept);
	return SD_OK;
}

enum sd_status sd_watch_plan(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_device *device,
                             const struct sd_watch_wish *wish, struct sd_watch *watch, struct sd_diag *diag)
{
	memset(watch, 0, sizeof(*watch));
	SD_TRY(sd_runner_open(mem, request, plan, device, &wish->options, &watch->runner, diag));
	watch->time = SD_NEW0(mem, struct sd_run_time *, (size_t)wish->runs + 1);
	watch->span_ns = SD_NEW0(mem, uint64_t, (size_t)wish->runs + 1);
	if (!watch->time || !watch->span_ns || !sd_measure_start(mem, plan->stream_count, &watch->measure))
		return sd_memory_fail(mem, diag);
	for (uint32_t run = 0; run < wish->runs; run++)
		SD_TRY(run_once(mem, wish, watch, diag));
	return SD_OK;
}

enum sd_status sd_watch_end(struct sd_watch *watch, struct sd_diag *diag)
{
	return sd_runner_close(&watch->runner, diag);
}

void sd_watch_fault_text(const struct sd_watch *watch, const struct sd_watch_fault *fault, char *out, size_t cap)
{
	const char *const *name = watch->runner.name;
	const char *whose = fault->by_device ? "the device broke the order of the plan" : "the plan does not keep the edges of the graph";

	if (fault->before == SD_NO_NODE)
		snprintf(out, cap, "run %" PRIu64 ": %.128s was not run to its end", fault->run, name[fault->after]);
	else
		snprintf(out, cap, "run %" PRIu64 ": %.128s began %.3f us before %.128s had ended: %s", fault->run, name[fault->after],
		         (double)fault->early_ns / 1000.0, name[fault->before], whose);
}
