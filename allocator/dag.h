/* dag.h - a graph as the automatic modes see it: operators that cost time, and paths that cover them.
 *
 * Labelled nodes stand aside, one serial stream a label; nodes that cost nothing are dropped.
 * What is left are the work nodes, numbered from 0 in topological order; an edge leads from
 * each to every work node that it reaches directly or through nodes that are left out. */
#ifndef SD_DAG_H
#define SD_DAG_H

#include "job.h"

#define SD_NO_WORK UINT32_MAX

struct sd_work_cost {
	int64_t duration_ns;  /* -1: unknown */
	double duration_us;   /* as the balancing rules count it: single precision, 0 if unknown */
	int32_t cube, vector; /* cores it fills; 0 if not said */
};

struct sd_dag {
	uint32_t count;        /* work nodes */
	uint32_t *node;        /* per work node: graph index */
	uint32_t *succ_first, *succ; /* distinct, in order of discovery */
	uint32_t *pred_first, *pred; /* distinct, ascending */
	uint32_t *level, depth; /* longest way from a node without predecessor, in edges; levels in all */
	struct sd_work_cost *cost;
};

/* Vertex-disjoint paths that cover the work nodes, by ascending heads. Levels rise along a path. */
struct sd_paths {
	struct sd_dag dag;
	uint32_t count;
	uint32_t *first, *work; /* count + 1: into work; work nodes of each path, in order */
	uint32_t *of_work;      /* per work node: its path */
	uint32_t *stream;       /* per path: from 0; written by the balancing passes */
	uint32_t streams;       /* used by paths */
	uint32_t serial_count;  /* labels of the graph */
	/* Per label: the graph (its index + 1) that met it last, and its place among that graph's
	 * labels by first appearance. Shared by all graphs. */
	uint32_t *met_by, *place;
};

/* The work nodes of the graph being visited, and its labels. `paths` keeps met_by and place of
 * earlier graphs; all else is zero. */
enum sd_status sd_dag_make(struct sd_job *job, struct sd_paths *paths);

/* Covers paths->dag by as few paths as a maximum matching of its edges gives. Which of several
 * such matchings is found is part of the promise: Graph Engine's. O(edges * sqrt(nodes)). */
enum sd_status sd_dag_cover(struct sd_job *job, struct sd_paths *paths);

#endif
