/* Options, device profile, limits down to tiny ones, engines, model; and a partition of the caller's own. */
#include <string.h>

#include "gen.h"

static void set_text(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, json_string(value));
}

static void draw_modes(struct gen *g)
{
	if (g->single)
		json_object_set_new(g->options, "single_stream", json_true());
	if (!g->single && chance(g, 24)) {
		const char *mode = DRAW(g, "cv", "cv", "LoadBalance:1", "LoadBalance:2", "LoadBalance:4", "MainStream:2", "MainStream:3", "WeightedLoadBalance:2",
		                        "WeightedLoadBalance:4");

		if (chance(g, 25))
			json_object_set_new(g->graph, "attrs", json_pack("{s:s}", "ge.autoMultistreamParallelMode", chance(g, 15) ? "default" : mode));
		else
			set_text(g->options, "auto_multi_stream", mode);
	} else if (g->has & HAS_CV && !g->single && chance(g, 60)) {
		set_text(g->options, "auto_multi_stream", "cv");
	}
	if (g->dynamic)
		json_object_set_new(g->graph, "dynamic", json_true());
	if (chance(g, g->dynamic ? 75 : 8))
		json_object_set_new(g->options, "dynamic_multi_stream", json_true());
	if (chance(g, g->dynamic ? 40 : 8))
		set_text(g->options, "ac_parallel", DRAW(g, "", "0", "1", "1"));
}

static void draw_parallel(struct gen *g)
{
	json_t *map = json_object();

	for (int k = DRAW_INT(g, 1, 1, 2); k > 0; k--)
		json_object_set_new(map, DRAW(g, "AIcoreEngine", "AIcoreEngine", "VectorEngine", "DNN_VM_AICPU_ASCEND", "DNN_HCCL", "NoSuchEngine"), json_integer(DRAW_INT(g, 1, 2, 3, 4)));
	json_object_set_new(g->options, "max_parallel_num", map);
}

void draw_options(struct gen *g)
{
	json_t *o = g->options;

	if (chance(g, 90))
		set_text(o, "compat", chance(g, 55) ? "native" : "ge");
	draw_modes(g);
	if (chance(g, g->has & HAS_FUSION ? 75 : 25))
		json_object_set_new(o, "hcom_parallel", json_true());
	if (chance(g, 20))
		set_text(o, "event", chance(g, 85) ? "notify" : "event");
	if (chance(g, 18))
		json_object_set_new(o, "memory_priority", json_true());
	if (chance(g, 40))
		draw_parallel(g);
	if (chance(g, 35))
		set_text(o, "topo_sorting", DRAW(g, "bfs", "dfs", "rdfs", "stable", "submitted"));
	if (chance(g, 25))
		set_text(o, "cluster", DRAW(g, "topo", "none", "merge"));
	if (chance(g, 6))
		set_text(o, "unknown_op", DRAW(g, "aicore", "aicore", "reject"));
	if (chance(g, 12))
		json_object_set_new(o, "strict", json_true());
	if (chance(g, 15))
		json_object_set_new(o, "explain", json_true());
	if (chance(g, 15))
		json_object_set_new(o, "simulate", json_true());
}

static void draw_engines(struct gen *g)
{
	json_t *list = json_array(), *row = json_pack("{s:s}", "name", DRAW(g, "AIcoreEngine", "VectorEngine", "DNN_VM_AICPU", "MyEngine", "DNN_VM_DVPP"));

	if (chance(g, 40))
		json_object_set_new(row, "independent", json_boolean(chance(g, 60)));
	if (chance(g, 40))
		json_object_set_new(row, "attach", json_boolean(chance(g, 70)));
	if (chance(g, 25))
		json_object_set_new(row, "skip_assign_stream", json_boolean(chance(g, 50)));
	if (chance(g, 30))
		set_text(row, "scheduler_id", DRAW(g, "TS_1", "TS_2"));
	if (chance(g, 40))
		json_object_set_new(row, "priority", json_integer(draw_between(g, 0, 10)));
	json_array_append_new(list, row);
	json_object_set_new(g->device, "engines", list);
}

