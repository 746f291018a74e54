/* make_slots - what happens on each lane, in what order.
 *
 * Rule   A launched node has one slot on its logical stream, its lane, and one on each of its
 *        attached streams; one without logical stream has its slot on lane 0. Slots are
 *        numbered in flat order, those of one node main first, then by stream, so the
 *        slots of a lane run in ascending order. In a lowered body the label that is jumped
 *        to comes first, what jumps out last, however they are listed: a node listed in
 *        front of the one or behind the other would run always, or never. The switch of a
 *        choice runs in front of the bodies, the end label behind them.
 *        A StreamSwitch that starts a stream leaves its own for good: what must come behind
 *        it is told from the head of the stream that it starts, by a slot in front of all
 *        others there. Nothing else stands behind it on its own stream. A StreamSwitchN leaves its
 *        stream, too, but can tell nobody: only one of the streams that it starts runs.
 *        On every lane that structured bodies use, their node has a slot in front of them
 *        and one behind them; a loop has one more behind its body.
 * Why    Syncs are recorded and waited for by what runs; nodes that launch nothing only
 *        hand on what they wait for. Both ends of a sync run equally often.
 * Cost   O(nodes + attached streams + starters + lanes that bodies use), times the depth of
 *        bodies. */
#include "passes.h"

#include "lanes.h"
#include "start_index.h"
#include "mutants.h"

/* A lane in front of bodies. */
struct entry {
	uint32_t last, fork, again; /* slots; SD_NO_INDEX: none */
};

struct filler {
	struct sd_job *job;
	struct sd_lane_lists lists;
	uint32_t *last;   /* per lane: its last slot so far that runs with the next one */
	bool *begun;      /* per lane: has a slot */
	bool *starts;     /* per node */
	bool *left;       /* per lane: a StreamSwitch has left it, in some body at least */
	uint32_t starter; /* starters met so far */
	SD_VEC(struct entry) entry; /* stack: of the bodies that are open, lane by lane */
};

static uint32_t add_slot(struct filler *f, uint32_t node, uint32_t lane, enum sd_slot_kind kind, uint32_t scope)
{
	struct sd_slots *slots = &f->job->slots;
	uint32_t s = slots->count++;

	slots->node[s] = node;
	slots->lane[s] = slots->stream[s] = lane;
	slots->kind[s] = (uint8_t)kind;
	slots->scope[s] = scope;
	slots->before[s] = f->last[lane];
	f->last[lane] = s;
	f->begun[lane] = true;
	return s;
}

static uint32_t run_scope(const struct filler *f, uint32_t node)
{
	return sd_scope_of_run(&f->job->scopes, f->job->graph, node);
}

/* The head of a lane that is about to get its first slot, if it is a StreamSwitch alone that starts it. */
static void add_head(struct filler *f, uint32_t lane)
{
	const struct sd_starts *starts = &f->job->starts;
	uint32_t first = starts->first_of_lane[lane];
	const struct sd_starter *starter;

	if (f->begun[lane] || starts->first_of_lane[lane + 1] != first + 1)
		return;
	starter = &starts->at[starts->of_lane[first]];
	if (sd_job_op(f->job, starter->node) == SD_OP_STREAM_SWITCH && starter->relay_lane == SD_NO_NODE)
		f->job->slots.sender[starter->node] = add_slot(f, starter->node, lane, SD_SLOT_HEAD, run_scope(f, starter->node));
}

/* A StreamSwitch or StreamSwitchN that starts a stream ends its own. */
static enum sd_status check_end(const struct filler *f, uint32_t node, uint32_t lane)
{
	const struct sd_job *job = f->job;
	uint32_t last = f->last[lane];

	while (f->left[lane] && last != SD_NO_INDEX && !sd_slot_launches(&job->slots, last))
		last = job->slots.before[last];
	if (SD_MUTANT(slots_behind_switch) || !f->left[lane] || last == SD_NO_INDEX || job->slots.kind[last] != SD_SLOT_MAIN || !f->starts[job->slots.node[last]] ||
	    !sd_op_leaves_stream(sd_job_op(job, job->slots.node[last])))
		return SD_OK;
	return SD_FAIL1(job->diag, SD_CODE_BEHIND_SWITCH, node, sd_arg_node(job->slots.node[last]));
}

