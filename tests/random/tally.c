#include "tally.h"

#include <string.h>

#include "base/check.h"

/* A thing that a request may hold: an attribute, or a value of an option or of the device. */
struct thing {
	const char *section, *key, *value; /* value NULL: any; "*": any but the ones listed */
};

#define OPTION(key, value) { "options", key, value }
#define LIMIT(key) { "device.limits", key, NULL }
#define NESTED(key) { "nested", key, NULL }

static const struct thing things[] = {
#define SD_X(key, text) { "attribute", text, NULL },
	SD_ATTR_LIST(SD_X)
#undef SD_X
	{ "attribute", "_own_stream", NULL }, { "attribute", "_follow_producer", NULL },
	NESTED("_attached_resource_name"), NESTED("_attached_resource_required_flag"), NESTED("_attached_resource_reuse_key"),
	NESTED("_attached_resource_force_reuse"), NESTED("_attached_resource_depend_value_list_int"), NESTED("_attached_resource_type"),
	NESTED("_attached_stream_policy"), NESTED("_attached_stream_key"), NESTED("_attached_stream_depend_value_list"),
	NESTED("_attached_notify_policy"), NESTED("_attached_notify_key"), NESTED("_attached_notify_type"), NESTED("_attached_notify_num"),
	NESTED("_attached_sync_res_type"), NESTED("_attached_sync_res_key"),
	{ "node", "op_type", "StreamActive" }, { "node", "op_type", "StreamSwitch" }, { "node", "op_type", "StreamSwitchN" }, { "node", "engine", NULL }, { "node", "task_count", NULL }, { "node", "attached_task_count", NULL }, { "node", "duration_ns", NULL },
	{ "node", "outputs", NULL }, { "node", "cube_cores", NULL }, { "node", "vector_cores", NULL }, { "node", "comm", NULL },
	{ "node", "overwrites", NULL }, { "node", "writes", NULL }, { "node", "gang", NULL }, { "node", "subgraphs", NULL },
	OPTION("compat", "native"), OPTION("compat", "ge"), OPTION("single_stream", "true"), OPTION("hcom_parallel", "true"), OPTION("event", "event"),
	OPTION("event", "notify"), OPTION("auto_multi_stream", "cv"), OPTION("auto_multi_stream", "LoadBalance:1"), OPTION("auto_multi_stream", "LoadBalance:2"),
	OPTION("auto_multi_stream", "LoadBalance:4"), OPTION("auto_multi_stream", "MainStream:2"), OPTION("auto_multi_stream", "MainStream:3"),
	OPTION("auto_multi_stream", "WeightedLoadBalance:2"), OPTION("auto_multi_stream", "WeightedLoadBalance:4"), OPTION("dynamic_multi_stream", "true"),
	OPTION("ac_parallel", ""), OPTION("ac_parallel", "0"), OPTION("ac_parallel", "1"), OPTION("memory_priority", "true"), OPTION("max_parallel_num", NULL),
	OPTION("explicit_streams", NULL), OPTION("topo_sorting", "submitted"), OPTION("topo_sorting", "bfs"), OPTION("topo_sorting", "dfs"),
	OPTION("topo_sorting", "rdfs"), OPTION("topo_sorting", "stable"), OPTION("cluster", "merge"), OPTION("cluster", "topo"), OPTION("cluster", "none"),
	OPTION("unknown_op", "aicore"), OPTION("unknown_op", "reject"), OPTION("strict", "true"), OPTION("explain", "true"), OPTION("simulate", "true"),
	{ "graph", "dynamic", NULL }, { "graph", "attrs", NULL },
	{ "device", "profile", "default" }, { "device", "profile", "ascend910b" }, { "device", "profile", "ascend910_93" }, { "device", "profile", "ascend950" },
	{ "device", "profile", "ascend350" }, { "device", "profile", "ascend910a" }, { "device", "profile", "ascend310p" }, { "device", "profile", "ascend310" },
	{ "device", "profile", "ascend310b" }, { "device", "profile", "tiny" }, { "device", "profile", "adc" }, { "device", "profile", "610lite" },
	{ "device", "profile", "arch5162" }, { "device", "profile", "arch9201" }, { "device", "profile", "as31xm1" }, { "device", "profile", "mc32" },
	{ "device", "profile", "mc62" }, { "device", "profile", "nano" }, { "device", "profile", "kirin" }, { "device", "engines", NULL }, { "device", "model", NULL },
	LIMIT("max_streams"), LIMIT("max_tasks_per_stream"), LIMIT("max_huge_streams"), LIMIT("max_tasks_per_huge_stream"), LIMIT("max_events"),
	LIMIT("max_notifies"), LIMIT("unlimited_depth"),
};
#define THINGS (sizeof(things) / sizeof(things[0]))
_Static_assert(THINGS <= TALLY_ROWS, "a row for each thing");

