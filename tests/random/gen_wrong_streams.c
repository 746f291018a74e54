/* Requests that are wrong in what starts streams, in bodies, or in what they ask of a device. */
#include <stdio.h>
#include <string.h>

#include "gen_wrong.h"

static json_t *body_nodes(struct gen *g, const json_t *owner, size_t number)
{
	const char *name = json_string_value(json_array_get(json_object_get(owner, "subgraphs"), number));
	json_t *body;
	size_t i;

	json_array_foreach(g->bodies, i, body) {
		if (strcmp(json_string_value(json_object_get(body, "name")), name) == 0)
			return json_object_get(body, "nodes");
	}
	return NULL;
}

/* The last node of a type in one body of a functional node; NULL if it has none. */
static json_t *node_of_body(struct gen *g, const json_t *owner, size_t number, const char *type)
{
	json_t *nodes = body_nodes(g, owner, number), *node, *found = NULL;
	size_t i;

	json_array_foreach(nodes, i, node) {
		if (is_type(node, type))
			found = node;
	}
	return found;
}

/* ---- activation ---- */

static json_t *add_switch(struct gen *g, const char *label, json_t *list)
{
	json_t *node = add_node(g, g->nodes, NULL, "StreamSwitch", "DNN_VM_RTS");

	set_attr(node, "_stream_label", json_string(label));
	if (list)
		set_attr(node, "_active_label_list", list);
	return node;
}

bool wrong_switch_without_list(struct gen *g)
{
	add_switch(g, "alone", chance(g, 50) ? NULL : json_array());
	return true;
}

bool wrong_label_of_nobody(struct gen *g)
{
	set_option(g, "compat", json_string(chance(g, 45) ? "native" : "ge")); /* the second tells of it only */
	set_attr(add_plain(g, "starter"), "_active_label_list", json_pack("[s]", "nobody"));
	return true;
}

bool wrong_activates_itself(struct gen *g)
{
	set_attr(add_plain(g, "self"), "_active_label_list", json_pack("[s]", "self"));
	return true;
}

/* Of the streams that it starts none can tell what stands elsewhere. */
bool wrong_behind_choice(struct gen *g)
{
	json_t *node = add_node(g, g->nodes, NULL, "StreamSwitchN", "DNN_VM_RTS");

	set_attr(node, "_stream_label", json_string("cs"));
	set_attr(node, "_active_label_list", json_pack("[ss]", "ct", "cu"));
	add_input(add_plain(g, "ct"), name_of(node), -1);
	add_plain(g, "cu");
	add_input(add_plain(g, "cv"), name_of(node), -1);
	return true;
}

bool wrong_choice_starts_body(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "If", 2, false), *nodes = body_nodes(g, owner, 1), *node, *started;

	node = add_node(g, nodes, NULL, "StreamSwitchN", "DNN_VM_RTS");
	started = add_node(g, nodes, NULL, "Relu", "AIcoreEngine");
	set_attr(node, "_stream_label", json_string("cb"));
	set_attr(node, "subgraph_first_active", json_true());
	set_attr(node, "_active_label_list", json_pack("[s]", "cc"));
	set_attr(started, "_stream_label", json_string("cc"));
	return true;
}

/* The next turn of a structured loop would run behind a StreamSwitch that has left its stream. */
bool wrong_switch_in_loop(struct gen *g)
{
	json_t *nodes = body_nodes(g, add_bodies_of(g, DRAW(g, "While", "For"), 2, false), draw(g, 2)), *node, *started;

	node = add_node(g, nodes, NULL, "StreamSwitch", "DNN_VM_RTS");
	started = add_node(g, nodes, NULL, "Relu", "AIcoreEngine");
	set_attr(node, "_stream_label", json_string("sl"));
	set_attr(node, "_active_label_list", json_pack("[s]", "sm"));
	set_attr(started, "_stream_label", json_string("sm"));
	return true;
}

/* What one body starts, the other one uses: streams of their own are only taken from bodies by a partition. */
bool wrong_not_started(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "If", 2, false), *active, *inside = json_array(), *around = json_array(), *body, *node;
	size_t i, k;

	for (size_t n = 0; n < 2; n++)
		add_node(g, body_nodes(g, owner, n), NULL, "Relu", "AIcoreEngine");
	active = add_node(g, body_nodes(g, owner, 0), NULL, "StreamActive", "DNN_VM_RTS");
	set_attr(active, "subgraph_first_active", json_true());
	json_array_foreach(g->bodies, k, body) {
		json_array_foreach(json_object_get(body, "nodes"), i, node) {
			if (node != active)
				json_array_append_new(inside, json_string(name_of(node)));
		}
	}
	json_array_foreach(g->nodes, i, node)
		json_array_append_new(around, json_string(name_of(node)));
	set_option(g, "explicit_streams", json_pack("[[s], o, o]", name_of(active), inside, around));
	return true;
}

