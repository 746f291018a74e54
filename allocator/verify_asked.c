/* Whether nodes have as many attached streams, events and notifies as they ask for.
 *
 * What they ask for is written in an older and in a newer format; a node with one of the
 * newer attributes is read by these alone. An entry that is not required is served where
 * a required one of the same node has its key, so the newer format gives bounds only.
 * With compat ge, attached streams of a model of unknown shape are counted but not used. */
#include "verify_internal.h"

struct bounds {
	uint32_t least, most;
};

enum { ASKS_EVENT = 0, ASKS_NOTIFY = 1 }; /* _attached_resource_type */

static bool is_newer(const struct sd_graph *graph, uint32_t n)
{
	return sd_graph_has(graph, n, SD_ATTR_ATTACHED_STREAM_INFO_LIST) || sd_graph_has(graph, n, SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST);
}

/* Entries of a newer list: all of them, or (type at least 0) those of this type. */
static struct bounds newer_asks(const struct sd_graph *graph, uint32_t n, enum sd_attr_key key, int type)
{
	struct sd__entries entries = sd__entries_of(graph, n, key);
	struct bounds asks = { 0, 0 };

	for (uint32_t i = 0; entries.listed && i < entries.count; i++) {
		const struct sd_value *kind = sd__entry_value(&entries.map[i], "_attached_resource_type", SD_VALUE_INT);
		const struct sd_value *required = sd__entry_value(&entries.map[i], "_attached_resource_required_flag", SD_VALUE_BOOL);

		if (type >= 0 && (!kind || kind->integer != type))
			continue;
		asks.most++;
		asks.least += required && required->boolean;
	}
	return asks;
}

/* A map with a policy: asks only if both its group and its key say something. */
static bool asks_by_policy(const struct sd_graph *graph, uint32_t n, const struct sd_map *map, const char *key_name)
{
	const struct sd_value *key = sd__entry_value(map, key_name, SD_VALUE_STRING);
	struct sd_text group;

	return sd_graph_string(graph, n, SD_ATTR_GROUP, &group) && group.len > 0 && key && key->string.len > 0;
}

static struct bounds streams_asked(const struct sd_graph *graph, uint32_t n)
{
	struct sd__entries older = sd__entries_of(graph, n, SD_ATTR_ATTACHED_STREAM_INFO);
	uint32_t asks;

	if (is_newer(graph, n))
		return newer_asks(graph, n, SD_ATTR_ATTACHED_STREAM_INFO_LIST, -1);
	/* Of an older list the node keeps one stream, however many keys there are. */
	asks = older.count > 0 && (older.listed || asks_by_policy(graph, n, older.map, "_attached_stream_key"));
	return (struct bounds){ asks, asks };
}

static struct bounds events_asked(const struct sd_graph *graph, uint32_t n)
{
	struct sd__entries older = sd__entries_of(graph, n, SD_ATTR_ATTACHED_SYNC_RES_INFO);
	uint32_t asks = 0;

	if (is_newer(graph, n))
		return newer_asks(graph, n, SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST, ASKS_EVENT);
	for (uint32_t i = 0; i < older.count; i++) {
		const struct sd_value *type = sd__entry_value(&older.map[i], "_attached_sync_res_type", SD_VALUE_STRING);

		asks += type && sd_text_is(type->string, "event");
	}
	return (struct bounds){ asks, asks };
}

/* How many a key stands for is said by the first node that has it, here known to be at least one. */
static struct bounds notifies_asked(const struct sd_graph *graph, uint32_t n)
{
	struct sd__entries older = sd__entries_of(graph, n, SD_ATTR_ATTACHED_NOTIFY_INFO);

	if (is_newer(graph, n))
		return newer_asks(graph, n, SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST, ASKS_NOTIFY);
	if (older.count > 0 && !older.listed && asks_by_policy(graph, n, older.map, "_attached_notify_key"))
		return (struct bounds){ 1, UINT32_MAX };
	return (struct bounds){ 0, 0 };
}

