/* What this planner refuses rather than plan it wrongly: operator types, options, graphs. */
#include "options.h"

#include "optype.h"

/* Why an operator type is refused; NULL if it is not. Of the streams that a StreamSwitchN starts only one
 * runs, which one is known when it runs: what the others record and wait for does not happen. A plan can
 * say that of bodies alone, by what their commands are `in`, and its activations say no order. */
static const char *refused_op(enum sd_op op)
{
	switch (op) {
	case SD_OP_STREAM_SWITCH_N:
		return "StreamSwitchN";
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
	if (options->memory_plan)
		return refuse(diag, SD_NO_NODE, "option memory_plan");
	if (options->search_evaluations > 0)
		return refuse(diag, SD_NO_NODE, "option search_evaluations");
	return SD_OK;
}

/* A model of unknown shape takes no notice of single_stream, so nothing contradicts there. */
static enum sd_status refuse_mode(const struct sd_request *request, const struct sd_mode_choice *mode, struct sd_diag *diag)
{
	if (request->options.single_stream && !request->graph.graph[SD_ROOT].dynamic)
		return SD_OK;
	if (mode->kind == SD_AUTO_COST)
		return refuse(diag, SD_NO_NODE, "option auto_multi_stream = auto");
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
	SD_TRY(refuse_mode(request, mode, diag));
	return refuse_types(&request->graph, diag);
}
