#include "plan_json.h"

#include "explain.h"
#include "plan_names.h"
#include "plan_simulation.h"

static const char *const mode_names[] = SD_MODE_NAMES;
static const char *const sync_kinds[] = SD_SYNC_KIND_NAMES;
static const char *const causes[] = SD_CAUSE_NAMES;
static const char *const commands[] = SD_COMMAND_NAMES;

struct writer {
	struct sd_arena *mem;
	struct sd_emitter *out;
	const struct sd_plan *plan;
	const struct sd_graph *graph;
	const struct sd_text *name; /* by node of the plan */
};

/* ---- keys with values ---- */

static void key_int(struct writer *w, const char *key, int64_t value)
{
	sd_emit_key(w->out, key);
	sd_emit_int(w->out, value);
}

static void key_bool(struct writer *w, const char *key, bool value)
{
	sd_emit_key(w->out, key);
	sd_emit_bool(w->out, value);
}

static void key_string(struct writer *w, const char *key, const char *value)
{
	sd_emit_key(w->out, key);
	sd_emit_string(w->out, value);
}

static void key_text(struct writer *w, const char *key, struct sd_text value)
{
	sd_emit_key(w->out, key);
	sd_emit_text(w->out, value);
}

static void key_node(struct writer *w, const char *key, uint32_t node)
{
	key_text(w, key, node < w->plan->node_count ? w->name[node] : (struct sd_text){ "", 0 });
}

static void key_digest(struct writer *w, const char *key, const unsigned char digest[SD_DIGEST_BYTES])
{
	static const char hex[] = "0123456789abcdef";
	char text[2 * SD_DIGEST_BYTES];

	for (size_t i = 0; i < SD_DIGEST_BYTES; i++) {
		text[2 * i] = hex[digest[i] >> 4];
		text[2 * i + 1] = hex[digest[i] & 15];
	}
	key_text(w, key, (struct sd_text){ text, sizeof(text) });
}

static void key_uints(struct writer *w, const char *key, const uint32_t *value, uint32_t count)
{
	sd_emit_key(w->out, key);
	sd_emit_open(w->out, '[');
	for (uint32_t i = 0; i < count; i++)
		sd_emit_uint(w->out, value[i]);
	sd_emit_close(w->out, ']');
}

static void key_ints(struct writer *w, const char *key, const int32_t *value, uint32_t count)
{
	sd_emit_key(w->out, key);
	sd_emit_open(w->out, '[');
	for (uint32_t i = 0; i < count; i++)
		sd_emit_int(w->out, value[i]);
	sd_emit_close(w->out, ']');
}

static void open_list(struct writer *w, const char *key)
{
	sd_emit_line(w->out, 1);
	sd_emit_key(w->out, key);
	sd_emit_open(w->out, '[');
}

static void open_item(struct writer *w, unsigned depth)
{
	sd_emit_line(w->out, depth);
	sd_emit_open(w->out, '{');
}

/* ---- the tables ---- */

static void write_activated(struct writer *w, uint32_t place)
{
	const struct sd_activation *activation = &w->plan->activation[place];

	sd_emit_open(w->out, '[');
	for (uint32_t i = 0; i < activation->count; i++)
		sd_emit_uint(w->out, w->plan->activated[activation->first + i]);
	sd_emit_close(w->out, ']');
}

static void write_command(struct writer *w, const struct sd_command *command)
{
	open_item(w, 3);
	sd_emit_key(w->out, commands[command->kind]);
	if (command->kind == SD_LAUNCH)
		sd_emit_text(w->out, w->name[command->arg]);
	else if (command->kind == SD_ACTIVATE)
		write_activated(w, command->arg);
	else
		sd_emit_uint(w->out, command->arg);
	if (command->attached)
		key_bool(w, "attached", true);
	if (command->in != SD_ROOT)
		key_text(w, "in", w->graph->graph[command->in].name);
	sd_emit_close(w->out, '}');
}

