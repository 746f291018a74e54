/* verify_branch.h - what a stream knows where it enters and leaves bodies.
 *
 * Behind a node of whose bodies one runs, a stream knows what it knows behind each of them;
 * where one has nothing on this stream, or the body of a loop may not run, what it knew in
 * front of them counts too. So rows are met; or, where the question is what some run knows,
 * joined. */
#ifndef SD_VERIFY_BRANCH_H
#define SD_VERIFY_BRANCH_H

#include "verify_clock.h"
#include "verify_internal.h"

#include "base/vec.h"

struct sd__sweep;

/* A node whose bodies a stream is in. */
struct sd__frame {
	uint32_t up;     /* the one around it; SD__NONE: none */
	uint32_t node;
	uint32_t entry;  /* row in front of the bodies */
	uint32_t behind; /* row behind those that are done; SD__NONE: none is, or they are kept apart */
	uint32_t taken;  /* bodies that are done */
};

struct sd__branch {
	SD_VEC(struct sd__frame) frame;
	uint32_t unused;       /* frames, listed by `up` */
	uint32_t *top;         /* by stream */
	uint32_t *scope;       /* by stream: the live scope that it is in */
	uint32_t *row_of_body; /* by graph: row behind a lowered body, on the stream of the label where the bodies end; SD__NONE: none */
	uint32_t *row_of_jump; /* by jump: what was known there; SD__NONE: nothing, or taken over already */
};

enum sd_status sd__branch_init(struct sd__sweep *sweep);

/* Begins a stream in the live scope `scope`. */
void sd__branch_begin(struct sd__sweep *sweep, uint32_t stream, uint32_t scope);

/* Leads the row of a stream from the scope that it is in to that of slot `at`, of its waits or of its launch. False out of memory. */
bool sd__branch_to(struct sd__sweep *sweep, uint32_t stream, uint32_t scope, uint32_t at);

/* What the slot, a label, learns from those that jump to it; and what those that it jumps to will learn. */
void sd__branch_jumped(struct sd__sweep *sweep, uint32_t at);
void sd__branch_jumps(struct sd__sweep *sweep, uint32_t at, uint32_t row);

/* Gives up the rows of a stream that is done, but its own. */
void sd__branch_end(struct sd__sweep *sweep, uint32_t stream);

#endif
