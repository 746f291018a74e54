#include "draft.h"

#include <string.h>

#include "base/check.h"

#define SPARE 4u /* entries beside what a table tells */

static void *copy_of(struct sd_arena *mem, const void *table, size_t count, size_t size)
{
	void *copy = sd_arena_zero(mem, count + SPARE, size);

	SD_REQUIRE(copy != NULL);
	if (count > 0)
		memcpy(copy, table, count * size);
	return copy;
}
#define COPY(mem, table, count) copy_of((mem), (table), (count), sizeof(*(table)))

static void publish(struct draft *draft)
{
	struct sd_plan *p = &draft->plan;

	p->stream = draft->stream, p->command = draft->command, p->node = draft->node, p->sync = draft->sync;
	p->summary = draft->summary, p->activation = draft->activation, p->activated = draft->activated;
	p->inserted = draft->inserted;
	p->attached_logical = draft->attached_logical, p->attached_stream = draft->attached_stream;
	p->attached_event = draft->attached_event, p->attached_notify = draft->attached_notify, p->notify_type = draft->notify_type;
}

void draft_copy(struct sd_arena *mem, const struct sd_plan *plan, struct draft *draft)
{
	struct sd_plan *p = &draft->plan;

	*p = *plan;
	draft->stream = COPY(mem, plan->stream, plan->stream_count);
	draft->command = COPY(mem, plan->command, plan->command_count);
	draft->node = COPY(mem, plan->node, plan->node_count);
	draft->sync = COPY(mem, plan->sync, plan->sync_count);
	draft->summary = COPY(mem, plan->summary, plan->summary_count);
	draft->activation = COPY(mem, plan->activation, plan->activation_count);
	draft->activated = COPY(mem, plan->activated, plan->activated_count);
	draft->inserted = COPY(mem, plan->inserted, plan->inserted_count);
	draft->attached_logical = COPY(mem, plan->attached_logical, plan->attached_count);
	draft->attached_stream = COPY(mem, plan->attached_stream, plan->attached_count);
	draft->attached_event = COPY(mem, plan->attached_event, plan->attached_event_count);
	draft->attached_notify = COPY(mem, plan->attached_notify, plan->attached_notify_count);
	draft->notify_type = COPY(mem, plan->notify_type, plan->notify_count);
	draft->numbered[SD_SYNC_EVENT] = draft->numbered[SD_SYNC_NOTIFY] = 0;
	for (uint32_t y = 0; y < plan->sync_count; y++)
		draft->numbered[plan->sync[y].kind]++;
	publish(draft);
}

static bool is_launch(const struct sd_command *command)
{
	return command->kind == SD_LAUNCH;
}

static int64_t sync_tasks(const struct sd_command *command)
{
	if (command->kind == SD_WAIT)
		return 2;
	return command->kind == SD_RECORD || command->kind == SD_NOTIFY_RECORD || command->kind == SD_NOTIFY_WAIT;
}

uint32_t draft_launch(const struct draft *draft, uint32_t node)
{
	for (uint32_t c = 0; c < draft->plan.command_count; c++) {
		if (is_launch(&draft->command[c]) && draft->command[c].arg == node && !draft->command[c].attached)
			return c;
	}
	return UINT32_MAX;
}

uint32_t draft_stands_for(const struct draft *draft, uint32_t node)
{
	uint32_t real = draft->plan.node_count - draft->plan.inserted_count;

	return node < real ? node : draft->inserted[node - real];
}

uint32_t draft_launch_on(const struct draft *draft, uint32_t node, uint32_t stream)
{
	const struct sd_stream *at = &draft->stream[stream];

	for (uint32_t c = at->first_command; c < at->first_command + at->command_count; c++) {
		if (is_launch(&draft->command[c]) && (draft->command[c].arg == node || draft_stands_for(draft, draft->command[c].arg) == node))
			return c;
	}
	return UINT32_MAX;
}

/* Resources move up or down with the number of syncs in front of them. */
static void shift(uint32_t *id, uint32_t id_count, uint32_t *count, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < id_count; i++)
		id[i] = id[i] - from + to;
	*count = *count - from + to;
}

static void number_syncs(struct sd_arena *mem, struct draft *draft)
{
	struct sd_plan *p = &draft->plan;
	uint32_t next[2] = { 0, 0 }, events = draft->numbered[SD_SYNC_EVENT], notifies = draft->numbered[SD_SYNC_NOTIFY];
	uint32_t *types;

	for (uint32_t y = 0; y < p->sync_count; y++)
		draft->sync[y].id = next[draft->sync[y].kind]++;
	types = SD_NEW0(mem, uint32_t, (size_t)p->notify_count + next[SD_SYNC_NOTIFY] + SPARE);
	SD_REQUIRE(types != NULL);
	for (uint32_t i = notifies; i < p->notify_count; i++)
		types[i - notifies + next[SD_SYNC_NOTIFY]] = draft->notify_type[i];
	draft->notify_type = types;
	shift(draft->attached_event, p->attached_event_count, &p->event_count, events, next[SD_SYNC_EVENT]);
	shift(draft->attached_notify, p->attached_notify_count, &p->notify_count, notifies, next[SD_SYNC_NOTIFY]);
	memcpy(draft->numbered, next, sizeof(next));
}

