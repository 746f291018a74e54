#include "plan_text.h"

#include "explain.h"
#include "json_path.h"
#include "plan_simulation.h"
#include "plan_summary.h"

static const char *const mode_names[] = SD_MODE_NAMES;
static const char *const causes[] = SD_CAUSE_NAMES;

#define NO_SYNC UINT32_MAX
#define LINE_BYTES 100 /* of a list of names, before it goes on in the next line */

struct writer {
	struct sd_arena *mem;
	struct sd_emitter *out;
	const struct sd_plan *plan;
	const struct sd_graph *graph;
	const struct sd_text *name; /* by node of the plan */
	uint32_t *sync_of[2]; /* by kind and id; NO_SYNC: none, or more than one */
};

static void put_node(struct writer *w, uint32_t node)
{
	sd_put_name(w->out, w->name[node], "");
}

/* An id that several syncs share in turn names none of them. */
static void index_syncs(struct writer *w)
{
	uint32_t count[2] = { w->plan->event_count, w->plan->notify_count };

	for (int kind = 0; kind < 2; kind++)
		memset(w->sync_of[kind], 0xff, count[kind] * sizeof(uint32_t));
	for (uint32_t i = 0; i < w->plan->sync_count; i++) {
		const struct sd_sync *sync = &w->plan->sync[i];

		if (sync->id < count[sync->kind])
			w->sync_of[sync->kind][sync->id] = w->sync_of[sync->kind][sync->id] == NO_SYNC ? i : NO_SYNC - 1;
	}
}

static void put_sync(struct writer *w, const struct sd_command *command)
{
	bool notify = command->kind == SD_NOTIFY_RECORD || command->kind == SD_NOTIFY_WAIT;
	bool record = command->kind == SD_RECORD || command->kind == SD_NOTIFY_RECORD;
	uint32_t place = w->sync_of[notify][command->arg];
	const struct sd_sync *sync = place < w->plan->sync_count ? &w->plan->sync[place] : NULL;

	sd_put(w->out, "  %-7s %s %u", record ? "record" : "wait", notify ? "notify" : "event", command->arg);
	if (!sync)
		return;
	sd_put(w->out, record ? "  -> stream %u, " : "  <- stream %u, ", record ? sync->wait_stream : sync->record_stream);
	put_node(w, record ? sync->wait_node : sync->record_node);
	sd_put(w->out, "  (%s)", causes[sync->cause]);
}

static void put_ids(struct writer *w, const char *what, const uint32_t *id, uint32_t count)
{
	if (count)
		sd_put(w->out, "  holds %s", what);
	for (uint32_t i = 0; i < count; i++)
		sd_put(w->out, " %u", id[i]);
}

static void put_launch(struct writer *w, uint32_t node, bool attached)
{
	const struct sd_placement *at = &w->plan->node[node];

	sd_put(w->out, "  launch  ");
	put_node(w, node);
	if (attached) {
		sd_put(w->out, "  (attached)");
		return;
	}
	put_ids(w, "event", w->plan->attached_event + at->event_first, at->event_count);
	put_ids(w, "notify", w->plan->attached_notify + at->notify_first, at->notify_count);
}

static void put_activate(struct writer *w, uint32_t place)
{
	const struct sd_activation *activation = &w->plan->activation[place];

	sd_put(w->out, "  activate stream");
	for (uint32_t i = 0; i < activation->count; i++)
		sd_put(w->out, " %u", w->plan->activated[activation->first + i]);
}

static void put_command(struct writer *w, const struct sd_command *command)
{
	if (command->kind == SD_LAUNCH) {
		put_launch(w, command->arg, command->attached);
	} else if (command->kind == SD_ACTIVATE) {
		put_activate(w, command->arg);
	} else {
		put_sync(w, command);
	}
	if (command->in != SD_ROOT) {
		sd_put(w->out, "  in ");
		sd_put_name(w->out, w->graph->graph[command->in].name, "");
	}
	sd_put(w->out, "\n");
}

static enum sd_status put_stream(struct writer *w, uint32_t id, struct sd_diag *diag)
{
	const struct sd_stream *stream = &w->plan->stream[id];
	struct sd_text label;

