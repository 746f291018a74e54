/* emit_plan - the plan as it is answered, but for the streams: placements, syncs, starts.
 *
 * Rule   Everything is told in indices; inserted nodes are numbered behind those of the graph.
 * Cost   O(nodes + syncs + streams that are started). */
#include "passes.h"

#include "decimal.h"
#include "streamd/plan.h"
#include "mutants.h"

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
static void place_attached(struct sd_job *job, uint32_t node, struct sd_placement *place, int32_t *logical, int32_t *physical)
{
	uint32_t first = job->attached_first[node], count = job->attached_first[node + 1] - first;
	uint32_t main = job->slots.of_node[node];

	place->attached_first = first;
	place->attached_count = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = main;

		logical[first + i] = (int32_t)job->attached[first + i];
		physical[first + i] = SD_NO_STREAM;
		while (slot != SD_NO_INDEX && sd_slot_is_attached(&job->slots, ++slot, node)) {
			if (job->slots.lane[slot] == job->attached[first + i])
				physical[first + i] = (int32_t)(SD_MUTANT(emit_attached_on_lane) ? job->slots.lane[slot] : job->slots.stream[slot]);
		}
	}
}

static void place_resources(const struct sd_resources *resources, uint32_t node, uint32_t *first, uint32_t *count)
{
	*first = resources->first[node];
	*count = resources->first[node + 1] - *first;
}

/* Inserted nodes have a stream to themselves. */
static void place_inserted(const struct sd_job *job, struct sd_placement *place)
{
	for (uint32_t i = 0; i < job->starts.count; i++) {
		const struct sd_starter *starter = &job->starts.at[i];

		if (starter->relay_node != SD_NO_NODE)
			place[starter->relay_node - job->graph->node_count] = (struct sd_placement){
				.logical_stream = (int32_t)starter->relay_stream, .stream = (int32_t)starter->relay_stream };
	}
}

static enum sd_status emit_placements(struct sd_job *job, struct sd_plan *plan)
{
	uint32_t nodes = job->graph->node_count, attached = job->attached_first[nodes];
	struct sd_placement *place = SD_NEW0(job->mem, struct sd_placement, (size_t)nodes + job->inserted_count);
	int32_t *logical = SD_NEW(job->mem, int32_t, attached), *physical = SD_NEW(job->mem, int32_t, attached);

	SD_NEED(job, place && logical && physical);
	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t slot = job->slots.of_node[n];

		place[n].logical_stream = job->stream[n];
		place[n].stream = slot == SD_NO_INDEX ? SD_NO_STREAM : (int32_t)job->slots.stream[slot];
		place_attached(job, n, &place[n], logical, physical);
		place_resources(&job->events, n, &place[n].event_first, &place[n].event_count);
		place_resources(&job->notifies, n, &place[n].notify_first, &place[n].notify_count);
		place[n].host_wait = job->host_wait[n];
		SD_TRY(core_cap(job, n, SD_MUTANT(emit_caps_swapped) ? SD_ATTR_OP_VECTORCORE_NUM : SD_ATTR_OP_AICORE_NUM, "_op_aicore_num", &place[n].cube_cores));
		SD_TRY(core_cap(job, n, SD_ATTR_OP_VECTORCORE_NUM, "_op_vectorcore_num", &place[n].vector_cores));
	}
	place_inserted(job, place + nodes);
	plan->node = place;
	plan->attached_logical = logical;
	plan->attached_stream = physical;
	plan->attached_count = attached;
	plan->attached_event = job->events.id;
	plan->attached_event_count = job->events.first[nodes];
	plan->attached_notify = job->notifies.id;
	plan->attached_notify_count = job->notifies.first[nodes];
	return SD_OK;
}

static enum sd_status emit_syncs(struct sd_job *job, struct sd_plan *plan)
{
	struct sd_sync *sync = SD_NEW(job->mem, struct sd_sync, job->syncs.count);

	SD_NEED(job, sync);
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		const struct sd_order_pair *pair = &job->syncs.at[i];

		sync[i] = (struct sd_sync){
			.id = job->sync_id[i], .kind = sd_job_sync_kind(job, pair->cause), .cause = pair->cause,
			.record_node = job->slots.node[pair->from], .record_stream = job->slots.stream[pair->from],
			.wait_node = job->slots.node[pair->to], .wait_stream = SD_MUTANT(emit_wait_on_lane) ? job->slots.lane[pair->to] : job->slots.stream[pair->to],
		};
	}
	plan->sync = sync;
	plan->sync_count = job->syncs.count;
	plan->event_count = job->event_count;
	plan->notify_count = job->notify_count;
	plan->notify_type = job->notify_type;
	return SD_OK;
}

static enum sd_status emit_starts(struct sd_job *job, struct sd_plan *plan)
{
	struct sd_activation *activation = SD_NEW(job->mem, struct sd_activation, job->started.count);

	SD_NEED(job, activation);
	for (uint32_t i = 0; i < job->started.count; i++)
		activation[i] = (struct sd_activation){ job->started.at[i].node, job->started.at[i].first, job->started.at[i].count };
	plan->activation = activation;
	plan->activation_count = job->started.count;
	plan->activated = job->started_stream.at;
	plan->activated_count = job->started_stream.count;
	return SD_OK;
}

enum sd_status sd__pass_emit_plan(struct sd_job *job)
{
	struct sd_plan *plan = SD_NEW0(job->mem, struct sd_plan, 1);

	SD_NEED(job, plan);
	plan->mode = job->graph->graph[SD_ROOT].dynamic ? SD_MODE_DYNAMIC :
	             job->options->single_stream        ? SD_MODE_SINGLE : SD_MODE_STATIC;
	plan->node_count = job->graph->node_count + job->inserted_count;
	plan->inserted_count = job->inserted_count;
	plan->inserted = job->inserted;
	plan->logical_stream_count = job->logical_stream_count;
	plan->main_stream_count = job->main_stream_count;
	plan->attached_stream_count = job->logical_stream_count - job->main_stream_count;
	SD_TRY(emit_placements(job, plan));
	SD_TRY(emit_syncs(job, plan));
	SD_TRY(emit_starts(job, plan));
	job->plan = plan;
	return SD_OK;
}
