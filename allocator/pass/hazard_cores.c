/* hazard_cores - kernels that may run at the same time and ask for more cores than there are.
 *
 * Rule   A node claims cores of a kind, cube or vector: one with `gang` those that it states (the smaller
 *        of a figure and a cap), all of both kinds where it states none; one that talks to other ranks
 *        those that it states; any other those of its cap. No claim is above what the device model has.
 *        Claims of the first two are rigid: their kernels hold what they have got until they get the rest, or
 *        until other ranks answer. Each node is held against all in front of it, as the plan runs,
 *        that the plan does not order, first one by one, then against those of them that
 *        the sweep still sees in the air, together. More than the device has is a hazard, told once for
 *        each node with the largest claim beside it: a dead-lock where all are rigid, else cores that
 *        are promised twice. A gang that alone needs more than the device has is one too.
 * Why    Two gangs that each hold a part of the cores wait for each other for ever; across ranks so do a gang
 *        and a collective. Caps are set so that branches fit beside each other.
 * Example 48 vector cores, a collective with 16 and a gang with all on two streams: told of the later one.
 * Differs Graph Engine looks at pairs of vector kernels by name, where a debug option asks for it.
 * Cost   That of reduce.c where claims are on two streams, and O(claims * streams with claims * log claims). */
#include "passes.h"

#include "communicator.h"
#include "decimal.h"
#include "hazard.h"
#include "model.h"
#include "mutants.h"

enum { CUBE, VECTOR, KINDS };

struct claim {
	uint32_t slot;
	int64_t cores[KINDS];
	bool gang, rigid;
};

/* Claims of one lane so far, for one kind and all or the rigid ones alone: ascending by slot. What a later one exceeds that
 * runs whenever it does is gone: without bodies the first entry behind a slot is the largest claim behind it. */
struct descent {
	uint32_t first, count; /* into descending */
};

struct gathering {
	struct sd_job *job;
	struct sd_oracle oracle;
	int64_t cores[KINDS];      /* of the device */
	uint32_t count;
	struct claim *at;          /* in flat order */
	uint32_t *of_slot;         /* per slot: into at; SD_NO_INDEX: none */
	uint32_t lanes, *lane;     /* with claims */
	struct descent *descent;   /* per lane: [rigid][kind] */
	uint32_t *descending;      /* claims */
	uint32_t aired, *air;      /* claims met of which no two are ordered */
	uint32_t touches, *touch;  /* scopes of what is added up, inner ones first */
	bool *touched;             /* per scope */
	int64_t *sum, *most;       /* per scope: its claims, with those of inner ones; per first body of a node: what its bodies add */
	uint32_t *partner;         /* per claim; SD_NO_INDEX: none */
	uint8_t *kind, *deadlock;  /* of the hazard with the partner */
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Cap of an attribute; 0 = none. One that is no number is refused where plans are put together. */
static int64_t cap_of(const struct sd_graph *graph, uint32_t node, enum sd_attr_key key)
{
	struct sd_text text;
	int32_t cap = 0;

	if (!sd_graph_string(graph, node, key, &text) || !sd_decimal(text, false, &cap))
		return 0;
	return cap;
}

static bool talks(const struct sd_job *job, uint32_t node)
{
	return job->collective[node] || sd_comm_of(job->graph, node) || sd_communicator(job->graph, node).len;
}

/* What the node claims, before it is held against the device. */
static void claim(const struct sd_job *job, uint32_t node, struct claim *c)
{
	static const enum sd_attr_key cap_key[KINDS] = { SD_ATTR_OP_AICORE_NUM, SD_ATTR_OP_VECTORCORE_NUM };
	uint32_t index = job->graph->extra_of[node];
	const struct sd_extra *extra = index == UINT32_MAX ? NULL : &job->graph->extra[index];
	int64_t stated[KINDS] = { extra ? extra->cube_cores : -1, extra ? extra->vector_cores : -1 };
	bool states_any = false;

	c->gang = extra && extra->gang;
	c->rigid = c->gang || (talks(job, node) && !SD_MUTANT(cores_gangs_alone_rigid));
	for (int kind = CUBE; kind < KINDS; kind++) {
		int64_t cap = cap_of(job->graph, node, cap_key[kind]);

		states_any |= cap || stated[kind] >= 0;
		if (cap && stated[kind] >= 0)
			c->cores[kind] = smaller(cap, stated[kind]);
		else
			c->cores[kind] = cap || !c->rigid || stated[kind] < 0 ? cap : stated[kind];
	}
	for (int kind = CUBE; c->gang && !states_any && kind < KINDS; kind++)
		c->cores[kind] = INT64_MAX;
}

static enum sd_status add_claim(struct gathering *g, uint32_t slot)
{
	struct claim *c = &g->at[g->count];
	bool any = false;

