/* A plan from JSON: rows by their tables, names to indices. What a plan must be is not
 * judged here; only what cannot be said in struct sd_plan is refused. */
#include "plan_read.h"

#include "json_message.h"
#include "plan_json.h"
#include "plan_names.h"

static const char *const mode_words[] = SD_MODE_NAMES;
static const char *const sync_words[] = SD_SYNC_KIND_NAMES;
static const char *const cause_words[] = SD_CAUSE_NAMES;

typedef struct sd__plan_reader reader_t;

enum sd_status sd__plan_find(reader_t *r, const struct sd_json_path *at, json_t *json, const struct sd__names *names,
                             const char *what, uint32_t *index)
{
	if (!json_is_string(json))
		return sd_json_fail_type(&r->json, at, json, "a string");
	*index = sd__names_find(names, (struct sd_text){ json_string_value(json), (uint32_t)json_string_length(json) });
	return *index == SD__NO_NAME ? sd_json_fail(&r->json, at, "names no %s of the request", what) : SD_OK;
}

enum sd_status sd__plan_read_node(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;

	return sd__plan_find(r, at, json, &r->nodes, "node", member);
}

/* ---- placements ---- */

/* A row of `nodes`; ranges are into the vectors. */
struct placement_row {
	uint32_t node;
	struct sd_placement at;
	uint32_t stream_count; /* of attached_streams, beside attached_logical_streams */
};

static enum sd_status read_attached_logical(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct placement_row *row = member;

	row->at.attached_first = r->attached_logical.count;
	READ_LIST(r, at, json, &r->attached_logical, sd__row_read_int32);
	row->at.attached_count = r->attached_logical.count - row->at.attached_first;
	return SD_OK;
}

static enum sd_status read_attached_streams(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct placement_row *row = member;
	uint32_t first = r->attached_stream.count;

	READ_LIST(r, at, json, &r->attached_stream, sd__row_read_int32);
	row->stream_count = r->attached_stream.count - first;
	return SD_OK;
}

static enum sd_status read_attached_events(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct placement_row *row = member;

	row->at.event_first = r->event.count;
	READ_LIST(r, at, json, &r->event, sd__row_read_uint32);
	row->at.event_count = r->event.count - row->at.event_first;
	return SD_OK;
}

static enum sd_status read_attached_notifies(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct placement_row *row = member;

	row->at.notify_first = r->notify.count;
	READ_LIST(r, at, json, &r->notify, sd__row_read_uint32);
	row->at.notify_count = r->notify.count - row->at.notify_first;
	return SD_OK;
}

#define PLACED(member) offsetof(struct placement_row, at.member)
static const struct sd__row_key placement_keys[] = {
	{ .name = "name", .kind = SD__ROW_OTHER, .offset = offsetof(struct placement_row, node), .read = sd__plan_read_node },
	{ .name = "logical_stream", .kind = SD__ROW_INT32, .offset = PLACED(logical_stream) },
	{ .name = "stream", .kind = SD__ROW_INT32, .offset = PLACED(stream) },
	{ .name = "attached_logical_streams", .kind = SD__ROW_OTHER, .read = read_attached_logical },
	{ .name = "attached_streams", .kind = SD__ROW_OTHER, .read = read_attached_streams },
	{ .name = "attached_events", .kind = SD__ROW_OTHER, .read = read_attached_events },
	{ .name = "attached_notifies", .kind = SD__ROW_OTHER, .read = read_attached_notifies },
	{ .name = "cube_cores", .kind = SD__ROW_INT32, .offset = PLACED(cube_cores) },
	{ .name = "vector_cores", .kind = SD__ROW_INT32, .offset = PLACED(vector_cores) },
	{ .name = "host_wait", .kind = SD__ROW_BOOL, .offset = PLACED(host_wait) },
	{ 0 },
};