/* What no request of this run can bring about, and why. */
static const struct {
	const char *what, *why;
} beyond[] = {
	{ "code SD0101", "JSON is written as well-formed bytes; fuzz/frame_fuzz and unit/graph_codec_test spoil them" },
	{ "code SD0108", "a key that stands twice in JSON is SD0115; unit/graph_codec_attr_test" },
	{ "code SD0116", "an ONNX model; unit/onnx_import_test" },
	{ "code SD0119", "a file that cannot be read; e2e/cli.py" },
	{ "code SD0120", "a file that cannot be written; e2e/cli.py" },
	{ "code E13030", "a custom pass without function is a fault of a program; unit/stream_passes_test" },
	{ "code E19999 NO_STREAM", "ours: no request may bring it about" },
	{ "code SD2010", "the service counts nodes; e2e/frames.py" },
	{ "code SD2020", "the service counts the items of a batch; e2e/batch.py" },
	{ "code SD2011", "the budget is the caller's; property/alloc_sweep" },
	{ "code SD2012", "frames of the service" }, { "code SD2013", "queue of the service" }, { "code SD2014", "connections of the service" },
	{ "code SD2015", "connections of the service" }, { "code SD2016", "memory of the service" }, { "code SD2019", "connections of the service" }, { "code SD2017", "load of the service" },
	{ "code SD3015", "asks for more than 65,500 events in one plan; unit/share_events_test" },
	{ "code SD4001", "service" }, { "code SD4002", "service" }, { "code SD4003", "service" }, { "code SD4004", "service" }, { "code SD4005", "service" },
	{ "code SD4006", "service" }, { "code SD4007", "service" }, { "code SD4008", "the caller cancels; unit/planner_test" }, { "code SD4009", "service" },
	{ "code SD4010", "service" }, { "code SD4011", "plans that are read; unit/plan_decode_test" }, { "code SD4012", "service" },
	{ "code SD4013", "service" }, { "code SD4020", "service" }, { "code SD4021", "service" }, { "code SD4022", "service" }, { "code SD4023", "service" },
	{ "code SD4024", "service" },
	{ "code SD4014", "service" },
	{ "code SD9001", "ours: no request may bring it about" }, { "code SD9002", "ours: no request may bring it about" },
};

static const char *why_beyond(const char *what)
{
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		if (strcmp(beyond[i].what, what) == 0)
			return beyond[i].why;
	}
	return strncmp(what, "code SD5", 8) == 0 ? "streams, devices and the pool, of which no request speaks" : NULL;
}

/* ---- counting ---- */

static bool has_value(const json_t *value, const char *wanted)
{
	if (!value || !wanted)
		return value != NULL;
	if (strcmp(wanted, "true") == 0)
		return json_is_true(value);
	return json_is_string(value) && strcmp(json_string_value(value), wanted) == 0;
}

static bool in_maps(const json_t *value, const char *key)
{
	const json_t *map;
	size_t i;

	json_array_foreach(value, i, map) {
		if (json_object_get(map, key))
			return true;
	}
	return json_object_get(value, key) != NULL;
}

static bool node_has(const json_t *node, const struct thing *thing)
{
	const json_t *attrs = json_object_get(node, "attrs");

	if (strcmp(thing->section, "node") == 0)
		return has_value(json_object_get(node, thing->key), thing->value);
	if (strcmp(thing->section, "attribute") == 0)
		return json_object_get(attrs, thing->key);
	for (void *at = json_object_iter((json_t *)(uintptr_t)attrs); at; at = json_object_iter_next((json_t *)(uintptr_t)attrs, at)) {
		if (in_maps(json_object_iter_value(at), thing->key))
			return true;
	}
	return false;
}

static bool nodes_have(const json_t *nodes, const struct thing *thing)
{
	const json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node) {
		if (node_has(node, thing))
			return true;
	}
	return false;
}