/* The distinct attached streams of a node, ascending: requests that share a stream share a slot. */
static void add_attached(struct filler *f, uint32_t node)
{
	const struct sd_job *job = f->job;
	uint32_t first = job->attached_first[node], count = job->attached_first[node + 1] - first, least = 0;

	for (uint32_t done = 0; done < count; done++) {
		uint32_t lane = SD_NO_INDEX;

		for (uint32_t i = 0; i < count; i++) {
			if (job->attached[first + i] >= least && job->attached[first + i] < lane)
				lane = job->attached[first + i];
		}
		if (lane == SD_NO_INDEX)
			return;
		add_slot(f, node, lane, SD_SLOT_ATTACHED, run_scope(f, node));
		least = lane + 1;
	}
}

/* The StreamActives behind a StreamSwitch or StreamSwitchN. Starters stand in flat order too. */
static void add_relays(struct filler *f, uint32_t node)
{
	const struct sd_starts *starts = &f->job->starts;

	for (; f->starter < starts->count && starts->at[f->starter].node == node; f->starter++) {
		struct sd_starter *starter = &starts->at[f->starter];

		if (starter->relay_lane == SD_NO_NODE)
			continue;
		starter->relay_slot = add_slot(f, node, starter->relay_lane, SD_SLOT_RELAY, run_scope(f, node));
		if (sd_job_op(f->job, node) == SD_OP_STREAM_SWITCH)
			f->job->slots.sender[node] = starter->relay_slot;
	}
}

static enum sd_status place_graph(struct filler *f, uint32_t graph);

/* A launched node on all its lanes. */
static enum sd_status place_node(struct filler *f, uint32_t node)
{
	struct sd_slots *slots = &f->job->slots;
	uint32_t lane = sd_job_lane(f->job, node);

	SD_TRY(check_end(f, node, lane));
	add_head(f, lane);
	f->left[lane] |= f->starts[node] && sd_op_leaves_stream(sd_job_op(f->job, node));
	slots->of_node[node] = add_slot(f, node, lane, SD_SLOT_MAIN, run_scope(f, node));
	if (sd_scopes_role(&f->job->scopes, node) == SD_ROLE_NONE || slots->waits_at[node] == SD_NO_INDEX)
		slots->waits_at[node] = slots->of_node[node];
	if (sd_scopes_role(&f->job->scopes, node) == SD_ROLE_HEAD && !SD_MUTANT(slots_head_may_wait))
		slots->waits_at[node] = SD_NO_INDEX;
	add_attached(f, node);
	add_relays(f, node);
	if (slots->sender[node] == SD_NO_INDEX)
		slots->sender[node] = slots->of_node[node];
	return SD_OK;
}

/* The waits of a label that runs in another scope. */
static void place_waits(struct filler *f, uint32_t node)
{
	uint32_t lane = sd_job_lane(f->job, node);

	add_head(f, lane);
	f->job->slots.waits_at[node] = add_slot(f, node, lane, SD_SLOT_WAITS, sd_scope_of_waits(&f->job->scopes, f->job->graph, node));
}

/* The node with this role in a body; SD_NO_NODE if there is none. */
static uint32_t find_role(const struct filler *f, uint32_t graph_number, enum sd_label_role role)
{
	const struct sd_subgraph *graph = &f->job->graph->graph[graph_number];

	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		if (f->job->scopes.role[n] == role)
			return n;
	}
	return SD_NO_NODE;
}

/* Nobody falls through to an end label behind a jump: what it would wait for, the jump waits for. */
static void place_end_waits(struct filler *f, uint32_t end)
{
	const struct sd_scopes *scopes = &f->job->scopes;
	const struct sd_scope *scope = &scopes->at[scopes->of_graph[f->job->graph->graph_of[end]]];
	uint32_t jump = scopes->jump[scopes->functional[scope->functional].first_jump + scope->body];

	if (jump == SD_NO_NODE || SD_MUTANT(slots_end_waits_unreached))
		place_waits(f, end);
	else
		f->job->slots.waits_at[end] = f->job->slots.of_node[jump];
}

/* What leaves a lowered body, behind all else in it. */
static enum sd_status place_jumps(struct filler *f, const struct sd_subgraph *graph)
{
	uint32_t end = SD_NO_NODE;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = f->job->order.node[graph->first_node + i];
		enum sd_label_role role = (enum sd_label_role)f->job->scopes.role[n];

