/* order_edges_test - the orders that edges ask for, compared with a walk over all ways. */
#include "run_tests.h"

#include "halfway.h"
#include "planned.h"
#include "random.h"

static struct sd_arena mem;
static struct sd_job *job;

static void collect(const char *graph, const char *streams)
{
	struct sd_request *request = request_of(&mem, graph);

	set_streams(&mem, request, streams);
	job = job_behind(&mem, request, SD_EXPLICIT, "order_edges");
}

/* "a>b data, c>b control" */
static const char *orders_of(void)
{
	static const char *const cause[] = { [SD_CAUSE_DATA] = "data", [SD_CAUSE_CONTROL] = "control" };
	static char out[1024];

	out[0] = '\0';
	for (uint32_t i = 0; i < job->orders.count; i++) {
		const struct sd_order_pair *pair = &job->orders.at[i];
		uint32_t end[] = { job->slots.node[pair->from], job->slots.node[pair->to] };

		sprintf(out + strlen(out), "%s%s>%s %s", i ? ", " : "", names_of(&mem, job->graph, &end[0], 1),
		        names_of(&mem, job->graph, &end[1], 1), cause[pair->cause]);
	}
	sd_arena_finish(&mem);
	return out;
}

START_TEST(causes)
{
	collect("a Relu; b Relu a", "a | b");
	ck_assert_str_eq(orders_of(), "a>b data");
	collect("a Relu; b Relu ^a", "a | b");
	ck_assert_str_eq(orders_of(), "a>b control");
	/* The first edge of a pair, as listed. */
	collect("a Relu; b Relu a ^a a:1", "a | b");
	ck_assert_str_eq(orders_of(), "a>b data");
	collect("a Relu; b Relu ^a a", "a | b");
	ck_assert_str_eq(orders_of(), "a>b control");
	/* That of the sender which stays, the last one of its lane. */
	collect("a Relu; b Relu; c Relu a ^b", "a b | c");
	ck_assert_str_eq(orders_of(), "b>c control");
	collect("a Relu; b Relu; c Relu b ^a", "a b | c");
	ck_assert_str_eq(orders_of(), "b>c data");
	/* Of the edge that ends at the reader, whatever stands behind it. */
	collect("a Relu; v Reshape ^a; b Relu v", "a | b");
	ck_assert_str_eq(orders_of(), "a>b data");
	collect("a Relu; v Reshape a; b Relu ^v", "a | b");
	ck_assert_str_eq(orders_of(), "a>b control");
	collect("a Relu; v Reshape a; b Relu ^v a", "a | b");
	ck_assert_str_eq(orders_of(), "a>b control");
}
END_TEST

START_TEST(one_sender_a_lane)
{
	collect("a Relu; b Relu; c Relu; d Relu; e Add a b c d", "a b | c d | e");
	ck_assert_str_eq(orders_of(), "b>e data, d>e data");
	collect("a Relu; b Relu; e Add a b", "a b e");
	ck_assert_str_eq(orders_of(), "");
	collect("a Relu; b Relu; v Reshape a b; w Reshape v; e Add v w", "a | b | e");
	ck_assert_str_eq(orders_of(), "a>e data, b>e data");
}
END_TEST

START_TEST(nothing_to_wait_for)
{
	collect("", "");
	ck_assert_str_eq(orders_of(), "");
	collect("d Data; v Reshape d; w Reshape v v", "");
	ck_assert_str_eq(orders_of(), "");
	collect("d Data; v Reshape d; a Relu v; b Relu v d -", "a | b");
	ck_assert_str_eq(orders_of(), "");
}
END_TEST

static bool asked[64]; /* per slot: an edge asks for it to come before the slot looked at */

/* The last slot on each lane that an edge asks to come before `node`, through nodes without task; -1: none. */
static void last_on_lanes(uint32_t node, int64_t *last)
{
	const struct sd_graph *g = job->graph;

	for (uint32_t e = g->in_first[node]; e < g->in_first[node + 1]; e++) {
		uint32_t src = g->in[e].src, slot;

		if (src == SD_NO_NODE)
			continue;
		slot = job->slots.of_node[src];
		if (slot == SD_NO_INDEX) {
			last_on_lanes(src, last);
			continue;
		}
		asked[slot] = true;
		if (slot > last[job->slots.lane[slot]])
			last[job->slots.lane[slot]] = slot;
	}
}

static const char *random_streams(uint32_t nodes, uint32_t lanes, uint32_t *state, const bool *idle)
{
	static char text[4096];
	uint32_t lane[64];

	text[0] = '\0';
	for (uint32_t i = 0; i < nodes; i++)
		lane[i] = random_below(state, lanes);
	for (uint32_t s = 0; s < lanes; s++) {
		for (uint32_t i = 0; i < nodes; i++) {
			if (!idle[i] && lane[i] == s)
				sprintf(text + strlen(text), " n%u", i);
		}
		strcat(text, s + 1 < lanes ? " |" : "");
	}
	return text;
}

