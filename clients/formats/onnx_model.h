/* onnx_model.h - private: the parts of an ONNX file that planning needs, as slices of its bytes. */
#ifndef SD_ONNX_MODEL_H
#define SD_ONNX_MODEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

/* A named value: input, output, initializer or described intermediate. */
struct onnx_value {
	struct sd_text name;
	int32_t type;                   /* TensorProto.DataType; 0: not stated */
	bool has_shape;
	uint32_t dim_first, dim_count;  /* into onnx_model.dim */
};

struct onnx_node {
	struct sd_text name, type, domain;
	uint32_t input_first, input_count;   /* into onnx_model.text */
	uint32_t output_first, output_count;
	struct sd_text body;            /* name of an attribute that holds a graph; empty: none */
};

struct onnx_values {
	uint32_t count;
	struct onnx_value *at;
};

struct onnx_model {
	struct sd_text name;
	int64_t opset;                  /* of the default domain; 0: not stated */
	struct onnx_values input, output, initializer, described;
	uint32_t node_count;
	struct onnx_node *node;
	struct sd_text *text;           /* names of values that nodes read and give */
	int64_t *dim;                   /* -1: not known */
};

enum sd_status sd__onnx_read(struct sd_arena *mem, struct sd_text bytes, struct onnx_model *model, struct sd_diag *diag);

#endif
