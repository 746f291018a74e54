#include "options.h"
#include "mutants.h"

static const struct {
	const char *name;
	enum sd_auto_kind kind;
} strategies[] = {
	{ "LoadBalance",         SD_AUTO_LOAD_BALANCE },
	{ "MainStream",          SD_AUTO_MAIN_STREAM },
	{ "WeightedLoadBalance", SD_AUTO_WEIGHTED_LOAD_BALANCE },
	{ "auto",                SD_AUTO_COST },
};

static bool find_strategy(struct sd_text name, enum sd_auto_kind *kind)
{
	for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
		if (sd_text_is(name, strategies[i].name)) {
			*kind = strategies[i].kind;
			return true;
		}
	}
	return false;
}

/* Digits and nothing else, of a value from 1 to 64; zeros in front are no matter. */
static bool read_streams(struct sd_text text, uint32_t *streams)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < text.len; i++) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
		value = value * 10 + (uint32_t)(text.at[i] - '0');
		if (value + SD_MUTANT(mode_below_most) > SD_AUTO_STREAMS_MAX)
			return false;
	}
	*streams = value;
	return value > 0;
}

/* Reads "Strategy:N"; NULL, or what is wrong with it. */
static const char *read_strategy(struct sd_text text, struct sd_mode_choice *mode)
{
	const char *colon = text.len ? memchr(text.at, ':', text.len) : NULL;
	struct sd_text name = text, number = SD_TEXT("");

	if (colon) {
		name.len = (uint32_t)(colon - text.at);
		number = (struct sd_text){ colon + 1, text.len - name.len - 1 };
	}
	if (number.len && memchr(number.at, ':', number.len))
		return "it must be Strategy:N, with one colon";
	if (!find_strategy(name, &mode->kind)) {
		return "the strategy must be LoadBalance, MainStream, WeightedLoadBalance or auto, "
		       "with :N behind it; or the value cv";
	}
	if (!colon && mode->kind == SD_AUTO_COST) {
		mode->streams = SD_AUTO_COST_STREAMS;
		return NULL;
	}
	if (!colon)
		return "it must be Strategy:N, with one colon";
	return read_streams(number, &mode->streams) ? NULL : "the number behind the colon must be 1 to 64, in digits";
}

enum sd_status sd_mode_choose(const struct sd_request *request, struct sd_mode_choice *mode, struct sd_diag *diag)
{
	const struct sd_graph *g = &request->graph;
	const struct sd_value *attr = sd_graph_find(g, g->graph[SD_ROOT].attrs, SD_ATTR_AUTO_MULTI_STREAM_MODE);
	bool by_attr = attr && attr->kind == SD_VALUE_STRING && !(SD_MUTANT(mode_of_option_wins) && request->options.auto_multi_stream.len);
	struct sd_text text = by_attr ? attr->string : request->options.auto_multi_stream;
	const char *wrong = NULL;

	*mode = (struct sd_mode_choice){ .kind = SD_AUTO_OFF, .stated = text.len > 0 };
	if (sd_text_is(text, "cv")) {
		mode->kind = SD_AUTO_CV;
		mode->cv = true;
	} else if (sd_text_is(text, "default")) {
		wrong = by_attr ? NULL : "default is a value of the graph attribute only; leave the option empty";
	} else if (text.len > 0) {
		wrong = read_strategy(text, mode);
	}
	if (!wrong)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_BAD_OPTION_VALUE, SD_NO_NODE,
	                sd_arg_words("auto_multi_stream (ge.autoMultistreamParallelMode)"), sd_arg_text(text),
	                sd_arg_words(wrong));
}

static enum sd_status check_max_parallel(const struct sd_options *options, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < options->max_parallel_count; i++) {
		const struct sd_engine_streams *entry = &options->max_parallel[i];

		if (entry->engine.len == 0)
			return SD_FAIL1(diag, SD_CODE_EMPTY_OPTION_VALUE, SD_NO_NODE, sd_arg_words("max_parallel_num"));
		if (entry->streams < 1) {
			return SD_FAIL3(diag, SD_CODE_BAD_OPTION_VALUE, SD_NO_NODE, sd_arg_words("max_parallel_num"),
			                sd_arg_int(entry->streams), sd_arg_words("each engine needs at least 1 stream"));
		}
	}
	return SD_OK;
}

static enum sd_status check_ac_parallel(const struct sd_options *options, struct sd_diag *diag)
{
	struct sd_text value = options->ac_parallel;

	if (value.len == 0 || sd_text_is(value, "0") || sd_text_is(value, "1"))
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_BAD_OPTION_VALUE, SD_NO_NODE, sd_arg_words("ac_parallel (ac_parallel_enable)"),
	                sd_arg_text(value), sd_arg_words("it must be empty, 0 or 1"));
}

enum sd_status sd_options_check(const struct sd_options *options, struct sd_diag *diag)
{
	SD_TRY(check_max_parallel(options, diag));
	return check_ac_parallel(options, diag);
}
