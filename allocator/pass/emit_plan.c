/* emit_plan - the plan as it is answered: placements, streams with their commands, syncs.
 *
 * Rule   Slot after slot, each on its stream: the waits by number, the launch, the records
 *        by number. Everything is told in indices.
 * Cost   O(nodes + slots + syncs). */
#include "passes.h"

#include "decimal.h"
#include "streamd/plan.h"

struct emitter {
	struct sd_job *job;
	struct sd_plan *plan;
	uint32_t *first_wait, *wait; /* per slot: syncs that it waits for, by number */
	uint32_t *record;            /* per slot + 1: syncs are sorted by sender, so these are ranges */
	struct sd_stream *stream;
	struct sd_command *command;
};

/* Canonical decimal text of a core cap; 0 = not set. */
static enum sd_status core_cap(struct sd_job *job, uint32_t node, enum sd_attr_key key, const char *name, int32_t *cap)
{
	struct sd_text text;

	*cap = 0;
	if (!sd_graph_has(job->graph, node, key))
		return SD_OK;
	if (!sd_graph_string(job->graph, node, key, &text))
		return SD_FAIL2(job->diag, SD_CODE_BAD_ATTR, node, sd_arg_words(name), sd_arg_words("a string"));
	if (!sd_decimal(text, false, cap))
		return SD_FAIL2(job->diag, SD_CODE_BAD_CORE_CAP, node, sd_arg_words(name), sd_arg_text(text));
	return SD_OK;
}

/* The attached streams of a node, logical and physical, in the order of its requests. */
static void place_attached(struct emitter *e, uint32_t node, struct sd_placement *place, int32_t *logical, int32_t *physical)
{
	const struct sd_job *job = e->job;
	uint32_t first = job->attached_first[node], count = job->attached_first[node + 1] - first;
	uint32_t main = job->slots.of_node[node];

	place->attached_first = first;
	place->attached_count = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = main;

		logical[first + i] = (int32_t)job->attached[first + i];
		physical[first + i] = SD_NO_STREAM;
		while (slot != SD_NO_INDEX && ++slot < job->slots.count && job->slots.node[slot] == node) {
			if (job->slots.lane[slot] == job->attached[first + i])
				physical[first + i] = (int32_t)job->slots.stream[slot];
		}
	}
}

static void place_resources(const struct sd_resources *resources, uint32_t node, uint32_t *first, uint32_t *count)
{
	*first = resources->first[node];
	*count = resources->first[node + 1] - *first;
}

static enum sd_status emit_placements(struct emitter *e)
{
	struct sd_job *job = e->job;
	uint32_t nodes = job->graph->node_count, attached = job->attached_first[nodes];
	struct sd_placement *place = SD_NEW0(job->mem, struct sd_placement, nodes);
	int32_t *logical = SD_NEW(job->mem, int32_t, attached), *physical = SD_NEW(job->mem, int32_t, attached);

	SD_NEED(job, place && logical && physical);
	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t slot = job->slots.of_node[n];

		place[n].logical_stream = job->stream[n];
		place[n].stream = slot == SD_NO_INDEX ? SD_NO_STREAM : (int32_t)job->slots.stream[slot];
		place_attached(e, n, &place[n], logical, physical);
		place_resources(&job->events, n, &place[n].event_first, &place[n].event_count);
		place_resources(&job->notifies, n, &place[n].notify_first, &place[n].notify_count);
		SD_TRY(core_cap(job, n, SD_ATTR_OP_AICORE_NUM, "_op_aicore_num", &place[n].cube_cores));
		SD_TRY(core_cap(job, n, SD_ATTR_OP_VECTORCORE_NUM, "_op_vectorcore_num", &place[n].vector_cores));
	}
	e->plan->node = place;
	e->plan->attached_logical = logical;
	e->plan->attached_stream = physical;
	e->plan->attached_count = attached;
	e->plan->attached_event = job->events.id;
	e->plan->attached_event_count = job->events.first[nodes];
	e->plan->attached_notify = job->notifies.id;
	e->plan->attached_notify_count = job->notifies.first[nodes];
	return SD_OK;
}

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

static enum sd_status emit_syncs(struct emitter *e)
{
	const struct sd_job *job = e->job;
	struct sd_sync *sync = SD_NEW(job->mem, struct sd_sync, job->syncs.count);

	SD_NEED(job, sync);
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		const struct sd_order_pair *pair = &job->syncs.at[i];

