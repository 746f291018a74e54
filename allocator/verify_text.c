/* A violation as a line for people. */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kind_text[SD_VIOLATION_KINDS] = {
#define SD_X(name, text) text,
	SD_VIOLATION_LIST(SD_X)
#undef SD_X
};

struct line {
	char *out;
	size_t cap, len;
};

static void put(struct line *line, const char *text)
{
	size_t len = strlen(text), room = line->cap - 1 - line->len;

	len = len < room ? len : room;
	memcpy(line->out + line->len, text, len);
	line->len += len;
}

static void put_number(struct line *line, const char *word, int64_t number)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%" PRId64, word, number);
	put(line, text);
}

static void put_node(struct line *line, const char *word, const struct sd_names *names, uint32_t node)
{
	char name[SD_MESSAGE_MAX];

	sd_node_text(names, node, name, sizeof(name));
	put(line, word);
	put(line, name);
}

size_t sd_violation_text(const struct sd_violation *violation, const struct sd_names *names, char *out, size_t cap)
{
	struct line line = { out, cap, 0 };

	if (cap == 0)
		return 0;
	put(&line, (unsigned)violation->kind < SD_VIOLATION_KINDS ? kind_text[violation->kind] : "a promise is broken");
	if (violation->detail) {
		put(&line, ": ");
		put(&line, violation->detail);
	}
	if (violation->a != SD_NO_NODE)
		put_node(&line, ": ", names, violation->a);
	if (violation->b != SD_NO_NODE)
		put_node(&line, violation->a != SD_NO_NODE ? ", " : ": ", names, violation->b);
	if (violation->stream >= 0)
		put_number(&line, " on stream ", violation->stream);
	if (violation->id >= 0)
		put_number(&line, " number ", violation->id);
	out[line.len] = '\0';
	return line.len;
}
