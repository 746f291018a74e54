#include "diag.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "utf8.h"

#define NAME_SHOWN 64u /* bytes of a name that a message shows; enough to find it, short enough for a log line */

static const struct {
	const char *text, *message;
	enum sd_status status;
	bool retryable;
} code_table[SD_CODE_COUNT] = {
#define SD_X(name, text, status, retryable, message) { text, message, SD_##status, retryable },
	SD_CODE_LIST(SD_X)
#undef SD_X
};

const char *sd_status_name(enum sd_status status)
{
	switch (status) {
	case SD_OK: return "OK";
	case SD_CANCELLED: return "CANCELLED";
	case SD_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
	case SD_DEADLINE_EXCEEDED: return "DEADLINE_EXCEEDED";
	case SD_NOT_FOUND: return "NOT_FOUND";
	case SD_ALREADY_EXISTS: return "ALREADY_EXISTS";
	case SD_PERMISSION_DENIED: return "PERMISSION_DENIED";
	case SD_RESOURCE_EXHAUSTED: return "RESOURCE_EXHAUSTED";
	case SD_FAILED_PRECONDITION: return "FAILED_PRECONDITION";
	case SD_ABORTED: return "ABORTED";
	case SD_UNIMPLEMENTED: return "UNIMPLEMENTED";
	case SD_INTERNAL: return "INTERNAL";
	case SD_UNAVAILABLE: return "UNAVAILABLE";
	}
	return "UNKNOWN";
}

void sd_check_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: this must hold: %s\n", file, line, what);
	abort();
}

enum sd_status sd_fail(struct sd_diag *diag, enum sd_code code, uint32_t node,
                       struct sd_arg a, struct sd_arg b, struct sd_arg c)
{
	if (diag && diag->code == SD_CODE_NONE) {
		*diag = (struct sd_diag){ .code = code, .severity = SD_ERROR, .node = node,
		                          .pass = diag->pass, .arg = { a, b, c } };
	}
	return code_table[code].status;
}

const char *sd_code_text(enum sd_code code)
{
	return code_table[code].text;
}

enum sd_status sd_code_status(enum sd_code code)
{
	return code_table[code].status;
}

bool sd_code_retryable(enum sd_code code)
{
	return code_table[code].retryable;
}

enum sd_code sd_code_find(struct sd_text text)
{
	for (int code = 1; code < SD_CODE_COUNT; code++) {
		if (sd_text_is(text, code_table[code].text))
			return (enum sd_code)code;
	}
	return SD_CODE_NONE;
}

struct writer {
	char *out;
	size_t cap, len;
};

static void put(struct writer *w, const char *at, size_t len)
{
	if (len > w->cap - 1 - w->len)
		len = w->cap - 1 - w->len;
	memcpy(w->out + w->len, at, len);
	w->len += len;
}

/* A name as the reader can tell it apart: quoted, cut before a UTF-8 continuation byte; control
 * bytes, and bytes that are no UTF-8, as \xNN. */
static void put_quoted(struct writer *w, struct sd_text text)
{
	uint32_t shown = text.len < NAME_SHOWN ? text.len : NAME_SHOWN;

	while (shown < text.len && shown > 0 && ((unsigned char)text.at[shown] & 0xc0) == 0x80)
		shown--;
	put(w, "'", 1);
	for (uint32_t i = 0; i < shown; i++) {
		const unsigned char *at = (const unsigned char *)text.at + i;
		uint32_t bytes = sd_utf8_step(at, shown - i);
		char escaped[5];

		if (bytes > 0 && *at >= 0x20 && *at != 0x7f) {
			put(w, text.at + i, bytes);
			i += bytes - 1;
		} else {
			snprintf(escaped, sizeof(escaped), "\\x%02x", *at);
			put(w, escaped, 4);
		}
	}
	if (shown < text.len)
		put(w, "...", 3);
	put(w, "'", 1);
}

static void put_node(struct writer *w, const struct sd_names *names, int64_t node)
{
	char number[32];

	if (names && names->node && node >= 0 && node < SD_NO_NODE) {
		put_quoted(w, names->node(names->of, (uint32_t)node));
		return;
	}
	put(w, number, (size_t)snprintf(number, sizeof(number), "node %lld", (long long)node));
}

size_t sd_node_text(const struct sd_names *names, uint32_t node, char *out, size_t cap)
{
	struct writer w = { out, cap, 0 };

	if (cap == 0)
		return 0;
	put_node(&w, names, node);
	out[w.len] = '\0';
	return w.len;
}

static void put_engine(struct writer *w, const struct sd_names *names, int64_t node)
{
	struct sd_text engine = names && names->engine ? names->engine(names->of, (uint32_t)node) : SD_TEXT("");

	if (engine.len > 0) {
		put_quoted(w, engine);
		return;
	}
	put(w, "the engine of ", 14);
	put_node(w, names, node);
}

static void put_arg(struct writer *w, const struct sd_names *names, const struct sd_arg *arg)
{
	char number[32];

	switch (arg->kind) {
	case SD_ARG_NONE:
		break;
	case SD_ARG_INT:
		put(w, number, (size_t)snprintf(number, sizeof(number), "%lld", (long long)arg->number));
		break;
	case SD_ARG_NODE:
		put_node(w, names, arg->number);
		break;
	case SD_ARG_LABEL:
		if (names && names->label)
			put_quoted(w, names->label(names->of, (uint32_t)arg->number));
		break;
	case SD_ARG_TEXT:
		put_quoted(w, arg->text);
		break;
	case SD_ARG_WORDS:
		put(w, arg->text.at, arg->text.len);
		break;
	case SD_ARG_ENGINE:
		put_engine(w, names, arg->number);
		break;
	case SD_ARG_PROFILE:
		put(w, sd_profile_name(arg->number), strlen(sd_profile_name(arg->number)));
		break;
	}
}

/* The argument whose key stands in braces at `at`, and the length of both; NULL: it is plain text. */
static const struct sd_arg *find_word(const char *at, const struct sd_word *word, uint32_t count, size_t *len)
{
	const char *end = *at == '{' ? strchr(at, '}') : NULL;

	for (uint32_t i = 0; end && i < count; i++) {
		*len = (size_t)(end - at) + 1;
		if (strlen(word[i].key) == *len - 2 && memcmp(word[i].key, at + 1, *len - 2) == 0)
			return &word[i].arg;
	}
	return NULL;
}

size_t sd_words_put(const char *message, const struct sd_word *word, uint32_t count, const struct sd_names *names, char *out, size_t cap)
{
	struct writer w = { out, cap, 0 };
	size_t len;

	if (cap == 0)
		return 0;
	while (*message) {
		const struct sd_arg *arg = find_word(message, word, count, &len);

		if (arg)
			put_arg(&w, names, arg);
		else
			put(&w, message, 1);
		message += arg ? len : 1;
	}
	out[w.len] = '\0';
	return w.len;
}

size_t sd_diag_message(const struct sd_diag *diag, const struct sd_names *names, char *out, size_t cap)
{
	const struct sd_word word[] = {
		{ "node", { .kind = SD_ARG_NODE, .number = diag->node == SD_NO_NODE ? -1 : (int64_t)diag->node } },
		{ "0", diag->arg[0] }, { "1", diag->arg[1] }, { "2", diag->arg[2] },
	};
	const char *message = code_table[diag->code].message;

	/* A message that begins with its node says nothing where there is none. */
	if (diag->node == SD_NO_NODE && strncmp(message, "{node}: ", 8) == 0)
		message += 8;
	return sd_words_put(message, word, sizeof(word) / sizeof(word[0]), names, out, cap);
}