/* A node that is not launched tells its logical attached streams only: none of them is a stream of the device. */
static enum sd_status fill_attached(reader_t *r, struct placement_row *row)
{
	if (row->at.stream != SD_NO_STREAM || row->stream_count > 0)
		return SD_OK;
	for (; row->stream_count < row->at.attached_count; row->stream_count++) {
		if (!sd_vec_room(r->json.mem, &r->attached_stream))
			return NO_MEMORY(r);
		r->attached_stream.at[r->attached_stream.count++] = SD_NO_STREAM;
	}
	return SD_OK;
}

static enum sd_status read_placement(reader_t *r, const struct sd_json_path *at, json_t *json)
{
	struct placement_row row = { .node = SD_NO_NODE, .at = { .logical_stream = SD_NO_STREAM, .stream = SD_NO_STREAM } };

	SD_TRY(sd__row_read_object(r, at, json, placement_keys, &row));
	if (row.node == SD_NO_NODE)
		return sd_json_fail(&r->json, at, "has no name");
	if (r->placed[row.node])
		return sd_json_fail(&r->json, at, "places a node for the second time");
	SD_TRY(fill_attached(r, &row));
	if (row.stream_count != row.at.attached_count)
		return sd_json_fail(&r->json, at, "attached_streams and attached_logical_streams must be of one length");
	r->placed[row.node] = true;
	r->placement[row.node] = row.at;
	return SD_OK;
}

static enum sd_status read_nodes(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;

	SD_TRY(sd__row_want_list(&r->json, at, json));
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		SD_TRY(read_placement(r, &here, json_array_get(json, i)));
	}
	return SD_OK;
}

/* ---- syncs, activations, summary ---- */

#define SYNC(member) offsetof(struct sd_sync, member)
static const struct sd__row_key sync_keys[] = {
	{ .name = "id", .kind = SD__ROW_UINT32, .offset = SYNC(id) },
	{ .name = "kind", .kind = SD__ROW_WORD, .offset = SYNC(kind), .words = sync_words },
	{ .name = "record_node", .kind = SD__ROW_OTHER, .offset = SYNC(record_node), .read = sd__plan_read_node },
	{ .name = "record_stream", .kind = SD__ROW_UINT32, .offset = SYNC(record_stream) },
	{ .name = "wait_node", .kind = SD__ROW_OTHER, .offset = SYNC(wait_node), .read = sd__plan_read_node },
	{ .name = "wait_stream", .kind = SD__ROW_UINT32, .offset = SYNC(wait_stream) },
	{ .name = "cause", .kind = SD__ROW_WORD, .offset = SYNC(cause), .words = cause_words },
	{ 0 },
};

static enum sd_status read_syncs(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;

	return sd__row_read_list(r, at, json, sync_keys, sizeof(struct sd_sync), &r->plan->sync, &r->plan->sync_count);
}

static enum sd_status read_activated(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct sd_activation *activation = member;

	activation->first = r->activated.count;
	READ_LIST(r, at, json, &r->activated, sd__row_read_uint32);
	activation->count = r->activated.count - activation->first;
	return SD_OK;
}

static const struct sd__row_key activation_keys[] = {
	{ .name = "node", .kind = SD__ROW_OTHER, .offset = offsetof(struct sd_activation, node), .read = sd__plan_read_node },
	{ .name = "streams", .kind = SD__ROW_OTHER, .read = read_activated },
	{ 0 },
};

static enum sd_status read_activations(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;

	SD_TRY(sd__row_want_list(&r->json, at, json));
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);
		struct sd_activation activation = { .node = SD_NO_NODE };

		SD_TRY(sd__row_read_object(r, &here, json_array_get(json, i), activation_keys, &activation));
		if (!sd_vec_room(r->json.mem, &r->activation))
			return NO_MEMORY(r);
		r->activation.at[r->activation.count++] = activation;
	}
	return SD_OK;
}

static enum sd_status read_summary_attached(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct sd_summary *summary = member;

	summary->attached_first = r->summary_attached.count;
	READ_LIST(r, at, json, &r->summary_attached, sd__row_read_uint32);
	summary->attached_count = r->summary_attached.count - summary->attached_first;
	return SD_OK;
}

