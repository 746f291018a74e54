/* diag.h - what went wrong, or is worth a warning, and where.
 *
 * A diagnostic holds a code, a node by index and a few arguments, and no sentence:
 * that is how it travels and how it lies in a cache, where names of nodes must not
 * be. sd_diag_message() makes the sentence, for everybody. */
#ifndef SD_DIAG_H
#define SD_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codes.h"
#include "status.h"
#include "text.h"

#define SD_NO_NODE UINT32_MAX
#define SD_DIAG_ARGS 3
#define SD_MESSAGE_MAX 512 /* bytes of a message with its NUL */

enum sd_arg_kind {
	SD_ARG_NONE,
	SD_ARG_INT,    /* a number */
	SD_ARG_NODE,   /* the name of node `number` */
	SD_ARG_LABEL,  /* the stream label of node `number` */
	SD_ARG_TEXT,   /* text of the request: quoted, escaped, cut. In errors only, never in a plan */
	SD_ARG_WORDS,  /* our own words, printed as they are. In errors only, never in a plan */
	SD_ARG_PROFILE,/* the name of device profile `number` (device_limits.h of the planner) */
	SD_ARG_ENGINE, /* the engine of node `number`. In explanations only, never in a diagnostic */
};

struct sd_arg {
	enum sd_arg_kind kind;
	int64_t number;
	struct sd_text text;
};

enum sd_severity { SD_WARNING, SD_ERROR };

struct sd_diag {
	enum sd_code code;    /* SD_CODE_NONE: nothing happened */
	enum sd_severity severity;
	uint32_t node;        /* SD_NO_NODE: not about one node */
	const char *pass;     /* static string, NULL outside the chain */
	struct sd_arg arg[SD_DIAG_ARGS];
};

static inline struct sd_arg sd_arg_int(int64_t n)
{
	return (struct sd_arg){ .kind = SD_ARG_INT, .number = n };
}
static inline struct sd_arg sd_arg_node(uint32_t node)
{
	return (struct sd_arg){ .kind = SD_ARG_NODE, .number = node };
}
static inline struct sd_arg sd_arg_label(uint32_t node)
{
	return (struct sd_arg){ .kind = SD_ARG_LABEL, .number = node };
}
static inline struct sd_arg sd_arg_engine(uint32_t node)
{
	return (struct sd_arg){ .kind = SD_ARG_ENGINE, .number = node };
}
static inline struct sd_arg sd_arg_text(struct sd_text text)
{
	return (struct sd_arg){ .kind = SD_ARG_TEXT, .text = text };
}
static inline struct sd_arg sd_arg_words(const char *words)
{
	return (struct sd_arg){ .kind = SD_ARG_WORDS, .text = { words, (uint32_t)strlen(words) } };
}

/* Fills `diag` unless an earlier failure already did (the first one is the cause),
 * and answers the code's status, so that `return sd_fail(...)` reads well. `diag`
 * may be NULL. Missing arguments are given as (struct sd_arg){ 0 }. */
enum sd_status sd_fail(struct sd_diag *diag, enum sd_code code, uint32_t node,
                       struct sd_arg a, struct sd_arg b, struct sd_arg c);
#define SD_FAIL0(diag, code, node) sd_fail((diag), (code), (node), (struct sd_arg){ 0 }, (struct sd_arg){ 0 }, (struct sd_arg){ 0 })
#define SD_FAIL1(diag, code, node, a) sd_fail((diag), (code), (node), (a), (struct sd_arg){ 0 }, (struct sd_arg){ 0 })
#define SD_FAIL2(diag, code, node, a, b) sd_fail((diag), (code), (node), (a), (b), (struct sd_arg){ 0 })
#define SD_FAIL3(diag, code, node, a, b, c) sd_fail((diag), (code), (node), (a), (b), (c))

/* "E10055", the status, and whether the same request may succeed later. */
const char *sd_code_text(enum sd_code code);
enum sd_status sd_code_status(enum sd_code code);
bool sd_code_retryable(enum sd_code code);

/* The code with this text ("SD2001"); SD_CODE_NONE if there is none. Of codes that
 * share a text the first. */
enum sd_code sd_code_find(struct sd_text text);

/* Where names come from. All functions may be called with any index; each may be NULL. */
struct sd_names {
	const void *of;
	struct sd_text (*node)(const void *of, uint32_t node);
	struct sd_text (*label)(const void *of, uint32_t node);
	struct sd_text (*engine)(const void *of, uint32_t node);
};

/* Writes the sentence, NUL-terminated, at most `cap` bytes, control characters
 * escaped, long names cut. `names` may be NULL: nodes are then called "node 17".
 * Answers the length written. */
size_t sd_diag_message(const struct sd_diag *diag, const struct sd_names *names, char *out, size_t cap);

/* Writes `message`, in which a key in braces stands for its argument, as sd_diag_message() writes. */
struct sd_word {
	const char *key;
	struct sd_arg arg;
};
size_t sd_words_put(const char *message, const struct sd_word *word, uint32_t count, const struct sd_names *names, char *out, size_t cap);

/* Writes a node as messages show it: its name quoted, escaped and cut, or "node 17". */
size_t sd_node_text(const struct sd_names *names, uint32_t node, char *out, size_t cap);

/* Name of device profile `number`, for SD_ARG_PROFILE (allocator/device_limits.c); "default" out of range. */
const char *sd_profile_name(int64_t number);

#endif