bool wrong_bad_dependency(struct gen *g)
{
	json_t *node = add_plain(g, NULL);

	add_input(node, name_of(json_array_get(g->nodes, 0)), 0);
	set_attr(node, "_attached_stream_info_list", json_pack("[{s:s, s:b, s:[i]}]", "_attached_resource_name", "s", "_attached_resource_required_flag", 1,
	                                                       "_attached_resource_depend_value_list_int", DRAW_INT(g, 3, -1)));
	return true;
}

/* Who starts a stream waits for it. */
bool wrong_order_cycle(struct gen *g)
{
	json_t *inner = add_plain(g, "circle"), *starter = add_plain(g, "circles");

	set_attr(starter, "_active_label_list", json_pack("[s]", "circle"));
	add_input(starter, name_of(inner), 0);
	return true;
}

bool wrong_behind_switch(struct gen *g)
{
	json_t *chosen, *late, *node = add_switch(g, "gs", json_pack("[s]", "gt"));

	chosen = add_plain(g, "gt");
	late = add_plain(g, "gs");
	add_input(chosen, name_of(node), -1);
	add_input(late, name_of(node), -1);
	return true;
}

/* ---- bodies ---- */

bool wrong_bodies_of_loop(struct gen *g)
{
	add_bodies_of(g, DRAW(g, "While", "For"), 3, false);
	return true;
}

bool wrong_label_missing(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "If", 2, true), *node = NULL;

	switch (draw(g, 3)) {
	case 0: node = node_of_body(g, owner, 0, "LabelSwitchByIndex"); break;
	case 1: node = node_of_body(g, owner, 0, "LabelGotoEx"); break;
	default: node = node_of_body(g, owner, 1, "LabelSet"); break;
	}
	json_object_set_new(node, "op_type", json_string("Cmo"));
	return true;
}

bool wrong_misplaced_label(struct gen *g)
{
	json_t *owner = add_bodies_of(g, DRAW(g, "If", "While"), 2, true), *nodes = body_nodes(g, owner, 1);

	add_node(g, nodes, NULL, "LabelSwitchByIndex", "DNN_VM_RTS");
	return true;
}

bool wrong_jump_nowhere(struct gen *g)
{
	json_t *owner = add_bodies_of(g, DRAW(g, "If", "Case"), 2, true);

	set_attr(node_of_body(g, owner, 0, "LabelGotoEx"), "_label_switch_index", json_integer(4711));
	return true;
}

bool wrong_passed_over(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "If", 2, true), *told = add_node(g, body_nodes(g, owner, 0), NULL, "Relu", "VectorEngine");

	add_input(told, name_of(node_of_body(g, owner, 0, "LabelSwitchByIndex")), -1);
	return true;
}

bool wrong_behind_jump(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "If", 2, true), *late = add_node(g, body_nodes(g, owner, 0), NULL, "Relu", "AIcoreEngine");

	set_attr(late, "_stream_label", json_string("late"));
	add_input(late, name_of(node_of_body(g, owner, 0, "LabelGotoEx")), -1);
	return true;
}

/* A stream that runs with the model has nodes in a body that need not be chosen. */
bool wrong_stream_of_bodies(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "If", 2, true), *inner = add_node(g, body_nodes(g, owner, 1), NULL, "Relu", "AIcoreEngine");

	set_attr(inner, "_stream_label", json_string("through"));
	add_plain(g, "through");
	return true;
}

/* ---- limits ---- */

/* A chain over two streams: so many orders between them. */
static void add_crossing(struct gen *g, int count)
{
	json_t *last = NULL;

	for (int k = 0; k < count; k++) {
		json_t *node = add_plain(g, k & 1 ? "odd" : "even");

		if (last)
			add_input(node, name_of(last), 0);
		last = node;
	}
}

static void set_limit(struct gen *g, const char *key, int value)
{
	json_object_set_new(g->limits, key, json_integer(value));
}

bool wrong_limit_streams(struct gen *g)
{
	add_crossing(g, 2);
	set_limit(g, "max_streams", 1);
	return true;
}

bool wrong_limit_events(struct gen *g)
{
	add_crossing(g, 5);
	set_option(g, "event", json_string("event"));
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", DRAW_INT(g, 1, 2, 3));
	return true;
}

