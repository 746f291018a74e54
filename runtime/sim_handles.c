#include "sim_handles.h"

#include <stdlib.h>

#define NONE UINT32_MAX

void sd__sim_handles_init(struct sd__sim_handles *h)
{
	*h = (struct sd__sim_handles){ .first_free = NONE };
}

void sd__sim_handles_finish(struct sd__sim_handles *h)
{
	free(h->place);
	sd__sim_handles_init(h);
}

static bool grow(struct sd__sim_handles *h)
{
	uint32_t cap = h->cap ? h->cap * 2 : 64;
	struct sd__sim_handle_place *place = cap > h->cap ? realloc(h->place, cap * sizeof(*place)) : NULL;

	if (!place)
		return false;
	h->place = place;
	h->cap = cap;
	return true;
}

bool sd__sim_handles_add(struct sd__sim_handles *h, uint32_t kind, void *object, sd_handle *handle)
{
	uint32_t at = h->first_free;

	if (at == NONE) {
		if (h->count == h->cap && !grow(h))
			return false;
		at = h->count++;
		h->place[at].times = 0;
	} else {
		h->first_free = h->place[at].next_free;
	}
	h->place[at].times++;
	h->place[at].kind = kind;
	h->place[at].object = object;
	*handle = (uint64_t)h->place[at].times << 32 | at;
	return true;
}

void *sd__sim_handles_find(const struct sd__sim_handles *h, uint32_t kind, sd_handle handle)
{
	uint32_t at = (uint32_t)handle;

	if (at >= h->count || h->place[at].times != handle >> 32 || h->place[at].kind != kind)
		return NULL;
	return h->place[at].object;
}

void sd__sim_handles_remove(struct sd__sim_handles *h, sd_handle handle)
{
	uint32_t at = (uint32_t)handle;

	h->place[at].object = NULL;
	if (h->place[at].times == UINT32_MAX)
		return; /* the place has no number left */
	h->place[at].next_free = h->first_free;
	h->first_free = at;
}

void *sd__sim_handles_next(const struct sd__sim_handles *h, uint32_t kind, uint32_t *at)
{
	while (*at < h->count) {
		const struct sd__sim_handle_place *place = &h->place[(*at)++];

		if (place->object && place->kind == kind)
			return place->object;
	}
	return NULL;
}
