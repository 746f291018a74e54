#include "gen.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "lib/random.h"

uint32_t draw(struct gen *g, uint32_t bound)
{
	return random_below(&g->state, bound);
}

int draw_between(struct gen *g, int low, int high)
{
	return low + (int)draw(g, (uint32_t)(high - low + 1));
}

bool chance(struct gen *g, uint32_t percent)
{
	return draw(g, 100) < percent;
}

const char *draw_text(struct gen *g, const char *const *text, size_t count)
{
	return text[draw(g, (uint32_t)count)];
}

int draw_int(struct gen *g, const int *value, size_t count)
{
	return value[draw(g, (uint32_t)count)];
}

/* ---- nodes ---- */

json_t *add_node(struct gen *g, json_t *nodes, const char *name, const char *type, const char *engine)
{
	char fresh[16];
	json_t *node;

	if (!name) {
		snprintf(fresh, sizeof(fresh), "n%u", g->names++);
		name = fresh;
	}
	node = json_pack("{s:s, s:s, s:s*, s:[]}", "name", name, "op_type", type, "engine", engine, "inputs");
	SD_REQUIRE(node && json_array_append_new(nodes, node) == 0);
	return node;
}

const char *name_of(const json_t *node)
{
	return json_string_value(json_object_get(node, "name"));
}

const char *type_of(const json_t *node)
{
	return json_string_value(json_object_get(node, "op_type"));
}

bool is_type(const json_t *node, const char *type)
{
	return strcmp(type_of(node), type) == 0;
}

bool is_fixed(const json_t *node)
{
	static const char *const fixed[] = {
		"Data", "Const", "Variable", "RefData", "NetOutput", "StreamSwitch", "StreamActive", "LabelSet", "LabelGotoEx",
		"LabelSwitchByIndex",
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (is_type(node, fixed[i]))
			return true;
	}
	return false;
}

void set_attr(json_t *node, const char *key, json_t *value)
{
	json_t *attrs = json_object_get(node, "attrs");

	if (!attrs) {
		attrs = json_object();
		json_object_set_new(node, "attrs", attrs);
	}
	SD_REQUIRE(value && json_object_set_new(attrs, key, value) == 0);
}

json_t *attr_of(const json_t *node, const char *key)
{
	return json_object_get(json_object_get(node, "attrs"), key);
}

void add_input(json_t *node, const char *name, int port)
{
	json_t *inputs = json_object_get(node, "inputs");

	json_array_append_new(inputs, port < 0 ? json_sprintf("^%s", name) : json_sprintf("%s:%d", name, port));
}

json_t *draw_node(struct gen *g, json_t *nodes, size_t end)
{
	static const int reach[] = { 2, 6, 20 };
	size_t near = (size_t)draw_int(g, reach, 3), first = end > near ? end - near : 0;

	for (int tries = 0; tries < 6 && end > 0; tries++) {
		json_t *node = json_array_get(nodes, first + draw(g, (uint32_t)(end - first)));

		if (!is_fixed(node) || is_type(node, "Data") || is_type(node, "Const"))
			return node;
	}
	return NULL;
}

/* ---- operators ---- */

static const char *draw_engine(struct gen *g)
{
	if (chance(g, 45))
		return "AIcoreEngine";
	if (g->has & HAS_HOST && chance(g, 15))
		return "DNN_VM_HOST_CPU";
	if (g->has & (HAS_COMM | HAS_FUSION) && chance(g, 25))
		return "DNN_HCCL";
	return DRAW(g, "VectorEngine", "VectorEngine", "DNN_HCCL", "DNN_VM_AICPU", "DNN_VM_AICPU_ASCEND", "DSAEngine", "DNN_VM_RTS", "DNN_VM_RTS",
	            "DNN_VM_GE_LOCAL", "DNN_VM_GE_LOCAL", "DNN_VM_DVPP", "DNN_VM_CUSTOM", "ffts_plus", "DNN_VM_AICPU_FFTS_PLUS",
	            "DNN_VM_AICPU_ASCEND_FFTS_PLUS", "DNN_VM_RTS_FFTS_PLUS", "DNN_VM_HOST_CPU");
}

