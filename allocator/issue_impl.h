/* issue_impl.h - private: the steps of each stream, before they are put into one order. */
#ifndef SD_ISSUE_IMPL_H
#define SD_ISSUE_IMPL_H

#include "base/vec.h"
#include "streamd/issue.h"

#define SD__NOT_HELD UINT32_MAX

struct sd__queued {
	struct sd_step step;
	uint32_t rank;
	uint32_t with; /* of a record or wait: its sync; of a hold or activation: the hold, SD__NOT_HELD: none, it is left out */
};

struct sd__queues {
	struct sd_arena *mem;
	const struct sd_plan *plan;
	const struct sd_flow *flow;
	struct sd_visits visits;
	struct sd_diag *diag;
	uint32_t *first;             /* by stream, one more: into queued */
	SD_VEC(struct sd__queued) queued;
	uint32_t hold_count;
};

/* Everything that each stream does in this run, in its order. */
enum sd_status sd__queues_make(struct sd__queues *queues);

/* Which sync each record and wait among the plan's commands is of. */
enum sd_status sd__pair_syncs(struct sd__queues *queues, uint32_t *sync_of);

enum sd_status sd__queues_no_memory(struct sd__queues *queues);

#endif
