/* ge_dump.h - a dump of Graph Engine as a planning request.
 *
 * Both kinds of text are read: ge_proto_*.txt, which keeps everything, and ge_onnx_*.pbtxt, which
 * does not say whose body a graph is. Rules:
 *   - the first graph is the root, the others are bodies by name; a graph nobody names is left out;
 *   - names that stand in several graphs get a number behind them;
 *   - a body's NetOutput gets its inputs in the order of the parent's outputs;
 *   - nodes that stream allocation puts in (Send, Recv, the StreamActive behind a StreamSwitch) are left
 *     out, and stream ids are not read unless it is wished: what is planned is the graph before its streams were assigned;
 *   - attributes keep their values; tensors, graphs, and texts that are no UTF-8 are left out;
 *   - in a ge_onnx dump a body stands as one node of type `subgraph` that launches nothing.
 * What was left out or is missing is told in notes. */
#ifndef SD_GE_DUMP_H
#define SD_GE_DUMP_H

#include "base/arena.h"
#include "base/diag.h"
#include "notes.h"
#include "schema.h"

/* Which node of the request each operator of the dump is, in the order in which they stand there. */
struct sd_dump_nodes {
	uint32_t count;
	uint32_t *node;        /* SD_NO_NODE: it is left out, or stands for a body */
	bool is_onnx;          /* the dump is of the ge_onnx kind */
};

struct sd_dump_wish {
	bool trusts_streams;   /* explicit_streams is made of _logic_stream_id, else stream_id, of the operators that are not on -1 */
	struct sd_dump_nodes *nodes; /* filled in; NULL: nobody asks */
};

/* `wish` may be NULL. INVALID_ARGUMENT (SD0116) for what is no such dump. Texts of the message lie in the arena. */
enum sd_status sd_ge_dump_import(struct sd_arena *mem, struct sd_text text, const struct sd_dump_wish *wish, Streamd__V1__PlanRequest **request,
                                 struct sd_notes *notes, struct sd_diag *diag);

#endif