static void set_limit(struct gen *g, const char *key, int value)
{
	json_object_set_new(g->limits, key, json_integer(value));
}

static void draw_limits(struct gen *g)
{
	if (chance(g, 45))
		set_limit(g, "max_tasks_per_stream", DRAW_INT(g, 1024, 64, 64, 48, 40, 40, 36, 36, 32, 30, 28));
	if (chance(g, 30))
		set_limit(g, "max_streams", DRAW_INT(g, 0, 0, 1024, 64, 16, 6));
	if (chance(g, 12))
		set_limit(g, "max_events", DRAW_INT(g, 0, 0, 1024, 40, 8));
	if (chance(g, 12))
		set_limit(g, "max_notifies", DRAW_INT(g, 0, 0, 1024, 40, 8));
	if (g->single && chance(g, 50)) {
		set_limit(g, "max_tasks_per_huge_stream", DRAW_INT(g, 0, 40, 48, 64, 100, 400, 8192));
		set_limit(g, "max_huge_streams", DRAW_INT(g, 0, 1, 2, 16));
	}
	if (chance(g, 4))
		json_object_set_new(g->limits, "unlimited_depth", json_boolean(chance(g, 70)));
}

void draw_device(struct gen *g)
{
	if (chance(g, 36))
		set_text(g->device, "profile", DRAW(g, "default", "ascend910b", "ascend910_93", "ascend950", "ascend350", "ascend910a", "ascend310p", "ascend310",
		                                    "ascend310b", "tiny", "adc", "610lite", "arch5162", "arch9201", "as31xm1", "mc32", "mc62", "nano", "kirin"));
	draw_limits(g);
	if (chance(g, 12))
		draw_engines(g);
	if (g->has & HAS_CORES && chance(g, 50))
		json_object_set_new(g->device, "model", json_pack("{s:i, s:i, s:i}", "cube_cores", 24, "vector_cores", 48, "aicpu_servers", 4));
	if (chance(g, 4))
		json_object_set_new(g->device, "model", json_pack("{s:i, s:i, s:i, s:i, s:i}", "record_ns", 500, "wait_ns", 600, "event_latency_ns", 1500, "link_alpha_ns", 9000,
		                                                  "contention_permille", 20));
}

/* ---- the caller's own partition ---- */

static bool is_launched(const json_t *node)
{
	static const char *const idle[] = { "DNN_VM_GE_LOCAL", "DNN_VM_HOST_CPU", "ffts_plus" };
	const json_t *count = json_object_get(node, "task_count");
	const char *engine = json_string_value(json_object_get(node, "engine"));

	if (count)
		return json_integer_value(count) > 0;
	if (is_type(node, "NetOutput"))
		return true;
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		if (engine && strcmp(engine, idle[i]) == 0)
			return false;
	}
	return !json_object_get(node, "subgraphs");
}

static void deal(struct gen *g, json_t *streams, const json_t *nodes)
{
	json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node) {
		if (is_launched(node))
			json_array_append_new(json_array_get(streams, draw(g, (uint32_t)json_array_size(streams))), json_string(name_of(node)));
	}
}

void draw_partition(struct gen *g)
{
	json_t *streams = json_array(), *body;
	size_t i;

	for (int k = DRAW_INT(g, 1, 2, 3, 5); k > 0; k--)
		json_array_append_new(streams, json_array());
	deal(g, streams, g->nodes);
	json_array_foreach(g->bodies, i, body)
		deal(g, streams, json_object_get(body, "nodes"));
	for (i = json_array_size(streams); i > 0; i--) {
		if (!json_array_size(json_array_get(streams, i - 1)))
			json_array_remove(streams, i - 1);
	}
	if (json_array_size(streams))
		json_object_set_new(g->options, "explicit_streams", streams);
	else
		json_decref(streams);
}
