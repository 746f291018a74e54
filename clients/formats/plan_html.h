/* plan_html.h - the timeline of a plan as one page: it draws itself, can be searched and zoomed, and needs nothing but itself. */
#ifndef SD_PLAN_HTML_H
#define SD_PLAN_HTML_H

#include "base/arena.h"
#include "emit.h"
#include "proto/plan_codec.h"
#include "timeline.h"

/* RESOURCE_EXHAUSTED over budget. With the plan's explanations, if it has any. */
enum sd_status sd_plan_write_html(struct sd_arena *mem, struct sd_emitter *out, const struct sd_timeline *timeline,
                                  const struct sd_identity *identity, struct sd_diag *diag);

#endif