#define SUMMARY(member) offsetof(struct sd_summary, member)
static const struct sd__row_key summary_keys[] = {
	{ .name = "logic_stream_id", .kind = SD__ROW_UINT32, .offset = SUMMARY(logical_id) },
	{ .name = "user_stream_label", .kind = SD__ROW_UNUSED },
	{ .name = "is_assigned_by_user_stream_pass", .kind = SD__ROW_BOOL, .offset = SUMMARY(by_stream_pass) },
	{ .name = "attached_stream_ids", .kind = SD__ROW_OTHER, .read = read_summary_attached },
	{ .name = "physical_model_stream_num", .kind = SD__ROW_UINT32, .offset = SUMMARY(physical_count) },
	{ .name = "hccl_followed_stream_num", .kind = SD__ROW_UINT32, .offset = SUMMARY(follow_count) },
	{ .name = "node_count", .kind = SD__ROW_UINT32, .offset = SUMMARY(node_count) },
	{ 0 },
};

static enum sd_status read_summary(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;
	struct sd_summary *summary;

	SD_TRY(sd__row_read_list(r, at, json, summary_keys, sizeof(*summary), &summary, &r->plan->summary_count));
	for (uint32_t i = 0; i < r->plan->summary_count; i++)
		summary[i].label_node = SD_NO_NODE;
	r->plan->summary = summary;
	return SD_OK;
}

/* ---- the whole ---- */

static enum sd_status read_format(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	uint32_t format;

	SD_TRY(sd__row_read_uint32(reader, at, json, &format));
	return format == SD_PLAN_FORMAT ? SD_OK : sd_json_fail(reader, at, "must be %u", SD_PLAN_FORMAT);
}

static enum sd_status read_notify_types(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	reader_t *r = reader;

	READ_LIST(r, at, json, &r->notify_type, sd__row_read_uint32);
	return SD_OK;
}

#define PLAN(member) offsetof(struct sd_plan, member)
static const struct sd__row_key plan_keys[] = {
	{ .name = "format", .kind = SD__ROW_OTHER, .read = read_format },
	{ .name = "graph_name", .kind = SD__ROW_UNUSED },
	{ .name = "graph_hash", .kind = SD__ROW_UNUSED },
	{ .name = "plan_key", .kind = SD__ROW_UNUSED },
	{ .name = "planner", .kind = SD__ROW_UNUSED },
	{ .name = "mode", .kind = SD__ROW_WORD, .offset = PLAN(mode), .words = mode_words },
	{ .name = "logical_stream_count", .kind = SD__ROW_UINT32, .offset = PLAN(logical_stream_count) },
	{ .name = "main_stream_count", .kind = SD__ROW_UINT32, .offset = PLAN(main_stream_count) },
	{ .name = "attached_stream_count", .kind = SD__ROW_UINT32, .offset = PLAN(attached_stream_count) },
	{ .name = "stream_count", .kind = SD__ROW_UINT32, .offset = PLAN(stream_count) },
	{ .name = "event_count", .kind = SD__ROW_UINT32, .offset = PLAN(event_count) },
	{ .name = "notify_count", .kind = SD__ROW_UINT32, .offset = PLAN(notify_count) },
	{ .name = "notify_types", .kind = SD__ROW_OTHER, .read = read_notify_types },
	{ .name = "streams", .kind = SD__ROW_OTHER, .read = sd__plan_read_streams },
	{ .name = "nodes", .kind = SD__ROW_OTHER, .read = read_nodes },
	{ .name = "syncs", .kind = SD__ROW_OTHER, .read = read_syncs },
	{ .name = "activations", .kind = SD__ROW_OTHER, .read = read_activations },
	{ .name = "summary", .kind = SD__ROW_OTHER, .read = read_summary },
	{ .name = "diagnostics", .kind = SD__ROW_UNUSED },
	{ .name = "simulation", .kind = SD__ROW_OTHER, .read = sd__plan_read_simulation },
	{ .name = "explanations", .kind = SD__ROW_OTHER, .read = sd__plan_read_explanations },
	{ 0 },
};

