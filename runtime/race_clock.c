#include <stdlib.h>

#include "race_impl.h"

struct sd__clock *sd__clock_share(struct sd__clock *clock)
{
	if (clock)
		clock->refs++;
	return clock;
}

void sd__clock_drop(struct sd__clock *clock)
{
	if (clock && --clock->refs == 0)
		free(clock);
}

uint64_t sd__clock_at(const struct sd__clock *clock, uint32_t stream)
{
	uint32_t low = 0, high = clock ? clock->count : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (clock->entry[middle].stream == stream)
			return clock->entry[middle].at;
		if (clock->entry[middle].stream < stream)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Adds what is known of one stream, unless it need not be said. Entries come with ascending streams. */
static void put(struct sd__clock *out, uint32_t stream, uint64_t at, uint32_t self, const uint64_t *host)
{
	if (stream == self || at <= host[stream])
		return;
	if (out->count > 0 && out->entry[out->count - 1].stream == stream) {
		if (out->entry[out->count - 1].at < at)
			out->entry[out->count - 1].at = at;
		return;
	}
	out->entry[out->count++] = (struct sd__clock_entry){ stream, at };
}

bool sd__clock_learn(struct sd__clock **known, const struct sd__clock *more, uint32_t stream, uint64_t at, uint32_t self,
                     const uint64_t *host)
{
	const struct sd__clock *before = *known;
	uint32_t a = 0, b = 0, a_count = before ? before->count : 0, b_count = more ? more->count : 0;
	struct sd__clock *out = malloc(sizeof(*out) + ((size_t)a_count + b_count + 1) * sizeof(out->entry[0]));
	bool told = false;

	if (!out)
		return false;
	out->refs = 1;
	out->count = 0;
	while (a < a_count || b < b_count) {
		uint32_t left = a < a_count ? before->entry[a].stream : UINT32_MAX, right = b < b_count ? more->entry[b].stream : UINT32_MAX;

		if (!told && stream <= left && stream <= right) {
			put(out, stream, at, self, host);
			told = true;
		}
		if (left <= right)
			put(out, left, before->entry[a++].at, self, host);
		else
			put(out, right, more->entry[b++].at, self, host);
	}
	if (!told)
		put(out, stream, at, self, host);
	sd__clock_drop(*known);
	*known = out;
	return true;
}