bool wrong_limit_notifies(struct gen *g)
{
	add_crossing(g, 5);
	set_option(g, "event", json_string("notify"));
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", 0);
	set_limit(g, "max_notifies", DRAW_INT(g, 1, 2, 3));
	return true;
}

bool wrong_limit_tasks(struct gen *g)
{
	json_t *node = add_plain(g, NULL);

	json_object_set_new(node, "task_count", json_integer(70000));
	set_option(g, "compat", json_string(chance(g, 45) ? "native" : "ge")); /* the second tells of it only */
	json_object_del(g->device, "profile");
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", 0);
	set_limit(g, "max_tasks_per_stream", DRAW_INT(g, 64, 128, 1024));
	return true;
}

/* The one stream is cut into more pieces than there are huge streams. */
bool wrong_limit_huge(struct gen *g)
{
	set_option(g, "single_stream", json_true());
	for (int k = 0; k < 8; k++)
		json_object_set_new(add_plain(g, NULL), "task_count", json_integer(10));
	json_object_del(g->device, "profile");
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", 0);
	set_limit(g, "max_tasks_per_stream", 40);
	set_limit(g, "max_tasks_per_huge_stream", DRAW_INT(g, 40, 44, 48));
	set_limit(g, "max_huge_streams", DRAW_INT(g, 1, 2, 3));
	return true;
}

/* More streams than the stream of the loop's activator can start. */
bool wrong_limit_starter(struct gen *g)
{
	char label[16];

	for (int k = 0; k < 33; k++) {
		snprintf(label, sizeof(label), "M%d", k);
		add_plain(g, label);
	}
	add_loop(g);
	json_object_del(g->device, "profile");
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", 0);
	set_limit(g, "max_tasks_per_stream", 32);
	return true;
}

bool wrong_limit_loop(struct gen *g)
{
	json_t *owner = add_bodies_of(g, "While", 2, false), *nodes, *node;
	size_t i;

	for (size_t k = 0; k < 2; k++) {
		nodes = body_nodes(g, owner, k);
		for (int n = 0; n < 3; n++)
			add_node(g, nodes, NULL, "Relu", "AIcoreEngine");
		json_array_foreach(nodes, i, node) {
			if (!is_fixed(node))
				json_object_set_new(node, "task_count", json_integer(18)); /* no two fit one stream */
		}
	}
	json_object_del(g->device, "profile");
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", 0);
	set_limit(g, "max_tasks_per_stream", DRAW_INT(g, 30, 32, 34));
	return true;
}

/* ---- what is only told of ---- */

static json_t *add_behind(struct gen *g, const json_t *before)
{
	json_t *node = add_plain(g, NULL);

	if (before)
		add_input(node, name_of(before), 0);
	return node;
}

bool wrong_group_too_large(struct gen *g)
{
	json_t *node = NULL;

	for (int k = 0; k < 5; k++) {
		node = add_behind(g, node);
		set_attr(node, "_continuous_stream_label", json_string("all"));
		set_attr(node, "_stream_label", json_string("together"));
		json_object_set_new(node, "task_count", json_integer(7));
	}
	json_object_del(g->device, "profile");
	set_limit(g, "max_streams", 0);
	set_limit(g, "max_events", 0);
	set_limit(g, "max_tasks_per_stream", DRAW_INT(g, 48, 50, 60));
	return true;
}

bool wrong_host_behind_copy(struct gen *g)
{
	json_t *node = add_behind(g, add_plain(g, NULL)), *host;

	json_object_set_new(node, "op_type", json_string(DRAW(g, "MemcpyAsync", "MemcpyAddrAsync")));
	json_object_set_new(node, "engine", json_string("DNN_VM_RTS"));
	host = add_behind(g, node);
	json_object_set_new(host, "engine", json_string("DNN_VM_HOST_CPU"));
	return true;
}

/* Everything but this is a chain that it stands in. */
bool wrong_label_without_overlap(struct gen *g)
{
	json_t *node = NULL, *streams;

	json_array_clear(g->nodes);
	json_array_clear(g->bodies);
	streams = json_object_get(g->options, "explicit_streams");
	for (int k = draw_between(g, 2, 9); k > 0; k--) {
		node = add_behind(g, node);
		if (chance(g, 40) || k == 1)
			set_attr(node, "_user_stream_label", json_string(DRAW(g, "v0", "v1")));
	}
	json_object_del(g->options, "max_parallel_num");
	set_limit(g, "max_streams", 0);
	return !streams;
}
