/* balance_test - LoadBalance, MainStream and WeightedLoadBalance: tables of small graphs. */
#include "run_tests.h"

#include <stdio.h>

#include "planned.h"

#define AI "@AIcoreEngine"
#define HCCL "@DNN_HCCL"
#define LOC "@DNN_VM_GE_LOCAL"

static struct sd_arena mem;

/* The streams of all nodes as listed, one character each: digits, "-" for none; else the refusal. */
static const char *digits(const struct planned *planned)
{
	const char *streams = streams_of(&mem, planned);
	char *out = SD_NEW0(&mem, char, strlen(streams) + 1), *at = out;

	if (!planned->plan)
		return streams;
	for (const char *colon = strchr(streams, ':'); colon; colon = strchr(colon + 1, ':'))
		*at++ = colon[1];
	return out;
}

static const char *planned_as(const char *graph, const char *words)
{
	struct sd_request *request = request_of(&mem, graph);
	struct planned planned;

	set_words(&mem, request, words);
	planned = plan_of(&mem, request);
	return digits(&planned);
}

#define CHAIN "a Op" AI "; b Op" AI " a; c Op" AI " b; d Op" AI " c"
#define DIAMOND "a Op" AI "; b Op" AI " a; c Op" AI " a; d Op" AI " b c"
#define FORK "a Op" AI "; b Op" AI " a; c Op" AI " a; d Op" AI " a; e Op" AI " b c d"
#define SKIPS "a Op" AI "; b Op" AI " a; c Op" AI " b a; d Op" AI " c; e Op" AI " d c"
#define TWO_CHAINS "a Op" AI "; b Op" AI " a; c Op" AI " b; d Op" AI "; e Op" AI " d; f Op" AI " e"
#define ISOLATED "a Op" AI "; b Op" AI "; c Op" AI "; d Op" AI "; e Op" AI "; f Op" AI "; g Op" AI "; h Op" AI "; i Op" AI "; j Op" AI
#define LONG_SHORT "a Op" AI "; b Op" AI " a; c Op" AI " b; d Op" AI " c; e Op" AI " a; f Op" AI " e; g Op" AI " d f"
#define BLOCK "a Op" AI "; b Op" AI " a; c Op" AI " a; d Op" AI " c; e Op" AI " a; f Op" AI " e; g Op" AI " f; h Op" AI " a; i Op" AI " h;" \
              "j Op" AI " b d g i"
#define ROOTS "a Op" AI "; b Op" AI "; c Op" AI "; d Op" AI "; e Op" AI "; f Op" AI "; g Op" AI " a; h Op" AI " b; i Op" AI " c;" \
              "j Op" AI " d; k Op" AI " e; l Op" AI " f; m Op" AI " g h i j k l"
#define DIAMONDS "a Op" AI "; b Op" AI " a; c Op" AI " a; d Op" AI " b c; e Op" AI " d; f Op" AI " d; g Op" AI " e f"
#define LABELLED "a Op" AI "; b Op" AI " a _stream_label=s; c Op" AI " b _stream_label=s; d Op" AI " c"

