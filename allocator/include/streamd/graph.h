/* graph.h - a computation graph as the planner reads it.
 *
 * Shape: a root graph and a flat list of subgraphs (bodies of control-flow nodes),
 * held as parallel arrays indexed by node, edge and attribute. Nodes are numbered
 * root first, then each subgraph's in the order of the request. Built once by the
 * decoder (proto/graph_codec.h), which has checked every index, name and nesting;
 * const ever after. All memory belongs to the job's arena or to the request's bytes. */
#ifndef SD_GRAPH_H
#define SD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attrs.h"
#include "base/diag.h"
#include "base/text.h"

#define SD_CONTROL (-1)       /* port of a control edge */
#define SD_ROOT 0u            /* index of the root graph */
#define SD_NO_GRAPH UINT32_MAX
#define SD_DEPTH_MAX 10u      /* bodies in bodies; Graph Engine's bound */
#define SD_TASKS_UNKNOWN (-1) /* task_count not stated: the default of its engine and type holds */

/* One entry of a node's input list, as listed. */
struct sd_edge {
	uint32_t src;  /* SD_NO_NODE: an unconnected data slot */
	int32_t port;  /* output of src, or SD_CONTROL */
};

enum sd_value_kind {
	SD_VALUE_STRING,
	SD_VALUE_INT,
	SD_VALUE_FLOAT,
	SD_VALUE_BOOL,
	SD_VALUE_LIST,      /* of one of the above; see sd_list */
	SD_VALUE_LISTS,     /* list of lists of integers */
	SD_VALUE_MAP,       /* names to one of the above */
	SD_VALUE_MAPS,      /* list of maps */
};

struct sd_value;
struct sd_attr;

/* A list holds one kind of item; an empty list has item kind SD_VALUE_STRING. */
struct sd_list {
	enum sd_value_kind item;
	uint32_t count;
	union {
		const struct sd_text *string;
		const int64_t *integer;
		const double *real;
		const uint8_t *boolean;
	};
};

struct sd_map {
	uint32_t count;
	const struct sd_attr *entry; /* sorted by name */
};

struct sd_value {
	enum sd_value_kind kind;
	uint32_t count; /* of lists or maps */
	union {
		struct sd_text string;
		int64_t integer;
		double real;
		bool boolean;
		struct sd_list list;
		const struct sd_list *lists;
		const struct sd_map *maps; /* one for SD_VALUE_MAP */
	};
};

struct sd_attr {
	struct sd_text name;
	enum sd_attr_key key;
	struct sd_value value;
};

struct sd_attr_range {
	uint32_t first, count; /* into sd_graph.attr; sorted by name */
};

struct sd_output {
	int64_t bytes;      /* -1: not stated */
	uint32_t shape_first, shape_count; /* into sd_graph.shape */
	struct sd_text dtype;
};

struct sd_comm {
	uint32_t node;
	struct sd_text group;
	int64_t bytes;
	uint32_t rank_first, rank_count; /* into sd_graph.rank */
};

/* What few nodes have: one record for each node that states any of it. */
struct sd_extra {
	uint32_t node;
	int64_t duration_ns;                    /* -1: unknown */
	int32_t cube_cores, vector_cores;       /* -1: all */
	bool gang;
	uint32_t overwrite_first, overwrite_count; /* into sd_graph.overwrite: node indices */
	uint32_t write_first, write_count;      /* into sd_graph.write: buffer names */
	uint32_t output_first, output_count;    /* into sd_graph.output */
	bool has_outputs;
	bool has_comm;
	struct sd_comm comm;
};

struct sd_subgraph {
	struct sd_text name;      /* root: the graph's name */
	uint32_t first_node, node_count;
	uint32_t parent;          /* node that owns it; SD_NO_NODE for the root */
	uint32_t instance;        /* which of the parent's bodies */
	bool dynamic;             /* unknown shape */
	struct sd_attr_range attrs;
};

struct sd_graph {
	uint32_t node_count, edge_count, graph_count; /* graph_count: root included, at least 1 */

	/* per graph; [0] is the root */
	const struct sd_subgraph *graph;

	/* per node */
	const struct sd_text *name;
	const uint32_t *op_type;          /* into string */
	const uint32_t *engine;           /* into string; 0 = to be placed by op type */
	const uint32_t *graph_of;         /* index of the graph it is in */
	const uint32_t *in_first;         /* node_count + 1: edges of node n are in[in_first[n] .. in_first[n + 1]) */
	const uint32_t *body_first;       /* node_count + 1: into body */
	const int64_t *task_count;        /* SD_TASKS_UNKNOWN: not stated */
	const int64_t *attached_task_count;
	const struct sd_attr_range *attrs;
	const uint64_t *attr_present;     /* bit (1 << sd_attr_key) */
	const uint32_t *extra_of;         /* into extra; UINT32_MAX: none */

	/* pools */
	const struct sd_edge *in;
	const uint32_t *body;             /* graph indices, instance order */
	const struct sd_attr *attr;
	const struct sd_extra *extra;
	const uint32_t *overwrite;
	const struct sd_text *write;
	const struct sd_output *output;
	const int64_t *shape;
	const int64_t *rank;

	/* distinct op types and engine names, [0] is "" */
	const struct sd_text *string;
	uint32_t string_count;
	uint32_t extra_count, attr_count;
};

static inline bool sd_graph_has(const struct sd_graph *g, uint32_t node, enum sd_attr_key key)
{
	return g->attr_present[node] >> key & 1;
}

/* The attribute's value, NULL where the node does not have it. */
const struct sd_value *sd_graph_attr(const struct sd_graph *g, uint32_t node, enum sd_attr_key key);

/* The same over any attribute range, such as a graph's. */
const struct sd_value *sd_graph_find(const struct sd_graph *g, struct sd_attr_range attrs, enum sd_attr_key key);

/* Typed reads: a value of another type reads as absent. */
bool sd_graph_string(const struct sd_graph *g, uint32_t node, enum sd_attr_key key, struct sd_text *out);
bool sd_graph_int(const struct sd_graph *g, uint32_t node, enum sd_attr_key key, int64_t *out);
bool sd_graph_bool(const struct sd_graph *g, uint32_t node, enum sd_attr_key key); /* present and true */

/* What the stream label of a node is once user labels are folded in: the user label,
 * with "_" and the inner one behind it under _enable_inner_parallel, else the inner
 * label; empty if none. Written to `out`, cut at `cap`; answers the full length. */
size_t sd_graph_label(const struct sd_graph *g, uint32_t node, char *out, size_t cap);

/* Names for sd_diag_message(). Valid as long as the graph. */
struct sd_names sd_graph_names(const struct sd_graph *g);

#endif
