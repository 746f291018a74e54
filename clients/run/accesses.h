/* accesses.h - what the launches of a graph read and write, as far as its edges tell.
 *
 * A launched node writes its outputs; whoever reads them through a data edge reads them, also through
 * nodes that launch nothing: an output of a functional node is what the NetOutput of its body reads,
 * a Data of a body is the input of its parent, in later turns of a loop what the turn before gave.
 * `overwrites` writes the outputs of others, `writes` buffers that have a name. Attached parts use
 * nothing.
 *
 * Addresses are made up: each output has a range in the memory of its visit, so that each turn of a loop
 * has memory of its own. */
#ifndef SD_ACCESSES_H
#define SD_ACCESSES_H

#include "streamd/device.h"
#include "streamd/flow.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

struct sd_accesses {
	const uint32_t *first;           /* by slot, one more: into access */
	const struct sd_access *access;
};

/* RESOURCE_EXHAUSTED over budget. Linear in edges and visits, but where a node that launches nothing has
 * several data inputs: whoever reads it reads what they all are. */
enum sd_status sd_accesses_of(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, const struct sd_flow *flow,
                              const struct sd_visits *visits, struct sd_accesses *accesses, struct sd_diag *diag);

#endif
