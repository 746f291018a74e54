/* graph_codec.h - bytes of a PlanRequest to struct sd_request.
 *
 * Decodes straight into parallel arrays in the arena; names stay slices of `bytes`,
 * which must outlive the request. Everything that the contract says about a request's
 * form is checked here and never again: names, inputs, bodies, duplicate attributes,
 * ranges of numbers, enum values. What options mean together is the planner's business. */
#ifndef SD_GRAPH_CODEC_H
#define SD_GRAPH_CODEC_H

#include "base/arena.h"
#include "count.h"
#include "streamd/request.h"

/* INVALID_ARGUMENT names the node or option and what would be right (SD01xx);
 * RESOURCE_EXHAUSTED (SD2011) when the arena's budget does not suffice. After a failure
 * request->graph holds the node names read so far, so that a message can name them. */
enum sd_status sd_request_decode(struct sd_arena *mem, struct sd_text bytes, const struct sd_counts *counts,
                                 struct sd_request *request, struct sd_diag *diag);

#endif
