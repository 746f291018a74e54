/* What is told of attached streams, resources, activations, inserted nodes, counts and limits. */
#include "changes.h"

#include "device_limits.h"
#include "streamd/verify.h"

static uint32_t once(const struct trial *t) { return 1; }
static uint32_t each_stream(const struct trial *t) { return t->draft.plan.stream_count; }
static uint32_t each_launch(const struct trial *t) { return t->launched; }
static uint32_t each_entry(const struct trial *t) { return t->draft.plan.attached_count; }
static uint32_t each_resource(const struct trial *t) { return t->draft.plan.attached_event_count + t->draft.plan.attached_notify_count; }
static uint32_t each_notify(const struct trial *t) { return t->draft.plan.notify_count; }
static uint32_t each_activation(const struct trial *t) { return t->draft.plan.activation_count; }
static uint32_t each_inserted(const struct trial *t) { return t->draft.plan.inserted_count; }
static uint32_t once_inserted(const struct trial *t) { return t->draft.plan.inserted_count > 0; }
static uint32_t each_command(const struct trial *t) { return t->draft.plan.command_count; }

static enum effect attached(struct trial *t, uint32_t i)
{
	t->draft.command[draft_launch(&t->draft, t->sequence[i])].attached = 1;
	t->kinds = KIND(PLACEMENT);
	return BREAKS;
}

static enum effect attached_launch_on_its_own(struct trial *t, uint32_t i)
{
	if (!t->draft.command[i].attached)
		return NOT_MADE;
	t->draft.command[i].attached = 0;
	t->kinds = KIND(PLACEMENT);
	return BREAKS;
}

static enum effect attached_to_another_stream(struct trial *t, uint32_t i)
{
	if (t->draft.plan.stream_count < 2)
		return NOT_MADE;
	t->draft.attached_stream[i] = (t->draft.attached_stream[i] + 1) % (int32_t)t->draft.plan.stream_count;
	t->kinds = KIND(PLACEMENT);
	return BREAKS;
}

static enum effect attached_to_another_logical_stream(struct trial *t, uint32_t i)
{
	if (t->draft.attached_stream[i] == SD_NO_STREAM)
		t->draft.attached_logical[i] = (int32_t)t->draft.plan.main_stream_count - 1;
	else
		t->draft.attached_logical[i]++;
	t->kinds = KIND(PLACEMENT);
	return BREAKS;
}

static enum effect attached_is_not_told(struct trial *t, uint32_t i)
{
	t->draft.stream[i].attached = !t->draft.stream[i].attached;
	t->kinds = KIND(COUNT);
	return BREAKS;
}

/* A number that no resource has, or that a sync has. */
static enum effect resource_misnumbered(struct trial *t, uint32_t i)
{
	const struct sd_plan *p = &t->draft.plan;
	bool event = i < p->attached_event_count;
	uint32_t *id = event ? &t->draft.attached_event[i] : &t->draft.attached_notify[i - p->attached_event_count];
	uint32_t syncs = t->draft.numbered[event ? SD_SYNC_EVENT : SD_SYNC_NOTIFY];

	*id = syncs > 0 ? 0 : event ? p->event_count : p->notify_count; /* syncs are numbered first */
	t->kinds = KIND(DENSE);
	return BREAKS;
}

static enum effect notify_of_another_type(struct trial *t, uint32_t i)
{
	t->draft.notify_type[i]++;
	t->kinds = KIND(COUNT) | KIND(PLACEMENT);
	return BREAKS;
}

static enum effect in_another_body(struct trial *t, uint32_t i)
{
	uint32_t graphs = t->request.graph.graph_count;

	t->draft.command[i].in = graphs == 1 ? 1 : (t->draft.command[i].in + 1 + i % (graphs - 1)) % graphs;
	t->kinds = KIND(COMMAND) | (graphs > 1 ? KIND(PAIRING) : 0);
	return BREAKS;
}