	*c = (struct claim){ .slot = slot };
	claim(g->job, g->job->slots.node[slot], c);
	for (int kind = CUBE; kind < KINDS; kind++) {
		if (c->gang && c->cores[kind] > g->cores[kind] && c->cores[kind] != INT64_MAX)
			SD_TRY(sd_hazard(g->job, SD_CODE_GANG_TOO_LARGE, g->job->slots.node[slot], sd_arg_int(c->cores[kind]), sd_arg_int(g->cores[kind])));
		c->cores[kind] = smaller(c->cores[kind], g->cores[kind]);
		any |= c->cores[kind] > 0;
	}
	if (any)
		g->of_slot[slot] = g->count++;
	return SD_OK;
}

/* Whether any node can claim anything: most graphs are done here. */
static bool may_claim(const struct sd_graph *graph)
{
	const uint64_t caps = 1ull << SD_ATTR_OP_AICORE_NUM | 1ull << SD_ATTR_OP_VECTORCORE_NUM;

	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (graph->attr_present[n] & caps)
			return true;
	}
	for (uint32_t i = 0; i < graph->extra_count; i++) {
		if (graph->extra[i].gang || graph->extra[i].cube_cores > 0 || graph->extra[i].vector_cores > 0)
			return true;
	}
	return false;
}

static enum sd_status gather(struct gathering *g)
{
	struct sd_job *job = g->job;
	const struct sd_slots *slots = &job->slots;

	g->cores[CUBE] = sd_model_or(job->request->device.model.cube_cores, SD_MODEL_CUBE_CORES);
	g->cores[VECTOR] = sd_model_or(job->request->device.model.vector_cores, SD_MODEL_VECTOR_CORES);
	g->at = SD_NEW(job->mem, struct claim, slots->count + 1u);
	g->of_slot = SD_NEW(job->mem, uint32_t, slots->count);
	SD_NEED(job, g->at && g->of_slot);
	memset(g->of_slot, 0xff, slots->count * sizeof(*g->of_slot));
	for (uint32_t s = 0; s < slots->count; s++) {
		if (slots->kind[s] == SD_SLOT_MAIN)
			SD_TRY(add_claim(g, s));
	}
	return SD_OK;
}

static enum sd_status make_room(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t lane_count = job->slots.lane_count, *held = SD_NEW0(job->mem, uint32_t, lane_count), used = 0;

	g->lane = SD_NEW(job->mem, uint32_t, lane_count);
	g->air = SD_NEW(job->mem, uint32_t, lane_count + 1u);
	g->descent = SD_NEW0(job->mem, struct descent, (size_t)lane_count * 2 * KINDS);
	g->descending = SD_NEW(job->mem, uint32_t, (size_t)g->count * 2 * KINDS);
	g->partner = SD_NEW(job->mem, uint32_t, g->count);
	g->kind = SD_NEW0(job->mem, uint8_t, g->count);
	g->deadlock = SD_NEW0(job->mem, uint8_t, g->count);
	g->touch = SD_NEW(job->mem, uint32_t, job->scopes.count);
	g->touched = SD_NEW0(job->mem, bool, job->scopes.count);
	g->sum = SD_NEW(job->mem, int64_t, job->scopes.count);
	g->most = SD_NEW(job->mem, int64_t, job->scopes.count);
	SD_NEED(job, g->touch && g->touched && g->sum && g->most && held && g->lane && g->air && g->descent && g->descending && g->partner && g->kind && g->deadlock);
	memset(g->partner, 0xff, g->count * sizeof(*g->partner));
	for (uint32_t i = 0; i < g->count; i++)
		held[job->slots.lane[g->at[i].slot]]++;
	for (uint32_t lane = 0; lane < lane_count; lane++) {
		if (held[lane])
			g->lane[g->lanes++] = lane;
		for (uint32_t d = 0; d < 2 * KINDS; d++, used += held[lane])
			g->descent[lane * 2 * KINDS + d].first = used;
	}
	return SD_OK;
}