/* Whether the orders imply, over lanes and each other, that `from` comes before `to`. */
static bool implied(uint32_t from, uint32_t to)
{
	static bool reached[64];

	memset(reached, 0, sizeof(reached));
	reached[from] = true;
	for (uint32_t at = from + 1; at <= to; at++) {
		reached[at] = job->slots.before[at] != SD_NO_INDEX && reached[job->slots.before[at]];
		for (uint32_t i = 0; i < job->orders.count; i++)
			reached[at] |= job->orders.at[i].to == at && reached[job->orders.at[i].from];
	}
	return reached[to];
}

static void check_orders(uint32_t lanes)
{
	uint32_t found = 0;

	for (uint32_t to = 0; to < job->slots.count; to++) {
		int64_t last[8];

		memset(last, 0xff, sizeof(last));
		memset(asked, 0, sizeof(asked));
		last_on_lanes(job->slots.node[to], last);
		for (uint32_t i = found; found < job->orders.count && job->orders.at[found].to == to; found++) {
			const struct sd_order_pair *pair = &job->orders.at[found];

			ck_assert(asked[pair->from]);
			ck_assert_uint_ne(job->slots.lane[pair->from], job->slots.lane[to]);
			for (uint32_t k = i; k < found; k++)
				ck_assert_uint_ne(job->slots.lane[job->orders.at[k].from], job->slots.lane[pair->from]);
		}
		for (uint32_t lane = 0; lane < lanes; lane++)
			ck_assert(last[lane] < 0 || last[lane] == to || implied((uint32_t)last[lane], to));
	}
	ck_assert_uint_eq(found, job->orders.count);
}

START_TEST(as_by_walking_all_ways)
{
	static char text[8192];

	for (uint32_t seed = 0; seed < 800; seed++) {
		uint32_t state = seed + 1, nodes = 1 + random_below(&state, 24), lanes = 1 + random_below(&state, 5);
		bool idle[64];

		text[0] = '\0';
		for (uint32_t i = 0; i < nodes; i++) {
			idle[i] = random_below(&state, 2);
			sprintf(text + strlen(text), "n%u Relu tasks=%d", i, !idle[i]);
			for (uint32_t k = random_below(&state, 4); k > 0 && i > 0; k--)
				sprintf(text + strlen(text), random_below(&state, 4) ? " n%u" : " ^n%u", random_below(&state, i));
			strcat(text, ";");
		}
		collect(text, random_streams(nodes, lanes, &state, idle));
		check_orders(lanes);
		sd_arena_finish(&mem);
	}
}
END_TEST

/* Two ways from rung to rung: as many ways as there are numbers of 2,000 bits. */
START_TEST(ladder_of_views_does_not_explode)
{
	static char text[2000 * 64];
	uint32_t at = (uint32_t)sprintf(text, "a Relu; b Relu; v0 Concat@DNN_VM_GE_LOCAL a b; w0 Concat@DNN_VM_GE_LOCAL b a;");

	for (int i = 1; i < 2000; i++)
		at += (uint32_t)sprintf(text + at, "v%d Reshape v%d w%d; w%d Reshape w%d v%d;", i, i - 1, i - 1, i, i - 1, i - 1);
	sprintf(text + at, "c Relu v1999 w1999");
	collect(text, "a | b | c");
	ck_assert_uint_lt(mem.used_bytes, 64 << 20);
	ck_assert_str_eq(orders_of(), "a>c data, b>c data");
}
END_TEST

/* A view of a view of what many streams make, each with a constant beside it, takes no list of its own. */
START_TEST(views_share_what_they_hand_on)
{
	static char text[1 << 18], streams[1 << 14];
	uint32_t at = 0, s = 0;
	size_t used;

	for (int i = 0; i < 500; i++) {
		at += (uint32_t)sprintf(text + at, "a%d Relu;", i);
		s += (uint32_t)sprintf(streams + s, "a%d | ", i);
	}
	at += (uint32_t)sprintf(text + at, "k Const; v0 Concat@DNN_VM_GE_LOCAL");
	for (int i = 0; i < 500; i++)
		at += (uint32_t)sprintf(text + at, " a%d", i);
	sprintf(streams + s, "c0 c1 c2 c3");
	for (int i = 1; i < 3000; i++)
		at += (uint32_t)sprintf(text + at, ";v%d Reshape v%d k", i, i - 1);
	for (int i = 0; i < 4; i++)
		at += (uint32_t)sprintf(text + at, ";c%d Relu v2999", i);
	struct sd_request *request = request_of(&mem, text);

	set_streams(&mem, request, streams);
	job = job_behind(&mem, request, SD_EXPLICIT, "make_slots");
	used = mem.used_bytes;
	for (uint32_t i = 0; i < sd_chain_length; i++) {
		if (strcmp(sd_chain[i].name, "order_edges") == 0)
			ck_assert_int_eq(sd_chain[i].run(job), SD_OK);
	}
	/* Only the first of four readers on one stream has to ask. */
	ck_assert_uint_eq(job->orders.count, 500);
	ck_assert_uint_lt(mem.used_bytes - used, 400000);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("order_edges", causes, one_sender_a_lane, nothing_to_wait_for, as_by_walking_all_ways, ladder_of_views_does_not_explode,
          views_share_what_they_hand_on)
