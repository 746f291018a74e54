/* Attributes that steer planning, each by its own feature; and such as are only carried. */
#include <string.h>

#include "base/check.h"
#include "gen.h"

static void dress_placement(struct gen *g, json_t *node)
{
	if (g->has & HAS_USER && attr_of(node, "_user_stream_label") && chance(g, 60))
		set_attr(node, "_enable_inner_parallel", json_boolean(chance(g, 75)));
	if (g->has & HAS_USER && attr_of(node, "_user_stream_label") && chance(g, 40))
		set_attr(node, "_stream_label", json_string(DRAW(g, "L", "M")));
	if (g->has & HAS_GROUP && chance(g, 12))
		set_attr(node, "_parallel_group", json_string(DRAW(g, "g0", "g1", "-1", "-1")));
	if (g->has & HAS_NEW_STREAM && chance(g, 10))
		set_attr(node, "NewStreamId", json_integer(DRAW_INT(g, 1, 2, 7)));
	if (g->has & HAS_PRIORITY && chance(g, 15))
		set_attr(node, "_user_stream_priority", chance(g, 50) ? json_integer(draw_between(g, -1, 7)) : json_string(DRAW(g, "0", "3", "-1")));
	if (g->has & HAS_PRIORITY && chance(g, 15))
		set_attr(node, "used_stream_num", json_integer(DRAW_INT(g, 0, 1, 2, 4)));
	if (g->has & HAS_SITE && chance(g, 10))
		set_attr(node, DRAW(g, "_own_stream", "_follow_producer"), json_true());
	if (g->has & HAS_SITE && !json_array_size(json_object_get(node, "inputs")) && attr_of(node, "_follow_producer"))
		json_object_del(json_object_get(node, "attrs"), "_follow_producer");
}

static void dress_engine(struct gen *g, json_t *node)
{
	const char *engine = json_string_value(json_object_get(node, "engine"));

	if (engine && strncmp(engine, "DNN_VM_AICPU", 12) == 0 && chance(g, 15))
		set_attr(node, "_force_attach_stream", json_true());
	if (!engine && chance(g, 25)) {
		bool fused = chance(g, 50);

		set_attr(node, fused ? "_lxfusion_engine_name" : "_specified_engine_name", json_string(DRAW(g, "VectorEngine", "DSAEngine", "AIcoreEngine")));
		set_attr(node, fused ? "_lxfusion_op_kernel_lib_name" : "_specified_kernel_lib_name", json_string("lib"));
	}
	if (g->has & HAS_CV) {
		if (chance(g, 50))
			set_attr(node, "_cube_vector_core_type", json_string(DRAW(g, "AIC", "AIV", "AIV", "MIX", "MIX_AIV", "MIX_AIC")));
		if (chance(g, 15))
			set_attr(node, "_mix_is_aiv", json_boolean(chance(g, 70)));
		if (chance(g, 12))
			set_attr(node, "_enable_cv_parallel", json_true());
	}
	if (strncmp(type_of(node), "H", 1) == 0 && chance(g, g->has & HAS_FUSION ? 75 : 10))
		set_attr(node, "fusion", json_integer(DRAW_INT(g, 0, 1, 1, 2)));
	if (strncmp(type_of(node), "Hcom", 4) == 0 && chance(g, 50))
		set_attr(node, "group", json_string(DRAW(g, "hccl_world_group", "tp")));
}

static void dress_costs(struct gen *g, json_t *node)
{
	if (g->has & HAS_TASKS && chance(g, 15)) {
		const char *key = DRAW(g, "_node_sqe_num", "_hccl_task_num", "_hccl_attached_task_num");

		set_attr(node, key, json_integer(DRAW_INT(g, 0, 1, 2, 5, 8)));
	}
	if (g->has & HAS_TASKS && chance(g, 12))
		json_object_set_new(node, "attached_task_count", json_integer(DRAW_INT(g, 1, 2, 4)));
	if (g->has & HAS_TIMES && chance(g, 60))
		json_object_set_new(node, "duration_ns", json_integer(DRAW_INT(g, 0, 900, 20000, 300000)));
	if (g->has & HAS_TIMES && chance(g, 30))
		set_attr(node, "tvm_blockdim", json_integer(DRAW_INT(g, 1, 8, 24, 48)));
	if (g->has & HAS_TIMES && chance(g, 20))
		json_object_set_new(node, "outputs", json_pack("[{s:i, s:[i,i], s:s}]", "bytes", DRAW_INT(g, 0, 64, 4096), "shape", 4, 16, "dtype", "float16"));
}

/* Carried and hashed; what reads them decides nothing by it. */
static void dress_facts(struct gen *g, json_t *node)
{
	if (!(g->has & HAS_FACTS) || !chance(g, 30))
		return;
	switch (draw(g, 9)) {
	case 0: set_attr(node, "active_stream_list", json_pack("[i,i]", 1, 2)); break;
	case 1: set_attr(node, "_switch_branch_node_label", json_string("branch")); break;
	case 2: set_attr(node, "_ffts_sub_graph", json_string("f")); break;
	case 3: set_attr(node, "_ffts_plus_sub_graph", json_string("p")); break;
	case 4: set_attr(node, "_thread_scope_id", json_integer(DRAW_INT(g, 0, 3))); break;
	case 5: set_attr(node, "_is_potential_const", json_boolean(chance(g, 70))); break;
	case 6: set_attr(node, "kernel_size", json_pack("[i,i]", 3, 3)); break;
	case 7: set_attr(node, "note", json_pack("[[i],[i,i]]", 1, 2, 3)); break;
	default: set_attr(node, "ratio", json_pack("{s:f, s:b}", "keep", 0.5, "exact", 1)); break;
	}
}

/* A continuous label on runs of nodes. */
static void tie(struct gen *g, json_t *nodes)
{
	for (size_t at = 0; at < json_array_size(nodes);) {
		size_t run = (size_t)draw_between(g, 1, 6);
		bool tied = chance(g, 30);

		for (; run > 0 && at < json_array_size(nodes); run--, at++) {
			json_t *node = json_array_get(nodes, at);

			if (tied && !is_fixed(node))
				set_attr(node, "_continuous_stream_label", json_string(DRAW(g, "C", "D")));
		}
	}
}

/* Events that are declared to share a number, as a node with inputs and its producer say it. */
static void take_turns(struct gen *g, json_t *node)
{
	json_t *inputs = json_object_get(node, "inputs");
	const char *from;
	int verb = (int)draw(g, 2);

	if (!json_array_size(inputs) || !chance(g, 30))
		return;
	from = json_string_value(json_array_get(inputs, draw(g, (uint32_t)json_array_size(inputs))));
	from += *from == '^';
	if (*from)
		set_attr(node, "_event_multiplexing", json_pack("[o]", json_sprintf("%s;%.*s;%d", verb ? "RecvFrom" : "SendTo", (int)strcspn(from, ":"), from, DRAW_INT(g, 0, 1, 2))));
}

void dress_nodes(struct gen *g, json_t *nodes)
{
	json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node) {
		if (is_fixed(node))
			continue;
		dress_placement(g, node);
		dress_engine(g, node);
		dress_costs(g, node);
		dress_facts(g, node);
		if (g->has & HAS_TURNS)
			take_turns(g, node);
	}
	if (g->has & HAS_CONTINUOUS)
		tie(g, nodes);
}
