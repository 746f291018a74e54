/* ge_dump_parts.h - private: the parts of the reader of Graph Engine's dumps. */
#ifndef SD_GE_DUMP_PARTS_H
#define SD_GE_DUMP_PARTS_H

#include <limits.h>
#include <stdint.h>

#include "ge_dump.pb-c.h"
#include "ge_dump.h"
#include "proto/names.h"

typedef Streamd__Dump__Graph dump_graph;
typedef Streamd__Dump__Op dump_op;
typedef Streamd__Dump__Entry dump_entry;

#define DUMP_BODY "subgraph" /* type of what stands for a body in a ge_onnx dump */

struct dump_import {
	struct sd_arena *mem;
	struct sd_diag *diag;
	struct sd_notes *notes;
	uint32_t left_out;     /* nodes that stream allocation had put in */
	uint32_t op_count, node_count;      /* of the dump, so far looked at; of the request, so far made */
	uint32_t *node_of;     /* by operator of the dump: the request's node; SD_NO_NODE: left out */
	const dump_op **op_of; /* by node */
	Streamd__V1__Node **node;
};

enum sd_status sd__dump_no_memory(struct dump_import *im);

/* Attributes of a node, body or graph; what no request can hold is left out (ge_dump_attrs.c). */
enum sd_status sd__dump_attrs(struct dump_import *im, dump_entry **entry, size_t count, Streamd__V1__Attr ***attrs, size_t *attr_count);

/* The number under `key`; false if there is none. */
bool sd__dump_int(dump_entry *const *entry, size_t count, const char *key, int64_t *value);
bool sd__dump_bool(dump_entry *const *entry, size_t count, const char *key);

/* Room for as many operators; false over budget. */
bool sd__dump_streams_init(struct dump_import *im, size_t op_count);

/* The next operator of the dump, and the node that was made of it; NULL: it is left out. */
void sd__dump_streams_add(struct dump_import *im, const dump_op *op, Streamd__V1__Node *node);

/* The streams that the dump states, as explicit_streams (ge_dump_streams.c). */
enum sd_status sd__dump_trust_streams(struct dump_import *im, Streamd__V1__PlanRequest *request);

/* Turns the nodes of a ge_onnx graph into ops (ge_dump_onnx.c). */
enum sd_status sd__dump_from_onnx(struct dump_import *im, dump_graph *graph);

#endif
