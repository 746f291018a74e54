/* start_pieces - who starts each physical stream.
 *
 * Rule   The first piece of a stream that is started has the starters of that stream. A piece
 *        that begins in a body is started by the first active node of that body, or of the
 *        one around it where that runs as often and the body has none, or has it on this very
 *        piece; structured bodies begin in front of their node. One that begins in the root, or so comes to it, by those starters
 *        of its stream that stand in the root. A piece that begins with a label that is only jumped to is started by
 *        nobody, and does not run with the model either; all others run with the model.
 *        A StreamSwitch whose stream has become several pieces gets a
 *        StreamActive behind it, on a stream of its own behind all pieces. The activator of
 *        an iteration loop lists all streams that run with the model, but its own.
 * Cost   O(nodes + streams * starters of each + starters). */
#include "passes.h"

#include "start_index.h"
#include "ways.h"
#include "mutants.h"

struct pieces {
	struct sd_job *job;
	uint32_t *first, *stream; /* per lane + 1: its pieces, ascending */
	uint32_t *active_of;      /* per graph: its first active node; SD_NO_NODE: none. NULL: there are no bodies */
	uint32_t *by_body;        /* per stream: the first active node that starts it; SD_NO_NODE: that of no body */
	bool *in_root;            /* per stream: begins in the root, or in a body that always runs and has no first active node */
	uint32_t *first_of, *of;  /* per node + 1: streams that it starts as the first active node of a body */
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

/* Whether a starter of a lane starts one of its pieces too. */
static bool starts_piece(const struct pieces *p, const struct sd_starter *starter, uint32_t lane, uint32_t stream)
{
	return stream == lane || (!SD_MUTANT(pieces_start_first) && p->in_root[stream] && (p->job->graph->graph_of[starter->node] == SD_ROOT || SD_MUTANT(pieces_start_from_bodies)));
}

static enum sd_status list_pieces(struct pieces *p, const struct sd_starter *starter)
{
	for (uint32_t k = 0; k < starter->count; k++) {
		uint32_t lane = p->job->starts.lane[starter->first + k];

		for (uint32_t i = p->first[lane]; i < p->first[lane + 1]; i++) {
			if (starts_piece(p, starter, lane, p->stream[i]))
				SD_TRY(list_stream(p->job, p->stream[i]));
		}
	}
	return SD_OK;
}

static uint32_t count_pieces(const struct pieces *p, const struct sd_starter *starter)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < starter->count; k++) {
		uint32_t lane = p->job->starts.lane[starter->first + k];

		for (uint32_t i = p->first[lane]; i < p->first[lane + 1]; i++)
			count += starts_piece(p, starter, lane, p->stream[i]);
	}
	return count;
}

/* Adds a stream behind those of the list opened last: a StreamSwitchN tells by the place which label leads there. */
static enum sd_status append_stream(struct sd_job *job, uint32_t stream)
{
	if (!sd_vec_room(job->mem, &job->started_stream))
		SD_NEED(job, NULL);
	job->started_stream.at[job->started_stream.count++] = stream;
	job->started.at[job->started.count - 1].count++;
	return SD_OK;
}

/* The stream of a StreamActive behind the starter, or all that it starts, in its own list. */
static enum sd_status list_starter(struct pieces *p, struct sd_starter *starter)
{
	struct sd_job *job = p->job;
	bool leaves = sd_op_leaves_stream(sd_job_op(job, starter->node));

	if (starter->relay_lane != SD_NO_NODE)
		starter->relay_stream = starter->relay_lane;
	else if (leaves && count_pieces(p, starter) > 1)
		starter->relay_stream = job->stream_count++;
	if (starter->relay_stream != SD_NO_NODE)
		return append_stream(job, starter->relay_stream);
	return leaves ? append_stream(job, job->starts.lane[starter->first]) : list_pieces(p, starter);
}

/* What the StreamActive behind a starter starts; nothing where there is none. */
static enum sd_status list_relay(struct pieces *p, uint32_t number)
{
	struct sd_job *job = p->job;
	struct sd_starter *starter = &job->starts.at[number];

	if (starter->relay_stream == SD_NO_NODE)
		return SD_OK;
	starter->relay_node = job->graph->node_count + job->inserted_count;
	job->inserted_by[job->inserted_count] = number;
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
		if (!job->is_started[s] && (!job->is_jumped[s] || SD_MUTANT(pieces_loop_starts_jumped)) && (s != job->slots.stream[slot] || SD_MUTANT(pieces_loop_starts_own)))
			SD_TRY(list_stream(job, s));
	}
	return SD_OK;
}

/* Who starts a piece that begins with this slot: a first active node, or, up to the root, who starts its stream there. */
static void find_active(struct pieces *p, uint32_t slot)
{
	const struct sd_job *job = p->job;
	uint32_t graph = sd_slot_graph(job, slot), stream = job->slots.stream[slot];

	while (graph != SD_ROOT) {
		uint32_t active = p->active_of[graph], around = job->graph->graph_of[job->graph->graph[graph].parent];

		if (active != SD_NO_NODE && (job->slots.stream[job->slots.of_node[active]] != stream || SD_MUTANT(pieces_active_on_itself))) {
			p->by_body[stream] = active;
			return;
		}
		if (job->scopes.of_graph[graph] != job->scopes.of_graph[around])
			return;
		graph = around;
	}
	p->in_root[stream] = true;
}

