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
	p->attached_event = COPY(mem, plan->attached_event, plan->attached_event_count);
	p->attached_notify = COPY(mem, plan->attached_notify, plan->attached_notify_count);
	p->notify_type = COPY(mem, plan->notify_type, plan->notify_count);
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
		if (is_launch(&draft->command[c]) && draft->command[c].arg == node)
			return c;
	}
	return UINT32_MAX;
}

static void number_syncs(struct draft *draft)
{
	struct sd_plan *p = &draft->plan;
	uint32_t next[2] = { 0, 0 };

	for (uint32_t y = 0; y < p->sync_count; y++) {
		struct sd_sync *sync = &draft->sync[y];

		sync->id = next[sync->kind]++;
		sync->record_stream = (uint32_t)draft->node[sync->record_node].stream;
		sync->wait_stream = (uint32_t)draft->node[sync->wait_node].stream;
	}
	p->event_count = next[SD_SYNC_EVENT] + p->attached_event_count;
	p->notify_count = next[SD_SYNC_NOTIFY] + p->attached_notify_count;
}

/* The waits in front of a node, or the records behind it: events, then notifies, by number. */
static void put_ends(struct draft *draft, struct sd_stream *stream, uint32_t node, bool waits)
{
	for (int kind = SD_SYNC_EVENT; kind <= SD_SYNC_NOTIFY; kind++) {
		for (uint32_t y = 0; y < draft->plan.sync_count; y++) {
			const struct sd_sync *sync = &draft->sync[y];
			struct sd_command command = { .arg = sync->id };

			if ((int)sync->kind != kind || (waits ? sync->wait_node : sync->record_node) != node)
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

static void write_commands(struct sd_arena *mem, struct draft *draft)
{
	struct sd_plan *p = &draft->plan;
	const struct sd_command *old = draft->command;
	uint32_t at = 0;

	number_syncs(draft);
	draft->command = SD_NEW0(mem, struct sd_command, (size_t)p->command_count + 2 * (size_t)p->sync_count + SPARE);
	SD_REQUIRE(draft->command != NULL);
	for (uint32_t s = 0; s < p->stream_count; s++) {
		struct sd_stream *stream = &draft->stream[s], was = *stream;

		stream->first_command = at;
		stream->command_count = 0;
		for (uint32_t c = was.first_command; c < was.first_command + was.command_count; c++) {
			stream->task_count -= sync_tasks(&old[c]);
			if (!is_launch(&old[c]))
				continue;
			put_ends(draft, stream, old[c].arg, true);
			draft->command[stream->first_command + stream->command_count++] = old[c];
			put_ends(draft, stream, old[c].arg, false);
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

/* Whether `later` stands behind `sync`, as far as the order of the nodes is known. */
static bool stands_behind(const struct draft *draft, const struct sd_sync *later, const struct sd_sync *sync, bool listed)
{
	const struct sd_placement *node = draft->node;

	if (listed) {
		if (later->record_node != sync->record_node)
			return later->record_node > sync->record_node;
		return later->wait_node > sync->wait_node;
	}
	if (later->record_node == sync->record_node)
		return node[later->wait_node].stream == node[sync->wait_node].stream &&
		       draft_launch(draft, later->wait_node) > draft_launch(draft, sync->wait_node);
	return node[later->record_node].stream == node[sync->record_node].stream &&
	       draft_launch(draft, later->record_node) > draft_launch(draft, sync->record_node);
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

uint32_t draft_sequence(struct sd_arena *mem, const struct draft *draft, uint32_t *order)
{
	const struct sd_plan *p = &draft->plan;
	uint32_t *next = SD_NEW0(mem, uint32_t, (size_t)p->stream_count + 1), count = 0;
	uint8_t *recorded[2] = { SD_NEW0(mem, uint8_t, (size_t)p->event_count + 1), SD_NEW0(mem, uint8_t, (size_t)p->notify_count + 1) };
	bool moved = true;

	SD_REQUIRE(next && recorded[0] && recorded[1]);
	while (moved) {
		moved = false;
		for (uint32_t s = 0; s < p->stream_count; s++) {
			for (; next[s] < p->stream[s].command_count; next[s]++) {
				const struct sd_command *command = &draft->command[p->stream[s].first_command + next[s]];
				bool notify = command->kind == SD_NOTIFY_WAIT || command->kind == SD_NOTIFY_RECORD;

				if (is_launch(command))
					order[count++] = command->arg;
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
