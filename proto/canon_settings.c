/* Options and device as resolved values: what is not stated is like what it stands for. */
#include "canon_parts.h"

static void put_max_parallel(struct sd__sponge *s, const struct sd_options *o)
{
	sd__sponge_number(s, o->max_parallel_count);
	for (uint32_t i = 0; i < o->max_parallel_count; i++) {
		sd__sponge_text(s, o->max_parallel[i].engine);
		sd__sponge_signed(s, o->max_parallel[i].streams);
	}
}

static void put_explicit_streams(struct sd__sponge *s, const struct sd_options *o)
{
	sd__sponge_number(s, o->has_explicit_streams);
	if (!o->has_explicit_streams)
		return;
	sd__sponge_number(s, o->explicit_count);
	for (uint32_t i = 0; i < o->explicit_count; i++) {
		sd__sponge_number(s, o->explicit_first[i + 1] - o->explicit_first[i]);
		for (uint32_t k = o->explicit_first[i]; k < o->explicit_first[i + 1]; k++)
			sd__sponge_number(s, o->explicit_node[k]);
	}
}

void sd__canon_options(struct sd__canon *canon, const struct sd_options *o)
{
	struct sd__sponge *s = &canon->sponge;
	const bool flags[] = {
		o->single_stream, o->hcom_parallel, o->dynamic_multi_stream, o->memory_priority,
		o->strict, o->memory_plan, o->explain, o->simulate,
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		sd__sponge_number(s, flags[i]);
	sd__sponge_number(s, o->compat);
	sd__sponge_number(s, o->event);
	sd__sponge_number(s, o->topo_sorting);
	sd__sponge_number(s, o->cluster);
	sd__sponge_number(s, o->unknown_op);
	sd__sponge_text(s, o->auto_multi_stream);
	sd__sponge_text(s, o->ac_parallel);
	sd__sponge_signed(s, o->search_evaluations);
	put_max_parallel(s, o);
	put_explicit_streams(s, o);
}

/* 0: not stated, else 1 and the value. */
static void put_stated(struct sd__sponge *s, bool stated, int64_t value)
{
	sd__sponge_number(s, stated);
	if (stated)
		sd__sponge_signed(s, value);
}

static void put_engine(struct sd__sponge *s, const struct sd_engine_row *row)
{
	sd__sponge_text(s, row->name);
	put_stated(s, row->has_independent, row->independent);
	put_stated(s, row->has_attach, row->attach);
	put_stated(s, row->has_skip_assign_stream, row->skip_assign_stream);
	put_stated(s, row->has_priority, row->priority);
	sd__sponge_number(s, row->has_scheduler_id);
	if (row->has_scheduler_id)
		sd__sponge_text(s, row->scheduler_id);
}

void sd__canon_device(struct sd__canon *canon, const struct sd_plan_device *device)
{
	struct sd__sponge *s = &canon->sponge;

	sd__sponge_text(s, device->profile.len ? device->profile : SD_TEXT("default"));
	sd__sponge_number(s, device->engine_count);
	for (uint32_t i = 0; i < device->engine_count; i++)
		put_engine(s, &device->engine[i]);
#define SD_X(limit) put_stated(s, device->limits.has_##limit, device->limits.limit);
	SD_LIMIT_LIST(SD_X)
#undef SD_X
	put_stated(s, device->limits.has_unlimited_depth, device->limits.unlimited_depth);
#define SD_X(figure) sd__sponge_signed(s, device->model.figure);
	SD_MODEL_LIST(SD_X)
#undef SD_X
}
