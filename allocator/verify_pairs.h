/* verify_pairs.h - which sync a record or wait belongs to.
 *
 * Its number tells, but for numbers that exclusive bodies share: there the stream of the
 * command and the body that it is in tell more. */
#ifndef SD_VERIFY_PAIRS_H
#define SD_VERIFY_PAIRS_H

#include "verify_internal.h"

struct sd__pairs {
	const struct sd__judge *judge;
	uint32_t *first[2];  /* by kind, by number: the first sync of that number; SD__NONE: none */
	uint32_t *next;      /* by sync: the next one of its number, in a ring */
	uint32_t *last[2];   /* by end (record, wait) and first sync of the ring: the one found last */
};

/* The tables must be whole: every number that a sync has is below its count. */
enum sd_status sd__pairs_init(struct sd__pairs *pairs, const struct sd__judge *judge);

/* The sync of a record or wait on `stream`; one of its number where none fits; SD__NONE where none has it. */
uint32_t sd__pairs_find(struct sd__pairs *pairs, uint32_t stream, const struct sd_command *command);

#endif
