#include "sort_impl.h"

#include "base/merge.h"
#include "streamd/planner.h"

static bool keeps_listed(enum sd_sorting rule)
{
	return rule == SD_SORT_SUBMITTED || rule == SD_SORT_STABLE;
}

static bool takes_by_memory(const struct sd_options *options)
{
	return options->memory_priority &&
	       (options->topo_sorting == SD_SORT_DFS || options->topo_sorting == SD_SORT_BFS);
}

bool sd_plan_compares_names(const struct sd_options *options)
{
	return options->topo_sorting == SD_SORT_BFS || options->topo_sorting == SD_SORT_RDFS || takes_by_memory(options);
}

static const uint8_t *ops_of_strings(struct sd_arena *mem, const struct sd_graph *g)
{
	uint8_t *op = SD_NEW(mem, uint8_t, g->string_count);

	_Static_assert(SD_OP_COUNT <= 256, "an operator type fits a byte");
	for (uint32_t i = 0; op && i < g->string_count; i++)
		op[i] = (uint8_t)sd_op_find(g->string[i]);
	return op;
}

static bool take_scratch(struct sd__sorter *s, struct sd_arena *mem, const struct sd_options *options)
{
	uint32_t nodes = s->g->node_count;

	s->op = ops_of_strings(mem, s->g);
	s->degree = SD_NEW(mem, uint32_t, nodes);
	s->ready = SD_NEW(mem, uint32_t, nodes);
	s->queue = SD_NEW(mem, uint32_t, nodes);
	s->spare = SD_NEW(mem, uint32_t, nodes);
	if (!s->op || !s->degree || !s->ready || !s->queue || !s->spare)
		return false;
	if (!sd_plan_compares_names(options))
		return true;
	s->name_rank = sd_text_ranks(mem, s->g->name, nodes);
	if (!s->name_rank)
		return false;
	if (options->topo_sorting != SD_SORT_RDFS && !takes_by_memory(options))
		return true;
	s->rank = sd__rank_nodes(mem, s, takes_by_memory(options));
	return s->rank;
}

static bool sort_by_rule(struct sd_arena *mem, struct sd__sorter *s, const struct sd_options *options,
                         const struct sd_subgraph *graph)
{
	switch (options->topo_sorting) {
	case SD_SORT_DFS:
		sd__sort_dfs(s, graph);
		break;
	case SD_SORT_BFS:
		sd__sort_bfs(s, graph);
		break;
	case SD_SORT_RDFS:
		if (!sd__sort_inputs_first(mem, s, graph, true))
			return false;
		break;
	case SD_SORT_SUBMITTED:
	case SD_SORT_STABLE:
		return sd__sort_inputs_first(mem, s, graph, false);
	}
	if (options->topo_sorting == SD_SORT_RDFS || takes_by_memory(options))
		sd__sort_late(s, graph);
	return true;
}

static enum sd_status sort_graph(struct sd_arena *mem, struct sd__sorter *s, const struct sd_options *options,
                                 const struct sd_subgraph *graph, struct sd_diag *diag)
{
	if (!sd__is_topological(s, graph)) {
		uint32_t node = sd__find_cycle(s, graph);

		if (node != SD_NO_NODE)
			return SD_FAIL0(diag, SD_CODE_CYCLE, node);
	} else if (keeps_listed(options->topo_sorting)) {
		for (uint32_t i = 0; i < graph->node_count; i++)
			s->out[graph->first_node + i] = graph->first_node + i;
		return SD_OK;
	}
	if (!sort_by_rule(mem, s, options, graph))
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	return SD_OK;
}

enum sd_status sd_sort_make(struct sd_arena *mem, const struct sd_request *request,
                            const struct sd_adjacency *adjacency, struct sd_order *order, struct sd_diag *diag)
{
	const struct sd_graph *g = &request->graph;
	uint32_t *node = SD_NEW(mem, uint32_t, g->node_count), *pos = SD_NEW(mem, uint32_t, g->node_count);
	struct sd__sorter s = { .g = g, .adj = adjacency, .out = node };
	struct sd_arena_mark mark = sd_arena_mark(mem);

	if (!node || !pos || !take_scratch(&s, mem, &request->options))
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	for (uint32_t i = 0; i < g->graph_count; i++)
		SD_TRY(sort_graph(mem, &s, &request->options, &g->graph[i], diag));
	sd_arena_rewind(mem, mark);
	for (uint32_t i = 0; i < g->node_count; i++)
		pos[node[i]] = i;
	*order = (struct sd_order){ .node = node, .pos = pos };
	if (!sd__walk(mem, g, order))
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	return SD_OK;
}