	if (!sd_label_of(w->mem, w->graph, stream->label_node, &label))
		return sd_memory_fail(w->mem, diag);
	sd_put(w->out, "\nstream %u  logical %u  %lld tasks", id, stream->logical_id, (long long)stream->task_count);
	if (stream->priority)
		sd_put(w->out, "  priority %d", stream->priority);
	sd_put(w->out, "%s%s%s", stream->attached ? "  attached" : "", stream->huge ? "  huge" : "",
	       stream->initially_active ? "" : "  starts when activated");
	if (label.len) {
		sd_put(w->out, "  label ");
		sd_put_name(w->out, label, "");
	}
	sd_put(w->out, "\n");
	for (uint32_t i = 0; i < stream->command_count; i++)
		put_command(w, &w->plan->command[stream->first_command + i]);
	return SD_OK;
}

static void put_head(struct writer *w, const struct sd_identity *identity)
{
	const struct sd_plan *plan = w->plan;
	uint32_t launched = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		launched += plan->node[i].stream != SD_NO_STREAM;
	sd_put(w->out, "graph ");
	sd_put_name(w->out, w->graph->graph[SD_ROOT].name, "");
	sd_put(w->out, ": %u nodes, %u launched, mode %s, planner %s\n", plan->node_count, launched, mode_names[plan->mode],
	       identity->planner);
	sd_put(w->out, "%u streams (%u logical, %u attached), %u events, %u notifies, %u syncs, %u activations\n", plan->stream_count,
	       plan->logical_stream_count, plan->attached_stream_count, plan->event_count, plan->notify_count, plan->sync_count,
	       plan->activation_count);
}

static void put_names(struct writer *w, const uint32_t *node, uint32_t count)
{
	uint32_t bytes = 0;

	sd_put(w->out, "    nodes:");
	for (uint32_t i = 0; i < count; i++) {
		if (bytes > 0 && bytes + w->name[node[i]].len > LINE_BYTES) {
			sd_put(w->out, "\n          ");
			bytes = 0;
		}
		sd_put(w->out, " ");
		put_node(w, node[i]);
		sd_put(w->out, i + 1 < count ? "," : "");
		bytes += w->name[node[i]].len + 2;
	}
	sd_put(w->out, "\n");
}

/* What each logical stream is, in the words of Graph Engine's summary. */
static enum sd_status put_summary(struct writer *w, struct sd_diag *diag)
{
	struct sd_summary_nodes nodes;

	if (!sd_summary_nodes(w->mem, w->plan, w->graph, &nodes))
		return sd_memory_fail(w->mem, diag);
	if (w->plan->summary_count)
		sd_put(w->out, "\nsummary\n");
	for (uint32_t i = 0; i < w->plan->summary_count; i++) {
		const struct sd_summary *summary = &w->plan->summary[i];

		sd_put(w->out, "  ");
		sd_put_summary(w->out, w->plan, w->graph, summary);
		if (summary->logical_id < w->plan->logical_stream_count)
			put_names(w, nodes.node + nodes.first[summary->logical_id],
			          nodes.first[summary->logical_id + 1] - nodes.first[summary->logical_id]);
	}
	return SD_OK;
}

static void put_warnings(struct writer *w)
{
	struct sd_names names = sd_graph_names(w->graph);
	char message[SD_MESSAGE_MAX];

	if (w->plan->diagnostic_count)
		sd_put(w->out, "\n");
	for (uint32_t i = 0; i < w->plan->diagnostic_count; i++) {
		sd_diag_message(&w->plan->diagnostic[i], &names, message, sizeof(message));
		sd_put(w->out, "warning %s: %s\n", sd_code_text(w->plan->diagnostic[i].code), message);
	}
}

enum sd_status sd_plan_write_text(struct sd_arena *mem, struct sd_emitter *out, const struct sd_plan *plan,
                                  const struct sd_identity *identity, const struct sd_graph *graph, struct sd_diag *diag)
{
	struct writer w = { .mem = mem, .out = out, .plan = plan, .graph = graph, .name = sd_plan_names(mem, graph, plan) };

	w.sync_of[0] = SD_NEW(mem, uint32_t, plan->event_count);
	w.sync_of[1] = SD_NEW(mem, uint32_t, plan->notify_count);
	if (!w.name || !w.sync_of[0] || !w.sync_of[1])
		return sd_memory_fail(mem, diag);
	index_syncs(&w);
	put_head(&w, identity);
	if (plan->simulated) {
		sd_simulation_put_line(out, &plan->simulation);
		sd_put(out, "\n");
	}
	for (uint32_t i = 0; i < plan->stream_count; i++)
		SD_TRY(put_stream(&w, i, diag));
	SD_TRY(put_summary(&w, diag));
	put_warnings(&w);
	if (!plan->explained)
		return SD_OK;
	sd_put(out, "\nexplanations\n");
	return sd_explained_write_text(mem, out, &(struct sd_explained){ plan, graph, w.name }, SD_NO_NODE, diag);
}
