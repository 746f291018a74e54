/* Command lists cut into slots: waits, launch, activation, records, in this order.
 *
 * Also finds for every sync its two commands, and that every launched node is launched
 * once on each of its streams. */
#include "verify_pairs.h"

struct cutter {
	struct sd__judge *judge;
	struct sd__pairs pairs;
	uint32_t stream;
	uint32_t slot;              /* being filled, or next to come */
	uint32_t waits;             /* seen in front of the launch to come */
	uint32_t waiting;           /* node that their syncs name; SD_NO_NODE: none, or no bodies */
	bool behind_launch;
	uint8_t *activated;         /* by activation */
	int64_t tasks;              /* of the stream so far */
};

static void fault(struct cutter *cutter, enum sd_violation_kind kind, const char *detail, uint32_t node, int64_t id)
{
	sd__violate(cutter->judge->verdict, kind, detail, node, SD_NO_NODE, cutter->stream, id);
}

/* Events stand before notifies, each by number. */
static bool ascends(const struct sd_command *before, const struct sd_command *behind)
{
	if (sd__kind_of(before) != sd__kind_of(behind))
		return sd__kind_of(before) == SD_SYNC_EVENT;
	return before->arg < behind->arg;
}

static void check_neighbours(struct cutter *cutter, uint32_t c, bool first)
{
	const struct sd_command *command = &cutter->judge->plan->command[c];

	if (!first && !ascends(command - 1, command))
		fault(cutter, SD_VIOLATION_COMMAND, "records and waits do not stand in the order of their numbers", SD_NO_NODE, command->arg);
}

/* The sync that a record or wait of the slot at hand is told by; SD__NONE: by none. */
static uint32_t told_by(struct cutter *cutter, const struct sd_command *command, uint32_t node)
{
	if (cutter->judge->events_shared && sd__kind_of(command) == SD_SYNC_EVENT)
		return sd__shared_find(cutter->judge, command->arg, cutter->stream, node, sd__is_wait(command));
	return sd__pairs_find(&cutter->pairs, cutter->stream, command);
}

/* Gives a record or wait to the sync that tells of it. */
static void pair(struct cutter *cutter, uint32_t c)
{
	struct sd__judge *judge = cutter->judge;
	const struct sd_plan *plan = judge->plan;
	const struct sd_command *command = &plan->command[c];
	enum sd_sync_kind kind = sd__kind_of(command);
	bool waits = sd__is_wait(command);
	uint32_t node = judge->slot[cutter->slot].node;
	uint32_t y = told_by(cutter, command, waits ? node : sd__stands_for(judge, node));
	uint32_t *end;

	if (command->in != (waits ? judge->slot[cutter->slot].wait_in : judge->slot[cutter->slot].run_in))
		fault(cutter, SD_VIOLATION_COMMAND, "a record or wait belongs to another graph than its launch", node, command->arg);
	if (y == SD__NONE) {
		fault(cutter, SD_VIOLATION_PAIRING, "a command is told by no sync", node, command->arg);
		return;
	}
	end = waits ? &judge->wait_slot[y] : &judge->record_slot[y];
	if ((waits ? plan->sync[y].wait_stream : plan->sync[y].record_stream) != cutter->stream ||
	    (waits ? plan->sync[y].wait_node : plan->sync[y].record_node) != (waits ? node : sd__stands_for(judge, node)))
		fault(cutter, SD_VIOLATION_PAIRING, waits ? "a wait does not stand in front of the launch that its sync names"
		                                          : "a record does not stand behind the launch that its sync names",
		      node, command->arg);
	else if (*end != SD__NONE)
		fault(cutter, SD_VIOLATION_PAIRING, waits ? "a sync is waited for twice" : "a sync is recorded twice", node, command->arg);
	else
		*end = cutter->slot;
	judge->sync_of[c] = y;
	cutter->tasks = sd__tasks_add(cutter->tasks, waits && kind == SD_SYNC_EVENT ? 2 : 1);
}