static struct descent *descent_of(const struct gathering *g, uint32_t lane, bool rigid, int kind)
{
	return &g->descent[(lane * 2 + rigid) * KINDS + (uint32_t)kind];
}

/* Whether a later claim is as large as one, and runs whenever that does. */
static bool is_exceeded(const struct gathering *g, uint32_t one, uint32_t later, int kind)
{
	const uint32_t *node = g->job->slots.node;

	return g->at[one].cores[kind] <= g->at[later].cores[kind] && sd_runs_with(g->job, node[g->at[one].slot], node[g->at[later].slot]);
}

static void descend(struct gathering *g, uint32_t i)
{
	uint32_t lane = g->job->slots.lane[g->at[i].slot];

	for (int d = 0; d < 2 * KINDS; d++) {
		bool rigid = d >= KINDS;
		int kind = d % KINDS;
		struct descent *in = descent_of(g, lane, rigid, kind);

		if (rigid && !g->at[i].rigid)
			continue;
		while (in->count && is_exceeded(g, g->descending[in->first + in->count - 1], i, kind))
			in->count--;
		g->descending[in->first + in->count++] = i;
	}
}

/* Whether some run has both claims and does not order them, of which the clocks know no order. */
static bool may_run_beside(struct gathering *g, uint32_t other, uint32_t i)
{
	uint32_t from = g->at[other].slot, to = g->at[i].slot;

	return sd_may_both_run(g->job, g->job->slots.node[from], g->job->slots.node[to]) && !sd_oracle_before(&g->oracle, from, to);
}

/* The largest claim of more than `most` cores on a lane behind `slot` - 1 that may run beside claim `i`; SD_NO_INDEX: none. */
static uint32_t largest_behind(struct gathering *g, const struct descent *in, uint32_t slot, uint32_t i, int kind, int64_t most)
{
	uint32_t low = 0, high = in->count, largest = SD_NO_INDEX;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (g->at[g->descending[in->first + mid]].slot < slot)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < in->count; low++) {
		uint32_t other = g->descending[in->first + low];

		if (g->at[other].cores[kind] > most && may_run_beside(g, other, i)) {
			largest = other;
			most = g->at[other].cores[kind];
		}
		if (g->job->scopes.count == 1)
			break;
	}
	return largest;
}

/* Holds claim `i` against the largest of each other lane that is not ordered before it. */
static void look_at_lanes(struct gathering *g, uint32_t i, bool rigid, int kind, const struct sd_clock *known)
{
	int64_t most = g->cores[kind] - g->at[i].cores[kind];

	for (uint32_t k = 0; k < g->lanes; k++) {
		uint32_t lane = g->lane[k], other;

		if (lane == g->job->slots.lane[g->at[i].slot])
			continue;
		other = largest_behind(g, descent_of(g, lane, rigid, kind), sd_clock_knows(known, lane), i, kind, most);
		if (other == SD_NO_INDEX)
			continue;
		most = g->at[other].cores[kind];
		g->partner[i] = other;
		g->kind[i] = (uint8_t)kind;
		g->deadlock[i] = rigid;
	}
}

/* Adds to the sum of a scope; what its bodies add is added up by most_of_run(). */
static void add_to_scope(struct gathering *g, uint32_t scope, int64_t cores)
{
	for (uint32_t s = scope; !g->touched[s]; s = g->job->scopes.at[s].parent) {
		uint32_t at = g->touches++;

		g->touched[s] = true;
		for (; at > 0 && g->touch[at - 1] < s; at--)
			g->touch[at] = g->touch[at - 1];
		g->touch[at] = s;
		g->sum[s] = 0;
		if (s != SD_SCOPE_ROOT)
			g->most[s - g->job->scopes.at[s].body] = 0;
	}
	g->sum[scope] += cores;
}

/* The most that runs in one run: of the bodies of a choice one, of a loop both. Scopes are numbered behind those around
 * them. */
static int64_t most_of_run(struct gathering *g)
{
	const struct sd_scopes *scopes = &g->job->scopes;
	int64_t all = 0;

	for (uint32_t i = 0; i < g->touches; i++) {
		uint32_t s = g->touch[i], first = s - scopes->at[s].body;
		int64_t before = s == SD_SCOPE_ROOT ? 0 : g->most[first];

		g->touched[s] = false;
		all = g->sum[s];
		if (s == SD_SCOPE_ROOT)
			break;
		/* Bodies of one node stand together; what they have added so far is noted at the first of them. */
		g->most[first] = scopes->functional[scopes->at[s].functional].loop ? before + all : before > all ? before : all;
		g->sum[scopes->at[s].parent] += g->most[first] - before;
	}
	g->touches = 0;
	return all;
}

