#include "fired.h"

#include <string.h>

#include "base/check.h"
#include "chain.h"
#include "dag.h"

bool fired[FIRED_PASSES_MAX];

/* The linker gives this function in place of the planner's own (--wrap), so that the job can be seen. */
enum sd_status __real_sd_chain_run(struct sd_job *job, enum sd_when when);
enum sd_status __wrap_sd_chain_run(struct sd_job *job, enum sd_when when);

/* ---- what is looked at: each 0 where nothing was decided ---- */

typedef uint64_t look_fn(const struct sd_job *job);

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x9e3779b97f4a7c15u + 1;
}

static uint64_t engines(const struct sd_job *job)
{
	uint64_t placed = 0;

	for (uint32_t n = 0; job->engine && n < job->graph->node_count; n++)
		placed += job->graph->engine[n] == 0;
	return placed;
}

static uint64_t tasks(const struct sd_job *job)
{
	uint64_t counted = 0;

	for (uint32_t n = 0; job->tasks && job->attached_tasks && job->collective && n < job->graph->node_count; n++)
		counted += job->tasks[n] != job->graph->task_count[n];
	return counted;
}

static uint64_t order(const struct sd_job *job)
{
	uint64_t moved = 0;

	for (uint32_t n = 0; job->order.pos && n < job->graph->node_count; n++)
		moved += job->order.pos[n] != n;
	return moved;
}

static uint64_t scopes(const struct sd_job *job)
{
	return job->scopes.functional_count;
}

static uint64_t mode(const struct sd_job *job)
{
	return job->mode.kind != SD_AUTO_OFF;
}

static uint64_t labels(const struct sd_job *job)
{
	return job->labels.count;
}

static uint64_t beside_cube(const struct sd_job *job)
{
	uint64_t marked = 0;

	for (uint32_t n = 0; job->vector_beside_cube && n < job->graph->node_count; n++)
		marked += job->vector_beside_cube[n];
	return marked;
}

/* Clusters of several nodes. */
static uint64_t clusters(const struct sd_job *job)
{
	uint64_t hash = 0;

	for (uint32_t k = 0; k < job->clusters.count; k++) {
		if (job->clusters.at[k].node_count > 1)
			hash = mix(hash, (uint64_t)job->visited << 32 | k);
	}
	return hash;
}

static uint64_t cluster_streams(const struct sd_job *job)
{
	uint64_t hash = 0;

	for (uint32_t k = 0; k < job->clusters.count; k++) {
		if (job->clusters.at[k].stream != SD_NO_STREAM)
			hash = mix(hash, (uint64_t)job->visited << 40 | (uint64_t)k << 20 | (uint32_t)job->clusters.at[k].stream);
	}
	return hash;
}

static uint64_t node_streams(const struct sd_job *job)
{
	uint64_t hash = 0;

	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (job->stream[n] != SD_NO_STREAM)
			hash = mix(hash, (uint64_t)n << 32 | (uint32_t)job->stream[n]);
	}
	return hash;
}

static uint64_t paths(const struct sd_job *job)
{
	return job->paths ? mix(job->paths->count, job->visited) : 0;
}

static uint64_t path_streams(const struct sd_job *job)
{
	return job->paths ? mix(job->paths->streams, job->visited) : 0;
}

static uint64_t attached(const struct sd_job *job)
{
	return job->attached_first ? job->logical_stream_count - job->main_stream_count : 0;
}

static uint64_t starts(const struct sd_job *job)
{
	return job->starts.first_of_lane ? job->starts.count + (job->starts.loop_node != SD_NO_NODE) : 0;
}

static uint64_t slots(const struct sd_job *job)
{
	return job->slots.count;
}

static uint64_t extra_orders(const struct sd_job *job)
{
	return job->extra_orders.count;
}

static uint64_t orders(const struct sd_job *job)
{
	return job->orders.count;
}

/* Behind the split there are more slots than the sequence knows. */
static uint64_t sequence(const struct sd_job *job)
{
	uint64_t moved = 0;

	for (uint32_t s = 0; job->rank && !job->logical_of && s < job->slots.count; s++)
		moved += job->rank[s] != s;
	return moved;
}

static uint64_t syncs(const struct sd_job *job)
{
	return job->syncs.count;
}

static uint64_t pieces(const struct sd_job *job)
{
	return job->logical_of ? job->stream_count - job->starts.lane_count : 0;
}

static uint64_t started(const struct sd_job *job)
{
	return job->started.count;
}

static uint64_t split_orders(const struct sd_job *job)
{
	return job->split_orders.count;
}

static uint64_t numbers(const struct sd_job *job)
{
	return job->sync_id ? job->event_count + job->notify_count : 0;
}

static uint64_t resources(const struct sd_job *job)
{
	uint32_t nodes = job->graph->node_count;

	return (job->events.first ? job->events.first[nodes] : 0) + (job->notifies.first ? job->notifies.first[nodes] : 0);
}

static uint64_t host_waits(const struct sd_job *job)
{
	uint64_t marked = 0;

	for (uint32_t n = 0; job->host_wait && n < job->graph->node_count; n++)
		marked += job->host_wait[n];
	return marked;
}

static uint64_t placements(const struct sd_job *job)
{
	return job->plan ? job->plan->node_count : 0;
}

