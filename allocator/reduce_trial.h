/* reduce_trial.h - whether an order is implied in every run, each run tried in turn. */
#ifndef SD_REDUCE_TRIAL_H
#define SD_REDUCE_TRIAL_H

#include "job.h"

/* A run that is being tried: a way through every functional node. Where it shows what is asked for, the nodes that this
 * leans on are taken differently, one after the other; those that it does not lean on never. */
struct sd_trial {
	struct sd_job *job;
	const struct sd_order_list *asked;
	const uint32_t *first;
	const bool *keep;
	uint32_t tried;         /* the order */
	uint32_t goal;          /* the slot at which it is asked for */
	uint32_t *choice;       /* per functional node: the way */
	bool *fixed;            /* per functional node: the way is no longer to be changed */
	uint32_t *noted;        /* per functional node: the last run that was found to lean on it */
	SD_VEC(uint32_t) lean;  /* functional nodes, of all runs that are open */
	SD_VEC(uint32_t) walk;  /* slots that a reason leads to */
	uint32_t *done;         /* per slot: the last question for which the target was known behind it */
	uint32_t *walked;       /* per slot: the last question for which it was walked to */
	uint32_t run, question, work;
	bool failed;            /* out of memory */
};

/* Makes room; the caller sets job, asked, first and keep. */
enum sd_status sd_trial_start(struct sd_trial *t);

/* Whether the order that is tried is implied at a slot, in all runs in which that and both ends run; no where there are more runs
 * than can be tried, or memory is gone. Adds to `work`. */
bool sd_trial_known_at(struct sd_trial *t, uint32_t goal);

/* The way that a functional node takes; what follows leans on it. */
uint32_t sd_trial_way(struct sd_trial *t, uint32_t functional);

/* What an order is about in the run: a launch, behind bodies on the stream of its sender; SD_NO_INDEX: nothing. */
uint32_t sd_trial_target(struct sd_trial *t, const struct sd_order_pair *order);

#endif
