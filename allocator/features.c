/* What this planner refuses rather than plan it wrongly: one table for attributes, one for
 * operator types, one list of options. */
#include "options.h"

#include "optype.h"

#define REFUSED_ATTRS(X)                                                       \
	X(ACTIVE_LABEL_LIST, "attribute _active_label_list")                   \
	X(IS_LOOP_ACTIVE, "attribute is_loop_active")

struct refused_attr {
	enum sd_attr_key key;
	const char *words;
};

static const struct refused_attr refused_attrs[] = {
#define SD_X(key, words) { SD_ATTR_##key, words },
	REFUSED_ATTRS(SD_X)
#undef SD_X
};

#define BIT(key, words) | 1ull << SD_ATTR_##key
static const uint64_t attr_bits = 0 REFUSED_ATTRS(BIT);
#undef BIT

/* The first refused attribute of a node; NULL if it has none. */
static const char *refused_attr(const struct sd_graph *g, uint32_t node)
{
	if (!(g->attr_present[node] & attr_bits))
		return NULL;
	for (size_t i = 0; i < sizeof(refused_attrs) / sizeof(refused_attrs[0]); i++) {
		if (sd_graph_has(g, node, refused_attrs[i].key))
			return refused_attrs[i].words;
	}
	return NULL;
}

/* Why an operator type is refused; NULL if it is not. */
static const char *refused_op(enum sd_op op)
{
	switch (op) {
	case SD_OP_STREAM_ACTIVE:
	case SD_OP_STREAM_SWITCH:
	case SD_OP_STREAM_SWITCH_N:
		return "an operator that starts streams";
	case SD_OP_LABEL_SET:
	case SD_OP_LABEL_GOTO_EX:
	case SD_OP_LABEL_SWITCH_BY_INDEX:
		return "an operator that jumps between labels";
	case SD_OP_ENTER:
	case SD_OP_REF_ENTER:
	case SD_OP_NEXT_ITERATION:
	case SD_OP_REF_NEXT_ITERATION:
		return "a loop of Enter and NextIteration";
	default:
		return NULL;
	}
}

static enum sd_status refuse(struct sd_diag *diag, uint32_t node, const char *what)
{
	return SD_FAIL1(diag, SD_CODE_NOT_BUILT, node, sd_arg_words(what));
}

static enum sd_status refuse_options(const struct sd_options *options, struct sd_diag *diag)
{
	if (options->dynamic_multi_stream)
		return refuse(diag, SD_NO_NODE, "option dynamic_multi_stream");
	if (options->memory_plan)
		return refuse(diag, SD_NO_NODE, "option memory_plan");
	if (options->simulate)
		return refuse(diag, SD_NO_NODE, "option simulate");
	if (options->explain)
		return refuse(diag, SD_NO_NODE, "option explain");
	if (options->search_evaluations > 0)
		return refuse(diag, SD_NO_NODE, "option search_evaluations");
	return SD_OK;
}

static enum sd_status refuse_mode(const struct sd_mode_choice *mode, bool single_stream, struct sd_diag *diag)
{
	if (single_stream)
		return SD_OK;
	switch (mode->kind) {
	case SD_AUTO_OFF:
	case SD_AUTO_CV:
		return SD_OK;
	case SD_AUTO_LOAD_BALANCE:
		return refuse(diag, SD_NO_NODE, "option auto_multi_stream = LoadBalance");
	case SD_AUTO_MAIN_STREAM:
		return refuse(diag, SD_NO_NODE, "option auto_multi_stream = MainStream");
	case SD_AUTO_WEIGHTED_LOAD_BALANCE:
		return refuse(diag, SD_NO_NODE, "option auto_multi_stream = WeightedLoadBalance");
	case SD_AUTO_COST:
		return refuse(diag, SD_NO_NODE, "option auto_multi_stream = auto");
	}
	return SD_OK;
}

static enum sd_status refuse_graphs(const struct sd_graph *g, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < g->graph_count; i++) {
		if (g->graph[i].dynamic)
			return refuse(diag, g->graph[i].parent, "a graph of unknown shape (dynamic = true)");
		if (i != SD_ROOT)
			return refuse(diag, g->graph[i].parent, "a node with subgraphs");
	}
	return SD_OK;
}

static enum sd_status refuse_nodes(const struct sd_graph *g, struct sd_diag *diag)
{
	for (uint32_t node = 0; node < g->node_count; node++) {
		const char *what = refused_attr(g, node);

		if (what)
			return refuse(diag, node, what);
	}
	return SD_OK;
}

/* Types are looked at once each; only then the nodes, for the first one that has a refused one. */
static enum sd_status refuse_types(const struct sd_graph *g, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < g->string_count; i++) {
		const char *what = refused_op(sd_op_find(g->string[i]));

		for (uint32_t node = 0; what && node < g->node_count; node++) {
			if (g->op_type[node] == i)
				return refuse(diag, node, what);
		}
	}
	return SD_OK;
}

enum sd_status sd_features_refuse(const struct sd_request *request, const struct sd_mode_choice *mode,
                                  struct sd_diag *diag)
{
	SD_TRY(refuse_options(&request->options, diag));
	SD_TRY(refuse_mode(mode, request->options.single_stream, diag));
	SD_TRY(refuse_graphs(&request->graph, diag));
	SD_TRY(refuse_types(&request->graph, diag));
	return refuse_nodes(&request->graph, diag);
}
