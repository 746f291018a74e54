#include "changes.h"

#include "base/check.h"
#include "device_limits.h"
#include "streamd/verify.h"

#define ADDED_SYNCS 48u /* tries a plan */

/* The launch in front of (step -1) or behind (step 1) that of `node` on this stream; SD_NO_NODE if there is none. */
static uint32_t neighbour(const struct draft *d, uint32_t node, uint32_t on, int step)
{
	const struct sd_stream *stream = &d->stream[on];
	uint32_t at = draft_launch_on(d, node, on);

	for (uint32_t c = at + (uint32_t)step; at != UINT32_MAX &&
	     c >= stream->first_command && c < stream->first_command + stream->command_count; c += (uint32_t)step) {
		if (d->command[c].kind == SD_LAUNCH)
			return d->command[c].arg;
	}
	return SD_NO_NODE;
}

static uint32_t find_command(const struct draft *d, uint32_t sync, bool wait)
{
	bool notify = d->sync[sync].kind == SD_SYNC_NOTIFY;
	uint8_t kind = notify ? (wait ? SD_NOTIFY_WAIT : SD_NOTIFY_RECORD) : (wait ? SD_WAIT : SD_RECORD);

	for (uint32_t c = 0; c < d->plan.command_count; c++) {
		if (d->command[c].kind == kind && d->command[c].arg == d->sync[sync].id)
			return c;
	}
	return UINT32_MAX;
}

static uint32_t once(const struct trial *t) { return 1; }
static uint32_t each_sync(const struct trial *t) { return t->draft.plan.sync_count; }
static uint32_t each_launch(const struct trial *t) { return t->launched; }
static uint32_t each_resource(const struct trial *t) { return t->draft.plan.attached_event_count + t->draft.plan.attached_notify_count; }

static enum effect no_commands(struct trial *t, uint32_t i)
{
	struct sd_plan *p = &t->draft.plan;

	for (uint32_t s = 0; s < p->stream_count; s++)
		t->draft.stream[s].first_command = t->draft.stream[s].command_count = 0, t->draft.stream[s].task_count = 0;
	p->command_count = p->sync_count = p->event_count = p->notify_count = 0;
	t->kinds = KIND(PLACEMENT) | KIND(COUNT) | KIND(DENSE);
	return t->launched > 0 || each_resource(t) > 0 ? BREAKS : KEEPS;
}

static enum effect commands_on_one_stream(struct trial *t, uint32_t i)
{
	struct draft moved = t->draft;

	if (t->launched == 0)
		return NOT_MADE;
	draft_single(t->mem, &moved, t->sequence, t->launched);
	/* Only the commands: the tables still tell of all streams. */
	t->draft.command = moved.command;
	t->draft.plan.command = moved.command;
	t->draft.plan.command_count = moved.plan.command_count;
	t->draft.plan.sync_count = t->draft.plan.event_count = t->draft.plan.notify_count = 0;
	for (uint32_t s = 0; s < t->draft.plan.stream_count; s++) {
		t->draft.stream[s].first_command = s ? t->launched : 0;
		t->draft.stream[s].command_count = s ? 0 : t->launched;
	}
	t->kinds = KIND(PLACEMENT) | KIND(COUNT) | KIND(DENSE) | KIND(COMMAND);
	return t->draft.plan.stream_count > 1 ? BREAKS : NOT_MADE;
}

/* Then a single stream is not all that is asked for. */
static bool has_more(const struct trial *t)
{
	return t->draft.plan.attached_stream_count > 0 || t->draft.plan.attached_count > 0 || each_resource(t) > 0 || t->draft.plan.activation_count > 0;
}

/* Whether the first stream holds more than the device takes. */
static bool is_too_long(const struct trial *t)
{
	struct sd_limit_set limits;

	SD_REQUIRE(sd_limits_resolve(&t->request.device, &limits, NULL) == SD_OK);
	if (t->draft.stream[0].huge)
		limits.max_tasks_per_stream = limits.max_tasks_per_huge_stream;
	return limits.max_tasks_per_stream > 0 && !limits.unlimited_depth && !t->request.graph.graph[SD_ROOT].dynamic &&
	       t->draft.stream[0].task_count > limits.max_tasks_per_stream &&
	       (t->launched > 1 || t->request.options.compat == SD_NATIVE);
}