static uint64_t commands(const struct sd_job *job)
{
	return job->plan ? job->plan->command_count : 0;
}

static uint64_t summary(const struct sd_job *job)
{
	return job->plan ? job->plan->summary_count : 0;
}

static uint64_t explanations(const struct sd_job *job)
{
	return job->plan ? job->plan->explanation_count : 0;
}

static uint64_t simulated(const struct sd_job *job)
{
	return job->plan ? job->plan->simulated : 0;
}

static uint64_t warnings(const struct sd_job *job)
{
	return job->warnings.count;
}

/* ---- which pass is there for what ---- */

static const struct {
	const char *pass;
	look_fn *look[3];
} looks[] = {
	{ "place_engines", { engines } },
	{ "count_tasks", { tasks } },
	{ "sort_nodes", { order } },
	{ "find_scopes", { scopes } },
	{ "choose_mode", { mode } },
	{ "fold_labels", { labels, warnings } },
	{ "mark_cv", { beside_cube } },
	{ "cluster", { clusters } },
	{ "by_label", { cluster_streams } },
	{ "independent_engine", { cluster_streams } },
	{ "by_dependency", { cluster_streams } },
	{ "one_stream", { cluster_streams } },
	{ "owning_engine", { cluster_streams } },
	{ "aicpu_stream", { cluster_streams } },
	{ "follow_neighbour", { cluster_streams } },
	{ "clusters_to_nodes", { node_streams } },
	{ "label_over_engine", { node_streams } },
	{ "new_stream_attr", { node_streams } },
	{ "parallel_group", { node_streams } },
	{ "allreduce_parallel", { node_streams } },
	{ "skipped_engine", { node_streams } },
	{ "ineffective_multistream", { node_streams } },
	{ "explicit_streams", { node_streams } },
	{ "rank_streams", { node_streams } },
	{ "cover_paths", { paths } },
	{ "balance_nodes", { path_streams } },
	{ "balance_main", { path_streams } },
	{ "balance_time", { path_streams } },
	{ "paths_to_nodes", { node_streams } },
	{ "stream_passes", { node_streams } },
	{ "dense_streams", { node_streams } },
	{ "close_holes", { node_streams } },
	{ "dynamic_one_stream", { node_streams } },
	{ "attached_streams", { attached } },
	{ "find_starters", { starts, warnings } },
	{ "make_slots", { slots } },
	{ "order_attached", { extra_orders, warnings } },
	{ "order_loop", { extra_orders } },
	{ "order_collectives", { extra_orders } },
	{ "order_tags", { extra_orders, warnings } },
	{ "order_edges", { orders } },
	{ "sequence_slots", { sequence } },
	{ "reduce_orders", { syncs } },
	{ "split_streams", { pieces, warnings } },
	{ "fork_pieces", { slots } },
	{ "start_pieces", { started } },
	{ "order_pieces", { split_orders } },
	{ "order_loop_pieces", { split_orders } },
	{ "reduce_splits", { syncs } },
	{ "check_jumps", { warnings } },
	{ "hazard_collectives", { warnings } },
	{ "hazard_inplace", { warnings } },
	{ "hazard_writes", { warnings } },
	{ "hazard_cores", { warnings } },
	{ "hazard_labels", { warnings } },
	{ "user_streams", { warnings } },
	{ "number_syncs", { numbers } },
	{ "share_events", { numbers, warnings } },
	{ "attached_resources", { resources } },
	{ "host_waits", { host_waits, warnings } },
	{ "emit_plan", { placements } },
	{ "emit_streams", { commands } },
	{ "check_limits", { warnings } },
	{ "summarise", { summary } },
	{ "simulate", { simulated } },
	{ "explain", { explanations } },
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

static struct {
	const struct sd_job *job;
	uint64_t seen[LOOKS][3]; /* in front of the pass that runs */
} watch;

/* Looks again behind a pass; what it alone is there for is compared. */
static void look(const char *pass)
{
	for (size_t i = 0; i < LOOKS; i++) {
		for (size_t k = 0; k < 3 && looks[i].look[k]; k++) {
			uint64_t now = looks[i].look[k](watch.job);
			bool changed = now != 0 && now != watch.seen[i][k];

			if (changed && pass && strcmp(pass, looks[i].pass) == 0)
				fired[i] = true;
			watch.seen[i][k] = now;
		}
	}
}

static void on_passed(void *arg, const char *pass)
{
	(void)arg;
	if (strcmp(pass, "verify") != 0)
		look(pass);
}

enum sd_status __wrap_sd_chain_run(struct sd_job *job, enum sd_when when)
{
	watch.job = job;
	look(NULL);
	return __real_sd_chain_run(job, when);
}

void fired_begin(struct sd_hooks *hooks)
{
	SD_REQUIRE(LOOKS == sd_chain_length && LOOKS <= FIRED_PASSES_MAX);
	for (size_t i = 0; i < LOOKS; i++)
		SD_REQUIRE(strcmp(looks[i].pass, sd_chain[i].name) == 0);
	memset(fired, 0, sizeof(fired));
	*hooks = (struct sd_hooks){ .passed = on_passed };
}

void fired_refused(const struct sd_diag *diag)
{
	for (size_t i = 0; diag->pass && i < LOOKS; i++)
		fired[i] |= strcmp(diag->pass, looks[i].pass) == 0;
}
