#include "start_index.h"

struct indexer {
	struct sd_job *job;
	uint32_t *next; /* per stream: where its next starter goes */
	bool counting;
};

static void put(struct indexer *x, uint32_t stream, uint32_t slot)
{
	if (slot == SD_NO_INDEX)
		return;
	if (x->counting)
		x->job->starting.first[stream + 1]++;
	else
		x->job->starting.slot[x->next[stream]++] = slot;
}

static void each_lane(struct indexer *x)
{
	const struct sd_job *job = x->job;
	const struct sd_starts *starts = &job->starts;

	for (uint32_t i = 0; i < starts->count; i++) {
		const struct sd_starter *s = &starts->at[i];
		bool relays = s->relay_lane != SD_NO_NODE;

		for (uint32_t k = 0; k < s->count; k++)
			put(x, starts->lane[s->first + k], relays ? s->relay_slot : job->slots.of_node[s->node]);
		if (relays)
			put(x, s->relay_lane, job->slots.of_node[s->node]);
	}
}

/* The slot that launches a starter, which may be an inserted node. */
static uint32_t slot_of(const struct sd_job *job, uint32_t node)
{
	const struct sd_starter *starter;

	if (node < job->graph->node_count)
		return job->slots.of_node[node];
	starter = &job->starts.at[job->inserted_by[node - job->graph->node_count]];
	return starter->relay_slot != SD_NO_NODE ? starter->relay_slot : job->slots.of_node[starter->node];
}

static void each_stream(struct indexer *x)
{
	const struct sd_job *job = x->job;

	for (uint32_t i = 0; i < job->started.count; i++) {
		const struct sd_started *list = &job->started.at[i];

		/* The loop's activator orders nothing: it starts the next turn. */
		if (list->node == job->starts.loop_node)
			continue;
		for (uint32_t k = 0; k < list->count; k++)
			put(x, job->started_stream.at[list->first + k], slot_of(job, list->node));
	}
}

static enum sd_status build(struct sd_job *job, uint32_t streams, void (*each)(struct indexer *))
{
	struct indexer x = { job, SD_NEW(job->mem, uint32_t, streams), true };

	job->starting.first = SD_NEW0(job->mem, uint32_t, streams + 1u);
	SD_NEED(job, x.next && job->starting.first);
	each(&x);
	for (uint32_t s = 0; s < streams; s++) {
		x.next[s] = job->starting.first[s];
		job->starting.first[s + 1] += x.next[s];
	}
	job->starting.slot = SD_NEW(job->mem, uint32_t, job->starting.first[streams]);
	SD_NEED(job, job->starting.slot);
	x.counting = false;
	each(&x);
	return SD_OK;
}

enum sd_status sd_start_index_lanes(struct sd_job *job)
{
	return build(job, job->slots.lane_count, each_lane);
}

enum sd_status sd_start_index_streams(struct sd_job *job)
{
	return build(job, job->stream_count, each_stream);
}
