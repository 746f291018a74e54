/* verify.h - the judge: does a plan keep what the contract promises?
 *
 * Shares no code with the planner's passes: it reads the request and the plan, replays
 * the command lists with vector clocks and looks whether
 *   1. commands, activations and placements say the same and every launched node is
 *      launched exactly once, on its stream;
 *   2. every edge is kept, through nodes that are not launched too;
 *   3. nothing blocks for ever, every record has one wait and every wait one record;
 *   4. ids are dense, counts are true, every limit of the device holds;
 *   5. no sync can go: each is needed, and nothing but what is asked for is ordered.
 *   6. a simulation that it holds is one of this plan: its launches, in an order that the edges allow.
 * Where nodes have bodies, all this holds whichever bodies are chosen, and in every turn of a
 * loop. Near-linear in time: each wait costs one step a stream; what only a choice of bodies
 * decides is tried out, up to a bound of steps behind which an order counts as not kept and
 * a sync as needed. Memory is bounded whatever the number of streams: they are looked at in
 * bands. */
#ifndef SD_VERIFY_H
#define SD_VERIFY_H

#include "base/arena.h"
#include "plan.h"
#include "request.h"

#define SD_VIOLATIONS_MAX 20 /* more are counted, not kept */

enum sd_violation_kind {
#define SD_VIOLATION_LIST(X)                                                                   \
	X(COUNT, "a count or an index is wrong")                                               \
	X(PLACEMENT, "a node is not launched as the plan places it")                           \
	X(COMMAND, "a command is malformed, or names what does not exist")                     \
	X(PAIRING, "a sync does not have exactly one record and one wait, as the plan tells")  \
	X(DENSE, "ids are not dense from 0")                                                   \
	X(UNORDERED, "an edge is not kept")                                                    \
	X(DEADLOCK, "a stream waits for ever")                                                 \
	X(LIMIT, "a limit of the device is exceeded")                                          \
	X(REDUNDANT, "a sync is implied by the others")                                        \
	X(UNNEEDED, "a sync orders what nobody asks for")                                      \
	X(LANE, "the order of a logical stream is not kept")                                   \
	X(SIMULATION, "the simulation is not one of the plan")
#define SD_X(name, text) SD_VIOLATION_##name,
	SD_VIOLATION_LIST(SD_X)
#undef SD_X
	SD_VIOLATION_KINDS
};

struct sd_violation {
	enum sd_violation_kind kind;
	uint32_t a, b;       /* nodes it is about; SD_NO_NODE: none */
	int64_t stream, id;  /* stream, sync id or number it is about; -1: none */
	const char *detail;  /* our own words, static */
};

struct sd_verdict {
	uint32_t count; /* of violations found; 0: the plan is proved */
	struct sd_violation violation[SD_VIOLATIONS_MAX];
	struct sd_diag why; /* set where no verdict was reached: the reason */
};

/* Judges. OK says that a verdict was reached, whatever it is; RESOURCE_EXHAUSTED when `mem` is
 * too small, CANCELLED when `stop` said so (may be NULL), and what the tables of engines and
 * limits say of a request that no plan can be made for; `verdict->why` then tells the reason.
 * Scratch memory is taken from `mem` and given back. Never trusts the plan: any content of its
 * tables is safe. */
enum sd_status sd_verify(struct sd_arena *mem, const struct sd_request *request,
                         const struct sd_plan *plan, bool (*stop)(void *), void *stop_arg,
                         struct sd_verdict *verdict);

/* Writes one line about a violation, without newline; names may be NULL. */
size_t sd_violation_text(const struct sd_violation *violation, const struct sd_names *names, char *out, size_t cap);

#endif
