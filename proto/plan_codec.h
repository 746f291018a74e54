/* plan_codec.h - struct sd_plan to and from the bytes of a Plan message. */
#ifndef SD_PLAN_CODEC_H
#define SD_PLAN_CODEC_H

#include "base/arena.h"
#include "streamd/plan.h"
#include "wire.h"

#define SD_PLAN_FORMAT 1u
#define SD_DIGEST_BYTES 32u
#define SD_PLANNER_TEXT_MAX 48u /* bytes of identity.planner with its NUL */

/* What a plan was made for, and by what. */
struct sd_identity {
	unsigned char graph_hash[SD_DIGEST_BYTES];
	unsigned char plan_key[SD_DIGEST_BYTES];
	char planner[SD_PLANNER_TEXT_MAX];
};

/* The plan as bytes in the arena; the same plan and identity give the same bytes. The plan's
 * diagnostics hold no text arguments. RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_plan_encode(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_identity *identity,
                              struct sd_text *bytes);

/* Bytes to plan. The bytes are not trusted: every index is checked against the plan's own
 * tables and against node_count and graph_count of the graph that it is said to be for
 * (INVALID_ARGUMENT, SD4011), so that whoever reads the plan may follow its indices. Whether
 * the plan is right is the judge's question. RESOURCE_EXHAUSTED (SD2011) over budget.
 * `identity` may be NULL. Nothing of the plan points into `bytes`; after a failure it is empty. */
enum sd_status sd_plan_decode(struct sd_arena *mem, struct sd_text bytes, uint32_t node_count, uint32_t graph_count,
                              struct sd_plan *plan, struct sd_identity *identity, struct sd_diag *diag);

#endif