START_TEST(patterns)
{
	static const struct {
		const char *shows, *graph, *load_2, *main_2, *load_4, *main_4;
	} rows[] = {
		{ "chain", CHAIN, "0000", "0000", "0000", "0000" },
		{ "diamond", DIAMOND, "0000", "0000", "0000", "0000" },
		{ "fork", FORK, "00000", "00000", "00000", "00000" },
		{ "blocks with skips", SKIPS, "00000", "00000", "00000", "00000" },
		{ "two chains", TWO_CHAINS, "000111", "000111", "000111", "000111" },
		{ "ten isolated", ISOLATED, "0101010101", "0101010101", "0123012301", "0123012301" },
		{ "a long way and a short one", LONG_SHORT, "0000110", "0000000", "0000110", "0000000" },
		{ "a block of four ways", BLOCK, "0000111110", "0011000000", "0000111220", "0011000220" },
		{ "six roots", ROOTS, "0110100110100", "0101010101010", "0123120123120", "0123010123010" },
		{ "two diamonds", DIAMONDS, "0000010", "0000000", "0000010", "0000000" },
		{ "a label in a chain", LABELLED, "0110", "0110", "0110", "0110" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const char *const words[] = { "mode=LoadBalance:2", "mode=MainStream:2", "mode=LoadBalance:4", "mode=MainStream:4" };
		const char *wanted[] = { rows[i].load_2, rows[i].main_2, rows[i].load_4, rows[i].main_4 };

		for (size_t k = 0; k < 4; k++) {
			char ge[64];

			snprintf(ge, sizeof(ge), "ge %s", words[k]);
			ck_assert_msg(strcmp(planned_as(rows[i].graph, words[k]), wanted[k]) == 0, "%s, %s: %s, not %s", rows[i].shows, words[k],
			              planned_as(rows[i].graph, words[k]), wanted[k]);
			ck_assert_str_eq(planned_as(rows[i].graph, ge), wanted[k]);
		}
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(one_stream_is_one)
{
	static const char *const modes[] = { "mode=LoadBalance:1", "mode=MainStream:1", "mode=WeightedLoadBalance:1" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		ck_assert_str_eq(planned_as(ISOLATED, modes[i]), "0000000000");
		ck_assert_str_eq(planned_as(LABELLED, modes[i]), "0110");
	}
	sd_arena_finish(&mem);
}
END_TEST

/* A label is a stream of its own behind those of the paths, not counted by the number. */
START_TEST(labels)
{
	ck_assert_str_eq(planned_as("a Op" AI " _stream_label=a; b Op" AI " _stream_label=b; c Op" AI " _stream_label=a", "mode=LoadBalance:1"), "010");
	ck_assert_str_eq(planned_as("a Op" AI "; b Op" AI " _stream_label=b; c Op" AI " _stream_label=a", "mode=LoadBalance:1"), "012");
	ck_assert_str_eq(planned_as("a Op" AI "; b Op" AI " _user_stream_label=b; c Op" AI " _stream_label=b", "mode=MainStream:1"), "011");
	/* One on an input of the graph takes a number that nobody uses, and which is closed again. */
	ck_assert_str_eq(planned_as("x Const" LOC " _stream_label=z; a Op" AI " x; b Op" AI " _stream_label=b", "mode=LoadBalance:1"), "-01");
	sd_arena_finish(&mem);
}
END_TEST

/* What other rules asked for is gone; what has no stream, or is a label node, stays as it is. */
START_TEST(what_modes_leave_alone)
{
	ck_assert_str_eq(planned_as("a Op" AI "; h Hcom" HCCL " a; b Op" AI " h; c Op" AI " a _parallel_group=g; d Op" AI " b c", "mode=LoadBalance:1"), "00000");
	ck_assert_str_eq(planned_as("x Const" LOC "; z Reshape" LOC " x; a Op" AI " z; o NetOutput@DNN_VM_RTS a", "mode=LoadBalance:2"), "--00");
	ck_assert_str_eq(planned_as("a Op" AI "; z Op" AI " a ns=0; b Op" AI " z; c Op" AI " z; d Op" AI " b c", "mode=LoadBalance:2"), "10111");
	ck_assert_str_eq(planned_as("a Op" AI "; b Op" AI " a _rts_label_node=true; c Op" AI " b", "ge mode=LoadBalance:2"), "0-0");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(refusals)
{
	ck_assert_str_eq(planned_as(CHAIN, "mode=LoadBalance:65"), "E10001");
	ck_assert_str_eq(planned_as(CHAIN, "single mode=LoadBalance:2"), "E10056");
	ck_assert_str_eq(planned_as(CHAIN, "single mode=LoadBalance:0"), "E10001");
	sd_arena_finish(&mem);
}
END_TEST

#define TIMES "a Op" AI " ns=60000 cube=4; b Op" AI " ns=50000 cube=4; c Op" AI " ns=40000 cube=4; d Op" AI " ns=30000 cube=4;" \
              "e Op" AI " ns=20000 cube=4; f Op" AI " ns=10000 cube=4"
#define TIMED_DIAMOND "a Op" AI " ns=10000 cube=4; b Op" AI " a ns=60000 cube=4; c Op" AI " a ns=20000 cube=4; d Op" AI " b c ns=10000 cube=4"

START_TEST(weighted)
{
	static const char *const compat[] = { "ge mode=WeightedLoadBalance:2", "mode=WeightedLoadBalance:2",
	                                      "ge mode=WeightedLoadBalance:4", "mode=WeightedLoadBalance:4" };

	for (size_t i = 0; i < 4; i++) {
		ck_assert_str_eq(planned_as(TIMED_DIAMOND, compat[i]), "0010");
		ck_assert_str_eq(planned_as(TIMES, compat[i]), i < 2 ? "011001" : "012332");
	}
	sd_arena_finish(&mem);
}
END_TEST

/* A stated time alone changes no mode, but for operators that take none. */
START_TEST(times_do_not_choose_the_mode)
{
	ck_assert_str_eq(planned_as(TIMES, "mode=LoadBalance:2"), "010101");
	ck_assert_str_eq(planned_as(TIMES, "ge mode=LoadBalance:2"), "010101");
	sd_arena_finish(&mem);
}
END_TEST

/* Where no time is known, Graph Engine puts all on one stream; an unknown time is not 0. */
START_TEST(unknown_times)
{
	ck_assert_str_eq(planned_as(ISOLATED, "ge mode=WeightedLoadBalance:4"), "0000000000");
	ck_assert_str_eq(planned_as(ISOLATED, "mode=WeightedLoadBalance:4"), "0123012301");
	ck_assert_str_eq(planned_as(CHAIN, "mode=WeightedLoadBalance:4"), "0000");
	sd_arena_finish(&mem);
}
END_TEST

/* Far more paths and levels than any list of candidates or window. */
START_TEST(large_graphs)
{
	char *text = malloc(2000 * 64), *at = text;
	const char *streams;

	for (int i = 0; i < 2000; i++) {
		if (i < 40)
			at += sprintf(at, "n%d Op" AI ";", i);
		else
			at += sprintf(at, "n%d Op" AI " n%d n%d;", i, i - 40, i - 7);
	}
	for (int mode = 0; mode < 3; mode++) {
		static const char *const modes[] = { "mode=LoadBalance:64", "mode=MainStream:64", "mode=WeightedLoadBalance:8" };
		struct sd_request *request = request_of(&mem, text);
		struct planned planned;

		set_words(&mem, request, modes[mode]);
		planned = plan_of(&mem, request);
		ck_assert_ptr_nonnull(planned.plan);
		ck_assert_uint_le(planned.plan->main_stream_count, mode == 2 ? 8 : 64);
		sd_arena_reset(&mem, 1 << 20);
	}
	streams = planned_as(text, "mode=LoadBalance:2");
	ck_assert_uint_eq(strlen(streams), 2000);
	ck_assert_uint_eq(strspn(streams, "01"), 2000);
	free(text);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("balance", patterns, one_stream_is_one, labels, what_modes_leave_alone, refusals, weighted,
          times_do_not_choose_the_mode, unknown_times, large_graphs)
