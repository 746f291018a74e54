/* verify_lanes.h - which launches of a logical stream follow each other where bodies choose.
 *
 * Looked at only for logical streams of several pieces. What may come directly in front of a
 * slot is its predecessor in the same body; behind a node with bodies, the last one of each,
 * and what stood in front of them. Bodies that end with one slot each on the same piece, directly
 * behind each other, are a run: who knows the last of them knows all. */
#ifndef SD_VERIFY_LANES_H
#define SD_VERIFY_LANES_H

#include "verify_internal.h"

#include "base/vec.h"

/* A logical stream in one live scope. */
struct sd__lane {
	uint32_t lane, scope;
	uint32_t up;          /* the same logical stream in the scope around it; SD__NONE: it is the root */
	uint32_t last;        /* its latest slot; SD__NONE: none yet */
	uint32_t inner, next; /* lanes of bodies behind that slot, latest first, listed by `next` */
	uint32_t skip;        /* behind the run that it begins in the list of `up`; stands for those that are not the first there */
	bool listed;          /* in the list of `up` */
	bool moved;           /* one of its inner lanes went on behind others: there are no runs */
};

struct sd__lanes {
	struct sd__judge *judge;
	uint8_t *in_pieces;          /* by logical stream: it has several */
	uint32_t *table;             /* indices of `lane` by logical stream and scope: a hash table */
	uint32_t table_mask;
	SD_VEC(struct sd__lane) lane;
	SD_VEC(uint32_t) before;     /* slots that may come directly in front of the one asked about last */
	bool failed;                 /* out of memory */
};

enum sd_status sd__lanes_init(struct sd__lanes *lanes, struct sd__judge *judge);

/* Finds what may come in front of slot `at`, a launch or a group: all of it, or of each run only the last slot. Nothing
 * else may be asked before sd__lanes_pass(). */
void sd__lanes_find(struct sd__lanes *lanes, uint32_t at, bool all);

/* Finds all that would come in front of a launch on a logical stream in a graph. */
void sd__lanes_find_on(struct sd__lanes *lanes, uint32_t logical, uint32_t graph);

/* The launch has happened. */
void sd__lanes_pass(struct sd__lanes *lanes, uint32_t at);

#endif
