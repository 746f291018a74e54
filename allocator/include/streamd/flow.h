/* flow.h - what of a graph runs, and how often: all that whoever runs a plan must know of its graph.
 *
 * A visit is one running of a graph: the root's, and one for each time that a body runs. Of the
 * bodies of a node all run (ALWAYS), one does (CHOOSES), or the first, a condition, runs once more
 * than the second (LOOPS). Which and how often is chosen before a run, for each node once.
 *
 * Where a launch runs is told by `runs_in`: a label node may stand in one body and run with its
 * parent. A jump leads from a launch to a label, which may lie on another stream: that one then
 * goes on there. */
#ifndef SD_FLOW_H
#define SD_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

#define SD_FLOW_ROOT 0u          /* the graph that always runs */
#define SD_NO_VISIT UINT32_MAX
#define SD_VISITS_MAX (1u << 20) /* of one run */

enum sd_flow_kind { SD_FLOW_ALWAYS, SD_FLOW_CHOOSES, SD_FLOW_LOOPS };

enum sd_flow_trait {
	SD_FLOW_COLLECTIVE = 1, /* communicates: its streams copy arguments */
	SD_FLOW_NEXT_TURN = 2,  /* what it activates is the next turn of the model, not of this run */
};

enum sd_jump_kind {
	SD_JUMP_ENTER, /* switch -> head of the chosen body */
	SD_JUMP_LEAVE, /* end of the chosen body -> label behind the bodies */
	SD_JUMP_TURN,  /* switch of a condition -> head of the loop's body */
	SD_JUMP_BACK,  /* end of the loop's body -> label of the condition */
	SD_JUMP_END,   /* switch of a condition -> label behind the loop */
};

struct sd_jump {
	enum sd_jump_kind kind;
	uint32_t from, to; /* nodes */
	uint32_t body;     /* ENTER, LEAVE: the graph of the body for which it is taken */
};

struct sd_flow {
	uint32_t node_count, graph_count; /* nodes of the plan, inserted ones too; root included */
	const uint32_t *parent;           /* by graph: the node that owns it; SD_NO_NODE for the root */
	const uint32_t *graph_of;         /* by node */
	const uint32_t *runs_in;          /* by node: the graph with whose visits it is launched */
	const uint32_t *body_first;       /* by node, one more: into body */
	const uint32_t *body;             /* graphs, instance order */
	const uint8_t *kind;              /* by node: enum sd_flow_kind, where it has bodies */
	const uint8_t *traits;            /* by node: enum sd_flow_trait */
	const uint32_t *rank;             /* by node: the order in which launches are best enqueued; producers first */
	const struct sd_jump *jump;
	uint32_t jump_count;
};

/* Asked once for each node that chooses or loops: the number of the body / of the turns. NULL: body 0, 1 turn. */
struct sd_choices {
	uint32_t (*choose)(void *arg, uint32_t node, uint32_t bodies);
	void *arg;
};

struct sd_visit {
	uint32_t graph;
	uint32_t parent;     /* visit; SD_NO_VISIT for the root's, which is visit 0 */
	uint32_t turn;       /* of a loop, from 0 */
	uint32_t first_slot;
	uint32_t first_group;
};

/* The launch of a node in a visit of the graph in which it runs has a slot of its own. */
struct sd_visits {
	uint32_t count, slot_count;
	const struct sd_visit *visit; /* outer ones first */
	const uint32_t *slot_of;      /* by node: within its visit */
	const uint32_t *taken;        /* by node that chooses or loops */
	const uint32_t *ordinal;      /* by node with bodies: which of its graph's */
	const uint32_t *group;        /* first visits of bodies */
};

/* INVALID_ARGUMENT: a body that is not there. RESOURCE_EXHAUSTED: more visits than SD_VISITS_MAX, or `mem` over budget. */
enum sd_status sd_visits_make(struct sd_arena *mem, const struct sd_flow *flow, const struct sd_choices *choices,
                              struct sd_visits *visits, struct sd_diag *diag);

/* The visit of a body of `node` within `visit`, a visit of its graph, in turn `turn`; SD_NO_VISIT: it does not run. */
uint32_t sd_visit_of_body(const struct sd_flow *flow, const struct sd_visits *visits, uint32_t visit, uint32_t node, uint32_t instance,
                          uint32_t turn);

/* The visit of `graph` in which `visit` lies, itself included; SD_NO_VISIT: in none. */
uint32_t sd_visit_up(const struct sd_visits *visits, uint32_t visit, uint32_t graph);

static inline uint32_t sd_visit_slot(const struct sd_visits *visits, uint32_t visit, uint32_t node)
{
	return visits->visit[visit].first_slot + visits->slot_of[node];
}

/* Which body of its parent a graph is. */
uint32_t sd_flow_instance(const struct sd_flow *flow, uint32_t graph);

#endif
