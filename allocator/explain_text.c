/* Explanations in words. */
#include "streamd/explain.h"

static const struct {
	const char *word, *message;
} table[SD_REASONS] = {
#define SD_X(name, word, message) { word, message },
	SD_REASON_LIST(SD_X)
#undef SD_X
};

bool sd_is_pass_name(struct sd_text name)
{
	for (uint32_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return name.len > 0 && name.len <= SD_PASS_NAME_MAX;
}

const char *sd_reason_word(enum sd_reason reason)
{
	return table[reason].word;
}

size_t sd_explanation_text(const struct sd_explanation *explanation, const struct sd_names *names, char *out, size_t cap)
{
	const struct sd_word word[] = {
		{ "other", sd_arg_node(explanation->other) }, { "through", sd_arg_node(explanation->through) },
		{ "label", sd_arg_label(explanation->node) }, { "engine", sd_arg_engine(explanation->node) },
		{ "number", sd_arg_int(explanation->number) },
	};

	return sd_words_put(table[explanation->reason].message, word, sizeof(word) / sizeof(word[0]), names, out, cap);
}