static bool request_has(const json_t *request, const struct thing *thing)
{
	const json_t *graph = json_object_get(request, "graph"), *device = json_object_get(request, "device"), *body;
	size_t i;

	if (strcmp(thing->section, "options") == 0)
		return has_value(json_object_get(json_object_get(request, "options"), thing->key), thing->value);
	if (strcmp(thing->section, "device.limits") == 0)
		return has_value(json_object_get(json_object_get(device, "limits"), thing->key), thing->value);
	if (strcmp(thing->section, "device") == 0)
		return has_value(json_object_get(device, thing->key), thing->value);
	if (strcmp(thing->section, "graph") == 0)
		return json_object_get(graph, thing->key);
	if (strcmp(thing->section, "attribute") == 0 && json_object_get(json_object_get(graph, "attrs"), thing->key))
		return true;
	if (nodes_have(json_object_get(graph, "nodes"), thing))
		return true;
	json_array_foreach(json_object_get(graph, "subgraphs"), i, body) {
		if (nodes_have(json_object_get(body, "nodes"), thing))
			return true;
	}
	return false;
}

void tally_add(struct tally *t, const json_t *request, const struct attempt *a)
{
	bool seen[SD_CODE_COUNT] = { false };

	t->graphs++;
	for (size_t i = 0; i < FIRED_PASSES_MAX; i++)
		t->pass[i] += fired[i];
	if (!a->plan) {
		t->refused++;
		t->code[a->diag.code]++;
		return;
	}
	t->planned++;
	t->nodes += a->plan->node_count;
	t->syncs += a->plan->sync_count;
	for (uint32_t i = 0; i < a->plan->diagnostic_count; i++)
		seen[a->plan->diagnostic[i].code] = true;
	for (int code = 0; code < SD_CODE_COUNT; code++)
		t->warned[code] += seen[code];
	for (size_t i = 0; i < THINGS; i++)
		t->row[i] += request_has(request, &things[i]);
}

void tally_join(struct tally *into, const struct tally *from)
{
	uint64_t *to = (uint64_t *)into;
	const uint64_t *at = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*into) / sizeof(*to); i++)
		to[i] += at[i];
}

/* ---- printing ---- */

struct printer {
	FILE *out;
	uint64_t least;
	uint32_t below;
};

static void print_row(struct printer *p, uint64_t count, const char *what, const char *more)
{
	const char *why = why_beyond(what);

	if (count >= p->least) {
		fprintf(p->out, "%9llu  %s%s\n", (unsigned long long)count, what, more);
	} else if (why) {
		fprintf(p->out, "%9llu  %s (not from here: %s)\n", (unsigned long long)count, what, why);
	} else {
		fprintf(p->out, "%9llu  %s%s  BELOW %llu\n", (unsigned long long)count, what, more, (unsigned long long)p->least);
		p->below++;
	}
}

static void print_codes(const struct tally *t, struct printer *p)
{
	static const char *const names[] = {
#define SD_X(name, text, status, retryable, message) #name,
		SD_CODE_LIST(SD_X)
#undef SD_X
	};
	char what[80], more[80];

	for (int code = 1; code < SD_CODE_COUNT; code++) {
		bool shared = strcmp(sd_code_text((enum sd_code)code), "E19999") == 0 || strcmp(sd_code_text((enum sd_code)code), "E10001") == 0;

		snprintf(what, sizeof(what), "code %s%s%s", sd_code_text((enum sd_code)code), shared ? " " : "", shared ? names[code] : "");
		snprintf(more, sizeof(more), " %s, %llu as a warning", shared ? "" : names[code], (unsigned long long)t->warned[code]);
		print_row(p, t->code[code] + t->warned[code], what, more);
	}
}

uint32_t tally_print(const struct tally *t, uint64_t least, FILE *out)
{
	struct printer p = { .out = out, .least = least };
	struct sd_arena mem;
	struct sd_pass_row row;
	char what[120];

	sd_arena_init(&mem, 0);
	fprintf(out, "%llu graphs: %llu planned (%llu nodes, %llu syncs), %llu refused\n", (unsigned long long)t->graphs, (unsigned long long)t->planned,
	        (unsigned long long)t->nodes, (unsigned long long)t->syncs, (unsigned long long)t->refused);
	fprintf(out, "graphs in which each pass changed something or refused:\n");
	for (uint32_t i = 0; sd_pass_row(&mem, i, &row); i++) {
		snprintf(what, sizeof(what), "pass %s", row.name);
		print_row(&p, t->pass[i], what, "");
	}
	fprintf(out, "graphs that were planned and hold each attribute, field or value:\n");
	for (size_t i = 0; i < THINGS; i++) {
		snprintf(what, sizeof(what), "%s %s%s%s", things[i].section, things[i].key, things[i].value ? " = " : "", things[i].value ? things[i].value : "");
		print_row(&p, t->row[i], what, "");
	}
	fprintf(out, "graphs that were told each code:\n");
	print_codes(t, &p);
	sd_arena_finish(&mem);
	return p.below;
}
