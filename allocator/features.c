/* What this planner refuses rather than plan it wrongly. */
#include "options.h"

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

enum sd_status sd_features_refuse(const struct sd_request *request, const struct sd_mode_choice *mode,
                                  struct sd_diag *diag)
{
	SD_TRY(refuse_options(&request->options, diag));
	return refuse_mode(request, mode, diag);
}
