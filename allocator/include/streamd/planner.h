/* planner.h - request in, proved plan out. The whole public face of the planner.
 *
 * Pure: reads no clock, file, socket, environment or global. The same request gives
 * the same plan on every machine. Everything returned lives in `mem`; there is
 * nothing to free. May be called from many threads at once, one arena per call. */
#ifndef SD_PLANNER_H
#define SD_PLANNER_H

#include "base/arena.h"
#include "plan.h"
#include "request.h"

/* What the caller may want to know or say while a plan is made; every member may be NULL. */
struct sd_hooks {
	void *arg;
	/* Asked between passes and every few thousand nodes; true ends the job with CANCELLED. */
	bool (*stop)(void *arg);
	/* Told when a pass has ended, by its name in the pass table; "verify" comes last. */
	void (*passed)(void *arg, const char *pass);
};

/* Makes the plan and proves it (verify.h). On failure `diag` says why:
 * INVALID_ARGUMENT (the request asks for what cannot be), UNIMPLEMENTED (SD0001, EZ3003),
 * RESOURCE_EXHAUSTED (a limit of the device, or the arena's budget), CANCELLED,
 * INTERNAL (the plan could not be proved). `diag` must be cleared by the caller. */
enum sd_status sd_plan_make(struct sd_arena *mem, const struct sd_request *request,
                            const struct sd_hooks *hooks, const struct sd_plan **plan,
                            struct sd_diag *diag);

/* One row of the pass table (allocator/chain.c), as text, for listings. */
struct sd_pass_row {
	const char *name, *when, *needs, *gives;
	uint32_t rev;
};
/* Fills `row` for pass `index`; false past the end. The texts are static or lie in `mem`. */
bool sd_pass_row(struct sd_arena *mem, uint32_t index, struct sd_pass_row *row);

/* "0.1.0+1f2e3d4c5b6a7988": version and fingerprint of the chain (names and revisions of all
 * passes, names and versions of the custom ones; NULL: none). Part of every plan and of every
 * cache key. */
#define SD_PLANNER_VERSION_MAX 48
void sd_planner_version(const struct sd_stream_pass *passes, char out[SD_PLANNER_VERSION_MAX]);

/* Whether names of nodes take part in the plan (contract: `bfs`, `rdfs` and
 * `memory_priority` compare them); then their rank belongs to the request's identity. */
bool sd_plan_compares_names(const struct sd_options *options);

#endif
