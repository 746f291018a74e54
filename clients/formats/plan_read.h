/* plan_read.h - private: what the parts of the plan reader share. */
#ifndef SD_PLAN_READ_H
#define SD_PLAN_READ_H

#include "base/vec.h"
#include "json_row.h"
#include "proto/names.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

struct sd__plan_reader {
	struct sd_json_reader json;      /* first, so that a reader of either kind may be handed on */
	const struct sd_graph *graph;
	struct sd__names nodes, graphs;
	struct sd_text *name;            /* by node: those of the graph, then of inserted ones */
	uint32_t node_count;
	SD_VEC(uint32_t) inserted;       /* per inserted node: the one behind which it stands */
	struct sd_text *graph_name;
	struct sd_plan *plan;
	struct sd_placement *placement;  /* by node */
	bool *placed;
	SD_VEC(struct sd_command) command;
	SD_VEC(struct sd_activation) activation;
	SD_VEC(uint32_t) activated;
	SD_VEC(int32_t) attached_logical;
	SD_VEC(int32_t) attached_stream;
	SD_VEC(uint32_t) event;
	SD_VEC(uint32_t) notify;
	SD_VEC(uint32_t) notify_type;
	SD_VEC(uint32_t) summary_attached;
	SD_VEC(struct sd_text) pass_name; /* of explanations */
	json_t *activate_lists;          /* lists of streams, by the argument of activate commands */
	uint32_t given_activations;
	bool *taken;                     /* by activation: a command has it */
};

#define NO_MEMORY(r) sd_memory_fail((r)->json.mem, (r)->json.diag)

/* Appends a list of integers to a vector. */
#define READ_LIST(r, at, json, vec, read_item)                                          \
	do {                                                                            \
		SD_TRY(sd__row_want_list(&(r)->json, (at), (json)));                    \
		for (size_t i_ = 0; i_ < json_array_size(json); i_++) {                 \
			struct sd_json_path item_ = sd_json_item((at), i_);             \
			if (!sd_vec_room((r)->json.mem, (vec)))                         \
				return NO_MEMORY(r);                                    \
			SD_TRY(read_item(&(r)->json, &item_, json_array_get(json, i_),  \
			                 &(vec)->at[(vec)->count]));                    \
			(vec)->count++;                                                 \
		}                                                                       \
	} while (0)

enum sd_status sd__plan_find(struct sd__plan_reader *r, const struct sd_json_path *at, json_t *json, const struct sd__names *names,
                             const char *what, uint32_t *index);

/* Reads a plan from a document that is there already; of the graph the names of nodes and of subgraphs are looked at. */
enum sd_status sd__plan_read(struct sd_arena *mem, json_t *root, const struct sd_graph *graph, struct sd_plan *plan, struct sd_diag *diag);

/* Functions of keys: a node by its name, the whole lists of streams and of explanations, the simulation. */
sd__row_read sd__plan_read_node, sd__plan_read_streams, sd__plan_read_explanations, sd__plan_read_simulation;

#endif
