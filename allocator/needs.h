/* needs.h - what a node must wait for: on each lane the last slot that one of its producers names.
 *
 * Earlier slots of a lane are done with later ones, but for what a join stands for: where the
 * body that runs does not use the lane, what was to be waited for before still is. So a join
 * remembers it (struct sd_need). */
#ifndef SD_NEEDS_H
#define SD_NEEDS_H

#include "job.h"

struct sd_met {
	uint32_t slot;
	enum sd_cause cause; /* of the first edge that named it */
	uint32_t need;       /* of a join (sd_order_pair) */
};

/* What a consumer must wait for: at most one slot per lane, as a range of sd_needs.pool. */
struct sd_need_list {
	uint32_t first, count;
};

/* The reader being looked at: slots that have been met since sd_needs_begin(), and lists that were kept. */
struct sd_needs {
	struct sd_job *job;
	SD_VEC(struct sd_met) pool;
	uint32_t *latest, *stamp; /* per lane */
	enum sd_cause *cause;     /* per lane: of the first edge that named this slot */
	uint32_t *need;           /* per lane: of a join */
	uint32_t *lane, lanes;    /* lanes met */
	uint32_t reading;         /* stamp of the reader */
	SD_VEC(uint32_t) scratch;
	bool failed;              /* out of memory; sd_needs_keep() tells */
};

enum sd_status sd_needs_init(struct sd_needs *needs, struct sd_job *job);

void sd_needs_begin(struct sd_needs *needs);

/* Adds a slot; `need` is SD_NO_INDEX for all of what it stands for. */
void sd_needs_meet(struct sd_needs *needs, uint32_t slot, enum sd_cause cause, uint32_t need);

/* A need of one slot, behind an older one on its lane. */
uint32_t sd_needs_new(struct sd_needs *needs, uint32_t slot, uint32_t older);

/* Keeps what has been met, in the order in which it was. */
enum sd_status sd_needs_keep(struct sd_needs *needs, struct sd_need_list *list);

#endif
