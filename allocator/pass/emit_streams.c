/* emit_streams - the commands of every stream.
 *
 * Rule   Slot after slot, each on its stream: the waits (events, then notifies, by number), the
 *        launch, the streams that it starts, the records (the same). The head of a stream
 *        that a StreamSwitch starts has records only. A launch belongs to the graph of its node,
 *        a wait or record to that with which it runs.
 * Cost   O(slots + syncs). */
#include "passes.h"

#include "base/merge.h"
#include "streamd/plan.h"
#include "ways.h"
#include "mutants.h"

struct emitter {
	struct sd_job *job;
	struct sd_plan *plan;
	uint32_t *first_wait, *wait; /* per slot: syncs that it waits for, by number */
	uint32_t *record;            /* per slot + 1: into recorded; syncs are sorted by sender */
	uint32_t *recorded;          /* syncs by sender, then by number */
	uint32_t *relay_of;          /* per slot: the inserted node that it launches */
	struct sd_stream *stream;
	struct sd_command *command;
};

/* Per slot, which syncs end and begin there. */
static enum sd_status index_syncs(struct emitter *e)
{
	struct sd_job *job = e->job;
	uint32_t slots = job->slots.count;

	e->first_wait = SD_NEW0(job->mem, uint32_t, slots + 2u);
	e->record = SD_NEW0(job->mem, uint32_t, slots + 1u);
	e->wait = SD_NEW(job->mem, uint32_t, job->syncs.count);
	SD_NEED(job, e->first_wait && e->record && e->wait);
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		e->first_wait[job->syncs.at[i].to + 2]++;
		e->record[job->syncs.at[i].from + 1]++;
	}
	for (uint32_t s = 0; s < slots; s++) {
		e->first_wait[s + 1] += e->first_wait[s];
		e->record[s + 1] += e->record[s];
	}
	/* Filling moves each start to the next one's place: shifted by one, it ends where it should. */
	for (uint32_t i = 0; i < job->syncs.count; i++)
		e->wait[e->first_wait[job->syncs.at[i].to + 1]++] = i;
	return SD_OK;
}

static int compare_numbers(const void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *id = ctx;

	return id[a] < id[b] ? -1 : id[a] > id[b];
}

/* Numbers ascend along the syncs, unless events share some. */
static enum sd_status sort_by_number(struct emitter *e)
{
	const struct sd_job *job = e->job;
	uint32_t *spare = SD_NEW(job->mem, uint32_t, job->syncs.count);

	e->recorded = SD_NEW(job->mem, uint32_t, job->syncs.count);
	SD_NEED(job, spare && e->recorded);
	for (uint32_t i = 0; i < job->syncs.count; i++)
		e->recorded[i] = i;
	for (uint32_t s = 0; job->events_shared && s < job->slots.count; s++) {
		sd_merge_sort(e->recorded + e->record[s], spare, e->record[s + 1] - e->record[s], compare_numbers, job->sync_id);
		sd_merge_sort(e->wait + e->first_wait[s], spare, e->first_wait[s + 1] - e->first_wait[s], compare_numbers, job->sync_id);
	}
	return SD_OK;
}

static void add_command(struct emitter *e, struct sd_stream *stream, enum sd_command_kind kind, uint32_t in, uint32_t arg)
{
	e->command[stream->first_command + stream->command_count++] =
		(struct sd_command){ .kind = (uint8_t)kind, .in = in, .arg = arg };
}

/* Events stand before notifies, each by number. */
static void emit_waits(struct emitter *e, struct sd_stream *stream, uint32_t slot, enum sd_sync_kind kind, uint32_t in)
{
	for (uint32_t i = e->first_wait[slot] + SD_MUTANT(emit_first_wait_dropped); i < e->first_wait[slot + 1]; i++) {
		if (e->plan->sync[e->wait[i]].kind == kind)
			add_command(e, stream, kind == SD_SYNC_EVENT ? SD_WAIT : SD_NOTIFY_WAIT, in, e->plan->sync[e->wait[i]].id);
	}
}

static void emit_records(struct emitter *e, struct sd_stream *stream, uint32_t slot, enum sd_sync_kind kind, uint32_t in)
{
	for (uint32_t i = e->record[slot]; i + SD_MUTANT(emit_last_record_dropped) < e->record[slot + 1]; i++) {
		const struct sd_sync *sync = &e->plan->sync[e->recorded[i]];

		if (sync->kind == kind)
			add_command(e, stream, kind == SD_SYNC_EVENT ? SD_RECORD : SD_NOTIFY_RECORD, in, sync->id);
	}
}

static int64_t slot_tasks(const struct emitter *e, uint32_t slot)
{
	int64_t tasks = sd_job_slot_tasks(e->job, slot) + (int64_t)(e->record[slot + 1] - e->record[slot]);

	for (uint32_t i = e->first_wait[slot]; i < e->first_wait[slot + 1]; i++)
		tasks += sd_job_wait_tasks(e->plan->sync[e->wait[i]].kind);
	return tasks;
}

static enum sd_status index_relays(struct emitter *e)
{
	const struct sd_job *job = e->job;

	e->relay_of = SD_NEW(job->mem, uint32_t, job->slots.count);
	SD_NEED(job, e->relay_of);
	for (uint32_t i = 0; i < job->starts.count; i++) {
		if (job->starts.at[i].relay_slot != SD_NO_NODE)
			e->relay_of[job->starts.at[i].relay_slot] = job->starts.at[i].relay_node;
	}
	return SD_OK;
}

