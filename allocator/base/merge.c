#include "merge.h"

#define RUN 8u /* shorter runs are sorted by insertion */

static void sort_run(uint32_t *item, size_t count, sd_compare compare, const void *ctx)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t moving = item[i];
		size_t at = i;

		for (; at > 0 && compare(ctx, item[at - 1], moving) > 0; at--)
			item[at] = item[at - 1];
		item[at] = moving;
	}
}

static void merge(const uint32_t *from, uint32_t *to, size_t left, size_t count, sd_compare compare, const void *ctx)
{
	size_t a = 0, b = left, at = 0;

	if (left >= count || compare(ctx, from[left - 1], from[left]) <= 0) {
		memcpy(to, from, count * sizeof(*to));
		return;
	}
	while (a < left && b < count)
		to[at++] = compare(ctx, from[a], from[b]) <= 0 ? from[a++] : from[b++];
	memcpy(to + at, from + a, (left - a) * sizeof(*to));
	memcpy(to + at + (left - a), from + b, (count - b) * sizeof(*to));
}

static bool is_sorted(const uint32_t *item, size_t count, sd_compare compare, const void *ctx)
{
	for (size_t i = 1; i < count; i++) {
		if (compare(ctx, item[i - 1], item[i]) > 0)
			return false;
	}
	return true;
}

void sd_merge_sort(uint32_t *item, uint32_t *spare, size_t count, sd_compare compare, const void *ctx)
{
	uint32_t *from = item, *to = spare;

	if (is_sorted(item, count, compare, ctx))
		return;
	for (size_t at = 0; at < count; at += RUN)
		sort_run(item + at, count - at < RUN ? count - at : RUN, compare, ctx);
	for (size_t width = RUN; width < count; width *= 2) {
		uint32_t *swap = from;

		for (size_t at = 0; at < count; at += 2 * width) {
			size_t rest = count - at;

			merge(from + at, to + at, width, rest < 2 * width ? rest : 2 * width, compare, ctx);
		}
		from = to;
		to = swap;
	}
	if (from != item)
		memcpy(item, from, count * sizeof(*item));
}

/* The first bytes in which texts differ as a number that compares like them: most
 * comparisons of names end here, without a look at the bytes of the request. */
struct keyed {
	const struct sd_text *text;
	const uint64_t *head;
};

static uint64_t head_of(struct sd_text text, uint32_t from)
{
	uint64_t head = 0;

	for (uint32_t i = from; i < from + 8; i++)
		head = head << 8 | (i < text.len ? (unsigned char)text.at[i] : 0);
	return head;
}

/* How many bytes all texts begin with: names of a model often share a long prefix. */
static uint32_t shared_prefix(const struct sd_text *text, uint32_t count)
{
	uint32_t shared = count ? text[0].len : 0;

	for (uint32_t i = 1; i < count; i++) {
		uint32_t at = 0;

		while (at < shared && at < text[i].len && text[i].at[at] == text[0].at[at])
			at++;
		shared = at;
	}
	return shared;
}

static int compare_keyed(const void *ctx, uint32_t a, uint32_t b)
{
	const struct keyed *keyed = ctx;

	if (keyed->head[a] != keyed->head[b])
		return keyed->head[a] < keyed->head[b] ? -1 : 1;
	return sd_text_compare(keyed->text[a], keyed->text[b]);
}

uint32_t *sd_text_ranks(struct sd_arena *mem, const struct sd_text *text, uint32_t count)
{
	uint32_t *rank = SD_NEW(mem, uint32_t, count);
	struct sd_arena_mark mark = sd_arena_mark(mem);
	uint32_t *item = SD_NEW(mem, uint32_t, count), *spare = SD_NEW(mem, uint32_t, count);
	uint64_t *head = SD_NEW(mem, uint64_t, count);
	uint32_t shared = shared_prefix(text, count);
	struct keyed keyed = { text, head };

	if (!rank || !item || !spare || !head)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		item[i] = i;
		head[i] = head_of(text[i], shared);
	}
	sd_merge_sort(item, spare, count, compare_keyed, &keyed);
	for (uint32_t i = 0, next = 0; i < count; i++) {
		if (i > 0 && !sd_text_equal(text[item[i - 1]], text[item[i]]))
			next++;
		rank[item[i]] = next;
	}
	sd_arena_rewind(mem, mark);
	return rank;
}
