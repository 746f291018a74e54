/* onnx.h - an ONNX model as a planning request.
 *
 * Reads the graph and nothing else: weights are stepped over where they lie. Rules:
 *   - a graph input that is no initializer becomes Data (attribute `index`), an
 *     initializer and a Constant node become Const, graph outputs become one NetOutput;
 *   - operator types become Graph Engine's by one table (onnx_types.c); others pass as they are;
 *   - edges go by value name; a value that two give, or that nobody gives, is an error;
 *   - a node without a usable name is called TYPE_N; a name that is taken gets a number;
 *   - shapes, types and sizes of outputs are filled in where the model states them;
 *   - the bodies of If, Loop, Scan and SequenceMap become bodies of If and For; what they read from
 *     outside by name becomes one more input of their node and a Data in the body;
 *   - bodies of any other operator are refused, with the node that has them. */
#ifndef SD_ONNX_H
#define SD_ONNX_H

#include "base/arena.h"
#include "base/diag.h"
#include "schema.h"

/* INVALID_ARGUMENT (SD0116) for what is no model, UNIMPLEMENTED (SD0001) for bodies of an operator that is not known to have any. The
 * message's texts are copies in the arena. */
enum sd_status sd_onnx_import(struct sd_arena *mem, struct sd_text bytes, Streamd__V1__PlanRequest **request, struct sd_diag *diag);

#endif
