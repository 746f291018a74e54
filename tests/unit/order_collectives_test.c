/* order_collectives_test - collectives that an automatic mode spread stay in one order. */
#include "run_tests.h"

#include "planned.h"

#define AI "@AIcoreEngine"
#define HCCL "@DNN_HCCL"

static struct sd_arena mem;

struct row {
	const char *shows, *graph, *words, *streams, *syncs;
	uint32_t orders; /* syncs of cause order */
};

static void check_row(const struct row *row)
{
	struct sd_request *request = request_of(&mem, row->graph);
	struct planned planned;
	uint32_t orders = 0;

	set_words(&mem, request, row->words);
	planned = plan_of(&mem, request);
	ck_assert_msg(strcmp(streams_of(&mem, &planned), row->streams) == 0, "%s: %s", row->shows, streams_of(&mem, &planned));
	ck_assert_msg(strcmp(syncs_of(&mem, &planned), row->syncs) == 0, "%s: %s", row->shows, syncs_of(&mem, &planned));
	for (uint32_t i = 0; i < planned.plan->sync_count; i++)
		orders += planned.plan->sync[i].cause == SD_CAUSE_ORDER;
	ck_assert_msg(orders == row->orders, "%s: %u", row->shows, orders);
	sd_arena_reset(&mem, 1 << 20);
}

START_TEST(chains)
{
	static const char three[] = "a Hcom" HCCL " group=g; b Hcom" HCCL " group=g; c Hcom" HCCL " group=g";
	static const struct row rows[] = {
		{ "one communicator", three, "mode=LoadBalance:3", "a:0 b:1 c:2", "a>b b>c", 2 },
		{ "neighbours on one stream need nothing", three, "mode=LoadBalance:2", "a:0 b:1 c:0", "a>b b>c", 2 },
		{ "Graph Engine orders nothing", three, "ge mode=LoadBalance:3", "a:0 b:1 c:2", "", 0 },
		{ "nor do we where no mode spread them", three, "", "a:0 b:0 c:0", "", 0 },
		{ "two communicators", "a Hcom" HCCL " group=g; b Hcom" HCCL " group=h; c Hcom" HCCL " group=g; d Hcom" HCCL " group=h", "mode=LoadBalance:4",
		  "a:0 b:1 c:2 d:3", "a>c b>d", 2 },
		{ "none stated is one of its own", "a Hcom" HCCL "; b Hcom" HCCL " group=h; c Hcom" HCCL, "mode=LoadBalance:3", "a:0 b:1 c:2", "a>c", 1 },
		{ "collectives by type, on any engine", "a HcomAllReduce" AI "; b HcomBroadcast" AI, "mode=LoadBalance:2", "a:0 b:1", "a>b", 1 },
		{ "an edge that orders them already stays one", "a Hcom" HCCL "; x Op" AI " a; b Hcom" HCCL " a _stream_label=l", "mode=LoadBalance:2",
		  "a:0 x:0 b:1", "a>b", 0 },
		{ "what a way implies needs no sync", "a Hcom" HCCL "; x Op" AI " a _stream_label=m; b Hcom" HCCL " x _stream_label=l", "mode=LoadBalance:2",
		  "a:0 x:1 b:2", "a>x x>b", 0 },
		{ "labels do not keep them apart", "a Hcom" HCCL " _stream_label=m; b Hcom" HCCL " _stream_label=l", "mode=MainStream:2", "a:0 b:1", "a>b", 1 },
		{ "of unknown shape", "a Hcom" HCCL "; b Hcom" HCCL, "dynamic multi mode=LoadBalance:2", "a:0 b:1", "a>b", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("order_collectives", chains)