static enum effect without_meaning(struct trial *t, uint32_t i)
{
	t->draft.command[i].kind = SD_ACTIVATE + 1;
	t->kinds = KIND(COMMAND);
	return BREAKS;
}

static enum effect not_active_at_first(struct trial *t, uint32_t i)
{
	if (!t->draft.stream[i].initially_active)
		return NOT_MADE;
	t->draft.stream[i].initially_active = false;
	t->kinds = KIND(DEADLOCK);
	return BREAKS;
}

static enum effect active_at_first(struct trial *t, uint32_t i)
{
	if (t->draft.stream[i].initially_active)
		return NOT_MADE;
	t->draft.stream[i].initially_active = true;
	t->kinds = KIND(COMMAND);
	return BREAKS;
}

/* The stream that an activation lists last is taken off the list; what it counts as is told truly. */
static enum effect not_activated(struct trial *t, uint32_t i)
{
	struct sd_activation *activation = &t->draft.activation[i];
	uint32_t node = activation->node;

	activation->count--;
	t->draft.stream[t->draft.node[node].stream].task_count--;
	t->kinds = KIND(COMMAND) | KIND(DEADLOCK) | KIND(COUNT);
	return BREAKS;
}

static enum effect activated_by_another(struct trial *t, uint32_t i)
{
	struct sd_activation *activation = &t->draft.activation[i];

	activation->node = (activation->node + 1) % t->draft.plan.node_count;
	t->kinds = KIND(COMMAND) | KIND(DEADLOCK);
	return BREAKS;
}

static enum effect inserted_behind_another(struct trial *t, uint32_t i)
{
	uint32_t real = t->draft.plan.node_count - t->draft.plan.inserted_count;

	t->draft.inserted[i] = (t->draft.inserted[i] + 1) % real;
	t->kinds = KIND(COUNT) | KIND(COMMAND) | KIND(PAIRING);
	return BREAKS;
}

static enum effect inserted_left_out(struct trial *t, uint32_t i)
{
	t->draft.plan.node_count--;
	t->draft.plan.inserted_count--;
	t->kinds = KIND(COUNT) | KIND(COMMAND) | KIND(PLACEMENT) | KIND(PAIRING);
	return BREAKS;
}

static bool asked_to_activate(const struct trial *t, uint32_t node)
{
	const struct sd_graph *graph = &t->request.graph;

	return node >= graph->node_count || sd_graph_has(graph, node, SD_ATTR_ACTIVE_LABEL_LIST) ||
	       sd_graph_has(graph, node, SD_ATTR_IS_LOOP_ACTIVE) || sd_graph_has(graph, node, SD_ATTR_SUBGRAPH_FIRST_ACTIVE);
}

/* A node that nobody asked to activates a stream that starts with the model anyway. */
static enum effect activated(struct trial *t, uint32_t i)
{
	struct draft *d = &t->draft;
	uint32_t node = t->sequence[0];
	struct sd_stream *home = &d->stream[d->node[node].stream];

	if (t->launched == 0 || asked_to_activate(t, node))
		return NOT_MADE;
	d->command[d->plan.command_count] = (struct sd_command){ .kind = SD_ACTIVATE, .arg = d->plan.activation_count };
	draft_move(d, d->plan.command_count, draft_launch(d, node) + 1);
	d->plan.command_count++;
	home->command_count++;
	for (struct sd_stream *s = home + 1; s < d->stream + d->plan.stream_count; s++)
		s->first_command++;
	d->activation[d->plan.activation_count++] = (struct sd_activation){ .node = node, .first = d->plan.activated_count, .count = 1 };
	d->activated[d->plan.activated_count++] = i;
	t->kinds = KIND(COMMAND);
	return BREAKS;
}

static enum effect tasks_miscounted(struct trial *t, uint32_t i)
{
	t->draft.stream[i / 2].task_count += i % 2 ? 1 : -1;
	t->kinds = KIND(COUNT);
	return BREAKS;
}

static uint32_t each_stream_twice(const struct trial *t) { return 2 * t->draft.plan.stream_count; }