/* One launch serves all entries of the node's attached streams that are this stream. False if it was launched there before, or none is. */
static bool take_entries(struct cutter *cutter, const struct sd_placement *place)
{
	struct sd__judge *judge = cutter->judge;
	bool taken = false;

	for (uint32_t i = place->attached_first; i < place->attached_first + place->attached_count; i++) {
		if (judge->plan->attached_stream[i] != (int64_t)cutter->stream)
			continue;
		if (!taken && judge->attached_slot[i] != SD__NONE)
			return false;
		judge->attached_slot[i] = cutter->slot;
		taken = true;
	}
	return taken;
}

static void note_launch(struct cutter *cutter, const struct sd_command *command)
{
	struct sd__judge *judge = cutter->judge;
	const struct sd_placement *place = &judge->plan->node[command->arg];

	if (command->in != judge->graph->graph_of[command->arg])
		fault(cutter, SD_VIOLATION_COMMAND, "a launch belongs to another graph than its node", command->arg, -1);
	if (command->attached) {
		if (!take_entries(cutter, place))
			fault(cutter, SD_VIOLATION_PLACEMENT, "it is launched on an attached stream that it does not have, or twice", command->arg, -1);
	} else if (place->stream != (int64_t)cutter->stream) {
		fault(cutter, SD_VIOLATION_PLACEMENT, "it is launched on another stream than it is placed on", command->arg, place->stream);
	} else if (judge->main_slot[command->arg] != SD__NONE) {
		fault(cutter, SD_VIOLATION_PLACEMENT, "it is launched twice", command->arg, -1);
	} else {
		judge->main_slot[command->arg] = cutter->slot;
	}
	cutter->tasks = sd__tasks_add(cutter->tasks, sd__launch_tasks(judge, command->arg, command->attached));
}

/* The waits that end in front of command `c` are those of the slot at hand. */
static void pair_waits(struct cutter *cutter, uint32_t c)
{
	for (uint32_t w = c - cutter->waits; w < c; w++) {
		check_neighbours(cutter, w, w == c - cutter->waits);
		pair(cutter, w);
	}
	cutter->waits = 0;
	cutter->waiting = SD_NO_NODE;
}

/* What a node with bodies waits for, or tells, on a stream of theirs. */
static void open_group(struct cutter *cutter, uint32_t node, uint32_t first, uint32_t in)
{
	cutter->slot += cutter->behind_launch;
	cutter->behind_launch = true;
	cutter->judge->slot[cutter->slot] = (struct sd__slot){
		.node = node, .stream = cutter->stream, .launch = SD__NONE, .group = true, .run_in = in, .wait_in = in,
		.wait_first = first, .wait_count = cutter->waits, .record_first = first + cutter->waits, .activation = SD__NONE,
	};
}

/* Waits in front of command `c` that are those of a group end here. */
static void close_waits(struct cutter *cutter, uint32_t c)
{
	if (cutter->waits == 0 || !sd__has_groups(cutter->judge, cutter->waiting))
		return;
	open_group(cutter, cutter->waiting, c - cutter->waits, cutter->judge->plan->command[c - 1].in);
	pair_waits(cutter, c);
}

static uint32_t place_of(const struct sd__judge *judge, uint32_t n)
{
	return judge->rank ? judge->rank[n] : n;
}

static void take_launch(struct cutter *cutter, uint32_t c)
{
	struct sd__judge *judge = cutter->judge;
	const struct sd_command *command = &judge->plan->command[c];

	if (cutter->behind_launch)
		cutter->slot++;
	cutter->behind_launch = true;
	if (command->arg >= judge->plan->node_count) {
		fault(cutter, SD_VIOLATION_COMMAND, "a launch names no node", SD_NO_NODE, command->arg);
		cutter->behind_launch = false;
		cutter->waits = 0;
		return;
	}
	judge->slot[cutter->slot] = (struct sd__slot){
		.node = command->arg, .stream = cutter->stream, .launch = c, .wait_first = c - cutter->waits, .wait_count = cutter->waits,
		.run_in = sd__run_in(judge, command->arg), .wait_in = sd__wait_in(judge, command->arg),
		.record_first = c + 1, .activation = SD__NONE,
	};
	if (cutter->slot > judge->slot_first[cutter->stream] && place_of(judge, judge->slot[cutter->slot - 1].node) > place_of(judge, command->arg))
		judge->launched_in_order = false;
	note_launch(cutter, command);
	pair_waits(cutter, c);
}

