/* Requests that are wrong, or ask for more than a device has: one row for each thing that is refused or warned of; some
 * have several, where it is seldom the first thing that is met. */
#include <string.h>

#include "gen.h"
#include "gen_wrong.h"



struct fault {
	const char *name;
	bool (*put)(struct gen *g); /* false: the graph has no place for it */
	uint32_t drop;              /* features that the graph must not have, since they could be refused before */
	bool plain;                 /* neither of one stream, nor partitioned, nor of unknown shape */
};

static json_t *any_node(struct gen *g)
{
	return json_array_get(g->nodes, draw(g, (uint32_t)json_array_size(g->nodes)));
}

json_t *add_plain(struct gen *g, const char *label)
{
	json_t *node = add_node(g, g->nodes, NULL, "Relu", "AIcoreEngine");

	if (label)
		set_attr(node, "_stream_label", json_string(label));
	return node;
}

void set_option(struct gen *g, const char *key, json_t *value)
{
	json_object_set_new(g->options, key, value);
}

/* ---- the graph ---- */

static bool not_built(struct gen *g)
{
	switch (draw(g, 3)) {
	case 0: set_option(g, "memory_plan", json_true()); break;
	case 1: set_option(g, "search_evaluations", json_integer(5)); break;
	default: set_option(g, "auto_multi_stream", json_string(DRAW(g, "auto", "auto:3"))); break;
	}
	return true;
}

static bool bad_name(struct gen *g)
{
	static char long_name[600];

	memset(long_name, 'x', sizeof(long_name) - 1);
	add_node(g, g->nodes, DRAW(g, "^up", "", long_name), "Relu", NULL);
	return true;
}

static bool name_twice(struct gen *g)
{
	add_node(g, g->nodes, name_of(any_node(g)), "Relu", NULL);
	return true;
}

static bool unknown_input(struct gen *g)
{
	add_input(any_node(g), "nobody", chance(g, 50) ? 0 : -1);
	return true;
}

static bool body_owner(struct gen *g)
{
	json_t *node = add_node(g, g->nodes, NULL, "If", NULL);

	switch (draw(g, 3)) {
	case 0: json_array_append_new(g->bodies, json_pack("{s:s, s:[]}", "name", "orphan", "nodes")); break;
	case 1: json_object_set_new(node, "subgraphs", json_pack("[s]", "nobody")); break;
	default:
		json_array_append_new(g->bodies, json_pack("{s:s, s:[]}", "name", "shared", "nodes"));
		json_object_set_new(node, "subgraphs", json_pack("[s,s]", "shared", "shared"));
	}
	return true;
}

/* A ring of two bodies, or one body more than may nest. */
static bool body_nesting(struct gen *g)
{
	bool ring = chance(g, 50);
	int depth = ring ? 2 : 12;

	if (!ring)
		json_object_set_new(add_node(g, g->nodes, "deep", "PartitionedCall", NULL), "subgraphs", json_pack("[s]", "deep0"));
	for (int k = 0; k < depth; k++) {
		json_t *body = json_pack("{s:o, s:[]}", "name", json_sprintf("deep%d", k), "nodes");

		json_array_append_new(g->bodies, body);
		if (ring || k + 1 < depth)
			json_object_set_new(add_node(g, json_object_get(body, "nodes"), NULL, "PartitionedCall", NULL), "subgraphs",
			                    json_pack("[o]", json_sprintf("deep%d", (k + 1) % depth)));
	}
	return true;
}

static bool bad_value(struct gen *g)
{
	json_t *node = any_node(g);

	switch (draw(g, 5)) {
	case 0: json_array_append_new(json_object_get(node, "inputs"), json_sprintf("%s:99999999999", name_of(node))); break;
	case 1: json_object_set_new(node, "task_count", json_integer(-4)); break;
	case 2: json_object_set_new(g->device, "engines", json_pack("[{s:s},{s:s}]", "name", "E", "name", "E")); break;
	case 3: json_object_set_new(g->device, "engines", json_pack("[{s:s}]", "name", "")); break;
	default: json_object_set_new(g->limits, "max_streams", json_integer(-1)); break;
	}
	return true;
}

static bool explicit_unknown(struct gen *g)
{
	json_t *streams = json_object_get(g->options, "explicit_streams");

	return streams && json_array_append_new(streams, json_pack("[s]", "nobody")) == 0;
}

static bool explicit_twice(struct gen *g)
{
	json_t *streams = json_object_get(g->options, "explicit_streams");

	return streams && json_array_append_new(streams, json_pack("[O]", json_array_get(json_array_get(streams, 0), 0))) == 0;
}

static bool explicit_missing(struct gen *g)
{
	json_t *streams = json_object_get(g->options, "explicit_streams");

	return streams && json_array_remove(json_array_get(streams, 0), 0) == 0;
}