#define COUNTS 10u

static uint32_t each_count_twice(const struct trial *t) { return 2 * COUNTS; }

static enum effect count_wrong(struct trial *t, uint32_t i)
{
	struct sd_plan *p = &t->draft.plan;
	uint32_t *const count[COUNTS] = {
		&p->node_count, &p->logical_stream_count, &p->main_stream_count, &p->attached_stream_count, &p->stream_count,
		&p->event_count, &p->notify_count, &p->command_count, &p->sync_count, &p->summary_count,
	};

	if (i % 2 == 0 && *count[i / 2] == 0)
		return NOT_MADE;
	*count[i / 2] += i % 2 ? 1 : UINT32_MAX;
	t->kinds = KIND(COUNT) | KIND(DENSE) | KIND(DEADLOCK) | KIND(PAIRING);
	/* A plan without any summary is whole. */
	return count[i / 2] == &p->summary_count && p->summary_count == 0 ? KEEPS : BREAKS;
}

static enum effect limit_lowered(struct trial *t, int64_t have, int64_t *limit, bool *stated)
{
	/* Below 1 there is no limit: 0 means none. */
	if (have < 2)
		return NOT_MADE;
	*limit = have - 1;
	*stated = true;
	t->kinds = KIND(LIMIT);
	return BREAKS;
}

static enum effect too_many_streams(struct trial *t, uint32_t i)
{
	struct sd_limits *limits = &t->request.device.limits;

	return limit_lowered(t, t->draft.plan.stream_count, &limits->max_streams, &limits->has_max_streams);
}

static enum effect too_many_events(struct trial *t, uint32_t i)
{
	struct sd_limits *limits = &t->request.device.limits;

	return limit_lowered(t, t->draft.plan.event_count, &limits->max_events, &limits->has_max_events);
}

static enum effect too_many_tasks(struct trial *t, uint32_t i)
{
	struct sd_limits *limits = &t->request.device.limits;
	const struct sd_stream *stream = &t->draft.stream[i];
	uint32_t launches = 0;
	struct sd_limit_set resolved;

	if (sd_limits_resolve(&t->request.device, &resolved, NULL) != SD_OK || resolved.unlimited_depth)
		return NOT_MADE;
	for (uint32_t c = stream->first_command; c < stream->first_command + stream->command_count; c++)
		launches += t->draft.command[c].kind == SD_LAUNCH;
	if (launches < 2 || t->request.graph.graph[SD_ROOT].dynamic)
		return NOT_MADE;
	if (stream->huge)
		return limit_lowered(t, stream->task_count, &limits->max_tasks_per_huge_stream, &limits->has_max_tasks_per_huge_stream);
	return limit_lowered(t, stream->task_count, &limits->max_tasks_per_stream, &limits->has_max_tasks_per_stream);
}

const struct change table_changes[] = {
	CHANGE(attached, each_launch), CHANGE(attached_launch_on_its_own, each_command), CHANGE(attached_to_another_stream, each_entry),
	CHANGE(attached_to_another_logical_stream, each_entry), CHANGE(attached_is_not_told, each_stream),
	CHANGE(resource_misnumbered, each_resource), CHANGE(notify_of_another_type, each_notify),
	CHANGE(in_another_body, each_command), CHANGE(without_meaning, each_command),
	CHANGE(not_active_at_first, each_stream), CHANGE(active_at_first, each_stream), CHANGE(not_activated, each_activation),
	CHANGE(activated_by_another, each_activation), CHANGE(inserted_behind_another, each_inserted), CHANGE(inserted_left_out, once_inserted),
	CHANGE(activated, each_stream),
	CHANGE(tasks_miscounted, each_stream_twice), CHANGE(count_wrong, each_count_twice),
	CHANGE(too_many_streams, once), CHANGE(too_many_events, once), CHANGE(too_many_tasks, each_stream),
};
const uint32_t table_change_count = sizeof(table_changes) / sizeof(table_changes[0]);
