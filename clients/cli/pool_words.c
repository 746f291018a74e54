#include "pool_words.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "formats/suggest.h"
#include "streamd/stream_flags.h"

enum kind { NUMBER, SIGNED, TEXT, FLAGS, YES_NO, NAME_OR_ID, IDS };

static const struct row {
	const char *key;
	enum kind kind;
	size_t offset;
	unsigned verbs;
	uint64_t most;
} table[] = {
	{ "model",      NAME_OR_ID, offsetof(struct pool_words, model),      POOL_ACQUIRE | POOL_RELEASE, 0          },
	{ "domain",     TEXT,       offsetof(struct pool_words, domain),     POOL_ACQUIRE,                0          },
	{ "device",     NUMBER,     offsetof(struct pool_words, device),     POOL_ACQUIRE | POOL_LIST,    UINT32_MAX },
	{ "priority",   SIGNED,     offsetof(struct pool_words, priority),   POOL_ACQUIRE,                INT32_MAX  },
	{ "flags",      FLAGS,      offsetof(struct pool_words, flags),      POOL_ACQUIRE,                UINT32_MAX },
	{ "count",      NUMBER,     offsetof(struct pool_words, count),      POOL_ACQUIRE,                UINT32_MAX },
	{ "task_count", NUMBER,     offsetof(struct pool_words, task_count), POOL_ACQUIRE,                INT64_MAX  },
	{ "events",     NUMBER,     offsetof(struct pool_words, events),     POOL_ACQUIRE,                UINT64_MAX },
	{ "notifies",   NUMBER,     offsetof(struct pool_words, notifies),   POOL_ACQUIRE,                UINT64_MAX },
	{ "wait_ms",    NUMBER,     offsetof(struct pool_words, wait_ms),    POOL_ACQUIRE,                UINT32_MAX },
	{ "ttl_ms",     NUMBER,     offsetof(struct pool_words, ttl_ms),     POOL_ACQUIRE,                UINT32_MAX },
	{ "lease",      IDS,        offsetof(struct pool_words, lease),      POOL_RELEASE,                UINT64_MAX },
	{ "force",      YES_NO,     offsetof(struct pool_words, force),      POOL_RELEASE,                0          },
};
#define ROWS (sizeof(table) / sizeof(table[0]))

/* ---- values ---- */

static bool read_number(const char *text, const char *end, uint64_t most, uint64_t *out)
{
	const bool is_hex = end - text > 2 && text[0] == '0' && text[1] == 'x';
	char *stop;

	if (text == end || *text < '0' || *text > '9')
		return false;
	*out = strtoull(text, &stop, is_hex ? 16 : 10);
	return stop == end && *out <= most;
}