static bool unknown_reference(struct gen *g)
{
	if (chance(g, 60))
		json_object_set_new(any_node(g), "overwrites", json_pack("[s]", "nobody"));
	else
		set_attr(any_node(g), "_event_multiplexing", json_pack("[s]", DRAW(g, "SendTo;nobody;0", "RecvFrom;nobody;1")));
	return true;
}

static bool unknown_profile(struct gen *g)
{
	json_object_set_new(g->device, "profile", json_string(DRAW(g, "ascend9000", "Default")));
	return true;
}

static bool bad_attr(struct gen *g)
{
	if (chance(g, 50))
		set_attr(any_node(g), DRAW(g, "_op_aicore_num", "_op_vectorcore_num"), json_integer(4));
	else
		set_attr(add_plain(g, NULL), "_user_stream_priority", chance(g, 50) ? json_string("high") : json_true());
	return true;
}

static bool bad_json(struct gen *g)
{
	switch (draw(g, 4)) {
	case 0: json_object_set_new(any_node(g), "colour", json_string("red")); break;
	case 1: json_object_set_new(any_node(g), "engine", json_null()); break;
	case 2: set_option(g, "compat", json_string("both")); break;
	default: json_object_set_new(g->limits, "max_tasks", json_integer(5)); break;
	}
	return true;
}

static bool bad_multiplexing(struct gen *g)
{
	set_option(g, "compat", json_string("native"));
	set_attr(add_plain(g, NULL), "_event_multiplexing", json_pack("[s]", DRAW(g, "SendTo;x", "Sends;n0;1", "RecvFrom;n0;-1", "SendTo;n0;99999999999")));
	return true;
}

static bool empty_graph(struct gen *g)
{
	json_object_del(g->request, "graph");
	return true;
}

static bool cycle(struct gen *g)
{
	json_t *a = add_plain(g, NULL), *b = add_plain(g, NULL);

	add_input(b, name_of(a), 0);
	add_input(a, name_of(b), chance(g, 50) ? 0 : -1);
	return true;
}

static bool unknown_engine(struct gen *g)
{
	json_object_set_new(add_plain(g, NULL), "engine", json_string("Nowhere"));
	return true;
}

static bool no_engine(struct gen *g)
{
	set_option(g, "unknown_op", json_string("reject"));
	add_node(g, g->nodes, NULL, "Mystery", NULL);
	return true;
}

/* ---- options ---- */

static bool bad_option(struct gen *g)
{
	switch (draw(g, 3)) {
	case 0: set_option(g, "auto_multi_stream", json_string(DRAW(g, "LoadBalance:0", "MainStream", "Spread:2", "LoadBalance:2:3", "default"))); break;
	case 1: set_option(g, "max_parallel_num", json_pack("{s:i}", "AIcoreEngine", DRAW_INT(g, 0, -2))); break;
	default: set_option(g, "ac_parallel", json_string(DRAW(g, "2", "true"))); break;
	}
	return true;
}

static bool bad_switch(struct gen *g)
{
	set_option(g, "hcom_parallel", chance(g, 50) ? json_integer(DRAW_INT(g, 2, -1)) : json_string(DRAW(g, "", "on", "true", "00")));
	return true;
}

static bool empty_option(struct gen *g)
{
	set_option(g, "max_parallel_num", json_pack("{s:i}", "", 2));
	return true;
}

static bool bad_cap(struct gen *g)
{
	set_attr(add_plain(g, NULL), DRAW(g, "_op_aicore_num", "_op_vectorcore_num"), json_string(DRAW(g, "012", "-3", "many", "")));
	return true;
}

static bool site_refuses(struct gen *g)
{
	set_attr(add_plain(g, NULL), "_follow_producer", json_true());
	return true;
}

static bool label_in_single(struct gen *g)
{
	set_option(g, "single_stream", json_true());
	add_plain(g, "L");
	return true;
}

static bool modes_conflict(struct gen *g)
{
	set_option(g, "single_stream", json_true());
	set_option(g, "auto_multi_stream", json_string("LoadBalance:2"));
	return true;
}

static bool bad_group(struct gen *g)
{
	json_t *node = add_plain(g, NULL);

	switch (draw(g, 5)) {
	case 0: set_attr(node, "_parallel_group", json_integer(5)); break;
	case 1: set_attr(node, "NewStreamId", json_string("7")); break;
	case 2: set_attr(node, "_attached_stream_info_list", json_pack("[{s:b}]", "_attached_resource_required_flag", 1)); break;
	case 3: set_attr(node, "_attached_stream_info", json_pack("{s:s}", "_attached_stream_key", "k")); break;
	default: set_attr(node, "_attached_notify_info", json_pack("{s:s}", "_attached_notify_key", "k")); break;
	}
	set_option(g, "compat", json_string("native"));
	return true;
}

