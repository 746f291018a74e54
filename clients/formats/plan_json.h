/* plan_json.h - a plan as JSON and back: the form that other people's tools read.
 *
 * Every key is printed, also 0, false, "" and []. Names and labels are put back from
 * the graph that the plan is for. */
#ifndef SD_PLAN_JSON_H
#define SD_PLAN_JSON_H

#include "emit.h"
#include "json_path.h"
#include "proto/plan_codec.h"
#include "streamd/graph.h"

/* Writes the plan, one object, without newline after it. RESOURCE_EXHAUSTED when a label does not
 * fit the arena; whether the file took it all tells sd_emit_finish(). */
enum sd_status sd_plan_write_json(struct sd_arena *mem, struct sd_emitter *out, const struct sd_plan *plan,
                                  const struct sd_identity *identity, const struct sd_graph *graph, struct sd_diag *diag);

/* Reads what sd_plan_write_json() writes, for that graph. Unknown keys, names that are no nodes of
 * the graph and numbers out of range are an error with the path of what is wrong (SD4011); what
 * a plan must be beside that is the judge's business. */
enum sd_status sd_plan_read_json(struct sd_arena *mem, struct sd_text text, const struct sd_graph *graph,
                                 struct sd_plan *plan, struct sd_diag *diag);

#endif
