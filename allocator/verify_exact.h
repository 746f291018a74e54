/* verify_exact.h - a question about two slots, answered by its definition.
 *
 * Whether one slot runs before another in every run in which both run. Only the ways that
 * matter are tried: where a run shows the order, the bodies that this leans on are taken
 * differently, one after the other; those that it does not lean on never. There may be very
 * many runs even so, so there is a bound of steps for a whole plan, behind which no answer is found. */
#ifndef SD_VERIFY_EXACT_H
#define SD_VERIFY_EXACT_H

#include "verify_internal.h"

#include "base/vec.h"

enum sd__answer { SD__NO, SD__YES, SD__UNDECIDED };

struct sd__exact {
	struct sd__judge *judge;
	uint64_t steps_left;
	uint32_t without;        /* sync that is not there; SD__NONE: all are */
	uint32_t from, at;
	uint32_t round;
	uint32_t *seen;          /* by slot: the round in which it was found to run behind `from` */
	uint32_t *stream_seen;   /* by stream: the round in which one of its slots was */
	uint32_t *way;           /* by node: the scope that it takes; SD__NONE: no body of a loop */
	uint8_t *fixed;          /* by node: whether `way` is no longer to be changed */
	uint32_t *marked;        /* by node: the round in which the order was found to lean on its way */
	SD_VEC(uint32_t) lean;   /* nodes, of all calls that are open */
	SD_VEC(uint32_t) walk;   /* slots to be looked at */
	bool failed;             /* out of memory */
};

enum sd_status sd__exact_init(struct sd__exact *exact, struct sd__judge *judge);

/* Lets go of memory that grows with the questions: to be called when the arena is rewound behind the initialisation. */
static inline void sd__exact_forget(struct sd__exact *exact)
{
	memset(&exact->lean, 0, sizeof(exact->lean));
	memset(&exact->walk, 0, sizeof(exact->walk));
}

/* Whether `from` runs before `at` in every run that has both, if sync `without` were not there. */
enum sd__answer sd__exact_before(struct sd__exact *exact, uint32_t from, uint32_t at, uint32_t without);

#endif
