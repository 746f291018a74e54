#include "json_path.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "quote.h"

#define PATH_SHOWN 240u /* bytes of a path in a message: half of what a message may hold */
#define WORD_MAX 64u    /* longer keys are cut, and then quoted */
#define WHAT_SHOWN 200u

struct writer {
	char *out;
	size_t cap, len;
};

static void put(struct writer *w, const char *at, size_t len)
{
	size_t room = w->cap - 1 - w->len;

	if (len > room)
		len = room;
	memcpy(w->out + w->len, at, len);
	w->len += len;
}

static bool is_word(const char *key)
{
	size_t len = 0;

	for (; key[len]; len++) {
		if (!isalnum((unsigned char)key[len]) && key[len] != '_')
			return false;
	}
	return len > 0 && len <= WORD_MAX;
}

/* A key that is no plain word stands in brackets, so that a dot in it is no step. */
static void put_quoted(struct writer *w, const char *key)
{
	char quoted[SD_QUOTE_MAX];

	sd_quote(quoted, (struct sd_text){ key, (uint32_t)strlen(key) });
	put(w, "[", 1);
	put(w, quoted, strlen(quoted));
	put(w, "]", 1);
}

static void put_step(struct writer *w, const struct sd_json_path *at)
{
	char number[32];

	if (!at->key) {
		put(w, number, (size_t)snprintf(number, sizeof(number), "[%zu]", at->index));
	} else if (is_word(at->key)) {
		put(w, ".", w->len > 0);
		put(w, at->key, strlen(at->key));
	} else {
		put_quoted(w, at->key);
	}
}

size_t sd_json_path_text(const struct sd_json_path *at, char *out, size_t cap)
{
	const struct sd_json_path *step[16];
	struct writer w = { out, cap, 0 };
	size_t depth = 0;

	/* The schema is not recursive: no path has more steps than this. */
	for (; at && depth < 16; at = at->up)
		step[depth++] = at;
	while (depth > 0)
		put_step(&w, step[--depth]);
	out[w.len] = '\0';
	return w.len;
}

enum sd_status sd_memory_fail(const struct sd_arena *mem, struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
}

enum sd_status sd_json_fail(struct sd_json_reader *r, const struct sd_json_path *at, const char *format, ...)
{
	char path[PATH_SHOWN], what[WHAT_SHOWN];
	va_list args;

	if (sd_json_path_text(at, path, sizeof(path)) == 0)
		strcpy(path, "top level");
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (r->code == SD_CODE_BAD_JSON)
		return SD_FAIL2(r->diag, r->code, SD_NO_NODE, sd_arg_words(sd_words(r->mem, "%s", path)), sd_arg_words(sd_words(r->mem, "%s", what)));
	return SD_FAIL1(r->diag, r->code, SD_NO_NODE, sd_arg_words(sd_words(r->mem, "%s: %s", path, what)));
}
