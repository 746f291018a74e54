/* attempt.h - one request through everything: read, counted, decoded, planned, encoded, decoded, judged. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <jansson.h>

#include "base/arena.h"
#include "proto/plan_codec.h"
#include "streamd/planner.h"

struct attempt {
	struct sd_request request;
	bool decoded;               /* `request` holds what was sent */
	const struct sd_plan *plan; /* NULL: refused, by `diag` */
	struct sd_identity identity;
	struct sd_diag diag;
	const char *failure;        /* NULL, or what must not be: its class, one line. In the arena, or static */
};

/* Everything lies in `mem`. */
void attempt(struct sd_arena *mem, const json_t *request, struct attempt *a);

#endif