static const char *draw_type(struct gen *g, const char *engine)
{
	if (strcmp(engine, "DNN_HCCL") == 0)
		return DRAW(g, "HcomAllReduce", "HcomAllReduce", "HcomAllGather", "HorovodAllreduce", "HcomReduceScatter", "HcomAllToAllV");
	if (strcmp(engine, "DNN_VM_GE_LOCAL") == 0)
		return DRAW(g, "Reshape", "Reshape", "ExpandDims", "NoOp", "IdentityN");
	if (strcmp(engine, "DNN_VM_RTS") == 0)
		return DRAW(g, "MemcpyAsync", "Identity", "Cmo", "Recv", "StreamMerge", "Enter", "NextIteration", "RecvMem", "Send");
	if (strncmp(engine, "DNN_VM_AICPU", 12) == 0)
		return DRAW(g, "Where", "GetNext", "DropOutGenMask", "DropOutDoMaskV3", "Unique");
	if (strcmp(engine, "DSAEngine") == 0)
		return "DSARandomUniform";
	return DRAW(g, "MatMulV2", "Relu", "Add", "Conv2D");
}

static void draw_inputs(struct gen *g, json_t *nodes, json_t *node)
{
	size_t end = json_array_size(nodes) - 1;
	json_t *inputs = json_object_get(node, "inputs");

	for (int k = DRAW_INT(g, 1, 1, 1, 2, 2, 3); k > 0; k--) {
		json_t *from = chance(g, 97) ? draw_node(g, nodes, end) : NULL;

		if (from && chance(g, 10))
			add_input(node, name_of(from), -1);
		else if (from)
			add_input(node, name_of(from), chance(g, 85) ? 0 : 1);
	}
	if (chance(g, 6) && json_array_size(inputs))
		json_array_append(inputs, json_array_get(inputs, 0));
	if (chance(g, 4))
		json_array_insert_new(inputs, draw(g, (uint32_t)json_array_size(inputs) + 1), json_string(""));
	if (chance(g, 5) && draw_node(g, nodes, end))
		json_array_append_new(inputs, json_sprintf("%s:-1", name_of(json_array_get(nodes, draw(g, (uint32_t)end)))));
}

json_t *add_operator(struct gen *g, json_t *nodes, const char *scope)
{
	const char *engine = draw_engine(g), *type = draw_type(g, engine);
	bool stated = g->explicit || !(g->has & HAS_UNPLACED) || chance(g, 40);
	json_t *node = add_node(g, nodes, NULL, type, stated ? engine : NULL);

	draw_inputs(g, nodes, node);
	if (g->has & HAS_TASKS && chance(g, 25))
		json_object_set_new(node, "task_count", json_integer(DRAW_INT(g, 0, 1, 2, 3, 5, 9)));
	if (g->has & HAS_LABEL && chance(g, 9))
		set_attr(node, "_stream_label", json_sprintf("%s%s", DRAW(g, "L", "M", "N"), chance(g, 85) ? scope : ""));
	if (g->has & HAS_USER && chance(g, g->users))
		set_attr(node, "_user_stream_label", json_sprintf("%s%s", DRAW(g, "u0", "u1"), chance(g, 85) ? scope : ""));
	return node;
}

/* ---- the whole ---- */

static void open_request(struct gen *g, uint32_t seed, uint32_t number)
{
	g->request = json_pack("{s:{s:s++, s:[], s:[]}, s:{}, s:{s:{}}}", "graph", "name", "random ", "", "", "nodes", "subgraphs", "options", "device", "limits");
	SD_REQUIRE(g->request);
	g->graph = json_object_get(g->request, "graph");
	g->nodes = json_object_get(g->graph, "nodes");
	g->bodies = json_object_get(g->graph, "subgraphs");
	g->options = json_object_get(g->request, "options");
	g->device = json_object_get(g->request, "device");
	g->limits = json_object_get(g->device, "limits");
	json_object_set_new(g->graph, "name", json_sprintf("random %u %u", seed, number));
}

/* Which features a graph has: seldom all, often few. */
static void draw_features(struct gen *g)
{
	uint32_t often = (uint32_t)DRAW_INT(g, 6, 12, 12, 20, 35);

	for (int bit = 0; bit < FEATURE_BITS; bit++)
		g->has |= chance(g, often) ? 1u << bit : 0;
	g->single = chance(g, 7);
	g->explicit = !g->single && chance(g, 5);
	g->dynamic = chance(g, 14);
	if (g->single && chance(g, 85))
		g->has &= ~(uint32_t)(HAS_LABEL | HAS_USER | HAS_STARTS | HAS_LOOP);
	if (g->explicit && chance(g, 80))
		g->has &= ~(uint32_t)(HAS_STARTS | HAS_LOOP | HAS_BODIES);
	g->size = (uint32_t)DRAW_INT(g, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 90, 115);
}