static enum sd_status write_stream(struct writer *w, uint32_t id, struct sd_diag *diag)
{
	const struct sd_stream *stream = &w->plan->stream[id];
	struct sd_text label;

	if (!sd_label_of(w->mem, w->graph, stream->label_node, &label))
		return sd_memory_fail(w->mem, diag);
	open_item(w, 2);
	key_int(w, "id", id);
	key_int(w, "logical_id", stream->logical_id);
	key_text(w, "label", label);
	key_int(w, "priority", stream->priority);
	key_int(w, "flags", stream->flags);
	key_bool(w, "attached", stream->attached);
	key_bool(w, "huge", stream->huge);
	key_bool(w, "initially_active", stream->initially_active);
	key_int(w, "task_count", stream->task_count);
	sd_emit_key(w->out, "commands");
	sd_emit_open(w->out, '[');
	for (uint32_t i = 0; i < stream->command_count; i++)
		write_command(w, &w->plan->command[stream->first_command + i]);
	sd_emit_close(w->out, ']');
	sd_emit_close(w->out, '}');
	return SD_OK;
}

static void write_placement(struct writer *w, uint32_t node)
{
	const struct sd_plan *plan = w->plan;
	const struct sd_placement *at = &plan->node[node];

	open_item(w, 2);
	key_node(w, "name", node);
	key_int(w, "logical_stream", at->logical_stream);
	key_int(w, "stream", at->stream);
	key_ints(w, "attached_logical_streams", plan->attached_logical + at->attached_first, at->attached_count);
	key_ints(w, "attached_streams", plan->attached_stream + at->attached_first, at->stream == SD_NO_STREAM ? 0 : at->attached_count);
	key_uints(w, "attached_events", plan->attached_event + at->event_first, at->event_count);
	key_uints(w, "attached_notifies", plan->attached_notify + at->notify_first, at->notify_count);
	key_int(w, "cube_cores", at->cube_cores);
	key_int(w, "vector_cores", at->vector_cores);
	key_bool(w, "host_wait", at->host_wait);
	sd_emit_close(w->out, '}');
}

static void write_sync(struct writer *w, const struct sd_sync *sync)
{
	open_item(w, 2);
	key_int(w, "id", sync->id);
	key_string(w, "kind", sync_kinds[sync->kind]);
	key_node(w, "record_node", sync->record_node);
	key_int(w, "record_stream", sync->record_stream);
	key_node(w, "wait_node", sync->wait_node);
	key_int(w, "wait_stream", sync->wait_stream);
	key_string(w, "cause", causes[sync->cause]);
	sd_emit_close(w->out, '}');
}

static void write_activation(struct writer *w, uint32_t place)
{
	open_item(w, 2);
	key_node(w, "node", w->plan->activation[place].node);
	sd_emit_key(w->out, "streams");
	write_activated(w, place);
	sd_emit_close(w->out, '}');
}

static void write_summary(struct writer *w, const struct sd_summary *summary)
{
	struct sd_text label = SD_TEXT("");

	if (summary->label_node < w->graph->node_count)
		sd_graph_string(w->graph, summary->label_node, SD_ATTR_USER_STREAM_LABEL, &label);
	open_item(w, 2);
	key_int(w, "logic_stream_id", summary->logical_id);
	key_text(w, "user_stream_label", label);
	key_bool(w, "is_assigned_by_user_stream_pass", summary->by_stream_pass);
	key_uints(w, "attached_stream_ids", w->plan->summary_attached + summary->attached_first, summary->attached_count);
	key_int(w, "physical_model_stream_num", summary->physical_count);
	key_int(w, "hccl_followed_stream_num", summary->follow_count);
	key_int(w, "node_count", summary->node_count);
	sd_emit_close(w->out, '}');
}

