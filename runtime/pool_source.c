#include "streamd/pool_source.h"

#include <stdlib.h>

/* A stream that is out. */
struct given {
	sd_handle stream;
	sd_pool_id lease;
};

struct sd_pool_source {
	struct sd_stream_source streams;
	struct sd_reuse *reuse;
	sd_pool_id model;
	struct given *given;
	uint32_t count, cap;
};

static enum sd_status no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

/* Room for what an acquire may bring, so that nothing that was granted is lost. */
static bool make_room(struct sd_pool_source *source, uint32_t count)
{
	struct given *larger;

	if (count <= source->cap - source->count)
		return true;
	larger = realloc(source->given, ((size_t)source->count + count) * sizeof(*larger));
	if (!larger)
		return false;
	source->given = larger;
	source->cap = source->count + count;
	return true;
}

static enum sd_status ask(struct sd_pool_source *source, const struct sd_stream_want *want, uint32_t count, struct sd_reuse_stream *got,
                          struct sd_diag *diag)
{
	struct sd_pool_want *slot = calloc((size_t)count + 1, sizeof(*slot));
	enum sd_reuse_role *role = calloc((size_t)count + 1, sizeof(*role));
	struct sd_pool_shortfall shortfall;
	enum sd_status status;

	for (uint32_t i = 0; slot && role && i < count; i++) {
		slot[i] = (struct sd_pool_want){ want[i].priority, want[i].flags, want[i].task_count, 1 };
		role[i] = SD_REUSE_LOGICAL;
	}
	status = slot && role ? sd_reuse_acquire(source->reuse, source->model, slot, role, count, got, &shortfall, diag) : no_memory(diag);
	free(slot);
	free(role);
	return status;
}

static enum sd_status acquire(void *arg, const struct sd_stream_want *want, uint32_t count, sd_handle *stream, struct sd_diag *diag)
{
	struct sd_pool_source *source = arg;
	struct sd_reuse_stream *got = calloc((size_t)count + 1, sizeof(*got));
	enum sd_status status = got && make_room(source, count) ? ask(source, want, count, got, diag) : no_memory(diag);

	for (uint32_t i = 0; status == SD_OK && i < count; i++) {
		stream[i] = got[i].stream;
		source->given[source->count++] = (struct given){ got[i].stream, got[i].lease };
	}
	free(got);
	return status;
}

static enum sd_status release(void *arg, sd_handle stream, bool is_broken, struct sd_diag *diag)
{
	struct sd_pool_source *source = arg;

	for (uint32_t i = 0; i < source->count; i++) {
		sd_pool_id lease = source->given[i].lease;

		if (source->given[i].stream != stream)
			continue;
		source->given[i] = source->given[--source->count];
		return sd_reuse_release(source->reuse, lease, is_broken, diag);
	}
	return SD_OK; /* told of before */
}

enum sd_status sd_pool_source_open(struct sd_reuse *reuse, struct sd_text domain, struct sd_pool_source **out, struct sd_diag *diag)
{
	struct sd_pool_source *source = calloc(1, sizeof(*source));
	enum sd_status status;

	*out = NULL;
	if (!source)
		return no_memory(diag);
	source->streams = (struct sd_stream_source){ acquire, release, source };
	source->reuse = reuse;
	status = sd_reuse_add_model(reuse, domain, &source->model, diag);
	if (status == SD_OK)
		*out = source;
	else
		free(source);
	return status;
}

const struct sd_stream_source *sd_pool_source_streams(const struct sd_pool_source *source)
{
	return &source->streams;
}

enum sd_status sd_pool_source_close(struct sd_pool_source *source, struct sd_diag *diag)
{
	enum sd_status status;

	if (!source)
		return SD_OK;
	sd_reuse_unbound(source->reuse, source->model, NULL);
	status = sd_reuse_remove_model(source->reuse, source->model, diag);
	free(source->given);
	free(source);
	return status;
}
