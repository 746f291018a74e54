#include "onnx_types.h"

#include <stddef.h>

#define LOCAL "DNN_VM_GE_LOCAL"
#define AICPU "DNN_VM_AICPU"

/* Types of the same name are listed only where they go to another engine than most. */
static const struct onnx_type_row rows[] = {
	{ "And", "LogicalAnd", NULL },
	{ "Compress", "Compress", AICPU },
	{ "Concat", "ConcatD", NULL },
	{ "Constant", "Const", LOCAL },
	{ "Conv", "Conv2D", NULL },
	{ "Det", "MatrixDeterminant", NULL },
	{ "Div", "RealDiv", NULL },
	{ "Gather", "GatherV2", NULL },
	{ "Gemm", "MatMulV2", NULL },
	{ "GreaterOrEqual", "GreaterEqual", NULL },
	{ "Identity", "Identity", LOCAL },
	{ "IsNaN", "IsNan", NULL },
	{ "LessOrEqual", "LessEqual", NULL },
	{ "MatMul", "BatchMatMulV2", NULL },
	{ "MatMulInteger", "BatchMatMulV2", NULL },
	{ "NonMaxSuppression", "NonMaxSuppressionV6", AICPU },
	{ "NonZero", "NonZero", AICPU },
	{ "Not", "LogicalNot", NULL },
	{ "Or", "LogicalOr", NULL },
	{ "ScatterND", "TensorScatterUpdate", NULL },
	{ "Softmax", "SoftmaxV2", NULL },
	{ "Transpose", "TransposeD", NULL },
	{ "Unique", "Unique", AICPU },
	{ "Where", "SelectV2", NULL },
};

static const struct onnx_type_row conv_3d = { "Conv", "Conv3D", NULL };
static const struct onnx_type_row slice_by_attribute = { "Slice", "StridedSliceD", NULL };
static const struct onnx_type_row slice_by_input = { "Slice", "StridedSliceV2", NULL };

#define CONV_3D_RANK 5
#define SLICE_BY_INPUT_OPSET 10 /* bounds became inputs here */

const struct onnx_type_row *sd__onnx_type(struct sd_text type, int64_t opset, int rank)
{
	if (sd_text_is(type, "Slice"))
		return opset > 0 && opset < SLICE_BY_INPUT_OPSET ? &slice_by_attribute : &slice_by_input;
	if (sd_text_is(type, "Conv") && rank == CONV_3D_RANK)
		return &conv_3d;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sd_text_is(type, rows[i].onnx))
			return &rows[i];
	}
	return NULL;
}

const char *sd__onnx_dtype(int32_t type, int *bytes)
{
	static const struct { const char *name; int bytes; } table[] = {
		{ "", 0 }, { "float", 4 }, { "uint8", 1 }, { "int8", 1 }, { "uint16", 2 }, { "int16", 2 }, { "int32", 4 }, { "int64", 8 },
		{ "string", 0 }, { "bool", 1 }, { "float16", 2 }, { "double", 8 }, { "uint32", 4 }, { "uint64", 8 }, { "complex64", 8 },
		{ "complex128", 16 }, { "bfloat16", 2 },
	};
	int row = type > 0 && type < (int32_t)(sizeof(table) / sizeof(table[0])) ? type : 0;

	*bytes = table[row].bytes;
	return table[row].name;
}