		if (role == SD_ROLE_GOTO || role == SD_ROLE_LOOP_SWITCH)
			SD_TRY(place_node(f, n));
		end = role == SD_ROLE_END ? n : end;
	}
	if (end != SD_NO_NODE)
		place_end_waits(f, end);
	return SD_OK;
}

static bool uses_lane(const struct filler *f, uint32_t node, uint32_t lane)
{
	const struct sd_job *job = f->job;

	if (!job->launched[node])
		return false;
	for (uint32_t i = job->attached_first[node]; i < job->attached_first[node + 1]; i++) {
		if (job->attached[i] == lane)
			return true;
	}
	return sd_job_lane(job, node) == lane;
}

/* Bodies of a choice begin alike; the body of a loop goes on where the condition ended. */
static void end_body(struct filler *f, const struct sd_functional *fun, uint32_t k, const struct entry *entry, uint32_t tails,
                     const uint32_t *lane, uint32_t lanes)
{
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t *last = &f->last[lane[i]], *tail = &f->job->slots.tail.at[tails + i * fun->body_count];
		uint32_t begin = fun->loop && k && tail[0] != SD_NO_INDEX ? tail[0] : entry[i].last;

		tail[k] = *last == begin ? SD_NO_INDEX : *last;
		if (!fun->loop && !SD_MUTANT(slots_bodies_in_line))
			*last = begin;
	}
}

/* Notes how the lanes of bodies stand in front of them, behind the forks, and makes room for their tails. */
static enum sd_status enter_bodies(struct filler *f, const struct sd_functional *fun, const uint32_t *lane, uint32_t lanes, uint32_t *tails)
{
	struct sd_slots *slots = &f->job->slots;

	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t last = f->last[lane[i]];
		bool forks = last != SD_NO_INDEX && slots->kind[last] == SD_SLOT_FORK && slots->node[last] == fun->node;

		if (!sd_vec_room(f->job->mem, &f->entry))
			SD_NEED(f->job, NULL);
		f->entry.at[f->entry.count++] = (struct entry){ last, forks ? last : SD_NO_INDEX, SD_NO_INDEX };
		for (uint32_t k = 0; k < fun->body_count; k++) {
			if (!sd_vec_room(f->job->mem, &slots->tail))
				SD_NEED(f->job, NULL);
			slots->tail.at[slots->tail.count++] = SD_NO_INDEX;
		}
	}
	*tails = slots->tail.count - lanes * fun->body_count;
	return SD_OK;
}

/* Behind its bodies: a slot on each lane that they use, which goes on where any of them ended. */
static enum sd_status leave_bodies(struct filler *f, uint32_t number, const uint32_t *lane, uint32_t lanes, uint32_t tails, uint32_t begin)
{
	const struct sd_functional *fun = &f->job->scopes.functional[number];
	struct sd_slots *slots = &f->job->slots;
	uint32_t entry = f->entry.count - lanes, around = f->job->scopes.of_graph[f->job->graph->graph_of[fun->node]];

	slots->exits[number] = (struct sd_exit_range){ slots->exit.count, lanes, begin, 0, 0 };
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t s = add_slot(f, fun->node, lane[i], fun->form == SD_FORM_LOWERED ? SD_SLOT_EXIT : SD_SLOT_JOIN, around);

		if (!sd_vec_room(f->job->mem, &slots->exit))
			SD_NEED(f->job, NULL);
		slots->before[s] = f->entry.at[entry + i].last;
		slots->exit_of[s] = slots->exit.count;
		slots->exit.at[slots->exit.count++] = (struct sd_exit){ s, number, tails + i * fun->body_count,
		                                                        f->entry.at[entry + i].fork, f->entry.at[entry + i].again };
	}
	f->entry.count = entry;
	return SD_OK;
}

/* In front of structured bodies, and, on the way in, of the label of a lowered condition. */
static enum sd_status place_forks(struct filler *f, const struct sd_functional *fun, const uint32_t *lane, uint32_t lanes)
{
	const struct sd_job *job = f->job;
	uint32_t around = job->scopes.of_graph[job->graph->graph_of[fun->node]];

