/* onnx_model.h - private: the parts of an ONNX file that planning needs, as slices of its bytes. */
#ifndef SD_ONNX_MODEL_H
#define SD_ONNX_MODEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

#define ONNX_COUNT_MAX (1u << 29) /* of nodes, values or dimensions; a graph of that size is far beyond any device */

/* A named value: input, output, initializer or described intermediate. */
struct onnx_value {
	struct sd_text name;
	int32_t type;                   /* TensorProto.DataType; 0: not stated */
	bool has_shape;
	int64_t *dim;                   /* -1: not known */
	uint32_t dim_count;
};

/* A graph in an attribute. */
struct onnx_body {
	struct sd_text attribute, graph; /* name of the attribute; bytes of the graph */
};

struct onnx_node {
	struct sd_text name, type, domain;
	uint32_t input_first, input_count;   /* into onnx_model.text */
	uint32_t output_first, output_count;
	uint32_t body_first, body_count; /* into onnx_model.body */
};

struct onnx_values {
	uint32_t count;
	struct onnx_value *at;
};

/* One graph of the file. */
struct onnx_model {
	struct sd_text name;
	int64_t opset;                  /* of the default domain; 0: not stated */
	struct onnx_values input, output, initializer, described;
	uint32_t node_count;
	struct onnx_node *node;
	struct sd_text *text;           /* names of values that nodes read and give */
	uint32_t text_count;
	int64_t *dim;                   /* -1: not known */
	struct onnx_body *body;
	uint32_t body_count;
};

/* The graph of a file, and that of a body, which has its model's opset. */
enum sd_status sd__onnx_read(struct sd_arena *mem, struct sd_text file, struct onnx_model *model, struct sd_diag *diag);
enum sd_status sd__onnx_read_body(struct sd_arena *mem, struct sd_text graph, int64_t opset, struct onnx_model *model, struct sd_diag *diag);

#endif