static void take_activation(struct cutter *cutter, uint32_t c)
{
	struct sd__judge *judge = cutter->judge;
	const struct sd_command *command = &judge->plan->command[c];
	struct sd__slot *slot = &judge->slot[cutter->slot];

	if (!cutter->behind_launch || slot->launch == SD__NONE || slot->launch + 1 != c || judge->plan->command[slot->launch].attached) {
		fault(cutter, SD_VIOLATION_COMMAND, "an activation does not directly follow a launch", SD_NO_NODE, command->arg);
	} else if (command->arg >= judge->plan->activation_count || judge->plan->activation[command->arg].node != slot->node ||
	           cutter->activated[command->arg] || command->in != judge->plan->command[slot->launch].in) {
		fault(cutter, SD_VIOLATION_COMMAND, "an activation is not told as the node's, or done twice", slot->node, command->arg);
	} else {
		cutter->activated[command->arg] = 1;
		slot->activation = command->arg;
		slot->record_first = c + 1;
		/* The launch is the first activation's task. */
		cutter->tasks = sd__tasks_add(cutter->tasks, (int64_t)judge->plan->activation[command->arg].count - 1);
	}
}

/* A record in front of every launch: a StreamSwitch tells from the stream that it starts. */
static void take_head(struct cutter *cutter, uint32_t c)
{
	struct sd__judge *judge = cutter->judge;
	const struct sd_command *command = &judge->plan->command[c];
	bool shared = judge->events_shared && sd__kind_of(command) == SD_SYNC_EVENT;
	uint32_t y = shared ? sd__shared_head(judge, command->arg, cutter->stream) : sd__pairs_find(&cutter->pairs, cutter->stream, command), node;

	node = y == SD__NONE ? SD_NO_NODE : judge->plan->sync[y].record_node;
	if (y == SD__NONE || cutter->slot != judge->slot_first[cutter->stream] || !sd__is_switch(judge, node)) {
		fault(cutter, SD_VIOLATION_COMMAND, "a record stands in front of every launch", SD_NO_NODE, command->arg);
		return;
	}
	judge->slot[cutter->slot] = (struct sd__slot){
		.node = node, .stream = cutter->stream, .launch = SD__NONE, .run_in = sd__run_in(judge, node), .wait_in = sd__wait_in(judge, node),
		.record_first = c, .activation = SD__NONE,
	};
	cutter->behind_launch = true;
}

/* A StreamSwitch that starts a stream goes on there, and a StreamSwitchN on one of those that it starts. */
static bool has_left(const struct cutter *cutter)
{
	const struct sd__slot *slot = &cutter->judge->slot[cutter->slot];

	return slot->activation != SD__NONE && sd__leaves(cutter->judge, slot->node);
}

static void take_wait(struct cutter *cutter, uint32_t c)
{
	const struct sd__judge *judge = cutter->judge;
	const struct sd_command *command = &judge->plan->command[c];
	uint32_t y = judge->scopes.bodies ? sd__pairs_find(&cutter->pairs, cutter->stream, command) : SD__NONE;
	uint32_t node = y == SD__NONE ? SD_NO_NODE : judge->plan->sync[y].wait_node;

	if (cutter->waits > 0 && (cutter->waiting != node || command->in != command[-1].in))
		close_waits(cutter, c);
	cutter->slot += cutter->behind_launch;
	cutter->behind_launch = false;
	cutter->waiting = node;
	cutter->waits++;
}

/* Whether a record that names `node` may be one of the slot at hand. */
static bool tells_here(const struct cutter *cutter, uint32_t node, uint32_t in)
{
	const struct sd__slot *slot = &cutter->judge->slot[cutter->slot];

	return cutter->behind_launch && sd__stands_for(cutter->judge, slot->node) == node &&
	       (!slot->group || (slot->wait_count == 0 && slot->run_in == in));
}