static bool lies_in(struct bounds bounds, uint32_t count)
{
	return count >= bounds.least && count <= bounds.most;
}

/* In a model of unknown shape a body of known shape gets nothing. */
static bool gets_nothing(const struct sd_graph *graph, uint32_t n)
{
	return sd_graph_has(graph, n, SD_ATTR_DISABLE_ATTACHED_RESOURCE) ||
	       (graph->graph[SD_ROOT].dynamic && !graph->graph[graph->graph_of[n]].dynamic);
}

const char *sd__asked_fault(const struct sd__judge *judge, uint32_t n)
{
	const struct sd_graph *graph = judge->graph;
	const struct sd_placement *place = &judge->plan->node[n];
	bool counted_only = graph->graph[SD_ROOT].dynamic && judge->request->options.compat == SD_GE;
	const struct bounds none = { 0, 0 };

	if (gets_nothing(graph, n))
		return place->attached_count || place->event_count || place->notify_count ? "it has attached resources that it did not ask for" : NULL;
	if (!lies_in(counted_only ? none : streams_asked(graph, n), place->attached_count))
		return "it has more or fewer attached streams than it asked for";
	/* Where the shape is not known there are no events. */
	if (!lies_in(graph->graph[graph->graph_of[n]].dynamic ? none : events_asked(graph, n), place->event_count))
		return "it has more or fewer events than it asked for";
	if (!lies_in(notifies_asked(graph, n), place->notify_count))
		return "it has more or fewer notifies than it asked for";
	return NULL;
}

/* The type that the node wants its notifies to have. */
static int64_t type_wanted(const struct sd_graph *graph, uint32_t n)
{
	struct sd__entries older = sd__entries_of(graph, n, SD_ATTR_ATTACHED_NOTIFY_INFO);
	const struct sd_value *type = NULL;

	if (!is_newer(graph, n) && older.count > 0 && !older.listed)
		type = sd__entry_value(older.map, "_attached_notify_type", SD_VALUE_INT);
	return type ? type->integer : 0;
}

void sd__verify_notify_types(struct sd__judge *judge, uint32_t syncs)
{
	const struct sd_plan *plan = judge->plan;

	for (uint32_t i = 0; i < syncs; i++) {
		if (plan->notify_type[i] != 0)
			sd__violate(judge->verdict, SD_VIOLATION_COUNT, "a notify that is a sync is not of type 0", SD_NO_NODE, SD_NO_NODE, -1, i);
	}
	for (uint32_t n = 0; n < plan->node_count; n++) {
		const struct sd_placement *place = &plan->node[n];

		for (uint32_t i = place->notify_first; i < place->notify_first + place->notify_count; i++) {
			if ((int64_t)plan->notify_type[plan->attached_notify[i]] != type_wanted(judge->graph, n))
				sd__violate(judge->verdict, SD_VIOLATION_PLACEMENT, "a notify is not of the type that it asked for", n, SD_NO_NODE, -1,
				            plan->attached_notify[i]);
		}
	}
}

struct sd__entries sd__entries_of(const struct sd_graph *graph, uint32_t n, enum sd_attr_key key)
{
	const struct sd_value *value = sd_graph_attr(graph, n, key);

	if (value && value->kind == SD_VALUE_MAPS)
		return (struct sd__entries){ value->maps, value->count, true };
	if (value && value->kind == SD_VALUE_MAP)
		return (struct sd__entries){ value->maps, 1, false };
	return (struct sd__entries){ NULL, 0, false };
}

const struct sd_value *sd__entry_value(const struct sd_map *map, const char *name, enum sd_value_kind kind)
{
	for (uint32_t i = 0; i < map->count; i++) {
		if (map->entry[i].value.kind == kind && sd_text_is(map->entry[i].name, name))
			return &map->entry[i].value;
	}
	return NULL;
}
