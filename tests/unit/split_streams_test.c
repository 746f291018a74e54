/* split_streams_test - pieces of streams that are too long, and their order, against a counter of single commands. */
#include "run_tests.h"

#include "halfway.h"
#include "planned.h"
#include "random.h"

static struct sd_arena mem;
static struct sd_request *request;
static struct sd_job *job;

static void split(const char *graph, const char *streams, int64_t limit)
{
	request = request_of(&mem, graph);
	if (streams)
		set_streams(&mem, request, streams);
	request->device.limits.has_max_tasks_per_stream = true;
	request->device.limits.max_tasks_per_stream = limit;
	job = job_behind(&mem, request, streams ? SD_EXPLICIT : SD_MULTI, "order_pieces");
}

/* Commands of a slot, each as it counts: waits, launch, records. */
static uint32_t items_of(uint32_t slot, int64_t *item)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < job->syncs.count; i++) {
		if (job->syncs.at[i].to == slot)
			item[count++] = 2;
	}
	item[count++] = job->tasks[job->slots.node[slot]];
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		if (job->syncs.at[i].from == slot)
			item[count++] = 1;
	}
	return count;
}

static int64_t size_of(uint32_t slot)
{
	int64_t item[256], sum = 0;
	uint32_t count = items_of(slot, item);

	for (uint32_t i = 0; i < count; i++)
		sum += item[i];
	return sum;
}

/* Pieces that a lane would have if it could be cut in front of any command. */
static uint32_t pieces_by_command(uint32_t lane, int64_t limit)
{
	int64_t held = 0, item[256];
	uint32_t pieces = 1;

	for (uint32_t slot = 0; slot < job->slots.count; slot++) {
		uint32_t count = job->slots.lane[slot] == lane ? items_of(slot, item) : 0;

		for (uint32_t i = 0; i < count; i++) {
			if (held > 0 && held + item[i] + 27 > limit) {
				pieces++;
				held = 0;
			}
			held += item[i];
		}
	}
	return pieces;
}

static uint32_t pieces_of(uint32_t lane)
{
	uint32_t pieces = 0;

	for (uint32_t s = 0; s < job->stream_count; s++)
		pieces += job->logical_of[s] == lane;
	return pieces;
}

static bool begins_piece(uint32_t slot)
{
	uint32_t before = job->slots.before[slot];

	return before != SD_NO_INDEX && job->slots.stream[slot] != job->slots.stream[before];
}

/* A piece with the wait in front of it and the record behind it fits, or is one slot alone. */
static void check_fits(uint32_t stream, int64_t limit)
{
	uint32_t slots = 0;
	int64_t sum = 0;

	for (uint32_t slot = 0; slot < job->slots.count; slot++) {
		if (job->slots.stream[slot] == stream) {
			ck_assert_uint_eq(job->slots.lane[slot], job->logical_of[stream]);
			slots++;
			sum += size_of(slot) + (begins_piece(slot) ? 2 : 0);
		}
	}
	for (uint32_t i = 0; i < job->split_orders.count; i++)
		sum += job->slots.stream[job->split_orders.at[i].from] == stream;
	ck_assert(slots == 1 || sum <= limit);
}

/* Pieces follow each other along their lane, and each cut is a required order. */
static void check_order(void)
{
	uint32_t cuts = 0;

	for (uint32_t slot = 0; slot < job->slots.count; slot++) {
		uint32_t before = job->slots.before[slot];

		if (before == SD_NO_INDEX) {
			ck_assert_uint_eq(job->slots.stream[slot], job->slots.lane[slot]);
			continue;
		}
		if (!begins_piece(slot))
			continue;
		ck_assert_uint_gt(job->slots.stream[slot], job->slots.stream[before]);
		ck_assert_uint_eq(job->split_orders.at[cuts].from, before);
		ck_assert_uint_eq(job->split_orders.at[cuts].to, slot);
		ck_assert_int_eq(job->split_orders.at[cuts++].cause, SD_CAUSE_SPLIT);
	}
	ck_assert_uint_eq(job->split_orders.count, cuts);
	ck_assert_uint_eq(job->stream_count, job->slots.lane_count + cuts);
}

struct shape {
	uint32_t nodes, lanes, inputs, tasks;
};