static void take_record(struct cutter *cutter, uint32_t c)
{
	const struct sd__judge *judge = cutter->judge;
	const struct sd_command *command = &judge->plan->command[c];
	uint32_t y = judge->scopes.bodies ? sd__pairs_find(&cutter->pairs, cutter->stream, command) : SD__NONE;
	uint32_t node = y == SD__NONE ? SD_NO_NODE : judge->plan->sync[y].record_node;

	if (y != SD__NONE && sd__has_groups(judge, node) && !tells_here(cutter, node, command->in))
		open_group(cutter, node, c, command->in);
	else if (!cutter->behind_launch)
		take_head(cutter, c);
	if (!cutter->behind_launch)
		return;
	check_neighbours(cutter, c, judge->slot[cutter->slot].record_count == 0);
	pair(cutter, c);
	judge->slot[cutter->slot].record_count++;
}

static void take_command(struct cutter *cutter, uint32_t c)
{
	const struct sd_command *command = &cutter->judge->plan->command[c];

	if (!sd__is_wait(command) && !(command->kind == SD_LAUNCH && command->arg == cutter->waiting))
		close_waits(cutter, c);
	if (command->kind > SD_ACTIVATE || (command->attached && command->kind != SD_LAUNCH)) {
		fault(cutter, SD_VIOLATION_COMMAND, "a command has no meaning", SD_NO_NODE, command->arg);
	} else if (cutter->behind_launch && has_left(cutter)) {
		fault(cutter, SD_VIOLATION_COMMAND, "a command stands behind a StreamSwitch, which has left the stream",
		      cutter->judge->slot[cutter->slot].node, command->arg);
	} else if (cutter->waits > 0 && command->kind != SD_LAUNCH && !sd__is_wait(command)) {
		fault(cutter, SD_VIOLATION_COMMAND, "a wait does not stand in front of a launch", SD_NO_NODE, command->arg);
	} else if (command->kind == SD_LAUNCH) {
		take_launch(cutter, c);
	} else if (command->kind == SD_ACTIVATE) {
		take_activation(cutter, c);
	} else if (sd__is_wait(command)) {
		take_wait(cutter, c);
	} else {
		take_record(cutter, c);
	}
}

static void cut_stream(struct cutter *cutter, uint32_t s)
{
	const struct sd_plan *plan = cutter->judge->plan;
	const struct sd_stream *stream = &plan->stream[s];
	uint32_t violations = cutter->judge->verdict->count;

	cutter->stream = s;
	cutter->waits = 0;
	cutter->waiting = SD_NO_NODE;
	cutter->behind_launch = false;
	cutter->tasks = 0;
	cutter->judge->slot_first[s] = cutter->slot;
	/* One malformed command makes those behind it meaningless. */
	for (uint32_t c = 0; c < stream->command_count && cutter->judge->verdict->count == violations; c++)
		take_command(cutter, stream->first_command + c);
	if (cutter->judge->verdict->count != violations)
		return;
	close_waits(cutter, stream->first_command + stream->command_count);
	cutter->slot += cutter->behind_launch;
	if (cutter->waits > 0)
		fault(cutter, SD_VIOLATION_COMMAND, "a wait does not stand in front of a launch", SD_NO_NODE, -1);
	else if (cutter->tasks != stream->task_count)
		fault(cutter, SD_VIOLATION_COUNT, "the number of tasks of a stream is not true", SD_NO_NODE, stream->task_count);
	else if (stream->logical_id >= sd__lanes(plan) && cutter->slot != cutter->judge->slot_first[s] + 1)
		fault(cutter, SD_VIOLATION_PLACEMENT, "the stream of an inserted node launches something else", SD_NO_NODE, stream->logical_id);
	else if (cutter->slot == cutter->judge->slot_first[s] && s >= sd__lanes(plan))
		fault(cutter, SD_VIOLATION_COUNT, "a further piece of a logical stream launches nothing", SD_NO_NODE, stream->logical_id);
}

