/* onnx_world.h - models written field by field, for the suites that read them. */
#ifndef ONNX_WORLD_H
#define ONNX_WORLD_H

#include "formats_world.h"

#include "formats/onnx.h"
#include "proto/wire.h"

static struct sd_buffer model;

/* ---- a model, field by field ---- */

static inline void put_text(uint32_t field, const char *text)
{
	sd_put_bytes(&model, field, text, strlen(text));
}

static inline size_t graph_begin(const char *name)
{
	size_t graph;

	sd_buffer_init(&model, &mem, 256);
	sd_put_uint(&model, 1, 8); /* ir_version */
	graph = sd_put_begin(&model, 7);
	put_text(2, name);
	return graph;
}

/* Words: inputs, "->", outputs; "-" is an input that is left out. */
static inline void put_node(const char *name, const char *type, const char *values)
{
	size_t node = sd_put_begin(&model, 1);
	uint32_t field = 1;
	char copy[200], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", values);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		size_t slot;

		if (strcmp(word, "->") == 0) {
			field = 2;
			continue;
		}
		slot = sd_put_begin(&model, field);
		if (strcmp(word, "-") != 0)
			sd_buffer_append(&model, word, strlen(word));
		sd_put_end(&model, slot);
	}
	put_text(3, name);
	put_text(4, type);
	sd_put_end(&model, node);
}

/* A described value: `dims` words, "?" for one that is not known; field 11 input, 12 output, 13 between. */
static inline void put_value(uint32_t field, const char *name, uint64_t type, const char *dims)
{
	size_t value = sd_put_begin(&model, field), outer, tensor, shape;
	char copy[100], *rest = copy, *word;

	put_text(1, name);
	outer = sd_put_begin(&model, 2);
	tensor = sd_put_begin(&model, 1);
	sd_put_uint(&model, 1, type);
	shape = sd_put_begin(&model, 2);
	snprintf(copy, sizeof(copy), "%s", dims);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		size_t dim = sd_put_begin(&model, 1);

		if (*word == '?')
			put_text(2, "batch");
		else
			sd_put_uint(&model, 1, strtoul(word, NULL, 10));
		sd_put_end(&model, dim);
	}
	sd_put_end(&model, shape);
	sd_put_end(&model, tensor);
	sd_put_end(&model, outer);
	sd_put_end(&model, value);
}

static inline void put_initializer(const char *name, uint64_t dim)
{
	size_t tensor = sd_put_begin(&model, 5);

	sd_put_uint(&model, 1, dim);
	sd_put_uint(&model, 2, 1);
	put_text(8, name);
	put_text(9, "weights that nobody reads");
	sd_put_end(&model, tensor);
}

static inline enum sd_status import(struct sd_arena *arena, struct sd_request **request, struct sd_diag *diag)
{
	struct sd_text bytes;

	SD_TRY(sd_input_bytes(arena, SD_INPUT_ONNX, (struct sd_text){ (const char *)model.data, (uint32_t)model.len }, NULL, NULL, &bytes, diag));
	if (request)
		*request = decoded(bytes);
	return SD_OK;
}

static inline const struct sd_graph *imported(size_t graph)
{
	struct sd_request *request = NULL;
	struct sd_diag diag = { 0 };

	sd_put_end(&model, graph);
	ck_assert_msg(import(&mem, &request, &diag) == SD_OK, "%s", say(&diag));
	return &request->graph;
}

static inline void refused(size_t graph, const char *message)
{
	struct sd_diag diag = { 0 };

	sd_put_end(&model, graph);
	ck_assert_int_ne(import(&mem, NULL, &diag), SD_OK);
	ck_assert_str_eq(say(&diag), message);
}

static inline uint32_t node_of(const struct sd_graph *graph, const char *name)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (sd_text_is(graph->name[i], name))
			return i;
	}
	ck_abort_msg("there is no node %s", name);
	return 0;
}

static inline struct sd_text type_of(const struct sd_graph *graph, const char *name)
{
	return graph->string[graph->op_type[node_of(graph, name)]];
}

static inline struct sd_text engine_of(const struct sd_graph *graph, const char *name)
{
	return graph->string[graph->engine[node_of(graph, name)]];
}

static inline size_t small_model(void)
{
	size_t graph = graph_begin("small");

	put_value(11, "x", 10, "? 3 4");
	put_value(11, "w", 1, "5");
	put_initializer("w", 5);
	put_node("c", "Conv", "x w -> y z");
	put_node("", "Relu", "y - z -> r");
	put_value(12, "r", 1, "2 3");
	return graph;
}

/* ---- what comes of it ---- */

#endif