static const char *random_streams(const struct shape *shape, uint32_t *state)
{
	static char text[8192];
	uint32_t lane[256];

	text[0] = '\0';
	for (uint32_t i = 0; i < shape->nodes; i++)
		lane[i] = i < shape->lanes ? i : random_below(state, shape->lanes);
	for (uint32_t s = 0; s < shape->lanes; s++) {
		for (uint32_t i = 0; i < shape->nodes; i++) {
			if (lane[i] == s)
				sprintf(text + strlen(text), " n%u", i);
		}
		strcat(text, s + 1 < shape->lanes ? " |" : "");
	}
	return text;
}

static const char *random_graph(const struct shape *shape, uint32_t *state)
{
	static char text[32768];
	uint32_t at = 0;

	for (uint32_t i = 0; i < shape->nodes; i++) {
		at += (uint32_t)sprintf(text + at, "n%u Relu tasks=%u", i, 1 + random_below(state, shape->tasks));
		for (uint32_t k = random_below(state, shape->inputs + 1); k > 0 && i > 0; k--)
			at += (uint32_t)sprintf(text + at, " n%u", random_below(state, i));
		at += (uint32_t)sprintf(text + at, ";");
	}
	return text;
}

/* The most that a slot's own syncs take beyond its launch. */
static int64_t most_syncs(void)
{
	int64_t most = 0;

	for (uint32_t slot = 0; slot < job->slots.count; slot++) {
		int64_t syncs = size_of(slot) - job->tasks[job->slots.node[slot]];

		most = syncs > most ? syncs : most;
	}
	return most;
}

static void check_seed(const struct shape *shape, uint32_t seed)
{
	uint32_t state = seed + 1;
	int64_t limit = 28 + (int64_t)random_below(&state, 37);
	struct planned planned;

	split(random_graph(shape, &state), random_streams(shape, &state), limit);
	check_order();
	for (uint32_t s = 0; s < job->stream_count; s++)
		check_fits(s, limit);
	/* The reserve takes the syncs of one node; where they are more than that, a piece more may be needed. */
	for (uint32_t lane = 0; lane < job->slots.lane_count && most_syncs() <= 24; lane++)
		ck_assert_uint_le(pieces_of(lane), pieces_by_command(lane, limit));
	planned = plan_of(&mem, request);
	ck_assert_msg(planned.plan != NULL, "seed %u: %s", seed, sd_code_text(planned.diag.code));
	sd_arena_reset(&mem, 1 << 22);
}