static void find_actives(struct pieces *p)
{
	const struct sd_job *job = p->job;

	memset(p->active_of, 0xff, job->graph->graph_count * sizeof(*p->active_of));
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		uint32_t *active = &p->active_of[job->graph->graph_of[n]];

		if (*active == SD_NO_NODE && job->launched[n] && sd_graph_bool(job->graph, n, SD_ATTR_SUBGRAPH_FIRST_ACTIVE))
			*active = n;
	}
}

/* Looks at the slot that begins a piece. */
static void read_piece(struct pieces *p, uint32_t slot)
{
	struct sd_job *job = p->job;
	uint32_t stream = job->slots.stream[slot];
	enum sd_label_role role;

	if (sd_way_label(job, slot, &role)) {
		job->is_jumped[stream] = true;
		return;
	}
	find_active(p, slot);
}

/* Who starts each piece but the first of a lane. */
static enum sd_status read_pieces(struct pieces *p)
{
	struct sd_job *job = p->job;
	bool *seen = SD_NEW0(job->mem, bool, job->stream_count);

	p->by_body = SD_NEW(job->mem, uint32_t, job->stream_count);
	p->in_root = SD_NEW0(job->mem, bool, job->stream_count);
	p->active_of = SD_NEW(job->mem, uint32_t, job->graph->graph_count);
	SD_NEED(job, seen && p->by_body && p->in_root && p->active_of);
	memset(p->by_body, 0xff, job->stream_count * sizeof(*p->by_body));
	if (job->graph->graph_count > 1)
		find_actives(p);
	for (uint32_t s = 0; s < job->slots.count; s++) {
		uint32_t stream = job->slots.stream[s];

		if (seen[stream] || job->slots.kind[s] == SD_SLOT_EXIT)
			continue;
		seen[stream] = true;
		if (stream != job->slots.lane[s])
			read_piece(p, s);
	}
	return SD_OK;
}

/* The pieces that each first active node starts beside those of its lanes. */
static enum sd_status index_bodies(struct pieces *p)
{
	struct sd_job *job = p->job;
	uint32_t nodes = job->graph->node_count, *next = SD_NEW(job->mem, uint32_t, nodes);

	p->first_of = SD_NEW0(job->mem, uint32_t, nodes + 1u);
	p->of = SD_NEW(job->mem, uint32_t, job->stream_count);
	SD_NEED(job, next && p->first_of && p->of);
	for (uint32_t s = 0; s < job->stream_count; s++) {
		if (p->by_body[s] != SD_NO_NODE)
			p->first_of[p->by_body[s] + 1]++;
	}
	for (uint32_t n = 0; n < nodes; n++) {
		next[n] = p->first_of[n];
		p->first_of[n + 1] += next[n];
	}
	for (uint32_t s = 0; s < job->stream_count; s++) {
		if (p->by_body[s] != SD_NO_NODE)
			p->of[next[p->by_body[s]]++] = s;
	}
	return SD_OK;
}

/* Starters and first active nodes in flat order. */
static enum sd_status list_all(struct pieces *p)
{
	struct sd_job *job = p->job;
	uint32_t starter = 0;

	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i], end = starter;

		while (end < job->starts.count && job->starts.at[end].node == n)
			end++;
		if (p->first_of[n] != p->first_of[n + 1] || end > starter)
			SD_TRY(open_list(job, n));
		for (uint32_t k = p->first_of[n]; k < p->first_of[n + 1]; k++)
			SD_TRY(list_stream(job, p->of[k]));
		for (uint32_t k = starter; k < end; k++)
			SD_TRY(list_starter(p, &job->starts.at[k]));
		for (; starter < end; starter++)
			SD_TRY(list_relay(p, starter));
	}
	return SD_OK;
}

enum sd_status sd__pass_start_pieces(struct sd_job *job)
{
	struct pieces p = { .job = job };
	uint32_t streams = job->stream_count, nodes = job->graph->node_count + job->starts.count;

	job->inserted = SD_NEW(job->mem, uint32_t, job->starts.count);
	job->inserted_by = SD_NEW(job->mem, uint32_t, job->starts.count);
	job->started_of_node = SD_NEW(job->mem, uint32_t, nodes);
	job->is_jumped = SD_NEW0(job->mem, bool, streams + job->starts.count);
	SD_NEED(job, job->inserted && job->inserted_by && job->started_of_node && job->is_jumped);
	memset(job->started_of_node, 0xff, (size_t)nodes * sizeof(*job->started_of_node));
	SD_TRY(index_pieces(&p));
	SD_TRY(read_pieces(&p));
	SD_TRY(index_bodies(&p));
	SD_TRY(list_all(&p));
	SD_TRY(grow_streams(job, streams));
	SD_TRY(list_loop(job));
	return sd_start_index_streams(job);
}
