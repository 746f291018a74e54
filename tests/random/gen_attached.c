/* Attached streams, events and notifies: every format, shared and not, with declared dependencies, on variables too. */
#include <string.h>

#include "gen.h"

static uint32_t data_inputs(const json_t *node)
{
	uint32_t count = 0;
	size_t i;
	json_t *input;

	json_array_foreach(json_object_get(node, "inputs"), i, input) {
		const char *text = json_string_value(input);
		size_t len = strlen(text);

		count += len > 0 && *text != '^' && !(len > 3 && strcmp(text + len - 3, ":-1") == 0);
	}
	return count;
}

/* One key for many, an empty one, or none. */
static void draw_key(struct gen *g, json_t *entry, const char *key)
{
	if (chance(g, 70))
		json_object_set_new(entry, key, json_string(DRAW(g, "", "k", "k", "m")));
}

static json_t *newer_stream(struct gen *g, const json_t *node)
{
	json_t *entry = json_pack("{s:s, s:b}", "_attached_resource_name", DRAW(g, "s0", "s1"), "_attached_resource_required_flag", (int)chance(g, 85));
	uint32_t count = data_inputs(node);

	draw_key(g, entry, "_attached_resource_reuse_key");
	if (chance(g, 40))
		json_object_set_new(entry, "_attached_resource_force_reuse", json_true());
	if (count && chance(g, 50))
		json_object_set_new(entry, "_attached_resource_depend_value_list_int", json_pack("[i]", (int)draw(g, count)));
	return entry;
}

static void ask_newer(struct gen *g, json_t *node)
{
	json_t *streams = json_array(), *syncs = json_array();

	for (int k = DRAW_INT(g, 1, 1, 1, 2, 3); k > 0; k--)
		json_array_append_new(streams, newer_stream(g, node));
	set_attr(node, "_attached_stream_info_list", streams);
	for (int k = DRAW_INT(g, 0, 0, 1, 2); k > 0; k--) {
		json_t *entry = json_pack("{s:i, s:s, s:b}", "_attached_resource_type", DRAW_INT(g, 0, 1), "_attached_resource_name", DRAW(g, "e", "f"),
		                          "_attached_resource_required_flag", (int)chance(g, 80));

		draw_key(g, entry, "_attached_resource_reuse_key");
		json_array_append_new(syncs, entry);
	}
	if (json_array_size(syncs))
		set_attr(node, "_attached_sync_res_info_list", syncs);
	else
		json_decref(syncs);
}

static json_t *older_stream(struct gen *g, const json_t *node, bool map)
{
	json_t *entry = json_pack("{s:s}", "_attached_stream_key", DRAW(g, "x", "y"));

	if (map)
		json_object_set_new(entry, "_attached_stream_policy", json_string("group"));
	if (data_inputs(node) && chance(g, 50))
		json_object_set_new(entry, "_attached_stream_depend_value_list", json_string("0"));
	return entry;
}

static void ask_older(struct gen *g, json_t *node)
{
	set_attr(node, "group", json_string(DRAW(g, "g0", "g1", "g2")));
	if (chance(g, 60)) {
		set_attr(node, "_attached_stream_info", older_stream(g, node, true));
	} else {
		json_t *list = json_array();

		for (int k = DRAW_INT(g, 1, 1, 2); k > 0; k--)
			json_array_append_new(list, older_stream(g, node, false));
		set_attr(node, "_attached_stream_info", list);
	}
	if (chance(g, 30)) {
		bool other = chance(g, 50);
		json_t *notify = json_pack("{s:s, s:s, s:i}", "_attached_notify_policy", "group", "_attached_notify_key", other ? "o" : "n", "_attached_notify_type", 1 + (int)other);

		if (chance(g, 50))
			json_object_set_new(notify, "_attached_notify_num", json_integer(3));
		set_attr(node, "_attached_notify_info", notify);
	}
	if (chance(g, 30)) {
		json_t *event = json_pack("{s:s}", "_attached_sync_res_type", "event");

		if (chance(g, 50))
			json_object_set_new(event, "_attached_sync_res_key", json_string("v"));
		set_attr(node, "_attached_sync_res_info", json_pack("[o]", event));
	}
}

/* Some nodes read and some write a variable, which stands in front of all. */
static void add_variable(struct gen *g, json_t *nodes)
{
	json_t *variable = add_node(g, nodes, NULL, DRAW(g, "Variable", "RefData"), "DNN_VM_GE_LOCAL"), *node;
	size_t last = json_array_size(nodes) - 1, i;

	json_incref(variable);
	json_array_remove(nodes, last);
	json_array_insert_new(nodes, 0, variable);
	json_array_foreach(nodes, i, node) {
		if (is_fixed(node) || !json_array_size(json_object_get(node, "inputs")) || !chance(g, 30))
			continue;
		json_array_insert_new(json_object_get(node, "inputs"), 0, json_sprintf("%s:0", name_of(variable)));
		if (chance(g, 40))
			set_attr(node, "reference", json_true());
	}
}

void dress_attached(struct gen *g, json_t *nodes)
{
	uint32_t style = draw(g, 3), often = (uint32_t)DRAW_INT(g, 10, 30, 60);
	json_t *node;
	size_t i;

	if (g->has & HAS_VARIABLES)
		add_variable(g, nodes);
	if (!(g->has & HAS_ATTACHED))
		return;
	json_array_foreach(nodes, i, node) {
		if (is_fixed(node) || json_object_get(node, "subgraphs") || !chance(g, often))
			continue;
		if (style == 0 || (style == 2 && chance(g, 50)))
			ask_newer(g, node);
		else
			ask_older(g, node);
		if (chance(g, 6))
			set_attr(node, "_disable_attached_resource", json_true());
	}
}