START_TEST(as_by_counting_commands)
{
	for (uint32_t seed = 0; seed < 1200; seed++) {
		struct shape shape = { 6 + seed % 60, 1 + seed % 6, 1 + seed % 4, 1 + seed % 9 };

		check_seed(&shape, seed);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(many_syncs_a_node)
{
	for (uint32_t seed = 0; seed < 150; seed++) {
		struct shape shape = { 60 + seed % 60, 10 + seed % 11, 6, 1 };

		check_seed(&shape, seed);
	}
	sd_arena_finish(&mem);
}
END_TEST

static const char *chain_of(uint32_t nodes, uint32_t tasks)
{
	static char text[65536];
	uint32_t at = 0;

	for (uint32_t i = 0; i < nodes; i++)
		at += (uint32_t)sprintf(text + at, i ? "n%u Relu tasks=%u n%u;" : "n%u Relu tasks=%u;", i, tasks, i - 1);
	return text;
}

START_TEST(the_limit_is_exact)
{
	/* 332 nodes of 3 tasks and the reserve of 27 are 1,023. */
	split(chain_of(332, 3), NULL, 1024);
	ck_assert_uint_eq(job->stream_count, 1);
	split(chain_of(333, 3), NULL, 1024);
	ck_assert_uint_eq(job->stream_count, 2);
	ck_assert_uint_eq(job->slots.stream[331], 0);
	ck_assert_uint_eq(job->slots.stream[332], 1);
	split(chain_of(5, 1), NULL, 28);
	ck_assert_uint_eq(job->stream_count, 5);
	split(chain_of(5, 1), NULL, 27);
	ck_assert_uint_eq(job->stream_count, 5);
	split(chain_of(5, 1), NULL, 0);
	ck_assert_uint_eq(job->stream_count, 1);
	split("", "", 28);
	ck_assert_uint_eq(job->stream_count, job->slots.lane_count);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_large_node_is_alone)
{
	split("a Relu; b Relu a tasks=1023; c Relu b", NULL, 1024);
	ck_assert_uint_eq(job->slots.stream[0], 0);
	ck_assert_uint_eq(job->slots.stream[1], 1);
	ck_assert_uint_eq(job->slots.stream[2], 2);
	split("a Relu tasks=5000; b Relu a", NULL, 1024);
	ck_assert_uint_eq(job->slots.stream[0], 0);
	ck_assert_uint_eq(job->slots.stream[1], 1);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(syncs_count_and_stay_with_their_node)
{
	/* The limit leaves 4: launch and three records fill the first piece, the wait of the last node is 2. */
	split("a Relu; b Relu a; c Relu a; d Relu a; e Relu; f Add e b", "a e f | b | c | d", 31);
	ck_assert_uint_eq(job->slots.stream[0], 0);
	ck_assert_uint_eq(job->slots.stream[4], 4);
	ck_assert_uint_eq(job->slots.stream[5], 4);
	/* One less: the cut falls in front of the third record and takes effect at the next node. */
	split("a Relu; b Relu a; c Relu a; d Relu a; e Relu; f Add e b", "a e f | b | c | d", 30);
	ck_assert_uint_eq(job->slots.stream[0], 0);
	ck_assert_uint_eq(job->slots.stream[4], 4);
	ck_assert_uint_eq(job->slots.stream[5], 5);
	sd_arena_finish(&mem);
}
END_TEST

/* A node whose readers stand on so many streams that its records take up the reserve. */
START_TEST(many_records_leave_room_for_the_cut)
{
	struct planned planned;
	char graph[2048] = "p Relu tasks=3; q Relu tasks=2; s Relu; t Relu;", streams[1024] = "p q s t";

	for (int i = 0; i < 26; i++) {
		sprintf(graph + strlen(graph), "r%d Relu s;", i);
		sprintf(streams + strlen(streams), " | r%d", i);
	}
	for (int64_t limit = 30; limit < 40; limit++) {
		split(graph, streams, limit);
		for (uint32_t s = 0; s < job->stream_count; s++)
			check_fits(s, limit);
		planned = plan_of(&mem, request);
		ck_assert_ptr_nonnull(planned.plan);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(new_numbers_follow_the_cuts_over_all_lanes)
{
	split("a0 Relu; b0 Relu; a1 Relu; b1 Relu; b2 Relu; a2 Relu", "a0 a1 a2 | b0 b1 b2", 28);
	ck_assert_uint_eq(job->slots.stream[2], 2);
	ck_assert_uint_eq(job->slots.stream[3], 3);
	ck_assert_uint_eq(job->slots.stream[4], 4);
	ck_assert_uint_eq(job->slots.stream[5], 5);
	ck_assert_uint_eq(job->logical_of[4], 1);
	ck_assert_uint_eq(job->logical_of[5], 0);
	sd_arena_finish(&mem);
}
END_TEST

static void single(const char *graph, int64_t huge_limit)
{
	request = request_of(&mem, graph);
	request->options.single_stream = true;
	if (huge_limit) {
		request->device.limits.has_max_tasks_per_huge_stream = true;
		request->device.limits.max_tasks_per_huge_stream = huge_limit;
	}
	job = job_behind(&mem, request, SD_SINGLE, "order_pieces");
}

START_TEST(huge_streams)
{
	single(chain_of(100, 1), 0);
	ck_assert(!job->huge[0]);
	single(chain_of(332, 3), 0);
	ck_assert(!job->huge[0]);
	single(chain_of(333, 3), 0);
	ck_assert_uint_eq(job->stream_count, 1);
	ck_assert(job->huge[0]);
	single(chain_of(400, 8), 2048);
	ck_assert_uint_eq(job->stream_count, 2);
	ck_assert(job->huge[0] && job->huge[1]);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("split_streams", as_by_counting_commands, many_syncs_a_node, the_limit_is_exact, a_large_node_is_alone,
          syncs_count_and_stay_with_their_node, many_records_leave_room_for_the_cut, new_numbers_follow_the_cuts_over_all_lanes, huge_streams)
