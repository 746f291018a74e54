/* Options: their form only. Which of them go together is asked by the planner. */
#include <stdlib.h>

#include "graph_decode.h"

/* ---- max_parallel_num ---- */

static int by_engine(const void *a, const void *b)
{
	return sd_text_compare(((const struct sd_engine_streams *)a)->engine, ((const struct sd_engine_streams *)b)->engine);
}

static enum sd_status read_engine_streams(struct sd__decode *d, struct sd_text bytes, struct sd_engine_streams *row)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	*row = (struct sd_engine_streams){ { "", 0 }, 0 };
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			row->engine = f.bytes;
		else if (f.number == 2)
			row->streams = (int64_t)f.number_value;
	}
	return sd__check_text(d, SD_NO_NODE, "engine in max_parallel_num", row->engine);
}

static enum sd_status read_max_parallel(struct sd__decode *d, struct sd_text options)
{
	struct sd_wire wire = sd_wire_over(options);
	struct sd_field f;
	struct sd_engine_streams *row = SD_NEW(d->mem, struct sd_engine_streams, d->counts->engine_streams);
	uint32_t count = 0;

	if (!row)
		return sd__over_budget(d);
	while (sd_wire_next(&wire, &f)) {
		if (f.number != 9)
			continue;
		SD_REQUIRE(count < d->counts->engine_streams);
		SD_TRY(read_engine_streams(d, f.bytes, &row[count++]));
	}
	qsort(row, count, sizeof(*row), by_engine);
	for (uint32_t i = 1; i < count; i++) {
		if (by_engine(&row[i - 1], &row[i]) == 0)
			return SD_FAIL3(d->diag, SD_CODE_BAD_VALUE, SD_NO_NODE, sd_arg_words("an engine in max_parallel_num"),
			                sd_arg_text(row[i].engine), sd_arg_words("named once"));
	}
	d->request->options.max_parallel = row;
	d->request->options.max_parallel_count = count;
	return SD_OK;
}

/* ---- explicit_streams ---- */

struct partition {
	uint32_t *first, *node;
	uint32_t streams, nodes;
	uint64_t *taken; /* a bit per node; scratch */
};

static enum sd_status read_stream(struct sd__decode *d, struct sd_text bytes, struct partition *p)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	uint32_t node;

	p->first[p->streams++] = p->nodes;
	while (sd_wire_next(&wire, &f)) {
		if (f.number != 1)
			continue;
		node = sd__names_find(&d->node_names, f.bytes);
		if (node == SD__NO_NAME)
			return SD_FAIL1(d->diag, SD_CODE_EXPLICIT_UNKNOWN, SD_NO_NODE, sd_arg_text(f.bytes));
		if (p->taken[node / 64] >> (node % 64) & 1)
			return SD_FAIL0(d->diag, SD_CODE_EXPLICIT_TWICE, node);
		p->taken[node / 64] |= (uint64_t)1 << (node % 64);
		SD_REQUIRE(p->nodes < d->counts->partition_nodes);
		p->node[p->nodes++] = node;
	}
	return SD_OK;
}

static enum sd_status read_partition(struct sd__decode *d, struct sd_text bytes)
{
	struct sd_options *options = &d->request->options;
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct partition p = {
		.first = SD_NEW(d->mem, uint32_t, d->counts->partition_streams + 1),
		.node = SD_NEW(d->mem, uint32_t, d->counts->partition_nodes),
	};
	struct sd_arena_mark mark = sd_arena_mark(d->mem);

	p.taken = SD_NEW0(d->mem, uint64_t, d->nodes / 64 + 1);
	if (!p.first || !p.node || !p.taken)
		return sd__over_budget(d);
	while (sd_wire_next(&wire, &f)) {
		if (f.number != 1)
			continue;
		SD_REQUIRE(p.streams < d->counts->partition_streams);
		SD_TRY(read_stream(d, f.bytes, &p));
	}
	p.first[p.streams] = p.nodes;
	sd_arena_rewind(d->mem, mark);
	options->has_explicit_streams = true;
	options->explicit_count = p.streams;
	options->explicit_first = p.first;
	options->explicit_node = p.node;
	return SD_OK;
}

