/* plan_text.h - a plan for a person: counts, each stream's commands, warnings. */
#ifndef SD_PLAN_TEXT_H
#define SD_PLAN_TEXT_H

#include "emit.h"
#include "proto/plan_codec.h"
#include "streamd/graph.h"

/* RESOURCE_EXHAUSTED over the arena's budget. */
enum sd_status sd_plan_write_text(struct sd_arena *mem, struct sd_emitter *out, const struct sd_plan *plan,
                                  const struct sd_identity *identity, const struct sd_graph *graph, struct sd_diag *diag);

#endif