static void add_output(struct gen *g)
{
	json_t *node, *out = add_node(g, g->nodes, "out", "NetOutput", chance(g, 85) ? "DNN_VM_RTS" : NULL);
	size_t i;

	for (i = 0; i + 1 < json_array_size(g->nodes); i++) {
		node = json_array_get(g->nodes, i);
		if ((i + 2 == json_array_size(g->nodes) || chance(g, 12)) && !is_type(node, "StreamActive") && !is_type(node, "StreamSwitch"))
			add_input(out, name_of(node), 0);
	}
}

static void fill_root(struct gen *g)
{
	for (int k = DRAW_INT(g, 1, 1, 2); k > 0; k--)
		add_node(g, g->nodes, NULL, "Data", "DNN_VM_GE_LOCAL");
	for (uint32_t k = 0; k < g->size; k++) {
		if (chance(g, 4))
			add_node(g, g->nodes, NULL, "Const", "DNN_VM_GE_LOCAL");
		add_operator(g, g->nodes, "");
	}
	if (g->has & HAS_BODIES)
		add_bodies(g, (uint32_t)DRAW_INT(g, 1, 1, 1, 2, 3));
	if (chance(g, 80))
		add_output(g);
}

static void dress(struct gen *g)
{
	json_t *body;
	size_t i;

	dress_nodes(g, g->nodes);
	dress_attached(g, g->nodes);
	dress_hazards(g, g->nodes);
	json_array_foreach(g->bodies, i, body) {
		dress_nodes(g, json_object_get(body, "nodes"));
		dress_attached(g, json_object_get(body, "nodes"));
		dress_hazards(g, json_object_get(body, "nodes"));
	}
}

/* Nodes may be listed in any order. */
static void shuffle(struct gen *g)
{
	for (size_t i = json_array_size(g->nodes); i > 1; i--) {
		size_t k = draw(g, (uint32_t)i);
		json_t *a = json_incref(json_array_get(g->nodes, i - 1)), *b = json_incref(json_array_get(g->nodes, k));

		json_array_set_new(g->nodes, i - 1, b);
		json_array_set_new(g->nodes, k, a);
	}
}

/* What graphs of the wanted kind have, and have not. */
static void restrict_to(struct gen *g, enum random_kind kind)
{
	if (kind == RANDOM_FLAT || kind == RANDOM_HAZARDS)
		g->has &= ~(uint32_t)HAS_BODIES;
	if (kind == RANDOM_BODIES || kind == RANDOM_HAZARDS_BODIES)
		g->has |= HAS_BODIES;
	if (kind != RANDOM_HAZARDS && kind != RANDOM_HAZARDS_BODIES)
		return;
	g->has &= ~(uint32_t)HAS_UNPLACED;
	g->dynamic = false;
	g->users = 35;
	if (!g->single && chance(g, 40))
		g->has |= HAS_USER;
	for (int bit = FEATURE_BIT_COMM; bit <= FEATURE_BIT_HOST; bit++)
		g->has |= chance(g, 45) ? 1u << bit : 0;
}

json_t *random_request(uint32_t seed, uint32_t number, enum random_kind kind)
{
	/* Odd factors spread neighbours; the state is never 0. */
	struct gen g = { .state = (seed * 2654435761u ^ (number + 1) * 0x9e3779b1u) | 1u, .users = 8 };

	for (int k = 0; k < 8; k++)
		draw(&g, 2);
	open_request(&g, seed, number);
	draw_features(&g);
	restrict_to(&g, kind);
	if (kind == RANDOM_ALL && chance(&g, 42))
		prepare_fault(&g);
	fill_root(&g);
	if (g.has & HAS_STARTS)
		add_starts(&g);
	if (g.has & HAS_LOOP)
		add_loop(&g);
	dress(&g);
	draw_options(&g);
	draw_device(&g);
	if (kind == RANDOM_HAZARDS || kind == RANDOM_HAZARDS_BODIES)
		json_object_set_new(g.device, "model", json_pack("{s:i, s:i}", "cube_cores", 24, "vector_cores", 48));
	if (g.explicit)
		draw_partition(&g);
	if (chance(&g, 15))
		shuffle(&g);
	if (g.fault)
		put_fault(&g);
	return g.request;
}
