#include "plan_dot.h"

#include <string.h>

#include "explain.h"
#include "json_path.h"
#include "plan_names.h"

static const char *const causes[] = SD_CAUSE_NAMES;

#define SPECIAL "\"\\" /* what a quoted string of the language must escape */

struct writer {
	struct sd_arena *mem;
	struct sd_emitter *out;
	const struct sd_plan *plan;
	const struct sd_graph *graph;
	const struct sd_text *name; /* by node of the plan */
	uint32_t *relay;            /* by stream: the inserted node on it; SD_NO_NODE: none */
	uint32_t *story;            /* by node: its first explanation; NULL: the plan has none */
};

/* An inserted StreamActive stands for its StreamSwitch where that is told of its stream. */
static enum sd_status find_relays(struct writer *w, struct sd_diag *diag)
{
	w->relay = SD_NEW(w->mem, uint32_t, w->plan->stream_count);
	if (!w->relay)
		return sd_memory_fail(w->mem, diag);
	memset(w->relay, 0xff, w->plan->stream_count * sizeof(*w->relay));
	for (uint32_t n = w->graph->node_count; n < w->plan->node_count; n++) {
		if (w->plan->node[n].stream >= 0 && (uint32_t)w->plan->node[n].stream < w->plan->stream_count)
			w->relay[w->plan->node[n].stream] = n;
	}
	return SD_OK;
}

static bool runs_on(const struct sd_plan *plan, uint32_t node, uint32_t stream)
{
	const struct sd_placement *at = &plan->node[node];

	if (at->stream == (int32_t)stream)
		return true;
	for (uint32_t i = 0; i < at->attached_count; i++) {
		if (plan->attached_stream[at->attached_first + i] == (int32_t)stream)
			return true;
	}
	return false;
}

/* The launch of the node on that stream; the stream's head where it launches nothing there. */
static void put_place(struct writer *w, uint32_t node, uint32_t stream)
{
	uint32_t relay = stream < w->plan->stream_count ? w->relay[stream] : SD_NO_NODE;

	if (relay != SD_NO_NODE && w->plan->inserted[relay - w->graph->node_count] == node)
		node = relay;
	if (node < w->plan->node_count && runs_on(w->plan, node, stream))
		sd_put(w->out, "s%un%u", stream, node);
	else
		sd_put(w->out, "s%u", stream);
}

static void put_ids(struct writer *w, const char *what, const uint32_t *id, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sd_put(w->out, "%s%s %u", i ? ", " : "\\nholds ", what, id[i]);
}

/* Explanations stand by node, but a plan may come from anywhere: of a node only those that stand together are told. */
static enum sd_status find_stories(struct writer *w, struct sd_diag *diag)
{
	if (!w->plan->explained)
		return SD_OK;
	w->story = SD_NEW(w->mem, uint32_t, w->plan->node_count);
	if (!w->story)
		return sd_memory_fail(w->mem, diag);
	for (uint32_t n = 0; n < w->plan->node_count; n++)
		w->story[n] = w->plan->explanation_count;
	for (uint32_t i = w->plan->explanation_count; i-- > 0;) {
		if (w->plan->explanation[i].node < w->plan->node_count)
			w->story[w->plan->explanation[i].node] = i;
	}
	return SD_OK;
}

/* Why the node is there, a line for each decision, shown when somebody points at it. */
static void put_story(struct writer *w, uint32_t node)
{
	struct sd_explained explained = { w->plan, w->graph, w->name };
	struct sd_names names = sd_explained_names(&explained);
	char message[SD_MESSAGE_MAX];

	if (!w->story)
		return;
	sd_put(w->out, ", tooltip=\"");
	for (uint32_t i = w->story[node]; i < w->plan->explanation_count && w->plan->explanation[i].node == node; i++) {
		struct sd_text pass = w->plan->pass_name[w->plan->explanation[i].pass];
		size_t len = sd_explanation_text(&w->plan->explanation[i], &names, message, sizeof(message));

		sd_put(w->out, "%s%.*s: ", i > w->story[node] ? "\\n" : "", (int)pass.len, pass.at);
		sd_put_name(w->out, (struct sd_text){ message, (uint32_t)(len < sizeof(message) ? len : sizeof(message) - 1) }, SPECIAL);
	}
	sd_put(w->out, "\"");
}

static void put_launch(struct writer *w, uint32_t stream, const struct sd_command *command)
{
	const struct sd_placement *at = &w->plan->node[command->arg];

	sd_put(w->out, "    s%un%u [label=\"", stream, command->arg);
	sd_put_name(w->out, w->name[command->arg], SPECIAL);
	if (!command->attached) {
		put_ids(w, "event", w->plan->attached_event + at->event_first, at->event_count);
		put_ids(w, "notify", w->plan->attached_notify + at->notify_first, at->notify_count);
	}
	sd_put(w->out, "\"%s", command->attached ? ", style=dashed" : "");
	if (!command->attached)
		put_story(w, command->arg);
	sd_put(w->out, "];\n");
}

