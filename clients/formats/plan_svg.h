/* plan_svg.h - the timeline of a plan as one picture: a lane for each stream, a bar for each launch, an arrow for each sync.
 *
 * It needs nothing but itself. What has no room in its bar is in the bar's title, which a viewer shows on hover; no two
 * texts overlap. The picture is as wide as the fullest stream needs. */
#ifndef SD_PLAN_SVG_H
#define SD_PLAN_SVG_H

#include "base/arena.h"
#include "emit.h"
#include "timeline.h"

/* RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_plan_write_svg(struct sd_arena *mem, struct sd_emitter *out, const struct sd_timeline *timeline, struct sd_diag *diag);

#endif