	for (uint32_t i = 0; i < lanes; i++)
		add_head(f, lane[i]);
	if (fun->form == SD_FORM_LOWERED && !fun->loop)
		return place_node(f, fun->switch_node);
	if (fun->form == SD_FORM_LOWERED) {
		place_waits(f, find_role(f, job->graph->body[job->graph->body_first[fun->node]], SD_ROLE_CONDITION));
		return SD_OK;
	}
	for (uint32_t i = 0; i < lanes; i++) {
		if (!uses_lane(f, fun->node, lane[i]))
			add_slot(f, fun->node, lane[i], SD_SLOT_FORK, around);
	}
	return SD_OK;
}

static enum sd_status place_scoped(struct filler *f, uint32_t number)
{
	const struct sd_job *job = f->job;
	const struct sd_functional *fun = &job->scopes.functional[number];
	const uint32_t *lane = f->lists.lane.at + f->lists.first[number], *body = job->graph->body + job->graph->body_first[fun->node];
	uint32_t lanes = f->lists.first[number + 1] - f->lists.first[number], tails = 0, entry = f->entry.count, begin;

	SD_TRY(place_forks(f, fun, lane, lanes));
	begin = job->slots.count;
	SD_TRY(enter_bodies(f, fun, lane, lanes, &tails));
	for (uint32_t k = 0; k < fun->body_count; k++) {
		SD_TRY(place_graph(f, body[k]));
		for (uint32_t i = 0; fun->form == SD_FORM_STRUCTURED && fun->loop && k && i < lanes; i++)
			f->entry.at[entry + i].again = add_slot(f, fun->node, lane[i], SD_SLOT_AGAIN, job->scopes.of_graph[body[k]]);
		end_body(f, fun, k, f->entry.at + entry, tails, lane, lanes);
	}
	SD_TRY(leave_bodies(f, number, lane, lanes, tails, begin));
	return fun->form == SD_FORM_LOWERED ? place_node(f, fun->end_node) : SD_OK;
}

static enum sd_status place_bodies(struct filler *f, uint32_t node)
{
	const struct sd_graph *graph = f->job->graph;
	uint32_t number = f->job->scopes.functional_of[node];

	if (f->job->scopes.functional[number].form != SD_FORM_INLINE)
		return place_scoped(f, number);
	for (uint32_t i = graph->body_first[node]; i < graph->body_first[node + 1]; i++)
		SD_TRY(place_graph(f, graph->body[i]));
	return SD_OK;
}

/* The label that a lowered body begins with. */
static enum sd_status place_label(struct filler *f, uint32_t graph)
{
	uint32_t label = find_role(f, graph, SD_ROLE_HEAD);

	if (label == SD_NO_NODE)
		label = find_role(f, graph, SD_ROLE_CONDITION);
	return place_node(f, label);
}

static enum sd_status place_graph(struct filler *f, uint32_t graph_number)
{
	const struct sd_job *job = f->job;
	const struct sd_scopes *scopes = &job->scopes;
	const struct sd_subgraph *graph = &job->graph->graph[graph_number];
	uint32_t scope = scopes->of_graph[graph_number], functional = scopes->at[scope].functional;
	bool lowered = graph_number != SD_ROOT && scope && graph->parent == scopes->functional[functional].node &&
	               scopes->functional[functional].form == SD_FORM_LOWERED;

	if (lowered)
		SD_TRY(place_label(f, graph_number));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i];

		if (sd_scopes_role(scopes, n) != SD_ROLE_NONE)
			continue;
		if (job->launched[n])
			SD_TRY(place_node(f, n));
		if (sd_scopes_functional(scopes, n))
			SD_TRY(place_bodies(f, n));
	}
	return lowered ? place_jumps(f, graph) : SD_OK;
}

/* How many slots there can be. */
static uint32_t count_slots(const struct filler *f)
{
	const struct sd_job *job = f->job;
	uint32_t nodes = job->graph->node_count, count = 2 * job->starts.count + job->attached_first[nodes];

	for (uint32_t n = 0; n < nodes; n++)
		count += job->launched[n];
	for (uint32_t i = 0; i < job->scopes.functional_count; i++)
		count += 1 + 3 * (f->lists.first[i + 1] - f->lists.first[i]);
	return count;
}

/* What is noted about bodies; in a flat graph a node waits where it runs. */
static enum sd_status make_room_for_bodies(struct filler *f, uint32_t count)
{
	struct sd_job *job = f->job;
	struct sd_slots *slots = &job->slots;
	uint32_t nodes = job->graph->node_count;