/* All on one stream, in an order that the edges allow: then no sync is missing, and only
 * the length of the stream may be wrong. */
static enum effect one_stream(struct trial *t, uint32_t i)
{
	if (t->draft.plan.stream_count == 0 || t->launched == 0 || has_more(t))
		return NOT_MADE;
	draft_single(t->mem, &t->draft, t->sequence, t->launched);
	t->kinds = KIND(LIMIT);
	return is_too_long(t) ? BREAKS : KEEPS;
}

static enum effect one_stream_backwards(struct trial *t, uint32_t i)
{
	uint32_t *order = SD_NEW(t->mem, uint32_t, t->launched + 1);

	if (t->draft.plan.stream_count == 0 || !t->ordered || has_more(t))
		return NOT_MADE;
	for (uint32_t k = 0; k < t->launched; k++)
		order[k] = t->sequence[t->launched - 1 - k];
	draft_single(t->mem, &t->draft, order, t->launched);
	t->kinds = is_too_long(t) ? KIND(LIMIT) : KIND(UNORDERED);
	return BREAKS;
}

static enum effect sync_removed(struct trial *t, uint32_t i)
{
	draft_drop_sync(t->mem, &t->draft, i);
	t->kinds = KIND(UNORDERED) | KIND(LANE);
	return BREAKS;
}

static uint32_t mix(uint32_t value)
{
	value = (value ^ 61u ^ (value >> 16)) * 9u;
	value = (value ^ (value >> 4)) * 0x27d4eb2du;
	return value ^ (value >> 15);
}

static uint32_t some_syncs(const struct trial *t) { return t->launched > 1 ? ADDED_SYNCS : 0; }

/* Any launch of the plan, on attached streams too. */
static void choose_launch(const struct trial *t, uint32_t seed, uint32_t *node, uint32_t *stream)
{
	const struct draft *d = &t->draft;
	uint32_t c = mix(seed) % d->plan.command_count;

	while (d->command[c].kind != SD_LAUNCH)
		c = (c + 1) % d->plan.command_count;
	*node = d->command[c].arg;
	*stream = 0;
	while (c >= d->stream[*stream].first_command + d->stream[*stream].command_count)
		++*stream;
}

/* A StreamSwitch that starts a stream leaves its own: nothing can be recorded behind it. */
static bool leaves(const struct trial *t, uint32_t node)
{
	const struct sd_graph *graph = &t->request.graph;
	bool starts = false;

	for (uint32_t i = 0; i < t->draft.plan.activation_count; i++)
		starts |= t->draft.activation[i].node == node;
	return starts && node < graph->node_count && sd_text_is(graph->string[graph->op_type[node]], "StreamSwitch");
}

/* Of a kind and cause that these two ends may have. */
static void give_cause(const struct trial *t, struct sd_sync *sync)
{
	const struct sd_stream *stream = t->draft.stream;
	bool attached = stream[sync->record_stream].attached || stream[sync->wait_stream].attached;

	sync->cause = attached ? SD_CAUSE_ATTACHED : SD_CAUSE_DATA;
	sync->kind = attached || t->request.options.event == SD_EVENT ? SD_SYNC_EVENT : SD_SYNC_NOTIFY;
}

static enum effect sync_added(struct trial *t, uint32_t i)
{
	struct sd_sync sync = { .id = 0 };

	choose_launch(t, 2 * i + 1, &sync.record_node, &sync.record_stream);
	choose_launch(t, 2 * i + 2, &sync.wait_node, &sync.wait_stream);
	if (leaves(t, sync.record_node) && !t->draft.stream[sync.record_stream].attached)
		return NOT_MADE;
	sync.record_node = draft_stands_for(&t->draft, sync.record_node);
	for (uint32_t y = 0; y < t->draft.plan.sync_count; y++) {
		const struct sd_sync *there = &t->draft.sync[y];

		if (there->record_node == sync.record_node && there->record_stream == sync.record_stream &&
		    there->wait_node == sync.wait_node && there->wait_stream == sync.wait_stream)
			return NOT_MADE;
	}
	if (sync.record_node == sync.wait_node && sync.record_stream == sync.wait_stream)
		return NOT_MADE;
	give_cause(t, &sync);
	draft_add_sync(t->mem, &t->draft, sync, t->listed);
	t->kinds = KIND(REDUNDANT) | KIND(UNNEEDED) | KIND(DEADLOCK);
	return BREAKS;
}