static bool read_signed(const char *text, uint64_t most, int64_t *out)
{
	bool is_negative = *text == '-';
	uint64_t number;

	if (!read_number(text + is_negative, text + strlen(text), most, &number))
		return false;
	*out = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static bool flag_named(const char *name, size_t len, uint64_t *flags)
{
	const char *known;
	uint32_t flag;

	for (uint32_t i = 0; (known = sd_stream_flag_name(i, &flag)); i++) {
		if (strlen(known) == len && memcmp(known, name, len) == 0) {
			*flags |= flag;
			return true;
		}
	}
	return false;
}

/* PERSISTENT|HUGE, or a number. */
static bool read_flags(const char *text, uint64_t *flags)
{
	if (read_number(text, text + strlen(text), UINT32_MAX, flags))
		return true;
	*flags = 0;
	for (;; text++) {
		size_t len = strcspn(text, "|");

		if (!flag_named(text, len, flags))
			return false;
		text += len;
		if (!*text)
			return true;
	}
}

static bool read_yes(const char *text, bool *out)
{
	*out = strcmp(text, "true") == 0;
	return *out || strcmp(text, "false") == 0;
}

/* Numbers joined by commas; several words add up. */
static bool read_ids(const char *text, struct pool_words *words)
{
	for (;; text++) {
		size_t len = strcspn(text, ",");

		if (words->lease_count == POOL_LEASES_MAX || !read_number(text, text + len, UINT64_MAX, &words->lease[words->lease_count]))
			return false;
		words->lease_count++;
		text += len;
		if (!*text)
			return true;
	}
}

static bool read_model(const char *text, struct pool_words *words)
{
	words->model = text;
	return words->verb == POOL_ACQUIRE || read_number(text, text + strlen(text), UINT64_MAX, &words->model_id);
}

static bool read_value(const struct row *row, const char *text, struct pool_words *words)
{
	void *at = (char *)words + row->offset;

	switch (row->kind) {
	case NUMBER: return read_number(text, text + strlen(text), row->most, at);
	case SIGNED: return read_signed(text, row->most, at);
	case TEXT: *(const char **)at = text; return true;
	case FLAGS: return read_flags(text, at);
	case YES_NO: return read_yes(text, at);
	case NAME_OR_ID: return read_model(text, words);
	default: return read_ids(text, words);
	}
}

static const char *wanted(const struct row *row, enum pool_verb verb)
{
	switch (row->kind) {
	case FLAGS: return "names of stream flags joined by | (PERSISTENT|HUGE), or a number";
	case YES_NO: return "true or false";
	case IDS: return "numbers of leases joined by commas, at most 256; streamctl pool list tells them";
	case NAME_OR_ID: return "the number of a model; streamctl pool list tells it";
	default: return row->most == UINT32_MAX ? "a number up to 4294967295" : "a number";
	}
}

/* ---- keys ---- */

struct of_verb {
	enum pool_verb verb;
};

/* Keys of the verb, for suggestions. */
static const char *key_at(const void *of, unsigned index)
{
	const struct of_verb *wish = of;

	for (size_t i = 0; i < ROWS; i++) {
		if ((table[i].verbs & (unsigned)wish->verb) && index-- == 0)
			return table[i].key;
	}
	return NULL;
}

static enum exit_status unknown_key(const struct cli *cli, enum pool_verb verb, const char *word, size_t len)
{
	const struct of_verb wish = { verb };
	char key[64], keys[256];
	const char *near, *known;
	size_t at = 0;

	snprintf(key, sizeof(key), "%.*s", (int)len, word);
	near = sd_suggest(key, key_at, &wish);
	if (near)
		return cli_usage(cli, "pool %s does not take %s; did you mean %s?", cli->argument[0], key, near);
	for (unsigned i = 0; (known = key_at(&wish, i)) && at < sizeof(keys); i++)
		at += (size_t)snprintf(keys + at, sizeof(keys) - at, "%s%s", i ? ", " : "", known);
	return cli_usage(cli, "pool %s does not take %s; it takes %s", cli->argument[0], key, keys);
}

static enum exit_status read_word(const struct cli *cli, const char *word, struct pool_words *words)
{
	size_t len = strcspn(word, "=");

	if (!word[len] || len == 0)
		return cli_usage(cli, "pool %s takes KEY=VALUE, not %s", cli->argument[0], word);
	for (size_t i = 0; i < ROWS; i++) {
		if (!(table[i].verbs & (unsigned)words->verb) || strlen(table[i].key) != len || memcmp(table[i].key, word, len) != 0)
			continue;
		if (read_value(&table[i], word + len + 1, words))
			return EXIT_GOOD;
		return cli_usage(cli, "%s takes %s, not %s", table[i].key, wanted(&table[i], words->verb), word + len + 1);
	}
	return unknown_key(cli, words->verb, word, len);
}

static enum exit_status check_whole(const struct cli *cli, const struct pool_words *words)
{
	if (words->verb == POOL_ACQUIRE && !words->model)
		return cli_usage(cli, "pool acquire needs model=NAME: who holds the streams, for people");
	if (words->verb == POOL_RELEASE && (words->lease_count == 0) == !words->model)
		return cli_usage(cli, "pool release takes lease=ID[,ID] or model=ID; streamctl pool list tells them");
	return EXIT_GOOD;
}

enum exit_status pool_words_read(const struct cli *cli, enum pool_verb verb, struct pool_words *words)
{
	*words = (struct pool_words){ .verb = verb, .count = 1 };
	for (int i = 1; i < cli->argument_count; i++) {
		enum exit_status status = read_word(cli, cli->argument[i], words);

		if (status != EXIT_GOOD)
			return status;
	}
	return check_whole(cli, words);
}

const char *pool_flags_text(uint32_t flags, char *out, size_t size)
{
	const char *name;
	uint32_t flag;
	size_t len = 0;

	snprintf(out, size, "0");
	for (uint32_t i = 0; (name = sd_stream_flag_name(i, &flag)) && len < size; i++) {
		if (flags & flag)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "|" : "", name);
	}
	return out;
}
