/* graph_decode.h - the state of one decoding, shared by the files graph_codec*.c. Private to proto.
 *
 * All arrays have the sizes that were counted, so nothing grows; the cursors say how much of
 * each is filled. A node's entries in the pools follow each other, because one node is read
 * at a time. */
#ifndef SD_GRAPH_DECODE_H
#define SD_GRAPH_DECODE_H

#include "base/check.h"
#include "graph_codec.h"
#include "intern.h"
#include "names.h"
#include "wire.h"

#define SD__PENDING (SD_NO_NODE - 1) /* a reference to a name that may stand further on */
#define SD__NO_EXTRA UINT32_MAX

struct sd__decode {
	struct sd_arena *mem;
	struct sd_diag *diag;
	struct sd_text bytes; /* of the request */
	const struct sd_counts *counts;
	struct sd_request *request;

	/* what request->graph shows as const */
	struct sd_subgraph *graph;
	struct sd_text *name;
	uint32_t *op_type, *engine, *graph_of, *in_first, *body_first, *extra_of;
	int64_t *task_count, *attached_task_count;
	struct sd_attr_range *attrs;
	uint64_t *attr_present;
	struct sd_edge *in;
	uint32_t *body;
	struct sd_attr *attr;
	struct sd_extra *extra;
	uint32_t *overwrite;
	struct sd_text *write;
	struct sd_output *output;
	int64_t *shape, *rank;

	/* filled so far; fields of maps fill `attr` from behind, down to map_attr */
	uint32_t nodes, edges, bodies, attr_count, map_attr, extras, overwrites, writes, outputs, shapes, ranks;

	struct sd_text *graph_bytes, *graph_name; /* per graph; scratch */
	struct sd__names node_names, graph_names;
	struct sd__intern strings;                /* op types and engines */
	struct sd__intern attr_names;             /* value: enum sd_attr_key */
	bool has_pending;
};

/* graph_codec.c */
enum sd_status sd__over_budget(struct sd__decode *d);
enum sd_status sd__malformed(struct sd__decode *d, struct sd_text at, const char *why);

/* A text of at most SD_NAME_BYTES_MAX bytes that is empty or fit for a name; `node` may be SD_NO_NODE. */
enum sd_status sd__check_text(struct sd__decode *d, uint32_t node, const char *what, struct sd_text text);
/* The same, and not empty. */
enum sd_status sd__check_name(struct sd__decode *d, uint32_t node, const char *what, struct sd_text text);
/* `value` of `key` is at least `low` and at most `high`; `must` says so. */
enum sd_status sd__check_range(struct sd__decode *d, uint32_t node, const char *key, uint64_t value,
                               int64_t low, int64_t high, const char *must);

/* graph_codec_node.c: one node of graph `graph`, appended. */
enum sd_status sd__decode_node(struct sd__decode *d, uint32_t graph, struct sd_text bytes);

/* graph_codec_link.c: inputs and other references by name. */
enum sd_status sd__decode_input(struct sd__decode *d, uint32_t node, uint32_t graph, struct sd_text text);
enum sd_status sd__decode_overwrite(struct sd__decode *d, uint32_t node, struct sd_text name);
enum sd_status sd__link_pending(struct sd__decode *d);

/* graph_codec_body.c: which node owns which subgraph. */
enum sd_status sd__decode_body(struct sd__decode *d, uint32_t node, struct sd_text name);
enum sd_status sd__check_bodies(struct sd__decode *d);

/* graph_codec_attr.c: attributes are appended one by one, then finished as a range. `node` may be
 * SD_NO_NODE: an attribute of a graph. */
bool sd__attr_names_init(struct sd__decode *d);
enum sd_status sd__decode_attr_name(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_attr *attr);
/* By name; a name that stands twice is refused. */
enum sd_status sd__sort_attrs(struct sd__decode *d, uint32_t node, struct sd_attr *attr, uint32_t count);
enum sd_status sd__decode_attr(struct sd__decode *d, uint32_t node, struct sd_text bytes);
enum sd_status sd__finish_attrs(struct sd__decode *d, uint32_t node, uint32_t first, struct sd_attr_range *range,
                                uint64_t *present);

/* graph_codec_value.c: what stands behind an attribute's name. */
enum sd_status sd__decode_value(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                                struct sd_value *value);
enum sd_status sd__decode_map(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                              struct sd_value *value);
enum sd_status sd__decode_maps(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                               struct sd_value *value);

/* graph_codec_extra.c: a field of a node that struct sd_extra holds. */
enum sd_status sd__decode_extra(struct sd__decode *d, uint32_t node, const struct sd_field *field);

/* graph_codec_options.c, graph_codec_device.c */
enum sd_status sd__decode_options(struct sd__decode *d, struct sd_text bytes);
enum sd_status sd__decode_device(struct sd__decode *d, struct sd_text bytes);

#endif
