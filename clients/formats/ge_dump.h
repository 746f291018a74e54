/* ge_dump.h - a dump of Graph Engine as a planning request.
 *
 * Both kinds of text are read: ge_proto_*.txt, which keeps everything, and ge_onnx_*.pbtxt, which
 * does not say whose body a graph is. Rules:
 *   - the first graph is the root, the others are bodies by name; a graph nobody names is left out;
 *   - names that stand in several graphs get a number behind them;
 *   - a body's NetOutput gets its inputs in the order of the parent's outputs;
 *   - nodes that stream allocation puts in (Send, Recv, the StreamActive behind a StreamSwitch) are left
 *     out, and stream ids are not read: what is planned is the graph before its streams were assigned;
 *   - attributes keep their values; tensors, graphs, and texts that are no UTF-8 are left out;
 *   - in a ge_onnx dump a body stands as one node of type `subgraph` that launches nothing.
 * What was left out or is missing is told in notes. */
#ifndef SD_GE_DUMP_H
#define SD_GE_DUMP_H

#include "base/arena.h"
#include "base/diag.h"
#include "notes.h"
#include "schema.h"

/* INVALID_ARGUMENT (SD0116) for what is no such dump. Texts of the message lie in the arena. */
enum sd_status sd_ge_dump_import(struct sd_arena *mem, struct sd_text text, Streamd__V1__PlanRequest **request,
                                 struct sd_notes *notes, struct sd_diag *diag);

#endif
