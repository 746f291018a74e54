/* What plans list: each item becomes a line of words, and sorted lines are compared. */
#include <stdlib.h>

#include "base/merge.h"
#include "plan_diff_parts.h"

struct facts {
	uint32_t count;
	struct sd_text *line;
	uint32_t *sorted;
};

static int compare_lines(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_text *line = ctx;

	return sd_text_compare(line[a], line[b]);
}

static struct sd_text text_of(const char *words)
{
	return (struct sd_text){ words, (uint32_t)strlen(words) };
}

/* Lines hold names at full length: only what is the same must read the same. */
static struct sd_text join(struct sd__diff *d, const struct sd_text *part, uint32_t count)
{
	size_t len = 0;
	char *text, *at;

	for (uint32_t i = 0; i < count; i++)
		len += part[i].len;
	text = at = sd_arena_alloc(d->mem, len);
	d->failed |= !text;
	for (uint32_t i = 0; text && i < count; i++) {
		memcpy(at, part[i].at, part[i].len);
		at += part[i].len;
	}
	return text ? (struct sd_text){ text, (uint32_t)len } : SD_TEXT("");
}
#define JOIN(d, ...) join((d), (const struct sd_text[]){ __VA_ARGS__ }, sizeof((const struct sd_text[]){ __VA_ARGS__ }) / sizeof(struct sd_text))

static bool open_facts(struct sd__diff *d, struct facts *facts, size_t most)
{
	*facts = (struct facts){ 0, SD_NEW(d->mem, struct sd_text, most), SD_NEW(d->mem, uint32_t, most) };
	d->failed |= !facts->line || !facts->sorted;
	return !d->failed;
}

static void sort_facts(struct sd__diff *d, struct facts *facts)
{
	uint32_t *spare = SD_NEW(d->mem, uint32_t, facts->count);

	d->failed |= !spare;
	for (uint32_t i = 0; i < facts->count; i++)
		facts->sorted[i] = i;
	if (spare)
		sd_merge_sort(facts->sorted, spare, facts->count, compare_lines, facts->line);
}

static void tell_fact(struct sd__diff *d, const char *what, const char *which, struct sd_text line)
{
	sd__diff_tell(d, "%s %s: %.*s", what, which, (int)line.len, line.at);
}

/* Walks both sorted lists; equal lines go in pairs. */
static void compare_facts(struct sd__diff *d, const char *what, struct facts *a, struct facts *b)
{
	uint32_t i = 0, k = 0;

	sort_facts(d, a);
	sort_facts(d, b);
	while (!d->failed && (i < a->count || k < b->count)) {
		int order = i == a->count ? 1 : k == b->count ? -1 : sd_text_compare(a->line[a->sorted[i]], b->line[b->sorted[k]]);

		if (order < 0)
			tell_fact(d, what, "gone", a->line[a->sorted[i]]);
		else if (order > 0)
			tell_fact(d, what, "new", b->line[b->sorted[k]]);
		i += order <= 0;
		k += order >= 0;
	}
}

/* ---- the lists ---- */

static bool list_syncs(struct sd__diff *d, const struct sd_plan_alone *plan, struct facts *facts)
{
	static const char *const kind[] = SD_SYNC_KIND_NAMES, *const cause[] = SD_CAUSE_NAMES;

	if (!open_facts(d, facts, plan->plan.sync_count))
		return false;
	for (; facts->count < plan->plan.sync_count; facts->count++) {
		const struct sd_sync *sync = &plan->plan.sync[facts->count];

		facts->line[facts->count] = JOIN(d, SD_TEXT("'"), sd_plan_alone_name(plan, sync->record_node), SD_TEXT("' before '"),
			sd_plan_alone_name(plan, sync->wait_node), SD_TEXT("' ("), text_of(kind[sync->kind]), SD_TEXT(", "),
			text_of(cause[sync->cause]), SD_TEXT(")"));
	}
	return true;
}

static bool list_activations(struct sd__diff *d, const struct sd_plan_alone *plan, struct facts *facts)
{
	const json_t *rows = json_object_get(plan->root, "activations");

	if (!open_facts(d, facts, json_array_size(rows)))
		return false;
	for (; facts->count < json_array_size(rows); facts->count++) {
		const json_t *row = json_array_get(rows, facts->count);
		char *streams = json_dumps(json_object_get(row, "streams"), JSON_COMPACT);

		facts->line[facts->count] = JOIN(d, SD_TEXT("'"), sd_plan_alone_text(row, "node"), SD_TEXT("' starts "), text_of(streams ? streams : "[]"));
		free(streams);
	}
	return true;
}

static bool list_summary(struct sd__diff *d, const struct sd_plan_alone *plan, struct facts *facts)
{
	const json_t *rows = json_object_get(plan->root, "summary");

	if (!open_facts(d, facts, plan->plan.summary_count))
		return false;
	for (; facts->count < plan->plan.summary_count; facts->count++) {
		const struct sd_summary *at = &plan->plan.summary[facts->count];
		const json_t *row = json_array_get(rows, facts->count);
		char *attached = json_dumps(json_object_get(row, "attached_stream_ids"), JSON_COMPACT);
		const char *figures = sd_words(d->mem, " physical streams, %u followers, %u nodes%s", at->follow_count, at->node_count, at->by_stream_pass ? ", by a stream pass" : "");

		facts->line[facts->count] = JOIN(d, text_of(sd_words(d->mem, "logical stream %u: %u", at->logical_id, at->physical_count)), text_of(figures),
			SD_TEXT(", label '"), sd_plan_alone_text(row, "user_stream_label"), SD_TEXT("', attached "), text_of(attached ? attached : "[]"));
		free(attached);
	}
	return true;
}

static bool list_warnings(struct sd__diff *d, const struct sd_plan_alone *plan, struct facts *facts)
{
	const json_t *rows = json_object_get(plan->root, "diagnostics");

	if (!open_facts(d, facts, json_array_size(rows)))
		return false;
	for (; facts->count < json_array_size(rows); facts->count++) {
		struct sd_text code = sd_plan_alone_text(json_array_get(rows, facts->count), "code");
		struct sd_text message = sd_plan_alone_text(json_array_get(rows, facts->count), "message");

		facts->line[facts->count] = JOIN(d, code, SD_TEXT(" "), message);
	}
	return true;
}

void sd__diff_facts(struct sd__diff *d)
{
	static const struct {
		const char *what;
		bool (*list)(struct sd__diff *d, const struct sd_plan_alone *plan, struct facts *facts);
	} lists[] = {
		{ "sync", list_syncs }, { "activation", list_activations }, { "summary", list_summary }, { "warning", list_warnings },
	};
	struct facts a, b;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (lists[i].list(d, d->a, &a) && lists[i].list(d, d->b, &b))
			compare_facts(d, lists[i].what, &a, &b);
	}
}
