/* reduce_doubt_test - in every run of a graph with bodies the syncs kept are enough, and none can go.
 *
 * Random graphs with choices in each other, random streams; every way through the bodies is tried.
 * What must be ordered is read from the graph, by rules of this file. */
#include "run_tests.h"

#include <stdio.h>

#include "halfway.h"
#include "planned.h"
#include "random.h"

#define SLOTS 256

static struct sd_arena mem;
static const struct sd_job *job;
static uint32_t choice[32];            /* per functional node */
static bool before[SLOTS][SLOTS];      /* slot a before slot b, in the run */
static uint32_t pair[4096][2], pairs;  /* launches that the graph wants in order, in the run */

/* Texts of a graph that is being made up: its nodes by graph, and the streams. */
struct made {
	char text[8192], streams[8][1024];
	uint32_t count, functionals, lanes, state;
};

static void launch(struct made *m, char *at, const char *type, const char *inputs)
{
	char *stream = m->streams[random_below(&m->state, m->lanes)];

	sprintf(at + strlen(at), "n%u %s%s tasks=1;", m->count, type, inputs);
	sprintf(stream + strlen(stream), " n%u", m->count++);
}

static void make_graph(struct made *m, uint32_t depth);

/* A choice of two or three bodies, which are written behind the graphs that are there. */
static void make_choice(struct made *m, char *at, const char *inputs, uint32_t depth)
{
	uint32_t number = m->functionals++, bodies = 2 + random_below(&m->state, 2);

	sprintf(at + strlen(at), "f%u Case%s", number, inputs);
	for (uint32_t k = 0; k < bodies; k++)
		sprintf(at + strlen(at), " {f%ub%u", number, k);
	strcat(at, ";");
	for (uint32_t k = 0; k < bodies; k++) {
		sprintf(m->text + strlen(m->text), "[f%ub%u];", number, k);
		make_graph(m, depth + 1);
	}
}

/* A few nodes, each behind some of those in front of it, and a NetOutput behind all that nobody reads. */
static void make_graph(struct made *m, uint32_t depth)
{
	char own[2048] = "", names[8][16], ends[256] = "";
	bool used[8] = { false };
	char *at = own;
	uint32_t count = 1 + random_below(&m->state, depth ? 3 : 6);
	size_t begin = strlen(m->text);
	char *behind;

	for (uint32_t i = 0; i < count; i++) {
		char inputs[64] = "";

		for (uint32_t k = random_below(&m->state, 3); k > 0 && i > 0; k--) {
			uint32_t from = random_below(&m->state, i);

			sprintf(inputs + strlen(inputs), " %s", names[from]);
			used[from] = true;
		}
		if (depth < 2 && m->functionals < 5 && random_below(&m->state, 3) == 0) {
			sprintf(names[i], "f%u", m->functionals);
			make_choice(m, at, inputs, depth);
		} else {
			sprintf(names[i], "n%u", m->count);
			launch(m, at, "Relu", inputs);
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!used[i])
			sprintf(ends + strlen(ends), " %s", names[i]);
	}
	launch(m, at, "NetOutput", ends);
	behind = strdup(m->text + begin);
	ck_assert_ptr_nonnull(behind);
	strcpy(m->text + begin, own);
	strcat(m->text, behind);
	free(behind);
}

static void make_job(uint32_t seed)
{
	static struct made m;
	struct sd_request *request;
	char streams[8192] = "";

	memset(&m, 0, sizeof(m));
	m.state = seed + 1;
	m.lanes = 2 + seed % 4;
	make_graph(&m, 0);
	for (uint32_t s = 0; s < m.lanes; s++) {
		if (m.streams[s][0])
			sprintf(streams + strlen(streams), "%s%s", streams[0] ? " |" : "", m.streams[s]);
	}
	request = request_of(&mem, m.text);
	set_streams(&mem, request, streams);
	job = job_behind(&mem, request, SD_EXPLICIT, "reduce_orders");
	ck_assert_uint_lt(job->slots.count, SLOTS);
}

