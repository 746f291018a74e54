/* Streams that labels start: StreamActive, StreamSwitch and StreamSwitchN with one label and with several, iteration loops. */
#include <stdio.h>

#include "gen.h"

static void label_node(json_t *node, const char *label)
{
	set_attr(node, "_stream_label", json_string(label));
}

static bool switches(const json_t *node)
{
	return is_type(node, "StreamSwitch") || is_type(node, "StreamSwitchN");
}

/* A node that starts the streams of the labels, behind some of the nodes of the list, which it is put behind. */
static json_t *add_starter(struct gen *g, json_t *nodes, const char *name, json_t *labels)
{
	const char *kind = DRAW(g, "StreamActive", "StreamActive", "StreamSwitch", "StreamSwitch", "StreamSwitchN", "Relu");
	json_t *node = add_node(g, nodes, name, kind, kind[0] == 'R' ? "AIcoreEngine" : "DNN_VM_RTS");
	size_t end = json_array_size(nodes) - 1;

	for (int k = DRAW_INT(g, 1, 1, 2); k > 0; k--) {
		json_t *from = draw_node(g, nodes, end);

		if (from)
			add_input(node, name_of(from), chance(g, 50) ? -1 : 0);
	}
	set_attr(node, "_active_label_list", json_incref(labels));
	/* What shares a stream with a StreamSwitch may stand behind it. */
	if (chance(g, switches(node) ? 97 : 40))
		set_attr(node, "_stream_label", json_sprintf("by_%s", name));
	return node;
}

void add_started(struct gen *g, json_t *nodes)
{
	char name[24], label[8][32];
	int count = DRAW_INT(g, 1, 1, 2, 3, 5), number = (int)g->started++;
	json_t *labels = json_array(), *starter;

	snprintf(name, sizeof(name), "start%d", number);
	for (int i = 0; i < count; i++) {
		snprintf(label[i], sizeof(label[i]), "S%d.%d", number, i);
		json_array_append_new(labels, json_string(label[i]));
	}
	if (chance(g, 15)) /* two values of a StreamSwitchN may lead to one stream */
		json_array_append_new(labels, json_string(label[draw(g, (uint32_t)count)]));
	starter = add_starter(g, nodes, name, labels);
	if (chance(g, 20)) { /* a second one that starts the same streams */
		char other[24];
		json_t *twin;

		snprintf(other, sizeof(other), "start%db", number);
		twin = add_starter(g, nodes, other, labels);
		if (chance(g, 50) && !switches(starter))
			add_input(twin, name, -1);
	}
	json_decref(labels);
	for (int i = 0; i < count || chance(g, 70); i++) {
		json_t *node = add_operator(g, nodes, "");

		if (i < count || chance(g, 40))
			label_node(node, label[i < count ? i : (int)draw(g, (uint32_t)count)]);
		if (i < count && chance(g, 50))
			add_input(node, name, -1);
	}
}

void add_starts(struct gen *g)
{
	int count = DRAW_INT(g, 1, 1, 1, 2, 3);

	for (int k = 0; k < count; k++)
		add_started(g, g->nodes);
}

/* A StreamSwitch starts the stream of the node that starts the next turn; in front of that a counter in the
 * forward and backward loop of training. */
void add_loop(struct gen *g)
{
	json_t *from = draw_node(g, g->nodes, json_array_size(g->nodes)), *turn, *again;
	const char *behind = "turn";

	turn = add_node(g, g->nodes, "turn", "StreamSwitch", "DNN_VM_RTS");
	if (from)
		add_input(turn, name_of(from), 0);
	label_node(turn, "turns");
	set_attr(turn, "_active_label_list", json_pack("[s]", "again"));
	if (chance(g, 50)) {
		json_t *count = add_node(g, g->nodes, "count", "AssignAdd", "AIcoreEngine");

		label_node(count, "again");
		add_input(count, "turn", -1);
		behind = "count";
	}
	again = add_node(g, g->nodes, "again", "StreamActive", "DNN_VM_RTS");
	label_node(again, "again");
	set_attr(again, "is_loop_active", json_true());
	add_input(again, behind, -1);
}