/* The waits in front of a node's launch on this stream, or the records behind it: events, then
 * notifies, by number. SD_NO_NODE: the records at the head of the stream, for a node that is not launched on it. */
static void put_ends(struct draft *draft, struct sd_stream *stream, uint32_t node, bool waits)
{
	for (int kind = SD_SYNC_EVENT; kind <= SD_SYNC_NOTIFY; kind++) {
		for (uint32_t y = 0; y < draft->plan.sync_count; y++) {
			const struct sd_sync *sync = &draft->sync[y];
			struct sd_command command = { .arg = sync->id };
			uint32_t on = waits ? sync->wait_stream : sync->record_stream, of = waits ? sync->wait_node : sync->record_node;

			if ((int)sync->kind != kind || on != (uint32_t)(stream - draft->stream))
				continue;
			if (node == SD_NO_NODE ? !draft->tells[y] : of != node || (!waits && draft->tells[y]))
				continue;
			if (kind == SD_SYNC_EVENT)
				command.kind = waits ? SD_WAIT : SD_RECORD;
			else
				command.kind = waits ? SD_NOTIFY_WAIT : SD_NOTIFY_RECORD;
			stream->task_count += sync_tasks(&command);
			draft->command[stream->first_command + stream->command_count++] = command;
		}
	}
}

/* Which syncs are recorded at the head of a stream, on which their node is not launched. */
static void find_heads(struct sd_arena *mem, struct draft *draft)
{
	draft->tells = SD_NEW0(mem, bool, (size_t)draft->plan.sync_count + 1);
	SD_REQUIRE(draft->tells != NULL);
	for (uint32_t y = 0; y < draft->plan.sync_count; y++)
		draft->tells[y] = draft_launch_on(draft, draft->sync[y].record_node, draft->sync[y].record_stream) == UINT32_MAX;
}

static void write_commands(struct sd_arena *mem, struct draft *draft)
{
	struct sd_plan *p = &draft->plan;
	const struct sd_command *old = draft->command;
	uint32_t at = 0;

	number_syncs(mem, draft);
	find_heads(mem, draft);
	draft->command = SD_NEW0(mem, struct sd_command, (size_t)p->command_count + 2 * (size_t)p->sync_count + SPARE);
	SD_REQUIRE(draft->command != NULL);
	for (uint32_t s = 0; s < p->stream_count; s++) {
		struct sd_stream *stream = &draft->stream[s], was = *stream;

		stream->first_command = at;
		stream->command_count = 0;
		put_ends(draft, stream, SD_NO_NODE, false);
		for (uint32_t c = was.first_command; c < was.first_command + was.command_count; c++) {
			stream->task_count -= sync_tasks(&old[c]);
			if (!is_launch(&old[c]))
				continue;
			put_ends(draft, stream, old[c].arg, true);
			draft->command[stream->first_command + stream->command_count++] = old[c];
			if (c + 1 < was.first_command + was.command_count && old[c + 1].kind == SD_ACTIVATE)
				draft->command[stream->first_command + stream->command_count++] = old[c + 1];
			put_ends(draft, stream, draft_stands_for(draft, old[c].arg), false);
		}
		at += stream->command_count;
	}
	p->command_count = at;
	publish(draft);
}

void draft_drop_sync(struct sd_arena *mem, struct draft *draft, uint32_t sync)
{
	memmove(&draft->sync[sync], &draft->sync[sync + 1], (draft->plan.sync_count - sync) * sizeof(struct sd_sync));
	draft->plan.sync_count--;
	write_commands(mem, draft);
}

/* 1 if launch (a, on) stands behind launch (b, at), -1 if in front, 0 if it is the same one or
 * nothing is known: nodes in the order of the request where that is kept, of one node the
 * launch on its own stream first, then by logical stream; else only along each stream. */
static int compare_places(const struct draft *draft, uint32_t a, uint32_t on, uint32_t b, uint32_t at, bool listed)
{
	const struct sd_stream *stream = draft->stream;
	/* What is told at the head of a stream stands in front of all else there. */
	uint32_t left = listed ? a : draft_launch_on(draft, a, on) + 1, right = listed ? b : draft_launch_on(draft, b, at) + 1;

	if (!listed && on != at)
		return 0;
	if (listed && a == b) {
		left = stream[on].attached ? stream[on].logical_id + 1 : 0;
		right = stream[at].attached ? stream[at].logical_id + 1 : 0;
	}
	return (left > right) - (left < right);
}

