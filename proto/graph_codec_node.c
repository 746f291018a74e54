/* One node: its names, task counts, and where the rest of it begins. */
#include "graph_decode.h"
#include "plain.h"

#define TASKS_MAX INT32_MAX /* so that sums over all nodes fit 64 bits */

struct texts {
	struct sd_text name, op_type, engine;
};

static enum sd_status read_tasks(struct sd__decode *d, uint32_t node, const char *key, uint64_t value, int64_t *tasks)
{
	*tasks = (int64_t)value;
	return sd__check_range(d, node, key, value, 0, TASKS_MAX, "0 to 2147483647");
}

static enum sd_status read_field(struct sd__decode *d, uint32_t node, uint32_t graph, const struct sd_field *f,
                                 struct texts *texts)
{
	switch (f->number) {
	case 1: texts->name = f->bytes; return SD_OK;
	case 2: texts->op_type = f->bytes; return SD_OK;
	case 3: texts->engine = f->bytes; return SD_OK;
	case 4: return sd__decode_input(d, node, graph, f->bytes);
	case 5: return sd__decode_body(d, node, f->bytes);
	case 6: return sd__decode_attr(d, node, f->bytes);
	case 7: return read_tasks(d, node, "task_count", f->number_value, &d->task_count[node]);
	case 8: return read_tasks(d, node, "attached_task_count", f->number_value, &d->attached_task_count[node]);
	default: return sd__decode_extra(d, node, f);
	}
}

static enum sd_status read_fields(struct sd__decode *d, uint32_t node, uint32_t graph, struct sd_text bytes,
                                  struct texts *texts)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	uint32_t first_attr = d->attr_count;

	d->graph_of[node] = graph;
	d->in_first[node] = d->edges;
	d->body_first[node] = d->bodies;
	d->task_count[node] = d->attached_task_count[node] = SD_TASKS_UNKNOWN;
	d->extra_of[node] = SD__NO_EXTRA;
	while (sd_wire_next(&wire, &f))
		SD_TRY(read_field(d, node, graph, &f, texts));
	return sd__finish_attrs(d, node, first_attr, &d->attrs[node], &d->attr_present[node]);
}

/* Only a text that is new has to be looked at. */
static enum sd_status intern(struct sd__decode *d, uint32_t node, const char *what, struct sd_text text, uint32_t *number)
{
	uint32_t known = d->strings.count;

	*number = sd__intern_add(&d->strings, text);
	if (*number == SD__NO_NAME)
		return sd__over_budget(d);
	return d->strings.count == known ? SD_OK : sd__check_text(d, node, what, text);
}

static enum sd_status enter_texts(struct sd__decode *d, uint32_t node, const struct texts *texts)
{
	SD_TRY(sd__check_name(d, SD_NO_NODE, "node name", texts->name));
	d->name[node] = texts->name;
	if (sd__names_add(&d->node_names, node) != SD__NO_NAME)
		return SD_FAIL1(d->diag, SD_CODE_NAME_TWICE, SD_NO_NODE, sd_arg_text(texts->name));
	SD_TRY(intern(d, node, "op_type", texts->op_type, &d->op_type[node]));
	if (texts->op_type.len == 0)
		return sd__check_name(d, node, "op_type", texts->op_type);
	return intern(d, node, "engine", texts->engine, &d->engine[node]);
}

/* A failure may come before the name: then it is looked for, because the message wants it. */
static void keep_name(struct sd__decode *d, uint32_t node, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	d->name[node] = SD_TEXT("");
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1 && sd__text_is_plain(f.bytes))
			d->name[node] = f.bytes;
	}
	d->nodes = node + 1;
}

enum sd_status sd__decode_node(struct sd__decode *d, uint32_t graph, struct sd_text bytes)
{
	struct texts texts = { { "", 0 }, { "", 0 }, { "", 0 } };
	uint32_t node = d->nodes;
	enum sd_status status;

	SD_REQUIRE(node < d->counts->nodes);
	status = read_fields(d, node, graph, bytes, &texts);
	if (status == SD_OK)
		status = enter_texts(d, node, &texts);
	if (status != SD_OK) {
		keep_name(d, node, bytes);
		return status;
	}
	d->nodes = node + 1;
	return SD_OK;
}