/* Names of placements that the graph does not have, but which are those of an inserted node. */
static enum sd_status find_inserted(reader_t *r, json_t *nodes)
{
	for (size_t i = 0; i < json_array_size(nodes); i++) {
		json_t *json = json_object_get(json_array_get(nodes, i), "name");
		struct sd_text name = { json_string_value(json), (uint32_t)json_string_length(json) };
		uint32_t behind;

		uint32_t suffix = sd_inserted_suffix(name);

		if (suffix == 0)
			continue;
		behind = sd__names_find(&r->nodes, (struct sd_text){ name.at, name.len - suffix });
		if (behind >= r->graph->node_count || sd__names_find(&r->nodes, name) != SD__NO_NAME)
			continue;
		if (!sd_vec_room(r->json.mem, &r->inserted))
			return NO_MEMORY(r);
		r->inserted.at[r->inserted.count++] = behind;
		r->name[r->node_count] = name;
		sd__names_add(&r->nodes, r->node_count++);
	}
	return SD_OK;
}

static enum sd_status prepare(reader_t *r, json_t *root)
{
	const struct sd_graph *graph = r->graph;
	struct sd_arena *mem = r->json.mem;
	json_t *nodes = json_object_get(root, "nodes");
	size_t most = graph->node_count + json_array_size(nodes);

	r->node_count = graph->node_count;
	r->name = most < UINT32_MAX ? SD_NEW(mem, struct sd_text, most) : NULL;
	r->placement = SD_NEW0(mem, struct sd_placement, most);
	r->placed = SD_NEW0(mem, bool, most);
	r->graph_name = SD_NEW(mem, struct sd_text, graph->graph_count);
	r->activate_lists = json_array();
	if (!r->name || !r->placement || !r->placed || !r->graph_name || !r->activate_lists ||
	    !sd__names_init(&r->nodes, mem, r->name, (uint32_t)most) ||
	    !sd__names_init(&r->graphs, mem, r->graph_name, graph->graph_count))
		return NO_MEMORY(r);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		r->name[i] = graph->name[i];
		sd__names_add(&r->nodes, i);
	}
	for (uint32_t i = 0; i < graph->graph_count; i++) {
		r->graph_name[i] = graph->graph[i].name;
		/* The root is never named by a command. */
		if (i != SD_ROOT)
			sd__names_add(&r->graphs, i);
	}
	return find_inserted(r, nodes);
}

static bool is_list_of(const reader_t *r, json_t *streams, const struct sd_activation *activation)
{
	if (json_array_size(streams) != activation->count)
		return false;
	for (uint32_t i = 0; i < activation->count; i++) {
		if (json_integer_value(json_array_get(streams, i)) != r->activated.at[activation->first + i])
			return false;
	}
	return true;
}

/* The activation that a command on `stream` carries out: one of the same streams that no command has
 * yet, best one whose node runs there. */
static uint32_t match_activation(const reader_t *r, uint32_t stream, json_t *streams)
{
	uint32_t found = SD_NO_NODE;

	for (uint32_t i = 0; i < r->given_activations; i++) {
		uint32_t node = r->activation.at[i].node;

		if (r->taken[i] || !is_list_of(r, streams, &r->activation.at[i]))
			continue;
		if (node < r->node_count && r->placement[node].stream == (int32_t)stream)
			return i;
		if (found == SD_NO_NODE)
			found = i;
	}
	return found;
}

/* A command that no activation tells of gets one without a node, for the judge to find. */
static enum sd_status set_activation(reader_t *r, uint32_t stream, struct sd_command *command)
{
	json_t *streams = json_array_get(r->activate_lists, command->arg);
	uint32_t found = match_activation(r, stream, streams);
	struct sd_json_path at = sd_json_key(NULL, "activate");
	struct sd_activation added = { .node = SD_NO_NODE };

	if (found != SD_NO_NODE) {
		r->taken[found] = true;
		command->arg = found;
		return SD_OK;
	}
	SD_TRY(read_activated(r, &at, streams, &added));
	if (!sd_vec_room(r->json.mem, &r->activation))
		return NO_MEMORY(r);
	command->arg = r->activation.count;
	r->activation.at[r->activation.count++] = added;
	return SD_OK;
}

