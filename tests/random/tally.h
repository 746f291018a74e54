/* tally.h - what a run of random graphs has met: passes that fired, attributes and option values of graphs that were planned, codes. */
#ifndef TALLY_H
#define TALLY_H

#include <stdio.h>

#include "attempt.h"
#include "fired.h"

#define TALLY_ROWS 512

/* Shared by processes; each counts for itself, tallies are added up. */
struct tally {
	uint64_t graphs, planned, refused, nodes, syncs;
	uint64_t pass[FIRED_PASSES_MAX];
	uint64_t code[SD_CODE_COUNT]; /* as an error, and as a warning */
	uint64_t warned[SD_CODE_COUNT];
	uint64_t row[TALLY_ROWS]; /* of the table of things of a request */
};

void tally_add(struct tally *t, const json_t *request, const struct attempt *a);
void tally_join(struct tally *into, const struct tally *from);

/* Prints all of it; answers how many rows are below `least`, each of them printed as a failure. */
uint32_t tally_print(const struct tally *t, uint64_t least, FILE *out);

#endif
