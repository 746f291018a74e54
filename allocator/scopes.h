/* scopes.h - when the nodes of bodies run.
 *
 * A functional node (If, Case, While, a call) owns bodies. A scope says when something runs: the
 * root always; a body of a choice when it is chosen; body 0 of a loop, its condition, whenever
 * the loop is reached; body 1 in every turn. A choice of one body and a call open no scope:
 * their bodies run with the parent. Both ends of a sync have one scope, so that they happen
 * equally often. */
#ifndef SD_SCOPES_H
#define SD_SCOPES_H

#include "streamd/graph.h"

#define SD_SCOPE_ROOT 0u

struct sd_scope {
	uint32_t parent, depth; /* depth 0: the root, its own parent */
	uint32_t functional;    /* number of the node that opens it; the root has none */
	uint32_t body;          /* which of its bodies */
};

/* How the bodies of a node come to run. */
enum sd_body_form {
	SD_FORM_INLINE,     /* with their parent */
	SD_FORM_STRUCTURED, /* whoever executes the plan issues what is chosen */
	SD_FORM_LOWERED,    /* they hold labels: one thread on the parent's stream jumps to what is chosen */
};

struct sd_functional {
	uint32_t node;
	enum sd_body_form form;
	bool loop;
	uint32_t body_count;
	/* What has a label node, SD_NO_NODE where it has none: */
	uint32_t switch_node;    /* jumps to the chosen body; in a loop, from the condition */
	uint32_t end_node;       /* label behind the bodies */
	uint32_t first_jump;     /* into sd_scopes.jump: for each body, the node that jumps out of it to the end label */
};

/* What a label node of a lowered body does. */
enum sd_label_role {
	SD_ROLE_NONE,
	SD_ROLE_SWITCH,      /* LabelSwitchByIndex of a choice: runs with the parent */
	SD_ROLE_LOOP_SWITCH, /* that of a loop: leaves the condition */
	SD_ROLE_CONDITION,   /* label of a condition: waits with the parent, on the way in only */
	SD_ROLE_HEAD,        /* label of a body: is jumped to, and can wait for nothing */
	SD_ROLE_END,         /* end label: runs with the parent, waits in its body */
	SD_ROLE_GOTO,        /* leaves its body */
};

struct sd_scopes {
	uint32_t count, functional_count;
	struct sd_scope *at;
	struct sd_functional *functional; /* in flat order of their nodes */
	uint32_t *of_graph;               /* per graph */
	uint32_t *jump;                   /* SD_NO_NODE: falls through to the end label, or ends */
	uint32_t *functional_of;          /* per node; SD_NO_NODE: owns no bodies. NULL: no node does */
	uint8_t *role;                    /* per node: enum sd_label_role; NULL like functional_of */
};

/* The functional node with this number; NULL where the node owns no bodies. */
static inline const struct sd_functional *sd_scopes_functional(const struct sd_scopes *scopes, uint32_t node)
{
	if (!scopes->functional_of || scopes->functional_of[node] == SD_NO_NODE)
		return NULL;
	return &scopes->functional[scopes->functional_of[node]];
}

static inline enum sd_label_role sd_scopes_role(const struct sd_scopes *scopes, uint32_t node)
{
	return scopes->role ? (enum sd_label_role)scopes->role[node] : SD_ROLE_NONE;
}

/* Whether what has scope `inner` runs only where what has scope `outer` does. O(depth). */
static inline bool sd_scope_within(const struct sd_scopes *scopes, uint32_t inner, uint32_t outer)
{
	while (scopes->at[inner].depth > scopes->at[outer].depth)
		inner = scopes->at[inner].parent;
	return inner == outer;
}

/* Whether things of the two scopes can both run: they are in no two bodies of one choice. O(depth). */
bool sd_scopes_meet(const struct sd_scopes *scopes, uint32_t a, uint32_t b);

/* The scopes in which a node runs and in which it waits; of a head label the second has no meaning. */
uint32_t sd_scope_of_run(const struct sd_scopes *scopes, const struct sd_graph *graph, uint32_t node);
uint32_t sd_scope_of_waits(const struct sd_scopes *scopes, const struct sd_graph *graph, uint32_t node);

#endif
