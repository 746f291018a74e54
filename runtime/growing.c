#include "streamd/growing.h"

#include <stdlib.h>

#include "streamd/vendor_errors.h"

struct sd_growing {
	enum sd_growing_kind kind;
	struct sd_device *device;
	int32_t priority;
	uint32_t flags, count;
	sd_handle list[]; /* room for the most there may be */
};

static const struct {
	const char *name;
	uint32_t end; /* fewer than this */
} kinds[] = {
	[SD_GROWING_STREAMS] = { "streams", SD_GROWING_STREAMS_END },
	[SD_GROWING_EVENTS] = { "events", SD_GROWING_EVENTS_END },
	[SD_GROWING_NOTIFIES] = { "notifies", SD_GROWING_NOTIFIES_END },
};

enum sd_status sd_growing_create(enum sd_growing_kind kind, struct sd_device *device, int32_t priority, uint32_t flags,
                                 struct sd_growing **growing, struct sd_diag *diag)
{
	struct sd_growing *g = malloc(sizeof(*g) + kinds[kind].end * sizeof(g->list[0]));

	if (!g)
		return sd_vendor_fail(diag, "making an allocator", SD_VENDOR_HOST_MEMORY);
	*g = (struct sd_growing){ .kind = kind, .device = device, .priority = priority, .flags = flags };
	if (kind == SD_GROWING_STREAMS)
		g->list[g->count++] = SD_NO_HANDLE;
	*growing = g;
	return SD_OK;
}

static void destroy_one(struct sd_growing *g, sd_handle handle)
{
	switch (g->kind) {
	case SD_GROWING_STREAMS:
		g->device->ops->stream_destroy(g->device, handle, true, NULL);
		break;
	case SD_GROWING_EVENTS:
		g->device->ops->event_destroy(g->device, handle, NULL);
		break;
	case SD_GROWING_NOTIFIES:
		g->device->ops->notify_destroy(g->device, handle, NULL);
		break;
	}
}

void sd_growing_destroy(struct sd_growing *g)
{
	if (!g)
		return;
	while (g->count > (g->kind == SD_GROWING_STREAMS))
		destroy_one(g, g->list[--g->count]);
	free(g);
}

static enum sd_status create_one(struct sd_growing *g, sd_handle *handle, struct sd_diag *diag)
{
	int32_t rt_id;

	switch (g->kind) {
	case SD_GROWING_STREAMS:
		return g->device->ops->stream_create(g->device, g->priority, g->flags, handle, &rt_id, diag);
	case SD_GROWING_EVENTS:
		return g->device->ops->event_create(g->device, g->flags, handle, diag);
	case SD_GROWING_NOTIFIES:
		return g->device->ops->notify_create(g->device, g->flags, handle, diag);
	}
	return SD_INTERNAL;
}

enum sd_status sd_growing_acquire(struct sd_growing *g, uint32_t count, sd_handle **list, struct sd_diag *diag)
{
	if (count >= kinds[g->kind].end)
		return SD_FAIL3(diag, SD_CODE_GROW_LIMIT, SD_NO_NODE, sd_arg_words(kinds[g->kind].name), sd_arg_int(count), sd_arg_int(kinds[g->kind].end - 1));
	while (g->count < count) {
		SD_TRY(create_one(g, &g->list[g->count], diag));
		g->count++;
	}
	*list = g->list;
	return SD_OK;
}

uint32_t sd_growing_size(const struct sd_growing *g)
{
	return g->count;
}

void sd_growing_set_main(struct sd_growing *g, sd_handle main_stream)
{
	if (g->kind == SD_GROWING_STREAMS)
		g->list[0] = main_stream;
}

static enum sd_status make_all(struct sd_growing_set *set, struct sd_device *device, struct sd_diag *diag)
{
	SD_TRY(sd_growing_create(SD_GROWING_STREAMS, device, 0, 0, &set->streams, diag));
	SD_TRY(sd_growing_create(SD_GROWING_EVENTS, device, 0, SD_GROWING_EVENT_FLAGS, &set->events, diag));
	return sd_growing_create(SD_GROWING_NOTIFIES, device, 0, 0, &set->notifies, diag);
}

enum sd_status sd_growing_set_open(struct sd_growing_set *set, const struct sd_growing_set *given, struct sd_device *device, struct sd_diag *diag)
{
	int count = given ? !!given->streams + !!given->events + !!given->notifies : 0;
	enum sd_status status;

	if (count == 1 || count == 2)
		return SD_FAIL1(diag, SD_CODE_MIXED_ALLOCATORS, SD_NO_NODE, sd_arg_int(count));
	*set = (struct sd_growing_set){ .is_owned = count == 0 };
	if (count == 3) {
		*set = *given;
		set->is_owned = false;
		return SD_OK;
	}
	status = make_all(set, device, diag);
	if (status != SD_OK)
		sd_growing_set_close(set);
	return status;
}

void sd_growing_set_close(struct sd_growing_set *set)
{
	if (set->is_owned) {
		sd_growing_destroy(set->streams);
		sd_growing_destroy(set->events);
		sd_growing_destroy(set->notifies);
	}
	*set = (struct sd_growing_set){ NULL };
}

struct sd_growing_terms sd_growing_terms_of(const struct sd_growing_need *need, bool free_known, uint32_t free_streams)
{
	struct sd_growing_terms terms = { .reusable = 1, .need = need->streams, .free = free_known ? free_streams : 0 };

	terms.is_degraded = need->streams > 1 && (!free_known || free_streams < need->streams);
	if (terms.is_degraded)
		return terms;
	terms.reusable = need->streams > need->occupied ? need->streams - need->occupied : 1;
	terms.events = need->events;
	terms.notifies = need->notifies;
	terms.attached = need->attached;
	return terms;
}

uint32_t sd_growing_free_streams(struct sd_device *device)
{
	struct sd_device_facts facts;

	device->ops->facts(device, &facts);
	if (facts.streams_max == 0)
		return UINT32_MAX;
	return facts.streams_used < facts.streams_max ? facts.streams_max - facts.streams_used : 0;
}
