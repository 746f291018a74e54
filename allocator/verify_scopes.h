/* verify_scopes.h - when the bodies of a graph run, as the judge sees it.
 *
 * A scope is named by the graph that opens it: the root, which always runs, and every body
 * that need not run as often as its parent. Bodies of a PartitionedCall and the only body
 * of an If or Case open none.
 *
 * Both ends of a sync have one scope. Whether something runs at all is asked of live
 * scopes: those without the conditions of loops, which run whenever their parent does.
 * A run is one choice for every node with live scopes: one of them, or none for a loop. */
#ifndef SD_VERIFY_SCOPES_H
#define SD_VERIFY_SCOPES_H

#include "streamd/graph.h"

struct sd__judge;

/* Execution goes on at the label `to` when `from` has run. */
struct sd__jump {
	uint32_t from, to; /* nodes */
	uint32_t taken;    /* live scope in which this jump is taken; SD__NONE: where the body of the loop does not run */
};

struct sd__scopes {
	bool bodies;            /* the graph has some */
	bool branches;          /* some node chooses between its bodies, or turns in them */
	uint32_t *scope;        /* by graph */
	uint32_t *live;         /* by graph */
	uint32_t *run_in;       /* by node: the graph in which its launch and records run; NULL without bodies, as are all below */
	uint32_t *wait_in;      /* by node: the graph in which its waits run; SD__NONE: it is only jumped to */
	uint8_t *lowered;       /* by node with bodies: they hold labels */
	uint32_t *end_label;    /* by node with lowered bodies: where execution leaves them; SD_NO_NODE: nowhere */
	struct sd__jump *jump;  /* by target, then as found */
	uint32_t jump_count;
	uint32_t *jump_first;   /* by node, one more: into jump, those that lead there */
	uint32_t *leads_first;  /* by node, one more: into leads */
	uint32_t *leads;        /* jumps that start there */
};

/* Bodies of a node; an inserted node has none. */
uint32_t sd__body_count(const struct sd__judge *judge, uint32_t node);
uint32_t sd__body(const struct sd__judge *judge, uint32_t node, uint32_t k);

/* Whether one of its bodies is chosen, or it is a loop: they are scopes of their own. */
bool sd__is_choice(const struct sd__judge *judge, uint32_t node);

/* The scope around a live scope, itself live; SD_ROOT has none around it. */
uint32_t sd__scope_up(const struct sd__judge *judge, uint32_t scope);

/* Whether the live scope `inner` runs only where `outer` does. */
bool sd__scope_holds(const struct sd__judge *judge, uint32_t outer, uint32_t inner);

/* Whether no run has both. */
bool sd__scopes_exclude(const struct sd__judge *judge, uint32_t a, uint32_t b);

/* The scope on the way from `outer` down to `inner`, directly below `outer`, which holds it and is not it. */
uint32_t sd__scope_towards(const struct sd__judge *judge, uint32_t outer, uint32_t inner);

/* How many ways there are to take a node with live scopes. */
uint32_t sd__ways(const struct sd__judge *judge, uint32_t node);

/* Whether `graph` is a body of `node`, or lies in one. */
bool sd__graph_is_below(const struct sd__judge *judge, uint32_t graph, uint32_t node);

uint32_t sd__run_in(const struct sd__judge *judge, uint32_t node);
uint32_t sd__wait_in(const struct sd__judge *judge, uint32_t node);

/* Whether a stream begins with a label that is only jumped to: neither does it start with the model, nor does anybody start it. */
bool sd__is_jumped_to(const struct sd__judge *judge, uint32_t stream);

#endif