/* Adds up what is in the air and may run with claim `i`; what the oracle knows to be done is taken out of it if it is asked. */
static int64_t add_up_air(struct gathering *g, uint32_t i, bool rigid, int kind, bool ask, uint32_t *largest)
{
	*largest = SD_NO_INDEX;
	for (uint32_t k = 0; k < g->aired; k++) {
		const struct claim *other = &g->at[g->air[k]];

		if ((rigid && !other->rigid) || !sd_may_both_run(g->job, g->job->slots.node[other->slot], g->job->slots.node[g->at[i].slot]) ||
		    (ask && sd_oracle_before(&g->oracle, other->slot, g->at[i].slot)))
			continue;
		add_to_scope(g, g->job->slots.scope[other->slot], other->cores[kind]);
		if (*largest == SD_NO_INDEX || other->cores[kind] > g->at[*largest].cores[kind])
			*largest = g->air[k];
	}
	return most_of_run(g);
}

/* Holds claim `i` against all that are in the air together. */
static void look_at_air(struct gathering *g, uint32_t i, bool rigid, int kind)
{
	int64_t left = g->cores[kind] - g->at[i].cores[kind];
	uint32_t largest;

	if (add_up_air(g, i, rigid, kind, false, &largest) + SD_MUTANT(cores_exact_fit) <= left || largest == SD_NO_INDEX ||
	    (g->job->scopes.count > 1 && add_up_air(g, i, rigid, kind, true, &largest) <= left))
		return;
	g->partner[i] = largest;
	g->kind[i] = (uint8_t)kind;
	g->deadlock[i] = rigid;
}

/* Only claims that nothing orders stay in the air. */
static void clear_air(struct gathering *g, uint32_t slot, const struct sd_clock *known)
{
	uint32_t left = 0;

	for (uint32_t k = 0; k < g->aired; k++) {
		if (SD_MUTANT(cores_air_of_done) || !sd_is_before(g->job, known, g->at[g->air[k]].slot, slot))
			g->air[left++] = g->air[k];
	}
	g->aired = left;
}

static void meet(void *arg, uint32_t slot, const struct sd_clock *known)
{
	struct gathering *g = arg;
	uint32_t i = g->of_slot[slot];

	if (i == SD_NO_INDEX)
		return;
	clear_air(g, slot, known);
	for (int rigid = g->at[i].rigid; rigid >= 0; rigid--) {
		for (int kind = KINDS - 1; kind >= 0 && g->partner[i] == SD_NO_INDEX; kind--) {
			if (g->at[i].cores[kind] == 0)
				continue;
			look_at_lanes(g, i, rigid, kind, known);
			if (g->partner[i] == SD_NO_INDEX)
				look_at_air(g, i, rigid, kind);
		}
	}
	descend(g, i);
	g->air[g->aired++] = i;
}

enum sd_status sd__pass_hazard_cores(struct sd_job *job)
{
	static const enum sd_code code[2][KINDS] = {
		{ SD_CODE_CORES_CUBE, SD_CODE_CORES_VECTOR }, { SD_CODE_GANG_CUBE, SD_CODE_GANG_VECTOR },
	};
	struct gathering g = { .job = job };

	if (!may_claim(job->graph))
		return SD_OK;
	SD_TRY(gather(&g));
	SD_TRY(make_room(&g));
	if (g.lanes < 2)
		return SD_OK;
	SD_TRY(sd_oracle_open(&g.oracle, job));
	SD_TRY(sd_reduce_watch(job, &job->syncs, meet, &g));
	SD_TRY(g.oracle.status);
	for (uint32_t i = 0; i < g.count; i++) {
		if (g.partner[i] != SD_NO_INDEX)
			SD_TRY(sd_hazard(job, code[g.deadlock[i]][g.kind[i]], job->slots.node[g.at[i].slot],
			                 sd_arg_node(job->slots.node[g.at[g.partner[i]].slot]), sd_arg_int(g.cores[g.kind[i]])));
	}
	return SD_OK;
}
