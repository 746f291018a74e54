/* syncs_test - which syncs a placement needs: tables of small graphs, and patterns of large ones.
 *
 * The caller's partition says where nodes run, so that rows are about syncs alone. */
#include "run_tests.h"

#include <stdarg.h>

#include "planned.h"

struct row {
	const char *shows, *graph, *streams, *syncs;
};

static struct sd_arena mem;

static struct planned plan_rows(const char *graph, const char *streams)
{
	struct sd_request *request = request_of(&mem, graph);

	set_streams(&mem, request, streams);
	return plan_of(&mem, request);
}

static void check_rows(const struct row *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct planned planned = plan_rows(row[i].graph, row[i].streams);
		const char *syncs = syncs_of(&mem, &planned);

		ck_assert_msg(strcmp(syncs, row[i].syncs) == 0, "%s: %s, not %s", row[i].shows, syncs, row[i].syncs);
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}

#define CHECK_ROWS(row) check_rows(row, sizeof(row) / sizeof((row)[0]))

START_TEST(what_an_edge_needs)
{
	static const struct row rows[] = {
		{ "nothing on one stream", "a Relu; b Relu a", "a b", "" },
		{ "one sync across streams", "a Relu; b Relu a", "a | b", "a>b" },
		{ "one for two edges of a pair", "a Relu; b Add a a:1", "a | b", "a>b" },
		{ "one for data and control", "a Relu; b Relu a ^a", "a | b", "a>b" },
		{ "a control edge needs it too", "a Relu; b Relu ^a", "a | b", "a>b" },
		{ "nothing from what is not launched", "d Data; a Relu d; b Relu d", "a | b", "" },
		{ "an unconnected slot is nothing", "a Relu; b Add - a", "a | b", "a>b" },
		{ "nodes without task hand on", "a Relu; v Reshape a; w Reshape v; b Relu w", "a | b", "a>b" },
		{ "also several producers", "a Relu; b Relu; v Concat@DNN_VM_GE_LOCAL a b; c Relu v", "a | b | c", "a>c b>c" },
		{ "nothing where the node without task stands", "a Relu; v Reshape a; b Relu v", "a v | b", "a>b" },
		{ "nothing on one stream through another", "a Relu; v Reshape a; b Relu v", "a b | v", "" },
		{ "a node without task that nobody reads", "a Relu; v Reshape a; b Relu", "a | b", "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(what_is_implied)
{
	static const struct row rows[] = {
		{ "a later receiver of one sender", "u Relu; v Relu u; w Relu u", "u | v w", "u>v" },
		{ "an earlier sender to one receiver", "a Relu; b Relu; c Add a b", "a b | c", "b>c" },
		{ "all but the last of three", "a Relu; b Relu; c Relu; d Add a b c", "a b c | d", "c>d" },
		{ "an edge around a crossing one", "a1 Relu; a2 Relu; b1 Relu a2; b2 Relu a1", "a1 a2 | b1 b2", "a2>b1" },
		{ "the third side of a triangle", "a Relu; b Relu a; c Add a b", "a | b | c", "a>b b>c" },
		{ "a way over three streams", "a Relu; b Relu a; c Relu b; e Add c a", "a | b | c | e", "a>b b>c c>e" },
		{ "a way that starts later on the sender's stream", "a Relu; x Relu; b Relu x; c Add b a", "a x | b | c", "x>b b>c" },
		{ "a way that ends earlier on the receiver's stream", "a Relu; b Relu a; y Relu b; c Relu a", "a | b | y c", "a>b b>y" },
		{ "nothing between two that are not ordered", "a Relu; b Relu a; c Relu a", "a | b | c", "a>b a>c" },
		{ "both sides of a fork that joins", "a Relu; b Relu a; c Relu a; e Add b c", "a e | b | c", "a>b a>c b>e c>e" },
		{ "a fork that stays on one stream", "a Relu; b Relu a; c Relu a; e Add b c", "a b e | c", "a>c c>e" },
		{ "through a node without task too", "a Relu; v Reshape a; b Relu v; c Relu v", "a | b c", "a>b" },
	};

	CHECK_ROWS(rows);
}
END_TEST

/* Text that grows; large enough for every pattern below. */
static char graph_text[1 << 19], stream_text[1 << 17];

__attribute__((format(printf, 2, 3)))
static void add(char *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsprintf(text + strlen(text), format, args);
	va_end(args);
}

static void begin(void)
{
	graph_text[0] = stream_text[0] = '\0';
}

static uint32_t sync_count(void)
{
	struct planned planned = plan_rows(graph_text, stream_text);
	uint32_t count;

	ck_assert_ptr_nonnull(planned.plan);
	count = planned.plan->sync_count;
	ck_assert_uint_eq(planned.plan->event_count, count);
	sd_arena_finish(&mem);
	return count;
}

/* Sender i feeds the receiver that stands as far from the end as i from the start. */
START_TEST(crossing_edges_need_one_sync)
{
	begin();
	for (int i = 0; i < 10; i++)
		add(graph_text, "a%d Relu;", i);
	for (int i = 0; i < 10; i++)
		add(graph_text, "b%d Relu a%d;", i, 9 - i);
	for (int i = 0; i < 10; i++)
		add(stream_text, "a%d ", i);
	add(stream_text, "|");
	for (int i = 0; i < 10; i++)
		add(stream_text, " b%d", i);
	ck_assert_uint_eq(sync_count(), 1);
}
END_TEST

/* Gradient, its reduction, and an update that reads both: the reduction orders the update. */
START_TEST(updates_need_two_syncs_a_step)
{
	begin();
	for (int i = 0; i < 100; i++)
		add(graph_text, "g%d Relu; r%d HcomAllReduce g%d; u%d Apply g%d r%d;", i, i, i, i, i, i);
	for (int s = 0; s < 3; s++) {
		for (int i = 0; i < 100; i++)
			add(stream_text, "%c%d ", "gru"[s], i);
		add(stream_text, s < 2 ? "| " : "");
	}
	ck_assert_uint_eq(sync_count(), 200);
}
END_TEST

/* Every node reads all nodes before it, dealt out over three streams: one sync a step. */
START_TEST(dense_skips_need_one_sync_a_node)
{
	begin();
	for (int i = 0; i < 60; i++) {
		add(graph_text, "n%d Add", i);
		for (int k = 0; k < i; k++)
			add(graph_text, " n%d", k);
		add(graph_text, ";");
	}
	for (int s = 0; s < 3; s++) {
		for (int i = s; i < 60; i += 3)
			add(stream_text, "n%d ", i);
		add(stream_text, s < 2 ? "| " : "");
	}
	ck_assert_uint_eq(sync_count(), 59);
}
END_TEST

/* Blocks of four branches on four streams; the first branch's stream holds fork and join. */
START_TEST(branches_need_a_sync_each_way)
{
	begin();
	add(graph_text, "j0 Relu;");
	for (int i = 1; i <= 40; i++) {
		for (int b = 0; b < 4; b++)
			add(graph_text, "x%d_%d Conv j%d; y%d_%d Conv x%d_%d; z%d_%d Conv y%d_%d;", i, b, i - 1, i, b, i, b, i, b, i, b);
		add(graph_text, "j%d Concat z%d_0 z%d_1 z%d_2 z%d_3;", i, i, i, i, i);
	}
	add(stream_text, "j0");
	for (int b = 0; b < 4; b++) {
		for (int i = 1; i <= 40; i++) {
			add(stream_text, " x%d_%d y%d_%d z%d_%d", i, b, i, b, i, b);
			if (b == 0)
				add(stream_text, " j%d", i);
		}
		add(stream_text, b < 3 ? " |" : "");
	}
	ck_assert_uint_eq(sync_count(), 240);
}
END_TEST

/* Sixteen experts a layer on four streams: the first of each stream waits, the last is waited for. */
START_TEST(experts_need_two_syncs_a_stream)
{
	begin();
	add(graph_text, "j0 Router;");
	for (int i = 1; i <= 24; i++) {
		for (int e = 0; e < 16; e++)
			add(graph_text, "x%d_%d Mlp j%d;", i, e, i - 1);
		add(graph_text, "j%d Combine", i);
		for (int e = 0; e < 16; e++)
			add(graph_text, " x%d_%d", i, e);
		add(graph_text, ";");
	}
	for (int i = 0; i <= 24; i++)
		add(stream_text, "j%d ", i);
	for (int s = 0; s < 4; s++) {
		add(stream_text, "|");
		for (int i = 1; i <= 24; i++) {
			for (int e = s; e < 16; e += 4)
				add(stream_text, " x%d_%d", i, e);
		}
		add(stream_text, " ");
	}
	ck_assert_uint_eq(sync_count(), 192);
}
END_TEST

/* A mask made anew every ten of 200 layers, read by these ten. */
START_TEST(masks_need_two_syncs_a_refresh)
{
	begin();
	for (int i = 0; i < 200; i++) {
		if (i % 10 == 0)
			add(graph_text, i ? "m%d Mask l%d;" : "m%d Mask;", i / 10, i - 1);
		add(graph_text, i ? "l%d Layer l%d m%d;" : "l%d Layer m0;", i, i - 1, i / 10);
	}
	for (int i = 0; i < 200; i++)
		add(stream_text, "l%d ", i);
	add(stream_text, "|");
	for (int i = 0; i < 20; i++)
		add(stream_text, " m%d", i);
	ck_assert_uint_eq(sync_count(), 39);
}
END_TEST

RUN_TESTS("syncs", what_an_edge_needs, what_is_implied, crossing_edges_need_one_sync, updates_need_two_syncs_a_step,
          dense_skips_need_one_sync_a_node, branches_need_a_sync_each_way, experts_need_two_syncs_a_stream,
          masks_need_two_syncs_a_refresh)