static bool stands_behind(const struct draft *draft, const struct sd_sync *later, const struct sd_sync *sync, bool listed)
{
	int order = compare_places(draft, later->record_node, later->record_stream, sync->record_node, sync->record_stream, listed);

	if (order == 0 && later->record_node == sync->record_node && later->record_stream == sync->record_stream)
		order = compare_places(draft, later->wait_node, later->wait_stream, sync->wait_node, sync->wait_stream, listed);
	return order > 0;
}

void draft_add_sync(struct sd_arena *mem, struct draft *draft, struct sd_sync sync, bool listed)
{
	uint32_t count = draft->plan.sync_count, at = 0;
	struct sd_sync *table = copy_of(mem, draft->sync, count, sizeof(*table));

	while (at < count && !stands_behind(draft, &table[at], &sync, listed))
		at++;
	memmove(&table[at + 1], &table[at], (count - at) * sizeof(*table));
	table[at] = sync;
	draft->sync = table;
	draft->plan.sync_count++;
	write_commands(mem, draft);
}

void draft_move(struct draft *draft, uint32_t from, uint32_t to)
{
	struct sd_command moved = draft->command[from];

	if (from < to)
		memmove(&draft->command[from], &draft->command[from + 1], (to - from) * sizeof(moved));
	else
		memmove(&draft->command[to + 1], &draft->command[to], (from - to) * sizeof(moved));
	draft->command[to] = moved;
}

void draft_single(struct sd_arena *mem, struct draft *draft, const uint32_t *order, uint32_t count)
{
	struct sd_plan *p = &draft->plan;
	struct sd_stream single = draft->stream[0];

	single.task_count = 0;
	for (uint32_t s = 0; s < p->stream_count; s++)
		single.task_count += draft->stream[s].task_count;
	for (uint32_t c = 0; c < p->command_count; c++)
		single.task_count -= sync_tasks(&draft->command[c]);
	draft->command = SD_NEW0(mem, struct sd_command, (size_t)count + SPARE);
	SD_REQUIRE(draft->command != NULL);
	for (uint32_t i = 0; i < count; i++) {
		draft->command[i] = (struct sd_command){ .kind = SD_LAUNCH, .arg = order[i] };
		draft->node[order[i]].stream = draft->node[order[i]].logical_stream = 0;
	}
	/* Nodes that are not launched may carry a logical stream that is gone. */
	for (uint32_t n = 0; n < p->node_count; n++) {
		if (draft->node[n].stream == SD_NO_STREAM)
			draft->node[n].logical_stream = SD_NO_STREAM;
	}
	single.first_command = 0;
	single.command_count = p->command_count = count;
	draft->stream[0] = single;
	draft->summary[0].physical_count = 1;
	p->stream_count = p->logical_stream_count = p->main_stream_count = p->summary_count = 1;
	p->sync_count = p->event_count = p->notify_count = 0;
	publish(draft);
}

static void start_streams(const struct sd_plan *p, uint32_t activation, bool *active)
{
	for (uint32_t i = 0; i < p->activation[activation].count; i++)
		active[p->activated[p->activation[activation].first + i]] = true;
}

uint32_t draft_sequence(struct sd_arena *mem, const struct draft *draft, uint32_t *order)
{
	const struct sd_plan *p = &draft->plan;
	uint32_t *next = SD_NEW0(mem, uint32_t, (size_t)p->stream_count + 1), count = 0;
	bool *active = SD_NEW0(mem, bool, (size_t)p->stream_count + 1);
	uint8_t *recorded[2] = { SD_NEW0(mem, uint8_t, (size_t)p->event_count + 1), SD_NEW0(mem, uint8_t, (size_t)p->notify_count + 1) };
	bool moved = true;

	SD_REQUIRE(next && active && recorded[0] && recorded[1]);
	for (uint32_t s = 0; s < p->stream_count; s++)
		active[s] = p->stream[s].initially_active;
	while (moved) {
		moved = false;
		for (uint32_t s = 0; s < p->stream_count; s++) {
			for (; active[s] && next[s] < p->stream[s].command_count; next[s]++) {
				const struct sd_command *command = &draft->command[p->stream[s].first_command + next[s]];
				bool notify = command->kind == SD_NOTIFY_WAIT || command->kind == SD_NOTIFY_RECORD;

				if (is_launch(command) && !command->attached)
					order[count++] = command->arg;
				else if (is_launch(command))
					;
				else if (command->kind == SD_ACTIVATE)
					start_streams(p, command->arg, active);
				else if (command->kind == SD_RECORD || command->kind == SD_NOTIFY_RECORD)
					recorded[notify][command->arg] = 1;
				else if (!recorded[notify][command->arg])
					break;
				moved = true;
			}
		}
	}
	return count;
}