/* The set of syncs is the only smallest one: any of them at another launch leaves an order
 * unkept, or makes one that nobody asked for. */
static enum effect sync_at_neighbour(struct trial *t, uint32_t i, bool wait, int step)
{
	struct sd_sync sync = t->draft.sync[i];
	uint32_t *end = wait ? &sync.wait_node : &sync.record_node;
	bool weaker = wait ? step > 0 : step < 0;

	*end = neighbour(&t->draft, *end, wait ? sync.wait_stream : sync.record_stream, step);
	if (*end == SD_NO_NODE || (!wait && leaves(t, *end)))
		return NOT_MADE;
	if (sync.cause == SD_CAUSE_COVER)
		sync.cause = SD_CAUSE_ATTACHED;
	draft_drop_sync(t->mem, &t->draft, i);
	draft_add_sync(t->mem, &t->draft, sync, t->listed);
	t->kinds = weaker ? KIND(UNORDERED) | KIND(LANE) : KIND(UNNEEDED) | KIND(REDUNDANT) | KIND(DEADLOCK);
	return BREAKS;
}

static enum effect record_at_launch_before(struct trial *t, uint32_t i) { return sync_at_neighbour(t, i, false, -1); }
static enum effect record_at_launch_behind(struct trial *t, uint32_t i) { return sync_at_neighbour(t, i, false, 1); }
static enum effect wait_at_launch_before(struct trial *t, uint32_t i) { return sync_at_neighbour(t, i, true, -1); }
static enum effect wait_at_launch_behind(struct trial *t, uint32_t i) { return sync_at_neighbour(t, i, true, 1); }

static enum effect record_in_front_of_launch(struct trial *t, uint32_t i)
{
	const struct sd_sync *sync = &t->draft.sync[i];
	uint32_t launch = draft_launch_on(&t->draft, sync->record_node, sync->record_stream);

	/* At the head of a stream it is there already. */
	if (launch == UINT32_MAX)
		return NOT_MADE;
	draft_move(&t->draft, find_command(&t->draft, i, false), launch);
	t->kinds = KIND(COMMAND) | KIND(PAIRING);
	return BREAKS;
}

static enum effect wait_behind_launch(struct trial *t, uint32_t i)
{
	const struct sd_sync *sync = &t->draft.sync[i];

	draft_move(&t->draft, find_command(&t->draft, i, true), draft_launch_on(&t->draft, sync->wait_node, sync->wait_stream));
	t->kinds = KIND(COMMAND) | KIND(PAIRING);
	return BREAKS;
}

static enum effect record_on_another_stream(struct trial *t, uint32_t i)
{
	t->draft.sync[i].record_stream = t->draft.sync[i].wait_stream;
	t->kinds = KIND(PAIRING);
	return BREAKS;
}

static enum effect wait_for_another_record(struct trial *t, uint32_t i)
{
	uint32_t c = find_command(&t->draft, i, true);

	t->draft.command[c].arg++;
	t->kinds = KIND(PAIRING) | KIND(COMMAND);
	return BREAKS;
}

static enum effect number_left_out(struct trial *t, uint32_t i)
{
	bool notify = t->draft.sync[i].kind == SD_SYNC_NOTIFY;
	uint32_t *count = notify ? &t->draft.plan.notify_count : &t->draft.plan.event_count;
	uint32_t record = find_command(&t->draft, i, false), wait = find_command(&t->draft, i, true);

	t->draft.command[record].arg = t->draft.command[wait].arg = t->draft.sync[i].id = (*count)++;
	t->kinds = KIND(DENSE);
	return BREAKS;
}

