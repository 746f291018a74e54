/* What may go wrong all the same: ranks, buffers, cores, tagged events, copies in front of the host. */
#include <string.h>

#include "gen.h"

static void dress_comm(struct gen *g, json_t *node)
{
	static const struct {
		const char *group;
		int count, rank[4];
	} groups[] = {
		{ "tp", 4, { 0, 1, 2, 3 } }, { "dp", 3, { 0, 4, 8 } }, { "ep", 4, { 3, 2, 6, 2 } }, { "pp", 3, { 8, 4, 9 } }, { "one", 1, { 5 } },
		{ "unknown", 0, { 0 } }, { "", 2, { 0, 1 } },
	};
	uint32_t k = draw(g, sizeof(groups) / sizeof(groups[0]));
	json_t *comm = json_pack("{s:s}", "group", groups[k].group), *ranks;

	if (groups[k].count && chance(g, 80)) {
		ranks = json_array();
		for (int i = 0; i < groups[k].count; i++)
			json_array_append_new(ranks, json_integer(groups[k].rank[i]));
		json_object_set_new(comm, "ranks", ranks);
	}
	if (chance(g, 20))
		json_object_set_new(comm, "bytes", json_integer(1 << 20));
	json_object_set_new(node, "comm", comm);
}

static void dress_cores(struct gen *g, json_t *node)
{
	if (chance(g, 50))
		set_attr(node, "_op_vectorcore_num", json_string(DRAW(g, "0", "8", "16", "24", "40", "99")));
	if (chance(g, 40))
		set_attr(node, "_op_aicore_num", json_string(DRAW(g, "4", "12", "24", "30")));
	if (chance(g, 25))
		json_object_set_new(node, "vector_cores", json_integer(DRAW_INT(g, 4, 20, 48, 60)));
	if (chance(g, 25))
		json_object_set_new(node, "cube_cores", json_integer(DRAW_INT(g, 4, 20, 24, 30)));
	if (chance(g, 40))
		json_object_set_new(node, "gang", json_true());
}

/* Mostly what the node reads, now and then any node of the list in front of it. */
static void dress_overwrites(struct gen *g, json_t *nodes, size_t at)
{
	json_t *node = json_array_get(nodes, at), *inputs = json_object_get(node, "inputs"), *over = json_array();
	const char *read = json_array_size(inputs) ? json_string_value(json_array_get(inputs, 0)) : "";

	if (*read && *read != '^' && chance(g, 85))
		json_array_append_new(over, json_stringn(read, strcspn(read, ":")));
	else if (at > 0)
		json_array_append_new(over, json_string(name_of(json_array_get(nodes, draw(g, (uint32_t)at)))));
	json_object_set_new(node, "overwrites", over);
}

/* A node that records or waits for a tag; its engine stays. */
static void dress_tags(struct gen *g, json_t *node)
{
	json_object_set_new(node, "op_type", json_string(DRAW(g, "npu_tagged_event_record", "npu_tagged_event_wait")));
	set_attr(node, "tag", json_string(DRAW(g, "a", "b", "c")));
	if (chance(g, 15))
		set_attr(node, "created_inside", json_boolean(chance(g, 30)));
}

void dress_hazards(struct gen *g, json_t *nodes)
{
	json_t *node, *rts = json_string("DNN_VM_RTS");
	size_t i;

	json_array_foreach(nodes, i, node) {
		if (is_fixed(node) || json_object_get(node, "subgraphs"))
			continue;
		if (g->has & HAS_COMM && (strncmp(type_of(node), "H", 1) == 0 || chance(g, 8)))
			dress_comm(g, node);
		if (g->has & HAS_OVERWRITES && chance(g, 25))
			dress_overwrites(g, nodes, i);
		if (g->has & HAS_WRITES && chance(g, 20))
			json_object_set_new(node, "writes", json_pack(chance(g, 30) ? "[s,s]" : "[s]", DRAW(g, "kv", "state"), "log"));
		if (g->has & HAS_CORES && chance(g, 40))
			dress_cores(g, node);
		if (g->has & HAS_TAGS && chance(g, 20))
			dress_tags(g, node);
		else if (g->has & HAS_HOST && chance(g, 12) && json_equal(json_object_get(node, "engine"), rts))
			json_object_set_new(node, "op_type", json_string("MemcpyAsync"));
	}
	json_decref(rts);
}