static enum sd_status set_activations(reader_t *r, size_t stream_count)
{
	r->given_activations = r->activation.count;
	r->taken = SD_NEW0(r->json.mem, bool, r->given_activations);
	if (!r->taken)
		return NO_MEMORY(r);
	for (uint32_t s = 0; s < stream_count; s++) {
		const struct sd_stream *stream = &r->plan->stream[s];

		for (uint32_t i = 0; i < stream->command_count; i++) {
			struct sd_command *command = &r->command.at[stream->first_command + i];

			if (command->kind == SD_ACTIVATE)
				SD_TRY(set_activation(r, s, command));
		}
	}
	return SD_OK;
}

static enum sd_status check_whole(reader_t *r, size_t stream_count)
{
	struct sd_json_path streams = sd_json_key(NULL, "stream_count"), notifies = sd_json_key(NULL, "notify_count");
	struct sd_json_path nodes = sd_json_key(NULL, "nodes");

	if (r->plan->stream_count != stream_count)
		return sd_json_fail(&r->json, &streams, "is %u, but streams lists %zu", r->plan->stream_count, stream_count);
	if (r->plan->notify_count != r->notify_type.count)
		return sd_json_fail(&r->json, &notifies, "is %u, but notify_types lists %u", r->plan->notify_count, r->notify_type.count);
	for (uint32_t i = 0; i < r->graph->node_count; i++) {
		if (!r->placed[i])
			return sd_json_fail(&r->json, &nodes, "does not place node %.*s", (int)(r->graph->name[i].len < 64 ? r->graph->name[i].len : 64), r->graph->name[i].at);
	}
	return SD_OK;
}

static void hand_over(reader_t *r)
{
	struct sd_plan *plan = r->plan;

	plan->node_count = r->node_count;
	plan->inserted = r->inserted.at;
	plan->inserted_count = r->inserted.count;
	plan->node = r->placement;
	plan->command = r->command.at;
	plan->command_count = r->command.count;
	plan->activation = r->activation.at;
	plan->activation_count = r->activation.count;
	plan->activated = r->activated.at;
	plan->activated_count = r->activated.count;
	plan->attached_logical = r->attached_logical.at;
	plan->attached_stream = r->attached_stream.at;
	plan->attached_count = r->attached_logical.count;
	plan->attached_event = r->event.at;
	plan->attached_event_count = r->event.count;
	plan->attached_notify = r->notify.at;
	plan->attached_notify_count = r->notify.count;
	plan->notify_type = r->notify_type.at;
	plan->summary_attached = r->summary_attached.at;
	plan->summary_attached_count = r->summary_attached.count;
}

static enum sd_status read_plan(reader_t *r, json_t *root)
{
	size_t stream_count;

	SD_TRY(prepare(r, root));
	SD_TRY(sd__row_read_object(r, NULL, root, plan_keys, r->plan));
	stream_count = json_array_size(json_object_get(root, "streams"));
	SD_TRY(check_whole(r, stream_count));
	SD_TRY(set_activations(r, stream_count));
	hand_over(r);
	return SD_OK;
}

enum sd_status sd__plan_read(struct sd_arena *mem, json_t *root, const struct sd_graph *graph, struct sd_plan *plan, struct sd_diag *diag)
{
	reader_t r = { .json = { mem, diag, SD_CODE_BAD_PLAN }, .graph = graph, .plan = plan };
	enum sd_status status;

	memset(plan, 0, sizeof(*plan));
	status = read_plan(&r, root);
	json_decref(r.activate_lists);
	return status;
}

enum sd_status sd_plan_read_json(struct sd_arena *mem, struct sd_text text, const struct sd_graph *graph,
                                 struct sd_plan *plan, struct sd_diag *diag)
{
	struct sd_json_reader r = { mem, diag, SD_CODE_BAD_PLAN };
	enum sd_status status;
	json_t *root;

	memset(plan, 0, sizeof(*plan));
	SD_TRY(sd_json_load(&r, NULL, text, &root));
	status = sd__plan_read(mem, root, graph, plan, diag);
	json_decref(root);
	return status;
}
