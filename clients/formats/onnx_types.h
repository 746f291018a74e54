/* onnx_types.h - private: ONNX's words and Graph Engine's for the same things. */
#ifndef SD_ONNX_TYPES_H
#define SD_ONNX_TYPES_H

#include <stdint.h>

#include "base/text.h"

struct onnx_type_row {
	const char *onnx, *ge;
	const char *engine;  /* NULL: the one that runs the type */
};

/* The row of an operator of the default domain; NULL: it passes under its own name.
 * `rank` is that of its first input, -1 if not known. */
const struct onnx_type_row *sd__onnx_type(struct sd_text type, int64_t opset, int rank);

/* "float16" and 2 for TensorProto.DataType 10; "" and 0 for a type that is not known or has no size. */
const char *sd__onnx_dtype(int32_t type, int *bytes);

#endif
