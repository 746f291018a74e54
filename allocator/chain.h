/* chain.h - the pass table and its runner: the planner in one screen.
 *
 * A pass is one rule. Its row says in which modes it runs, which facts it needs, gives
 * and drops; the runner believes none of it and checks at every step. */
#ifndef SD_CHAIN_H
#define SD_CHAIN_H

#include "job.h"

/* What holds about a job; each guards members of struct sd_job. */
#define SD_FACT_LIST(X)                                                                 \
	X(ENGINES) X(TASKS) X(TOPO) X(SCOPES) X(MODE) X(LABELS) X(CV) X(CLUSTERS) X(CLUSTER_STREAM)       \
	X(NODE_STREAM) X(PATHS) X(DENSE) X(ATTACHED) X(STARTS) X(SLOTS) X(ORDERS) X(SEQUENCE) X(SYNCS) X(PIECES) X(STARTED) X(NUMBERED) X(RESOURCES) X(HOSTS) X(PLACED) X(FROZEN)

enum sd_fact_bit {
#define SD_X(name) SD_FACT_BIT_##name,
	SD_FACT_LIST(SD_X)
#undef SD_X
	SD_FACT_BITS
};

enum sd_fact {
#define SD_X(name) SD_FACT_##name = 1u << SD_FACT_BIT_##name,
	SD_FACT_LIST(SD_X)
#undef SD_X
};

/* Who decides about streams. */
enum sd_when {
	SD_MULTI = 1,    /* static shape, several streams */
	SD_SINGLE = 2,   /* static shape, one stream */
	SD_EXPLICIT = 4, /* the caller's own partition */
	SD_DYNAMIC = 8,  /* unknown shape, several streams */
	SD_DYN_ONE = 16, /* unknown shape, one stream */
	SD_STATIC = SD_MULTI | SD_SINGLE,
	SD_SPREAD = SD_MULTI | SD_DYNAMIC,    /* where an automatic mode can decide */
	SD_BY_RULE = SD_STATIC | SD_DYNAMIC,  /* where clusters are placed */
	SD_GAPLESS = SD_STATIC | SD_EXPLICIT, /* where unused numbers always go */
	SD_ALWAYS = SD_BY_RULE | SD_EXPLICIT | SD_DYN_ONE,
};

enum sd_extent {
	SD_WHOLE,      /* once */
	SD_EACH_GRAPH, /* for the root and every body in visiting order; job->visited says which. In a
	                * model of unknown shape, only for the bodies that are of unknown shape too */
};

struct sd_pass {
	const char *name;
	uint32_t when;
	enum sd_extent scope;
	uint32_t needs, gives, drops;
	uint32_t rev; /* raised when what the pass answers can change */
	enum sd_status (*run)(struct sd_job *job);
};

extern const struct sd_pass sd_chain[];
extern const uint32_t sd_chain_length;

/* Runs the rows of `when` in order. CANCELLED when the caller's hook says so. */
enum sd_status sd_chain_run(struct sd_job *job, enum sd_when when);

#endif
