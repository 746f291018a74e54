/* Bodies: If, Case, While, For and calls, structured and lowered to labels, in each other up to ten deep. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "gen.h"

struct maker {
	struct gen *g;
	uint32_t depth, left; /* how deep bodies nest; nodes that may still be made */
	bool lowered;
};

static void fill_body(struct maker *m, json_t *nodes, uint32_t depth, const char *scope, const char *start);

/* A label node, or the StreamActive of a body. */
static json_t *add_runtime(struct maker *m, json_t *nodes, const char *type)
{
	json_t *node = add_node(m->g, nodes, NULL, type, "DNN_VM_RTS");

	set_attr(node, "_rts_label_node", json_true());
	return node;
}

static json_t *add_active(struct maker *m, json_t *nodes, const json_t *behind)
{
	json_t *active = add_runtime(m, nodes, "StreamActive");

	set_attr(active, "subgraph_first_active", json_true());
	if (behind)
		add_input(active, name_of(behind), -1);
	return active;
}

static json_t *add_label(struct maker *m, json_t *nodes, const json_t *behind, int index)
{
	json_t *label = add_runtime(m, nodes, "LabelSet");

	set_attr(label, "_label_switch_index", json_integer(index));
	if (behind)
		add_input(label, name_of(behind), -1);
	return label;
}

/* One functional node whose bodies are being made. */
struct owner {
	json_t *node;
	bool loop, lowered;
	int bodies, end; /* index of its end label */
};

/* What a lowered body begins with; the name of the node that what starts in it waits for, or NULL. */
static const char *enter(struct maker *m, const struct owner *o, int k, json_t *nodes)
{
	json_t *behind = NULL;

	if (!o->lowered)
		return NULL;
	if (o->bodies > 1) {
		if (k == 0 && !o->loop)
			behind = add_runtime(m, nodes, "LabelSwitchByIndex");
		behind = add_label(m, nodes, behind, (int)m->g->labels++);
	}
	return name_of(add_active(m, nodes, behind));
}

/* What a lowered body ends with, behind its output. */
static void leave(struct maker *m, const struct owner *o, int k, json_t *nodes, const char *behind)
{
	bool last = k == o->bodies - 1;
	json_t *gate = NULL;

	if (o->loop && k == 0) {
		add_input(add_runtime(m, nodes, "LabelSwitchByIndex"), behind, -1);
		return;
	}
	if (o->loop || !last) {
		gate = add_runtime(m, nodes, "LabelGotoEx");
		set_attr(gate, "_label_switch_index", json_integer(o->loop ? 0 : o->end));
		add_input(gate, behind, -1);
	}
	if (last) {
		json_t *label = add_label(m, nodes, gate, o->end);

		set_attr(label, "_subgraph_end_node", json_true());
		if (!gate)
			add_input(label, behind, -1);
	} else if (chance(m->g, 12)) { /* listed behind the jump, where it would never be reached */
		add_operator(m->g, nodes, "");
	}
}

static bool is_read(json_t *nodes, const char *name)
{
	size_t len = strlen(name), i, k;
	json_t *node, *input;

	json_array_foreach(nodes, i, node) {
		json_array_foreach(json_object_get(node, "inputs"), k, input) {
			const char *at = json_string_value(input);

			at += *at == '^';
			if (strncmp(at, name, len) == 0 && (at[len] == '\0' || at[len] == ':'))
				return true;
		}
	}
	return false;
}

/* The output of a body reads its loose ends, or one of them. */
static json_t *add_body_output(struct maker *m, json_t *nodes, bool lowered, const char *start)
{
	struct gen *g = m->g;
	size_t end = json_array_size(nodes);
	json_t *out = add_node(g, nodes, NULL, "NetOutput", "DNN_VM_RTS");
	bool all = chance(g, 70);

	json_object_set_new(out, "task_count", json_integer(lowered || chance(g, 70)));
	for (size_t i = end; i > 0; i--) {
		json_t *node = json_array_get(nodes, i - 1);

		if ((is_fixed(node) && !is_type(node, "Data")) || is_read(nodes, name_of(node)))
			continue;
		add_input(out, name_of(node), 0);
		if (!all)
			break;
	}
	if (start && json_array_size(json_object_get(out, "inputs")) == 0)
		add_input(out, start, -1);
	return out;
}

