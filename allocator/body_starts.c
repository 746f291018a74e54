#include "body_starts.h"

#include "lanes.h"
#include "mutants.h"

struct reader {
	struct sd_job *job;
	struct sd_body_starts *out;
	const struct sd_starter *starter;
	const uint32_t *starter_lane;
	uint32_t *first_starter, *by_graph; /* per graph + 1: its starters by label */
	uint32_t *around;                   /* per lane: nodes of the graphs around that use it */
	uint32_t *stamp;                    /* per lane: graph + 1 that starts it, or need not */
};

/* Adds `step` to the users of each lane that the nodes of a graph use. */
static void use_lanes(struct reader *r, uint32_t graph_number, uint32_t step)
{
	const struct sd_job *job = r->job;
	const struct sd_subgraph *graph = &job->graph->graph[graph_number];

	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		if (job->stream[n] != SD_NO_STREAM)
			r->around[job->stream[n]] += step;
		for (uint32_t i = job->attached_first[n]; i < job->attached_first[n + 1]; i++)
			r->around[job->attached[i]] += step;
	}
}

static enum sd_status start_lane(struct reader *r, uint32_t graph, uint32_t lane)
{
	if ((r->around[lane] && !SD_MUTANT(body_starts_around)) || r->stamp[lane] == graph + 1)
		return SD_OK;
	r->stamp[lane] = graph + 1;
	if (!sd_vec_room(r->job->mem, &r->out->lane))
		SD_NEED(r->job, NULL);
	r->out->lane.at[r->out->lane.count++] = lane;
	return SD_OK;
}

static enum sd_status read_body(struct reader *r, uint32_t graph_number)
{
	const struct sd_job *job = r->job;
	const struct sd_subgraph *graph = &job->graph->graph[graph_number];
	uint32_t node = r->out->node[graph_number];

	r->out->first[graph_number] = r->out->lane.count;
	if (job->stream[node] != SD_NO_STREAM)
		r->stamp[job->stream[node]] = graph_number + 1;
	for (uint32_t i = r->first_starter[graph_number]; i < r->first_starter[graph_number + 1]; i++) {
		const struct sd_starter *starter = &r->starter[r->by_graph[i]];

		for (uint32_t k = 0; k < starter->count && !SD_MUTANT(body_starts_labelled); k++)
			r->stamp[r->starter_lane[starter->first + k]] = graph_number + 1;
	}
	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		if (!job->launched[n] && !SD_MUTANT(body_starts_unlaunched))
			continue;
		if (job->stream[n] != SD_NO_STREAM)
			SD_TRY(start_lane(r, graph_number, (uint32_t)job->stream[n]));
		for (uint32_t i = job->attached_first[n]; i < job->attached_first[n + 1]; i++)
			SD_TRY(SD_MUTANT(body_starts_no_attached) ? SD_OK : start_lane(r, graph_number, job->attached[i]));
	}
	r->out->count[graph_number] = r->out->lane.count - r->out->first[graph_number];
	return SD_OK;
}

static enum sd_status read_graph(struct reader *r, uint32_t graph_number)
{
	const struct sd_graph *graph = r->job->graph;
	const struct sd_subgraph *own = &graph->graph[graph_number];

	if (graph_number != SD_ROOT && r->out->node[graph_number] != SD_NO_NODE)
		SD_TRY(read_body(r, graph_number));
	use_lanes(r, graph_number, 1);
	for (uint32_t n = own->first_node; n < own->first_node + own->node_count; n++) {
		for (uint32_t i = graph->body_first[n]; i < graph->body_first[n + 1]; i++)
			SD_TRY(read_graph(r, graph->body[i]));
	}
	use_lanes(r, graph_number, (uint32_t)-1);
	return SD_OK;
}

/* The first launched node that is marked in each body, as they are listed. */
static void find_nodes(struct reader *r)
{
	const struct sd_job *job = r->job;

	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		uint32_t *node = &r->out->node[job->graph->graph_of[n]];

		if ((*node == SD_NO_NODE || SD_MUTANT(body_starts_last_node)) && job->launched[n] && sd_graph_bool(job->graph, n, SD_ATTR_SUBGRAPH_FIRST_ACTIVE))
			*node = n;
	}
}

static void index_starters(struct reader *r, uint32_t count)
{
	const uint32_t *graph_of = r->job->graph->graph_of;
	uint32_t graphs = r->job->graph->graph_count;

	for (uint32_t i = 0; i < count; i++)
		r->first_starter[graph_of[r->starter[i].node] + 2]++;
	for (uint32_t g = 0; g < graphs; g++)
		r->first_starter[g + 2] += r->first_starter[g + 1];
	for (uint32_t i = 0; i < count; i++)
		r->by_graph[r->first_starter[graph_of[r->starter[i].node] + 1]++] = i;
}

enum sd_status sd_body_starts_find(struct sd_job *job, const struct sd_starter *starters, uint32_t starter_count,
                                   const uint32_t *lane, struct sd_body_starts *out)
{
	uint32_t graphs = job->graph->graph_count, lanes = job->starts.lane_count;
	struct reader r = {
		.job = job, .out = out, .starter = starters, .starter_lane = lane,
		.first_starter = SD_NEW0(job->mem, uint32_t, graphs + 2u), .by_graph = SD_NEW(job->mem, uint32_t, starter_count),
		.around = SD_NEW0(job->mem, uint32_t, lanes), .stamp = SD_NEW0(job->mem, uint32_t, lanes),
	};

	*out = (struct sd_body_starts){
		.node = SD_NEW(job->mem, uint32_t, graphs), .first = SD_NEW0(job->mem, uint32_t, graphs),
		.count = SD_NEW0(job->mem, uint32_t, graphs),
	};
	SD_NEED(job, r.first_starter && r.by_graph && r.around && r.stamp && out->node && out->first && out->count);
	memset(out->node, 0xff, graphs * sizeof(*out->node));
	find_nodes(&r);
	index_starters(&r, starter_count);
	return read_graph(&r, SD_ROOT);
}
