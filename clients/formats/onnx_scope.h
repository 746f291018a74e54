/* onnx_scope.h - private: the graphs of a model, bodies in the nodes that own them, and what a
 * body reads from outside.
 *
 * A body reads any value of the graphs around it by name. Planning knows no such thing: each
 * value from outside becomes one more input of the node that owns the body, and a Data node in it. */
#ifndef SD_ONNX_SCOPE_H
#define SD_ONNX_SCOPE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "onnx_model.h"
#include "proto/names.h"

struct onnx_scope {
	struct onnx_model model;
	struct onnx_scope **body;      /* per entry of model.body */
	SD_VEC(struct sd_text) outside; /* values that it reads and nobody in it gives, in order of first use */
};

/* What a walk over all graphs adds up. */
struct onnx_sum {
	uint64_t nodes;  /* at most so many nodes of a request come of it */
	uint64_t bodies;
};

/* All graphs of the file. INVALID_ARGUMENT (SD0116) for what is no model, or nests deeper than
 * bodies of a request may. */
enum sd_status sd__onnx_scopes(struct sd_arena *mem, struct sd_text file, struct onnx_scope **root, struct onnx_sum *sum, struct sd_diag *diag);

#endif