static void write_diagnostic(struct writer *w, const struct sd_diag *diagnostic)
{
	struct sd_names names = sd_graph_names(w->graph);
	char message[SD_MESSAGE_MAX];

	open_item(w, 2);
	key_string(w, "severity", diagnostic->severity == SD_ERROR ? "error" : "warning");
	key_string(w, "code", sd_code_text(diagnostic->code));
	key_node(w, "node", diagnostic->node);
	sd_diag_message(diagnostic, &names, message, sizeof(message));
	key_string(w, "message", message);
	sd_emit_close(w->out, '}');
}

static void write_explanations(struct writer *w)
{
	struct sd_explained explained = { w->plan, w->graph, w->name };

	open_list(w, "explanations");
	for (uint32_t i = 0; i < w->plan->explanation_count; i++)
		sd_explanation_write_json(w->out, &explained, &w->plan->explanation[i]);
	sd_emit_close(w->out, ']');
}

static void write_head(struct writer *w, const struct sd_identity *identity)
{
	const struct sd_plan *plan = w->plan;

	sd_emit_line(w->out, 1);
	key_int(w, "format", SD_PLAN_FORMAT);
	key_text(w, "graph_name", w->graph->graph[SD_ROOT].name);
	key_digest(w, "graph_hash", identity->graph_hash);
	key_digest(w, "plan_key", identity->plan_key);
	key_string(w, "planner", identity->planner);
	key_string(w, "mode", mode_names[plan->mode]);
	sd_emit_line(w->out, 1);
	key_int(w, "logical_stream_count", plan->logical_stream_count);
	key_int(w, "main_stream_count", plan->main_stream_count);
	key_int(w, "attached_stream_count", plan->attached_stream_count);
	key_int(w, "stream_count", plan->stream_count);
	key_int(w, "event_count", plan->event_count);
	key_int(w, "notify_count", plan->notify_count);
	key_uints(w, "notify_types", plan->notify_type, plan->notify_count);
}

enum sd_status sd_plan_write_json(struct sd_arena *mem, struct sd_emitter *out, const struct sd_plan *plan,
                                  const struct sd_identity *identity, const struct sd_graph *graph, struct sd_diag *diag)
{
	struct writer w = { mem, out, plan, graph, sd_plan_names(mem, graph, plan) };

	if (!w.name)
		return sd_memory_fail(mem, diag);
	sd_emit_open(out, '{');
	write_head(&w, identity);
	open_list(&w, "streams");
	for (uint32_t i = 0; i < plan->stream_count; i++)
		SD_TRY(write_stream(&w, i, diag));
	sd_emit_close(out, ']');
	open_list(&w, "nodes");
	for (uint32_t i = 0; i < plan->node_count; i++)
		write_placement(&w, i);
	sd_emit_close(out, ']');
	open_list(&w, "syncs");
	for (uint32_t i = 0; i < plan->sync_count; i++)
		write_sync(&w, &plan->sync[i]);
	sd_emit_close(out, ']');
	open_list(&w, "activations");
	for (uint32_t i = 0; i < plan->activation_count; i++)
		write_activation(&w, i);
	sd_emit_close(out, ']');
	open_list(&w, "summary");
	for (uint32_t i = 0; i < plan->summary_count; i++)
		write_summary(&w, &plan->summary[i]);
	sd_emit_close(out, ']');
	open_list(&w, "diagnostics");
	for (uint32_t i = 0; i < plan->diagnostic_count; i++)
		write_diagnostic(&w, &plan->diagnostic[i]);
	sd_emit_close(out, ']');
	if (plan->simulated) {
		sd_emit_line(out, 1);
		sd_emit_key(out, "simulation");
		sd_simulation_write_json(out, &plan->simulation, w.name);
	}
	if (plan->explained)
		write_explanations(&w);
	if (!out->on_one_line)
		sd_emit_raw(out, "\n", 1);
	sd_emit_close(out, '}');
	return SD_OK;
}