		sync[i] = (struct sd_sync){
			.id = job->sync_id[i], .kind = sd_job_sync_kind(job, pair->cause), .cause = pair->cause,
			.record_node = job->slots.node[pair->from], .record_stream = job->slots.stream[pair->from],
			.wait_node = job->slots.node[pair->to], .wait_stream = job->slots.stream[pair->to],
		};
	}
	e->plan->sync = sync;
	e->plan->sync_count = job->syncs.count;
	e->plan->event_count = job->event_count;
	e->plan->notify_count = job->notify_count;
	e->plan->notify_type = job->notify_type;
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
	for (uint32_t i = e->first_wait[slot]; i < e->first_wait[slot + 1]; i++) {
		if (e->plan->sync[e->wait[i]].kind == kind)
			add_command(e, stream, kind == SD_SYNC_EVENT ? SD_WAIT : SD_NOTIFY_WAIT, in, e->plan->sync[e->wait[i]].id);
	}
}

static void emit_records(struct emitter *e, struct sd_stream *stream, uint32_t slot, enum sd_sync_kind kind, uint32_t in)
{
	for (uint32_t i = e->record[slot]; i < e->record[slot + 1]; i++) {
		if (e->plan->sync[i].kind == kind)
			add_command(e, stream, kind == SD_SYNC_EVENT ? SD_RECORD : SD_NOTIFY_RECORD, in, e->plan->sync[i].id);
	}
}

static int64_t slot_tasks(const struct emitter *e, uint32_t slot)
{
	int64_t tasks = sd_job_slot_tasks(e->job, slot) + (int64_t)(e->record[slot + 1] - e->record[slot]);

	for (uint32_t i = e->first_wait[slot]; i < e->first_wait[slot + 1]; i++)
		tasks += sd_job_wait_tasks(e->plan->sync[e->wait[i]].kind);
	return tasks;
}

static void emit_slot(struct emitter *e, uint32_t slot)
{
	const struct sd_job *job = e->job;
	struct sd_stream *stream = &e->stream[job->slots.stream[slot]];
	uint32_t node = job->slots.node[slot], in = job->graph->graph_of[node];

	emit_waits(e, stream, slot, SD_SYNC_EVENT, in);
	emit_waits(e, stream, slot, SD_SYNC_NOTIFY, in);
	add_command(e, stream, SD_LAUNCH, in, node);
	e->command[stream->first_command + stream->command_count - 1].attached = job->slots.attached[slot];
	emit_records(e, stream, slot, SD_SYNC_EVENT, in);
	emit_records(e, stream, slot, SD_SYNC_NOTIFY, in);
	stream->task_count += slot_tasks(e, slot);
}

static uint32_t slot_commands(const struct emitter *e, uint32_t slot)
{
	return 1 + e->first_wait[slot + 1] - e->first_wait[slot] + e->record[slot + 1] - e->record[slot];
}

static enum sd_status emit_streams(struct emitter *e)
{
	struct sd_job *job = e->job;
	uint32_t commands = 0;

	e->stream = SD_NEW0(job->mem, struct sd_stream, job->stream_count);
	SD_NEED(job, e->stream);
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		e->stream[job->slots.stream[slot]].command_count += slot_commands(e, slot);
	for (uint32_t s = 0; s < job->stream_count; s++) {
		e->stream[s].first_command = commands;
		commands += e->stream[s].command_count;
		e->stream[s].command_count = 0;
		e->stream[s].logical_id = job->logical_of[s];
		e->stream[s].label_node = SD_NO_NODE;
		e->stream[s].huge = job->huge[s];
		e->stream[s].initially_active = true;
		e->stream[s].attached = job->logical_of[s] >= job->main_stream_count && job->logical_of[s] < job->logical_stream_count;
	}
	e->command = SD_NEW(job->mem, struct sd_command, commands);
	SD_NEED(job, e->command);
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		emit_slot(e, slot);
	e->plan->stream = e->stream;
	e->plan->stream_count = job->stream_count;
	e->plan->command = e->command;
	e->plan->command_count = commands;
	return SD_OK;
}

enum sd_status sd__pass_emit_plan(struct sd_job *job)
{
	struct emitter e = { .job = job, .plan = SD_NEW0(job->mem, struct sd_plan, 1) };

	SD_NEED(job, e.plan);
	e.plan->mode = job->options->single_stream ? SD_MODE_SINGLE : SD_MODE_STATIC;
	e.plan->node_count = job->graph->node_count;
	e.plan->logical_stream_count = job->logical_stream_count;
	e.plan->main_stream_count = job->main_stream_count;
	e.plan->attached_stream_count = job->logical_stream_count - job->main_stream_count;
	SD_TRY(emit_placements(&e));
	SD_TRY(index_syncs(&e));
	SD_TRY(emit_syncs(&e));
	SD_TRY(emit_streams(&e));
	job->plan = e.plan;
	return SD_OK;
}