	slots->waits_at = slots->of_node;
	if (!job->scopes.functional_count)
		return SD_OK;
	slots->waits_at = SD_NEW(job->mem, uint32_t, nodes);
	slots->reach = SD_NEW(job->mem, uint32_t, count);
	slots->exit_of = SD_NEW(job->mem, uint32_t, count);
	slots->exits = SD_NEW0(job->mem, struct sd_exit_range, job->scopes.functional_count);
	SD_NEED(job, slots->waits_at && slots->reach && slots->exit_of && slots->exits);
	memset(slots->waits_at, 0xff, (size_t)nodes * sizeof(*slots->waits_at));
	memset(slots->exit_of, 0xff, (size_t)count * sizeof(*slots->exit_of));
	return SD_OK;
}

static enum sd_status make_room(struct filler *f)
{
	struct sd_job *job = f->job;
	struct sd_slots *slots = &job->slots;
	uint32_t nodes = job->graph->node_count, count = count_slots(f);

	*slots = (struct sd_slots){
		.lane_count = job->starts.lane_count, .node = SD_NEW(job->mem, uint32_t, count),
		.lane = SD_NEW(job->mem, uint32_t, count), .scope = SD_NEW(job->mem, uint32_t, count),
		.of_node = SD_NEW(job->mem, uint32_t, nodes), .sender = SD_NEW(job->mem, uint32_t, nodes),
		.before = SD_NEW(job->mem, uint32_t, count), .kind = SD_NEW(job->mem, uint8_t, count),
		.stream = SD_NEW(job->mem, uint32_t, count),
	};
	f->last = SD_NEW(job->mem, uint32_t, slots->lane_count);
	f->begun = SD_NEW0(job->mem, bool, slots->lane_count);
	f->left = SD_NEW0(job->mem, bool, slots->lane_count);
	f->starts = SD_NEW0(job->mem, bool, nodes);
	SD_NEED(job, f->last && f->begun && f->left && f->starts && slots->node && slots->lane && slots->scope && slots->of_node && slots->sender &&
	             slots->before && slots->kind && slots->stream);
	memset(f->last, 0xff, (size_t)slots->lane_count * sizeof(*f->last));
	for (uint32_t i = 0; i < job->starts.count; i++)
		f->starts[job->starts.at[i].node] = true;
	memset(slots->of_node, 0xff, (size_t)nodes * sizeof(*slots->of_node));
	memset(slots->sender, 0xff, (size_t)nodes * sizeof(*slots->sender));
	slots->front = slots->before;
	return make_room_for_bodies(f, count);
}

/* Slots that launch nothing are done with what stands in front of them; a head tells of its StreamSwitch. */
static enum sd_status measure_reach(struct sd_job *job)
{
	struct sd_slots *slots = &job->slots;

	for (uint32_t s = 0; slots->reach && s < slots->count; s++) {
		const struct sd_exit *exit = sd_slots_exit(slots, s);
		uint32_t ways = exit ? job->scopes.functional[exit->functional].body_count : 0;

		slots->reach[s] = sd_slot_launches(slots, s) || slots->kind[s] == SD_SLOT_HEAD ? s + 1 : sd_slot_reach(slots, slots->before[s]);
		for (uint32_t k = 0; k < ways; k++) {
			uint32_t tail = slots->tail.at[exit->first_tail + k];

			if (tail != SD_NO_INDEX && slots->reach[tail] > slots->reach[s] && !SD_MUTANT(slots_reach_in_front))
				slots->reach[s] = slots->reach[tail];
		}
	}
	slots->told = SD_NEW(job->mem, uint32_t, slots->tail.count);
	SD_NEED(job, slots->told);
	memset(slots->told, 0xff, slots->tail.count * sizeof(*slots->told));
	return SD_OK;
}

enum sd_status sd__pass_make_slots(struct sd_job *job)
{
	struct filler f = { .job = job };

	SD_TRY(sd_lanes_of_bodies(job, &f.lists));
	SD_TRY(make_room(&f));
	SD_TRY(place_graph(&f, SD_ROOT));
	/* Lanes on which nothing is launched may have a head all the same. */
	for (uint32_t lane = 0; lane < job->slots.lane_count; lane++)
		add_head(&f, lane);
	SD_TRY(measure_reach(job));
	return sd_start_index_lanes(job);
}