/* ---- all of them ---- */

/* An enum by its place; `high` is the last one there is. */
static enum sd_status read_enum(struct sd__decode *d, const char *key, uint64_t value, int high, const char *must, int *place)
{
	*place = (int)value;
	return sd__check_range(d, SD_NO_NODE, key, value, 0, high, must);
}

static enum sd_status read_choice(struct sd__decode *d, const struct sd_field *f)
{
	struct sd_options *o = &d->request->options;
	uint64_t value = f->number_value;
	int place = 0;

	switch (f->number) {
	case 1:
		SD_TRY(read_enum(d, "compat", value, SD_GE, "native (0) or ge (1)", &place));
		o->compat = (enum sd_compat)place;
		return SD_OK;
	case 4:
		SD_TRY(read_enum(d, "event", value, SD_NOTIFY, "event (0) or notify (1)", &place));
		o->event = (enum sd_event_mode)place;
		return SD_OK;
	case 12:
		SD_TRY(read_enum(d, "topo_sorting", value, SD_SORT_STABLE,
		                 "submitted (0), bfs (1), dfs (2), rdfs (3) or stable (4)", &place));
		o->topo_sorting = (enum sd_sorting)place;
		return SD_OK;
	case 13:
		SD_TRY(read_enum(d, "cluster", value, SD_CLUSTER_NONE, "merge (0), topo (1) or none (2)", &place));
		o->cluster = (enum sd_clustering)place;
		return SD_OK;
	case 14:
		SD_TRY(read_enum(d, "unknown_op", value, SD_UNKNOWN_REJECT, "aicore (0) or reject (1)", &place));
		o->unknown_op = (enum sd_unknown_op)place;
		return SD_OK;
	}
	return SD_OK;
}

/* Graph Engine takes 0 and 1 here and nothing else. */
static enum sd_status read_switch(struct sd__decode *d, const struct sd_field *f, const char *name, bool *on)
{
	*on = f->number_value != 0;
	if (f->number_value <= 1)
		return SD_OK;
	return SD_FAIL2(d->diag, SD_CODE_BAD_SWITCH_VALUE, SD_NO_NODE, sd_arg_words(name), sd_arg_int((int64_t)f->number_value));
}

static enum sd_status read_option(struct sd__decode *d, const struct sd_field *f)
{
	struct sd_options *o = &d->request->options;
	bool on = f->number_value != 0;

	switch (f->number) {
	case 2: o->single_stream = on; return SD_OK;
	case 3: return read_switch(d, f, "hcom_parallel (ge.hcomParallel)", &o->hcom_parallel);
	case 5: o->auto_multi_stream = f->bytes; return sd__check_text(d, SD_NO_NODE, "auto_multi_stream", f->bytes);
	case 6: o->dynamic_multi_stream = on; return SD_OK;
	case 7: o->ac_parallel = f->bytes; return sd__check_text(d, SD_NO_NODE, "ac_parallel", f->bytes);
	case 8: o->memory_priority = on; return SD_OK;
	case 10: return read_partition(d, f->bytes);
	case 15: o->strict = on; return SD_OK;
	case 16: o->memory_plan = on; return SD_OK;
	case 17:
		o->search_evaluations = (int64_t)f->number_value;
		return sd__check_range(d, SD_NO_NODE, "search_evaluations", f->number_value, 0, INT64_MAX, "0 or more");
	case 18: o->explain = on; return SD_OK;
	case 19: o->simulate = on; return SD_OK;
	default: return read_choice(d, f);
	}
}

enum sd_status sd__decode_options(struct sd__decode *d, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	d->request->options.auto_multi_stream = d->request->options.ac_parallel = SD_TEXT("");
	while (sd_wire_next(&wire, &f))
		SD_TRY(read_option(d, &f));
	return read_max_parallel(d, bytes);
}