/* The node that a slot launches; SD_NO_NODE if none. */
static uint32_t launched_node(const struct emitter *e, uint32_t slot)
{
	if (!sd_slot_launches(&e->job->slots, slot))
		return SD_NO_NODE;
	return e->job->slots.kind[slot] == SD_SLOT_RELAY ? e->relay_of[slot] : e->job->slots.node[slot];
}

static void emit_launch(struct emitter *e, struct sd_stream *stream, uint32_t node, bool attached, uint32_t in)
{
	add_command(e, stream, SD_LAUNCH, in, node);
	e->command[stream->first_command + stream->command_count - 1].attached = attached;
	if (attached || e->job->started_of_node[node] == SD_NO_INDEX)
		return;
	add_command(e, stream, SD_ACTIVATE, in, e->job->started_of_node[node]);
	/* One task a stream; the launch is the first of them. */
	stream->task_count += e->job->started.at[e->job->started_of_node[node]].count - (SD_MUTANT(emit_activation_free) ? e->job->started.at[e->job->started_of_node[node]].count : 1);
}

static void emit_slot(struct emitter *e, uint32_t slot)
{
	const struct sd_job *job = e->job;
	struct sd_stream *stream = &e->stream[job->slots.stream[slot]];
	uint32_t node = launched_node(e, slot), in = sd_slot_graph(job, slot);

	emit_waits(e, stream, slot, SD_SYNC_EVENT, in);
	emit_waits(e, stream, slot, SD_SYNC_NOTIFY, in);
	if (SD_MUTANT(emit_record_before_launch))
		emit_records(e, stream, slot, SD_SYNC_EVENT, in);
	if (node != SD_NO_NODE)
		emit_launch(e, stream, node, job->slots.kind[slot] == SD_SLOT_ATTACHED, job->graph->graph_of[job->slots.node[slot]]);
	if (!SD_MUTANT(emit_record_before_launch))
		emit_records(e, stream, slot, SD_SYNC_EVENT, in);
	emit_records(e, stream, slot, SD_SYNC_NOTIFY, in);
	stream->task_count += slot_tasks(e, slot);
}

/* Relays that only the split made necessary have no slot: they launch, start their streams, and end. */
static void emit_late_relays(struct emitter *e)
{
	const struct sd_starts *starts = &e->job->starts;

	for (uint32_t i = 0; i < starts->count; i++) {
		const struct sd_starter *starter = &starts->at[i];

		if (starter->relay_node == SD_NO_NODE || starter->relay_lane != SD_NO_NODE)
			continue;
		emit_launch(e, &e->stream[starter->relay_stream], starter->relay_node, false, e->job->graph->graph_of[starter->node]);
		e->stream[starter->relay_stream].task_count++;
	}
}

static uint32_t launch_commands(const struct emitter *e, uint32_t node, bool attached)
{
	return 1 + (!attached && e->job->started_of_node[node] != SD_NO_INDEX ? 1 : 0);
}

static void count_commands(struct emitter *e)
{
	const struct sd_job *job = e->job;

	for (uint32_t slot = 0; slot < job->slots.count; slot++) {
		uint32_t node = launched_node(e, slot), *count = &e->stream[job->slots.stream[slot]].command_count;

		*count += e->first_wait[slot + 1] - e->first_wait[slot] + e->record[slot + 1] - e->record[slot];
		if (node != SD_NO_NODE)
			*count += launch_commands(e, node, job->slots.kind[slot] == SD_SLOT_ATTACHED);
	}
	for (uint32_t i = 0; i < job->starts.count; i++) {
		const struct sd_starter *starter = &job->starts.at[i];

		if (starter->relay_node != SD_NO_NODE && starter->relay_lane == SD_NO_NODE)
			e->stream[starter->relay_stream].command_count += launch_commands(e, starter->relay_node, false);
	}
}

static enum sd_status make_streams(struct emitter *e)
{
	struct sd_job *job = e->job;
	uint32_t commands = 0;

	e->stream = SD_NEW0(job->mem, struct sd_stream, job->stream_count);
	SD_NEED(job, e->stream);
	count_commands(e);
	for (uint32_t s = 0; s < job->stream_count; s++) {
		struct sd_stream *stream = &e->stream[s];

		stream->first_command = commands;
		commands += stream->command_count;
		stream->command_count = 0;
		stream->logical_id = job->logical_of[s];
		stream->label_node = SD_NO_NODE;
		stream->huge = job->huge[s];
		stream->initially_active = !job->is_started[s] && (!job->is_jumped[s] || SD_MUTANT(emit_jumped_with_model));
		stream->attached = stream->logical_id >= job->main_stream_count && stream->logical_id < job->logical_stream_count;
	}
	e->command = SD_NEW(job->mem, struct sd_command, commands);
	SD_NEED(job, e->command);
	e->plan->command_count = commands;
	return SD_OK;
}

enum sd_status sd__pass_emit_streams(struct sd_job *job)
{
	struct emitter e = { .job = job, .plan = job->plan };

	SD_TRY(index_syncs(&e));
	SD_TRY(sort_by_number(&e));
	SD_TRY(index_relays(&e));
	SD_TRY(make_streams(&e));
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		emit_slot(&e, slot);
	emit_late_relays(&e);
	e.plan->stream = e.stream;
	e.plan->stream_count = job->stream_count;
	e.plan->command = e.command;
	return SD_OK;
}