static enum sd_status take_memory(struct sd__judge *judge, struct cutter *cutter)
{
	const struct sd_plan *plan = judge->plan;
	size_t slots = (size_t)plan->stream_count + 1;

	/* With bodies, each record or wait may be that of a group. */
	for (uint32_t c = 0; c < plan->command_count; c++)
		slots += plan->command[c].kind == SD_LAUNCH || (judge->scopes.bodies && plan->command[c].kind != SD_ACTIVATE);
	SD__TAKE(judge->slot, judge->mem, struct sd__slot, slots);
	SD__TAKE(judge->slot_first, judge->mem, uint32_t, plan->stream_count + 1);
	SD__TAKE(judge->main_slot, judge->mem, uint32_t, plan->node_count + 1);
	SD__TAKE(judge->sync_of, judge->mem, uint32_t, plan->command_count + 1);
	SD__TAKE(judge->record_slot, judge->mem, uint32_t, plan->sync_count + 1);
	SD__TAKE(judge->wait_slot, judge->mem, uint32_t, plan->sync_count + 1);
	SD__TAKE(judge->attached_slot, judge->mem, uint32_t, plan->attached_count + 1);
	SD__TAKE0(cutter->activated, judge->mem, uint8_t, plan->activation_count + 1);
	memset(judge->attached_slot, 0xff, plan->attached_count * sizeof(uint32_t));
	memset(judge->main_slot, 0xff, plan->node_count * sizeof(uint32_t));
	memset(judge->sync_of, 0xff, plan->command_count * sizeof(uint32_t));
	memset(judge->record_slot, 0xff, plan->sync_count * sizeof(uint32_t));
	memset(judge->wait_slot, 0xff, plan->sync_count * sizeof(uint32_t));
	return sd__pairs_init(&cutter->pairs, judge);
}

static void check_all_there(struct cutter *cutter)
{
	struct sd__judge *judge = cutter->judge;
	const struct sd_plan *plan = judge->plan;

	for (uint32_t n = 0; n < plan->node_count; n++) {
		const struct sd_placement *place = &plan->node[n];

		if (place->stream != SD_NO_STREAM && judge->main_slot[n] == SD__NONE)
			sd__violate(judge->verdict, SD_VIOLATION_PLACEMENT, "it is never launched on its stream", n, SD_NO_NODE, place->stream, -1);
		for (uint32_t i = place->attached_first; i < place->attached_first + place->attached_count; i++) {
			if (plan->attached_stream[i] != SD_NO_STREAM && judge->attached_slot[i] == SD__NONE)
				sd__violate(judge->verdict, SD_VIOLATION_PLACEMENT, "it is never launched on its attached stream", n,
				            SD_NO_NODE, plan->attached_stream[i], -1);
		}
	}
	for (uint32_t y = 0; y < plan->sync_count; y++) {
		const struct sd_sync *sync = &plan->sync[y];

		if (judge->record_slot[y] == SD__NONE)
			sd__violate(judge->verdict, SD_VIOLATION_PAIRING, "a sync is never recorded", sync->record_node, sync->wait_node, sync->record_stream, sync->id);
		if (judge->wait_slot[y] == SD__NONE)
			sd__violate(judge->verdict, SD_VIOLATION_PAIRING, "a sync is never waited for", sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
	}
	for (uint32_t i = 0; i < plan->activation_count; i++) {
		if (!cutter->activated[i])
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "an activation is told but never done", plan->activation[i].node, SD_NO_NODE, -1, i);
	}
}

enum sd_status sd__verify_slots(struct sd__judge *judge)
{
	struct cutter cutter = { .judge = judge };

	SD_TRY(take_memory(judge, &cutter));
	judge->launched_in_order = true;
	SD_TRY(sd__shared_index(judge));
	for (uint32_t s = 0; s < judge->plan->stream_count; s++)
		cut_stream(&cutter, s);
	judge->slot_first[judge->plan->stream_count] = judge->slot_count = cutter.slot;
	if (judge->verdict->count == 0)
		check_all_there(&cutter);
	return SD_OK;
}
