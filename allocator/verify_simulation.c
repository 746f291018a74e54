/* The simulation: whether it is one of this plan. What the device model makes of it is not worked out again, but times
 * must be such as the plan and the graph allow, and the figures those of the times. */
#include "verify_internal.h"

struct checker {
	struct sd__judge *judge;
	const struct sd_simulation *simulation;
	int64_t *free_at, *busy_ns; /* by stream */
	int64_t *ended_ns;          /* by node: of its launch in the root; -1: not launched there */
};

static void violate(struct checker *c, const char *detail, uint32_t a, uint32_t b, int64_t stream, int64_t id)
{
	sd__violate(c->judge->verdict, SD_VIOLATION_SIMULATION, detail, a, b, stream, id);
}

static bool is_placed(const struct sd_plan *plan, const struct sd_simulated_launch *launch)
{
	const struct sd_placement *at = &plan->node[launch->node];

	if (at->stream == SD_NO_STREAM)
		return false;
	if (!launch->attached)
		return (uint32_t)at->stream == launch->stream;
	for (uint32_t i = at->attached_first; i < at->attached_first + at->attached_count; i++) {
		if ((uint32_t)plan->attached_stream[i] == launch->stream)
			return true;
	}
	return false;
}

static bool check_launch(struct checker *c, uint32_t i)
{
	const struct sd_simulated_launch *launch = &c->simulation->launch[i];
	const struct sd_plan *plan = c->judge->plan;

	if (launch->node >= plan->node_count || launch->stream >= plan->stream_count || !is_placed(plan, launch)) {
		violate(c, "a launch of it is not one of the plan", SD_NO_NODE, SD_NO_NODE, -1, i);
		return false;
	}
	if (launch->began_ns < c->free_at[launch->stream] || launch->ended_ns < launch->began_ns) {
		violate(c, "a launch begins before its stream is free, or ends before it begins", launch->node, SD_NO_NODE, launch->stream, i);
		return false;
	}
	c->free_at[launch->stream] = launch->ended_ns;
	c->busy_ns[launch->stream] += launch->ended_ns - launch->began_ns;
	if (!launch->attached && c->judge->graph->graph_of[launch->node] == SD_ROOT) {
		if (c->ended_ns[launch->node] >= 0)
			violate(c, "a node runs twice", launch->node, SD_NO_NODE, launch->stream, i);
		c->ended_ns[launch->node] = launch->ended_ns;
	}
	return true;
}

/* Of edges between nodes of the root. */
static void check_edges(struct checker *c, uint32_t i)
{
	const struct sd_graph *graph = c->judge->graph;
	const struct sd_simulated_launch *launch = &c->simulation->launch[i];

	if (launch->attached || graph->graph_of[launch->node] != SD_ROOT)
		return;
	for (uint32_t e = graph->in_first[launch->node]; e < graph->in_first[launch->node + 1]; e++) {
		const struct sd_edge *edge = &graph->in[e];

		if (edge->src != SD_NO_NODE && !sd__cuts(c->judge, edge->src) && c->ended_ns[edge->src] > launch->began_ns)
			violate(c, "a launch begins before what it reads has ended", edge->src, launch->node, launch->stream, i);
	}
}

static void check_nodes(struct checker *c)
{
	const struct sd_plan *plan = c->judge->plan;

	for (uint32_t n = 0; n < plan->node_count; n++) {
		if (plan->node[n].stream != SD_NO_STREAM && c->judge->graph->graph_of[n] == SD_ROOT && c->ended_ns[n] < 0 && c->judge->main_slot[n] != SD__NONE &&
		    c->judge->slot[c->judge->main_slot[n]].run_in == SD_ROOT)
			violate(c, "a node of the plan does not run", n, SD_NO_NODE, plan->node[n].stream, -1);
	}
}

static void check_figures(struct checker *c)
{
	const struct sd_simulation *simulation = c->simulation;
	int64_t last_ns = 0;

	for (uint32_t i = 0; i < simulation->launch_count; i++)
		last_ns = simulation->launch[i].ended_ns > last_ns ? simulation->launch[i].ended_ns : last_ns;
	if (last_ns != simulation->makespan_ns)
		violate(c, "it ends with another launch than the last", SD_NO_NODE, SD_NO_NODE, -1, simulation->makespan_ns);
	for (uint32_t s = 0; s < simulation->stream_count; s++) {
		if (simulation->stream[s].busy_ns != c->busy_ns[s] || simulation->stream[s].overlap_ns < 0 || simulation->stream[s].overlap_ns > c->busy_ns[s])
			violate(c, "a stream is not busy for as long as its launches run", SD_NO_NODE, SD_NO_NODE, s, simulation->stream[s].busy_ns);
	}
}

static void check_chain(struct checker *c)
{
	const struct sd_simulation *simulation = c->simulation;

	if ((simulation->link_count == 0) != (simulation->launch_count == 0))
		violate(c, "it has no critical chain", SD_NO_NODE, SD_NO_NODE, -1, simulation->link_count);
	for (uint32_t i = 0; i < simulation->link_count; i++) {
		const struct sd_chain_link *link = &simulation->link[i];

		if (link->launch >= simulation->launch_count || (link->reason == SD_LINK_START) != (i == 0) ||
		    (i > 0 && simulation->launch[link->launch].began_ns < simulation->launch[link[-1].launch].began_ns)) {
			violate(c, "its critical chain does not lead from the start on", SD_NO_NODE, SD_NO_NODE, -1, i);
			return;
		}
	}
	if (simulation->link_count && simulation->launch[simulation->link[simulation->link_count - 1].launch].ended_ns != simulation->makespan_ns)
		violate(c, "its critical chain does not lead to the end", SD_NO_NODE, SD_NO_NODE, -1, simulation->link_count);
}

static bool take_room(struct checker *c)
{
	const struct sd_plan *plan = c->judge->plan;

	c->free_at = SD_NEW0(c->judge->mem, int64_t, (size_t)plan->stream_count + 1);
	c->busy_ns = SD_NEW0(c->judge->mem, int64_t, (size_t)plan->stream_count + 1);
	c->ended_ns = SD_NEW(c->judge->mem, int64_t, (size_t)plan->node_count + 1);
	for (uint32_t n = 0; c->ended_ns && n < plan->node_count; n++)
		c->ended_ns[n] = -1;
	return c->free_at && c->busy_ns && c->ended_ns;
}

enum sd_status sd__verify_simulation(struct sd__judge *judge)
{
	struct checker c = { .judge = judge, .simulation = &judge->plan->simulation };

	if (!judge->plan->simulated)
		return SD_OK;
	if (!take_room(&c))
		return SD_RESOURCE_EXHAUSTED;
	if (c.simulation->stream_count != judge->plan->stream_count) {
		violate(&c, "it has another number of streams", SD_NO_NODE, SD_NO_NODE, -1, c.simulation->stream_count);
		return SD_OK;
	}
	for (uint32_t i = 0; i < c.simulation->launch_count; i++) {
		if (!check_launch(&c, i))
			return SD_OK;
	}
	for (uint32_t i = 0; i < c.simulation->launch_count; i++)
		check_edges(&c, i);
	check_nodes(&c);
	check_figures(&c);
	check_chain(&c);
	return SD_OK;
}
