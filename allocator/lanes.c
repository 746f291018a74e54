#include "lanes.h"

#include "base/merge.h"

struct gatherer {
	struct sd_job *job;
	struct sd_lane_lists *lists;
	uint32_t *stamp, list; /* per lane: list that has it, + 1 */
};

static enum sd_status add_lane(struct gatherer *g, uint32_t lane)
{
	if (g->stamp[lane] == g->list + 1)
		return SD_OK;
	g->stamp[lane] = g->list + 1;
	if (!sd_vec_room(g->job->mem, &g->lists->lane))
		SD_NEED(g->job, NULL);
	g->lists->lane.at[g->lists->lane.count++] = lane;
	return SD_OK;
}

static enum sd_status add_graph(struct gatherer *g, uint32_t graph_number)
{
	const struct sd_job *job = g->job;
	const struct sd_subgraph *graph = &job->graph->graph[graph_number];

	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		if (job->launched[n]) {
			SD_TRY(add_lane(g, sd_job_lane(job, n)));
			for (uint32_t i = job->attached_first[n]; i < job->attached_first[n + 1]; i++)
				SD_TRY(add_lane(g, job->attached[i]));
		}
		for (uint32_t i = job->graph->body_first[n]; i < job->graph->body_first[n + 1]; i++)
			SD_TRY(add_graph(g, job->graph->body[i]));
	}
	return SD_OK;
}

static int compare_lanes(const void *ctx, uint32_t a, uint32_t b)
{
	(void)ctx;
	return a < b ? -1 : a > b;
}

enum sd_status sd_lanes_of_bodies(struct sd_job *job, struct sd_lane_lists *lists)
{
	const struct sd_scopes *scopes = &job->scopes;
	struct gatherer g = { .job = job, .lists = lists, .stamp = SD_NEW0(job->mem, uint32_t, job->starts.lane_count) };
	uint32_t *spare = SD_NEW(job->mem, uint32_t, job->starts.lane_count);

	*lists = (struct sd_lane_lists){ .first = SD_NEW(job->mem, uint32_t, scopes->functional_count + 1u) };
	SD_NEED(job, g.stamp && spare && lists->first);
	for (g.list = 0; g.list < scopes->functional_count; g.list++) {
		const struct sd_functional *fun = &scopes->functional[g.list];
		const uint32_t *body = job->graph->body + job->graph->body_first[fun->node];

		lists->first[g.list] = lists->lane.count;
		for (uint32_t k = 0; fun->form != SD_FORM_INLINE && k < fun->body_count; k++)
			SD_TRY(add_graph(&g, body[k]));
		sd_merge_sort(lists->lane.at + lists->first[g.list], spare, lists->lane.count - lists->first[g.list], compare_lanes, NULL);
	}
	lists->first[scopes->functional_count] = lists->lane.count;
	return SD_OK;
}
