/* graph_codec.h - bytes of a PlanRequest to struct sd_request.
 *
 * Decodes straight into parallel arrays in the arena; names stay slices of `bytes`,
 * which must outlive the request. Everything that the contract says about a request's
 * form is checked here and never again: names, inputs, bodies, duplicate attributes,
 * ranges of numbers, enum values. What options mean together, and whether the graph has
 * a cycle, is the planner's business. Time is linear in the bytes but for sorting the
 * attributes of a node. */
#ifndef SD_GRAPH_CODEC_H
#define SD_GRAPH_CODEC_H

#include "base/arena.h"
#include "count.h"
#include "streamd/request.h"

#define SD_NAME_BYTES_MAX 512u          /* of names, op types, engines and all other short texts */
#define SD_TEXT_VALUE_BYTES_MAX 65536u  /* of a string in an attribute's value */
#define SD_NODES_MAX (1u << 30)         /* what 32-bit indices carry; admission asks for far less */

/* `counts` are those of sd_request_count() over the same bytes. INVALID_ARGUMENT names the
 * node or option and what would be right (SD01xx); RESOURCE_EXHAUSTED (SD2011) when the
 * arena's budget does not suffice. After a failure request->graph holds the node names read
 * so far, so that a message can name them, and nothing else of the request may be used. */
enum sd_status sd_request_decode(struct sd_arena *mem, struct sd_text bytes, const struct sd_counts *counts,
                                 struct sd_request *request, struct sd_diag *diag);

#endif
