/* changes.h - the ways in which a plan is spoilt, and what each of them does.
 *
 * What a change does is known from the change itself: it breaks a promise, and then one of
 * the kinds that it states must be found; or it makes another plan that keeps all of them. */
#ifndef CHANGES_H
#define CHANGES_H

#include "draft.h"

enum effect { NOT_MADE, BREAKS, KEEPS };

struct trial {
	struct sd_arena *mem;        /* of one change */
	struct sd_request request;   /* may be changed, too */
	struct draft draft;          /* a fresh copy of the plan */
	uint32_t *sequence, launched; /* launches in an order in which the plan can run; with bodies as they are listed */
	bool listed;                 /* the nodes stand in the order of execution */
	bool ordered;                /* some launch must come behind another */
	uint32_t kinds;              /* 1 << enum sd_violation_kind: one of these must be found, where the change breaks something */
};

struct change {
	const char *name;
	uint32_t (*times)(const struct trial *t);           /* that it can be tried on this plan */
	enum effect (*make)(struct trial *t, uint32_t i);   /* the i-th try */
	bool flat;                                          /* only of plans of graphs without bodies: it writes syncs anew, or runs the plan */
};

/* The i-th change of all; NULL behind the last one. */
const struct change *change_at(uint32_t i);

/* Where they come from: syncs and launches; and what the tables tell. */
extern const struct change sync_changes[], table_changes[];
extern const uint32_t sync_change_count, table_change_count;

#define CHANGE(name, times) { #name, times, name, false }
#define FLAT_CHANGE(name, times) { #name, times, name, true }
#define KIND(name) (1u << SD_VIOLATION_##name)

#endif