#define STARTING (HAS_STARTS | HAS_LOOP | HAS_BODIES | HAS_SITE | HAS_TAGS)

static const struct fault faults[] = {
	{ "not built", not_built, 0, true },
	{ "bad name", bad_name, 0, false },
	{ "name twice", name_twice, 0, false },
	{ "unknown input", unknown_input, 0, false },
	{ "body owner", body_owner, 0, false },
	{ "body nesting", body_nesting, 0, false },
	{ "bad value", bad_value, 0, false },
	{ "explicit unknown", explicit_unknown, 0, false },
	{ "explicit twice", explicit_twice, 0, false },
	{ "explicit missing", explicit_missing, 0, false },
	{ "unknown reference", unknown_reference, 0, false },
	{ "unknown reference", unknown_reference, 0, false },
	{ "unknown profile", unknown_profile, 0, false },
	{ "bad attribute", bad_attr, STARTING, true },
	{ "bad JSON", bad_json, 0, false },
	{ "bad multiplexing", bad_multiplexing, STARTING, true },
	{ "empty graph", empty_graph, 0, false },
	{ "bad option", bad_option, 0, true },
	{ "bad switch", bad_switch, 0, false },
	{ "empty option", empty_option, 0, false },
	{ "bad cap", bad_cap, STARTING, true },
	{ "site refuses", site_refuses, 0, true },
	{ "label in single", label_in_single, 0, true },
	{ "modes conflict", modes_conflict, HAS_LABEL | HAS_USER | STARTING, true },
	{ "cycle", cycle, 0, false },
	{ "unknown engine", unknown_engine, 0, true },
	{ "bad group", bad_group, STARTING, true },
	{ "no engine", no_engine, 0, false },
	{ "switch without list", wrong_switch_without_list, STARTING, true },
	{ "label of nobody", wrong_label_of_nobody, STARTING, true },
	{ "label of nobody", wrong_label_of_nobody, STARTING, true },
	{ "activates itself", wrong_activates_itself, STARTING, true },
	{ "bad dependency", wrong_bad_dependency, STARTING, true },
	{ "order cycle", wrong_order_cycle, STARTING, true },
	{ "behind switch", wrong_behind_switch, STARTING, true },
	{ "bodies of loop", wrong_bodies_of_loop, STARTING, true },
	{ "label missing", wrong_label_missing, STARTING, true },
	{ "misplaced label", wrong_misplaced_label, STARTING, true },
	{ "jump nowhere", wrong_jump_nowhere, STARTING, true },
	{ "passed over", wrong_passed_over, STARTING, true },
	{ "behind jump", wrong_behind_jump, STARTING, true },
	{ "behind choice", wrong_behind_choice, STARTING, true },
	{ "choice starts body", wrong_choice_starts_body, STARTING, true },
	{ "switch in loop", wrong_switch_in_loop, STARTING, true },
	{ "not started", wrong_not_started, STARTING, true },
	{ "stream of bodies", wrong_stream_of_bodies, STARTING, true },
	{ "limit streams", wrong_limit_streams, STARTING, true },
	{ "limit events", wrong_limit_events, STARTING, true },
	{ "limit notifies", wrong_limit_notifies, STARTING, true },
	{ "limit tasks", wrong_limit_tasks, STARTING, true },
	{ "limit huge streams", wrong_limit_huge, HAS_LABEL | HAS_USER | STARTING, true },
	{ "limit starter", wrong_limit_starter, STARTING, true },
	{ "limit starter", wrong_limit_starter, STARTING, true },
	{ "limit starter", wrong_limit_starter, STARTING, true },
	{ "group too large", wrong_group_too_large, STARTING, true },
	{ "host behind copy", wrong_host_behind_copy, STARTING, true },
	{ "label without overlap", wrong_label_without_overlap, STARTING | HAS_USER, true },
	{ "limit loop", wrong_limit_loop, STARTING, true },
};

void prepare_fault(struct gen *g)
{
	g->fault = &faults[draw(g, sizeof(faults) / sizeof(faults[0]))];
	g->has &= ~g->fault->drop;
	if (g->fault->plain)
		g->single = g->explicit = g->dynamic = false;
	if (strncmp(g->fault->name, "explicit", 8) == 0)
		g->explicit = true, g->single = false;
}

void put_fault(struct gen *g)
{
	if (g->fault->plain) {
		json_object_del(g->options, "auto_multi_stream");
		json_object_del(g->graph, "attrs");
		json_object_del(g->options, "strict");
	}
	g->fault->put(g);
}
