/* The device: profile, engine rows, limits, figures of the model. */
#include <stdlib.h>

#include "graph_decode.h"

/* ---- engines ---- */

static int by_name(const void *a, const void *b)
{
	return sd_text_compare(((const struct sd_engine_row *)a)->name, ((const struct sd_engine_row *)b)->name);
}

static enum sd_status read_engine_field(struct sd__decode *d, const struct sd_field *f, struct sd_engine_row *row)
{
	bool on = f->number_value != 0;

	switch (f->number) {
	case 1: row->name = f->bytes; return SD_OK;
	case 2: row->has_independent = true; row->independent = on; return SD_OK;
	case 3: row->has_attach = true; row->attach = on; return SD_OK;
	case 4: row->has_skip_assign_stream = true; row->skip_assign_stream = on; return SD_OK;
	case 5:
		row->has_scheduler_id = true;
		row->scheduler_id = f->bytes;
		return sd__check_text(d, SD_NO_NODE, "scheduler_id of an engine", f->bytes);
	case 6:
		row->has_priority = true;
		row->priority = (int64_t)f->number_value;
		return sd__check_range(d, SD_NO_NODE, "priority of an engine", f->number_value, 0, 10, "0 to 10");
	default: return SD_OK;
	}
}

static enum sd_status read_engine(struct sd__decode *d, struct sd_text bytes, struct sd_engine_row *row)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	*row = (struct sd_engine_row){ .name = { "", 0 }, .scheduler_id = { "", 0 } };
	while (sd_wire_next(&wire, &f))
		SD_TRY(read_engine_field(d, &f, row));
	return sd__check_name(d, SD_NO_NODE, "name of an engine", row->name);
}

static enum sd_status read_engines(struct sd__decode *d, struct sd_text device)
{
	struct sd_wire wire = sd_wire_over(device);
	struct sd_field f;
	struct sd_engine_row *row = SD_NEW(d->mem, struct sd_engine_row, d->counts->engines);
	uint32_t count = 0;

	if (!row)
		return sd__over_budget(d);
	while (sd_wire_next(&wire, &f)) {
		if (f.number != 2)
			continue;
		SD_REQUIRE(count < d->counts->engines);
		SD_TRY(read_engine(d, f.bytes, &row[count++]));
	}
	qsort(row, count, sizeof(*row), by_name);
	for (uint32_t i = 1; i < count; i++) {
		if (by_name(&row[i - 1], &row[i]) == 0)
			return SD_FAIL3(d->diag, SD_CODE_BAD_VALUE, SD_NO_NODE, sd_arg_words("an engine of the device"),
			                sd_arg_text(row[i].name), sd_arg_words("listed once"));
	}
	d->request->device.engine = row;
	d->request->device.engine_count = count;
	return SD_OK;
}

/* ---- limits and model ---- */

#define UNLIMITED_DEPTH_FIELD 5

static enum sd_status read_limits(struct sd__decode *d, struct sd_text bytes)
{
	struct sd_limits *limits = &d->request->device.limits;
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	while (sd_wire_next(&wire, &f)) {
		uint32_t number = 1; /* fields are numbered in the order of the list, with one gap */

		if (f.number == UNLIMITED_DEPTH_FIELD) {
			limits->has_unlimited_depth = true;
			limits->unlimited_depth = f.number_value != 0;
			continue;
		}
#define SD_X(limit)                                                                                            \
		number += number == UNLIMITED_DEPTH_FIELD;                                                     \
		if (f.number == number++) {                                                                    \
			limits->has_##limit = true;                                                            \
			limits->limit = (int64_t)f.number_value;                                               \
			SD_TRY(sd__check_range(d, SD_NO_NODE, "device.limits." #limit, f.number_value, 0,      \
			                       INT64_MAX, "0 (unlimited) or more"));                           \
		}
		SD_LIMIT_LIST(SD_X)
#undef SD_X
	}
	return SD_OK;
}

static enum sd_status read_model(struct sd__decode *d, struct sd_text bytes)
{
	struct sd_model *model = &d->request->device.model;
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	while (sd_wire_next(&wire, &f)) {
		uint32_t number = 1; /* fields are numbered in the order of the list */

#define SD_X(figure)                                                                                           \
		if (f.number == number++) {                                                                    \
			model->figure = (int64_t)f.number_value;                                               \
			SD_TRY(sd__check_range(d, SD_NO_NODE, "device.model." #figure, f.number_value, 0,      \
			                       INT64_MAX, "0 or more"));                                       \
		}
		SD_MODEL_LIST(SD_X)
#undef SD_X
	}
	return SD_OK;
}

enum sd_status sd__decode_device(struct sd__decode *d, struct sd_text bytes)
{
	struct sd_plan_device *device = &d->request->device;
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	device->profile = SD_TEXT("");
#define SD_X(figure) device->model.figure = -1;
	SD_MODEL_LIST(SD_X)
#undef SD_X
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			device->profile = f.bytes;
		else if (f.number == 3)
			SD_TRY(read_limits(d, f.bytes));
		else if (f.number == 4)
			SD_TRY(read_model(d, f.bytes));
	}
	SD_TRY(sd__check_text(d, SD_NO_NODE, "device profile", device->profile));
	return read_engines(d, bytes);
}