static bool runs(uint32_t scope)
{
	const struct sd_scope *s = &job->scopes.at[scope];

	return scope == SD_SCOPE_ROOT || (choice[s->functional] == s->body && runs(s->parent));
}

/* The graph that runs in place of a functional node. */
static uint32_t chosen_body(uint32_t node)
{
	return job->graph->body[job->graph->body_first[node] + choice[job->scopes.functional_of[node]]];
}

static bool is_functional(uint32_t node)
{
	return sd_scopes_functional(&job->scopes, node) != NULL;
}

/* The last launch of what a node is, in the run. */
static uint32_t end_of(uint32_t node)
{
	while (is_functional(node)) {
		const struct sd_subgraph *body = &job->graph->graph[chosen_body(node)];

		node = body->first_node + body->node_count - 1;
	}
	return job->slots.of_node[node];
}

/* Wants launch `from` before everything with which `node` begins, in the run. */
static void want(uint32_t from, uint32_t node)
{
	const struct sd_graph *g = job->graph;
	const struct sd_subgraph *body;

	if (!is_functional(node)) {
		pair[pairs][0] = from;
		pair[pairs++][1] = job->slots.of_node[node];
		return;
	}
	body = &g->graph[chosen_body(node)];
	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (g->in_first[n] == g->in_first[n + 1])
			want(from, n);
	}
}

static void want_all(void)
{
	const struct sd_graph *g = job->graph;

	pairs = 0;
	for (uint32_t n = 0; n < g->node_count; n++) {
		if (!runs(job->scopes.of_graph[g->graph_of[n]]))
			continue;
		for (uint32_t i = g->in_first[n]; i < g->in_first[n + 1]; i++)
			want(end_of(g->in[i].src), n);
	}
}

/* Orders of the run without sync `but`: streams, and syncs; slots are in an order that can be. */
static void close_run(uint32_t but)
{
	const struct sd_slots *slots = &job->slots;

	memset(before, 0, sizeof(before));
	for (uint32_t i = 0; i < slots->count; i++) {
		uint32_t to = job->sequence[i];

		if (!runs(slots->scope[to]))
			continue;
		for (uint32_t from = 0; from < slots->count; from++) {
			bool direct = slots->lane[from] == slots->lane[to] && from < to && runs(slots->scope[from]);

			for (uint32_t k = 0; k < job->syncs.count; k++)
				direct |= k != but && job->syncs.at[k].from == from && job->syncs.at[k].to == to && runs(slots->scope[from]);
			for (uint32_t a = 0; direct && a < slots->count; a++)
				before[a][to] |= a == from || before[a][from];
		}
	}
}

/* Whether every order that the graph wants is kept in the run. */
static bool holds(uint32_t but)
{
	close_run(but);
	for (uint32_t i = 0; i < pairs; i++) {
		if (!before[pair[i][0]][pair[i][1]])
			return false;
	}
	return true;
}

static bool next_choice(void)
{
	for (uint32_t f = 0; f < job->scopes.functional_count; f++) {
		if (++choice[f] < job->scopes.functional[f].body_count)
			return true;
		choice[f] = 0;
	}
	return false;
}

static void check_seed(uint32_t seed)
{
	bool needed[SLOTS] = { false };

	make_job(seed);
	memset(choice, 0, sizeof(choice));
	do {
		want_all();
		ck_assert_msg(holds(SD_NO_INDEX), "seed %u: the syncs are not enough", seed);
		for (uint32_t k = 0; k < job->syncs.count; k++)
			needed[k] = needed[k] || !holds(k);
	} while (next_choice());
	for (uint32_t k = 0; k < job->syncs.count; k++)
		ck_assert_msg(needed[k], "seed %u: sync %u can go", seed, k);
	sd_arena_reset(&mem, 1 << 20);
}

START_TEST(enough_in_every_run_and_none_can_go)
{
	for (uint32_t seed = 0; seed < 300; seed++)
		check_seed(seed);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("reduce_doubt", enough_in_every_run_and_none_can_go)