static bool is_label(const struct trial *t, uint32_t node)
{
	const struct sd_graph *graph = &t->request.graph;

	return node < graph->node_count && sd_text_is(graph->string[graph->op_type[node]], "LabelSet");
}

static enum effect launches_swapped(struct trial *t, uint32_t i)
{
	uint32_t other = t->sequence[(i + 1) % t->launched], node = t->sequence[i];
	uint32_t here = draft_launch(&t->draft, node), there = draft_launch(&t->draft, other);

	if (t->draft.node[node].stream == t->draft.node[other].stream)
		return NOT_MADE;
	t->draft.command[here].arg = other;
	t->draft.command[there].arg = node;
	t->kinds = KIND(PLACEMENT);
	if (is_label(t, node) || is_label(t, other))
		t->kinds |= KIND(COMMAND); /* of a stream that begins with it now, or no longer: then nothing else is looked at */
	return BREAKS;
}

static enum effect placed_on_another_stream(struct trial *t, uint32_t i)
{
	struct sd_placement *place = &t->draft.node[t->sequence[i]];

	if (t->draft.plan.stream_count < 2)
		return NOT_MADE;
	place->stream = (place->stream + 1) % (int32_t)t->draft.plan.stream_count;
	t->kinds = KIND(PLACEMENT) | KIND(COUNT); /* of the stream of an inserted node */
	return BREAKS;
}

static enum effect not_placed(struct trial *t, uint32_t i)
{
	t->draft.node[t->sequence[i]].stream = SD_NO_STREAM;
	t->kinds = KIND(PLACEMENT) | KIND(COUNT); /* of the stream of an inserted node */
	return BREAKS;
}

static enum effect launched_twice(struct trial *t, uint32_t i)
{
	uint32_t other = t->sequence[(i + 1) % t->launched];

	if (t->launched < 2)
		return NOT_MADE;
	t->draft.command[draft_launch(&t->draft, other)].arg = t->sequence[i];
	t->kinds = KIND(PLACEMENT) | KIND(PAIRING) | KIND(COMMAND); /* of the launch that is gone, and what it activates */
	return BREAKS;
}

static enum effect sync_of_the_other_kind(struct trial *t, uint32_t i)
{
	struct sd_sync sync = t->draft.sync[i];

	sync.kind = sync.kind == SD_SYNC_EVENT ? SD_SYNC_NOTIFY : SD_SYNC_EVENT;
	draft_drop_sync(t->mem, &t->draft, i);
	draft_add_sync(t->mem, &t->draft, sync, t->listed);
	t->kinds = KIND(PAIRING);
	return BREAKS;
}

const struct change sync_changes[] = {
	CHANGE(no_commands, once), FLAT_CHANGE(commands_on_one_stream, once), FLAT_CHANGE(one_stream, once), FLAT_CHANGE(one_stream_backwards, once),
	FLAT_CHANGE(sync_removed, each_sync), FLAT_CHANGE(sync_added, some_syncs),
	FLAT_CHANGE(record_at_launch_before, each_sync), FLAT_CHANGE(record_at_launch_behind, each_sync),
	FLAT_CHANGE(wait_at_launch_before, each_sync), FLAT_CHANGE(wait_at_launch_behind, each_sync),
	FLAT_CHANGE(record_in_front_of_launch, each_sync), FLAT_CHANGE(wait_behind_launch, each_sync),
	FLAT_CHANGE(record_on_another_stream, each_sync), FLAT_CHANGE(wait_for_another_record, each_sync), FLAT_CHANGE(number_left_out, each_sync),
	FLAT_CHANGE(sync_of_the_other_kind, each_sync),
	CHANGE(launches_swapped, each_launch), CHANGE(placed_on_another_stream, each_launch), CHANGE(not_placed, each_launch),
	CHANGE(launched_twice, each_launch),
};
const uint32_t sync_change_count = sizeof(sync_changes) / sizeof(sync_changes[0]);

const struct change *change_at(uint32_t i)
{
	if (i < sync_change_count)
		return &sync_changes[i];
	return i - sync_change_count < table_change_count ? &table_changes[i - sync_change_count] : NULL;
}