static void put_chain(struct writer *w, uint32_t id)
{
	const struct sd_stream *stream = &w->plan->stream[id];

	sd_put(w->out, "    s%u", id);
	for (uint32_t i = 0; i < stream->command_count; i++) {
		const struct sd_command *command = &w->plan->command[stream->first_command + i];

		if (command->kind == SD_LAUNCH)
			sd_put(w->out, " -> s%un%u", id, command->arg);
	}
	sd_put(w->out, ";\n");
}

/* Second line of a stream's label: launches and syncs on it, and what it is. */
static void put_figures(struct writer *w, const struct sd_stream *stream)
{
	uint32_t launches = 0, activations = 0;

	for (uint32_t i = 0; i < stream->command_count; i++) {
		launches += w->plan->command[stream->first_command + i].kind == SD_LAUNCH;
		activations += w->plan->command[stream->first_command + i].kind == SD_ACTIVATE;
	}
	sd_put(w->out, "\\nlogical %u, %u launches, %u records and waits%s%s%s", stream->logical_id, launches,
	       stream->command_count - launches - activations, stream->attached ? ", attached" : "", stream->huge ? ", huge" : "",
	       stream->initially_active ? "" : ", starts when activated");
}

static enum sd_status put_stream(struct writer *w, uint32_t id, struct sd_diag *diag)
{
	const struct sd_stream *stream = &w->plan->stream[id];
	struct sd_text label;

	if (!sd_label_of(w->mem, w->graph, stream->label_node, &label))
		return sd_memory_fail(w->mem, diag);
	sd_put(w->out, "  subgraph cluster_%u {\n    label=\"stream %u%s", id, id, label.len ? ": " : "");
	sd_put_name(w->out, label, SPECIAL);
	put_figures(w, stream);
	sd_put(w->out, "\";\n%s    s%u [shape=point];\n", stream->initially_active ? "" : "    color=blue;\n", id);
	for (uint32_t i = 0; i < stream->command_count; i++) {
		if (w->plan->command[stream->first_command + i].kind == SD_LAUNCH)
			put_launch(w, id, &w->plan->command[stream->first_command + i]);
	}
	put_chain(w, id);
	sd_put(w->out, "  }\n");
	return SD_OK;
}

static void put_sync(struct writer *w, const struct sd_sync *sync)
{
	sd_put(w->out, "  ");
	put_place(w, sync->record_node, sync->record_stream);
	sd_put(w->out, " -> ");
	put_place(w, sync->wait_node, sync->wait_stream);
	sd_put(w->out, " [style=dashed, label=\"%s %u\", tooltip=\"%s\"];\n",
	       sync->kind == SD_SYNC_NOTIFY ? "notify" : "event", sync->id, causes[sync->cause]);
}

static void put_activation(struct writer *w, const struct sd_activation *activation)
{
	const struct sd_placement *at = &w->plan->node[activation->node];

	for (uint32_t i = 0; i < activation->count; i++) {
		sd_put(w->out, "  ");
		put_place(w, activation->node, at->stream == SD_NO_STREAM ? 0 : (uint32_t)at->stream);
		sd_put(w->out, " -> s%u [style=dotted, color=blue, label=\"activate\"];\n", w->plan->activated[activation->first + i]);
	}
}

enum sd_status sd_plan_write_dot(struct sd_arena *mem, struct sd_emitter *out, const struct sd_plan *plan,
                                 const struct sd_graph *graph, struct sd_diag *diag)
{
	struct writer w = { .mem = mem, .out = out, .plan = plan, .graph = graph, .name = sd_plan_names(mem, graph, plan) };

	if (!w.name)
		return sd_memory_fail(mem, diag);
	SD_TRY(find_relays(&w, diag));
	SD_TRY(find_stories(&w, diag));
	sd_put(out, "digraph \"");
	sd_put_name(out, graph->graph[SD_ROOT].name, SPECIAL);
	sd_put(out, "\" {\n  rankdir=LR;\n  node [shape=box];\n");
	for (uint32_t i = 0; i < plan->stream_count; i++)
		SD_TRY(put_stream(&w, i, diag));
	for (uint32_t i = 0; i < plan->sync_count; i++)
		put_sync(&w, &plan->sync[i]);
	for (uint32_t i = 0; i < plan->activation_count; i++)
		put_activation(&w, &plan->activation[i]);
	sd_put(out, "}\n");
	return SD_OK;
}
