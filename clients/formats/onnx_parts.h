/* onnx_parts.h - private: one graph of a model on its way to a request, and who adds what to it. */
#ifndef SD_ONNX_PARTS_H
#define SD_ONNX_PARTS_H

#include "onnx.h"
#include "onnx_scope.h"
#include "unique.h"

typedef Streamd__V1__Node node_t;

/* Who gives a value. */
struct giver {
	uint32_t node, output;
};

/* What all graphs of a model share. */
struct whole {
	struct sd_unique names;       /* of nodes */
	struct sd_unique body_names;
	Streamd__V1__Graph *graph;
};

/* The values that a node's bodies read from outside, which are its last inputs. */
struct captured {
	struct sd_text *value;
	struct sd__names names;
	uint32_t first, count;        /* number of the first one among the node's inputs */
};

/* One graph. */
struct import {
	struct sd_arena *mem;
	struct sd_diag *diag;
	struct whole *whole;
	const struct onnx_scope *scope;
	const struct onnx_model *model;
	const struct import *around;  /* NULL for the root */
	const struct captured *captured; /* of the node that owns this body */
	uint32_t outputs_turned;      /* outputs of a body that stand behind all others in its NetOutput */
	uint32_t node_count;
	node_t **node;
	bool *constant;               /* per node: the same in every run */
	struct sd_text *name;         /* per node */
	struct sd_text *given;        /* names of values, as they are given */
	struct giver *giver;
	uint32_t given_count;
	struct sd__names values;
	struct onnx_value *fact;      /* what the model says of values by name */
	struct sd_text *fact_name;
	struct sd__names facts;
};

enum sd_status sd__onnx_no_memory(struct import *im);

/* Fails: "node NODE WHAT VALUE". */
enum sd_status sd__onnx_fail(struct import *im, struct sd_text node, const char *what, struct sd_text value);

/* Whether a name may stand in a request. */
bool sd__onnx_is_usable(struct sd_text name);

/* ---- nodes (onnx_nodes.c) ---- */

/* Data and Const for all that comes from outside the graph's nodes. */
enum sd_status sd__onnx_add_sources(struct import *im);
enum sd_status sd__onnx_add_node(struct import *im, const struct onnx_node *from);
/* NetOutput, without its inputs; answers its number. */
enum sd_status sd__onnx_add_end(struct import *im, uint32_t *index);

/* What the model says of a value, here or around; NULL: nothing. */
const struct onnx_value *sd__onnx_fact(const struct import *im, struct sd_text value);

#endif