static void make_body(struct maker *m, const struct owner *o, int k, uint32_t depth)
{
	struct gen *g = m->g;
	char name[24];
	json_t *body, *nodes, *data;
	const char *start;
	bool jumps = o->lowered && o->bodies > 1;

	snprintf(name, sizeof(name), "%sb%d", name_of(o->node), k);
	body = json_pack("{s:s, s:[]}", "name", name, "nodes");
	SD_REQUIRE(body && json_array_append_new(g->bodies, body) == 0);
	json_array_append_new(json_object_get(o->node, "subgraphs"), json_string(name));
	if (g->dynamic && chance(g, 60))
		json_object_set_new(body, "dynamic", json_true());
	nodes = json_object_get(body, "nodes");
	if (chance(g, 90)) {
		data = add_node(g, nodes, NULL, "Data", "DNN_VM_GE_LOCAL");
		if (json_array_size(json_object_get(o->node, "inputs")))
			set_attr(data, "_parent_node_index", json_integer(0));
	}
	start = enter(m, o, k, nodes);
	fill_body(m, nodes, depth + 1, name, start);
	if (jumps || chance(g, 85))
		data = add_body_output(m, nodes, jumps, start);
	if (jumps)
		leave(m, o, k, nodes, name_of(json_array_get(nodes, json_array_size(nodes) - 1)));
}

struct kind {
	const char *type;
	int bodies;
};

static json_t *add_functional(struct maker *m, json_t *nodes, uint32_t depth, struct kind kind)
{
	struct gen *g = m->g;
	size_t end = json_array_size(nodes);
	json_t *node = add_node(g, nodes, NULL, kind.type, "DNN_VM_GE_LOCAL");
	struct owner o = {
		.node = node, .loop = strstr(kind.type, "hile") || strcmp(kind.type, "For") == 0, .bodies = kind.bodies,
		.lowered = m->lowered && !strstr(kind.type, "Call"), .end = (int)g->labels++,
	};

	for (int i = DRAW_INT(g, 0, 1, 1, 1, 2); i > 0; i--) {
		json_t *from = draw_node(g, nodes, end);

		if (from)
			add_input(node, name_of(from), 0);
	}
	json_object_set_new(node, "subgraphs", json_array());
	if (strstr(kind.type, "Case") && o.bodies > 1 && chance(g, 40))
		set_attr(node, "_batch_num", json_integer(o.bodies));
	if (chance(g, 6)) {
		json_object_set_new(node, "engine", json_string("AIcoreEngine"));
		json_object_set_new(node, "task_count", json_integer(1));
	}
	for (int k = 0; k < o.bodies; k++)
		make_body(m, &o, k, depth);
	return node;
}

static struct kind draw_kind(struct gen *g)
{
	static const struct kind kinds[] = {
		{ "If", 2 }, { "If", 2 }, { "_If", 2 }, { "StatelessIf", 2 }, { "Case", 1 }, { "Case", 2 }, { "Case", 3 }, { "Case", 3 },
		{ "StatelessCase", 2 }, { "While", 2 }, { "While", 2 }, { "_While", 2 }, { "StatelessWhile", 2 }, { "For", 2 },
		{ "PartitionedCall", 1 }, { "PartitionedCall", 1 }, { "StatefulPartitionedCall", 1 },
	};

	return kinds[draw(g, sizeof(kinds) / sizeof(kinds[0]))];
}

static bool only_data(json_t *nodes, const json_t *node)
{
	size_t i, k;
	json_t *input, *other;

	json_array_foreach(json_object_get(node, "inputs"), i, input) {
		const char *at = json_string_value(input);
		size_t len = strcspn(at + (*at == '^'), ":");

		at += *at == '^';
		json_array_foreach(nodes, k, other) {
			if (strncmp(name_of(other), at, len) == 0 && name_of(other)[len] == '\0' && !is_type(other, "Data"))
				return false;
		}
	}
	return true;
}

/* What hangs on nothing of a lowered body waits for the node that starts it. */
static void fill_body(struct maker *m, json_t *nodes, uint32_t depth, const char *scope, const char *start)
{
	struct gen *g = m->g;

	for (int k = DRAW_INT(g, 0, 1, 2, 3, 4); k > 0; k--) {
		size_t first = json_array_size(nodes);
		bool nested = depth < m->depth && m->left > 12 && chance(g, m->depth > 3 ? 45 : 25);

		m->left -= m->left > 0;
		if (nested)
			add_functional(m, nodes, depth, draw_kind(g));
		else if (g->has & HAS_STARTS && chance(g, 10))
			add_started(g, nodes);
		else
			add_operator(g, nodes, scope);
		for (; start && first < json_array_size(nodes); first++) {
			json_t *node = json_array_get(nodes, first);

			if (only_data(nodes, node))
				add_input(node, start, -1);
		}
	}
}

void add_bodies(struct gen *g, uint32_t count)
{
	struct maker m = { .g = g, .depth = (uint32_t)DRAW_INT(g, 1, 1, 1, 2, 2, 2, 3, 3, 4, 10), .left = 110, .lowered = chance(g, 50) };

	for (uint32_t k = 0; k < count; k++) {
		add_functional(&m, g->nodes, 0, draw_kind(g));
		for (int i = DRAW_INT(g, 0, 1, 2); i > 0; i--)
			add_operator(g, g->nodes, "");
	}
}

json_t *add_bodies_of(struct gen *g, const char *type, int bodies, bool lowered)
{
	struct maker m = { .g = g, .left = 30, .lowered = lowered };

	return add_functional(&m, g->nodes, 0, (struct kind){ type, bodies });
}
