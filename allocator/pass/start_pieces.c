/* start_pieces - who starts each physical stream.
 *
 * Rule   A piece of a stream that is started has the starters of that stream; all others run
 *        with the model. A StreamSwitch whose stream has become several pieces gets a
 *        StreamActive behind it, on a stream of its own behind all pieces. The activator of
 *        an iteration loop lists all streams that run with the model, but its own.
 * Cost   O(streams * starters of each + starters). */
#include "passes.h"

struct pieces {
	struct sd_job *job;
	uint32_t *first, *stream; /* per lane + 1: its pieces, ascending */
};

static enum sd_status index_pieces(struct pieces *p)
{
	struct sd_job *job = p->job;
	uint32_t lanes = job->slots.lane_count, *next = SD_NEW(job->mem, uint32_t, lanes);

	p->first = SD_NEW0(job->mem, uint32_t, lanes + 1u);
	p->stream = SD_NEW(job->mem, uint32_t, job->stream_count);
	SD_NEED(job, next && p->first && p->stream);
	for (uint32_t s = 0; s < job->stream_count; s++)
		p->first[job->logical_of[s] + 1]++;
	for (uint32_t lane = 0; lane < lanes; lane++) {
		next[lane] = p->first[lane];
		p->first[lane + 1] += next[lane];
	}
	for (uint32_t s = 0; s < job->stream_count; s++)
		p->stream[next[job->logical_of[s]]++] = s;
	return SD_OK;
}

static enum sd_status open_list(struct sd_job *job, uint32_t node)
{
	if (!sd_vec_room(job->mem, &job->started))
		SD_NEED(job, NULL);
	job->started_of_node[node] = job->started.count;
	job->started.at[job->started.count++] = (struct sd_started){ node, job->started_stream.count, 0 };
	return SD_OK;
}

/* Adds a stream to the list opened last, in its place. */
static enum sd_status list_stream(struct sd_job *job, uint32_t stream)
{
	struct sd_started *list = &job->started.at[job->started.count - 1];
	uint32_t at;

	if (!sd_vec_room(job->mem, &job->started_stream))
		SD_NEED(job, NULL);
	for (at = job->started_stream.count; at > list->first && job->started_stream.at[at - 1] > stream; at--)
		job->started_stream.at[at] = job->started_stream.at[at - 1];
	job->started_stream.at[at] = stream;
	job->started_stream.count++;
	list->count++;
	return SD_OK;
}

static enum sd_status list_pieces(struct pieces *p, const struct sd_starter *starter)
{
	for (uint32_t k = 0; k < starter->count; k++) {
		uint32_t lane = p->job->starts.lane[starter->first + k];

		for (uint32_t i = p->first[lane]; i < p->first[lane + 1]; i++)
			SD_TRY(list_stream(p->job, p->stream[i]));
	}
	return SD_OK;
}

static uint32_t count_pieces(const struct pieces *p, const struct sd_starter *starter)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < starter->count; k++) {
		uint32_t lane = p->job->starts.lane[starter->first + k];

		count += p->first[lane + 1] - p->first[lane];
	}
	return count;
}

static enum sd_status list_starter(struct pieces *p, struct sd_starter *starter)
{
	struct sd_job *job = p->job;
	bool is_switch = sd_job_op(job, starter->node) == SD_OP_STREAM_SWITCH;

	if (starter->relay_lane != SD_NO_NODE)
		starter->relay_stream = starter->relay_lane;
	else if (is_switch && count_pieces(p, starter) > 1)
		starter->relay_stream = job->stream_count++;
	SD_TRY(open_list(job, starter->node));
	if (starter->relay_stream == SD_NO_NODE)
		return list_pieces(p, starter);
	SD_TRY(list_stream(job, starter->relay_stream));
	starter->relay_node = job->graph->node_count + job->inserted_count;
	job->inserted[job->inserted_count++] = starter->node;
	SD_TRY(open_list(job, starter->relay_node));
	return list_pieces(p, starter);
}

/* Streams of relays that were needed only now have numbers of their own, as logical ones too. */
static enum sd_status grow_streams(struct sd_job *job, uint32_t before)
{
	uint32_t *logical_of = SD_NEW(job->mem, uint32_t, job->stream_count);
	bool *huge = SD_NEW0(job->mem, bool, job->stream_count);

	job->is_started = SD_NEW0(job->mem, bool, job->stream_count);
	SD_NEED(job, logical_of && huge && job->is_started);
	for (uint32_t s = 0; s < job->stream_count; s++) {
		logical_of[s] = s < before ? job->logical_of[s] : s;
		huge[s] = s < before && job->huge[s];
	}
	job->logical_of = logical_of;
	job->huge = huge;
	for (uint32_t i = 0; i < job->started_stream.count; i++)
		job->is_started[job->started_stream.at[i]] = true;
	return SD_OK;
}

static enum sd_status list_loop(struct sd_job *job)
{
	uint32_t node = job->starts.loop_node, slot = node == SD_NO_NODE ? SD_NO_INDEX : job->slots.of_node[node];

	if (slot == SD_NO_INDEX)
		return SD_OK;
	SD_TRY(open_list(job, node));
	for (uint32_t s = 0; s < job->stream_count; s++) {
		if (!job->is_started[s] && s != job->slots.stream[slot])
			SD_TRY(list_stream(job, s));
	}
	return SD_OK;
}

enum sd_status sd__pass_start_pieces(struct sd_job *job)
{
	struct pieces p = { .job = job };
	uint32_t streams = job->stream_count, nodes = job->graph->node_count + job->starts.count;

	job->inserted = SD_NEW(job->mem, uint32_t, job->starts.count);
	job->started_of_node = SD_NEW(job->mem, uint32_t, nodes);
	SD_NEED(job, job->inserted && job->started_of_node);
	memset(job->started_of_node, 0xff, (size_t)nodes * sizeof(*job->started_of_node));
	SD_TRY(index_pieces(&p));
	for (uint32_t i = 0; i < job->starts.count; i++)
		SD_TRY(list_starter(&p, &job->starts.at[i]));
	SD_TRY(grow_streams(job, streams));
	return list_loop(job);
}
