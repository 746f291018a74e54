/* sort_ready_test - dfs and bfs, with and without regard to memory. */
#include "run_tests.h"

#include "sorted.h"

static struct sd_arena mem;

static const char *dfs(const char *text)
{
	return sorted(&mem, text, SD_SORT_DFS, false);
}

static const char *bfs(const char *text)
{
	return sorted(&mem, text, SD_SORT_BFS, false);
}

START_TEST(inputs_start_first_as_listed_then_the_others)
{
	const char *starts = "c Const; d2 Data; r Recv; v Variable; d1 RefData; k Const";

	ck_assert_str_eq(dfs(starts), "d2 r d1 c v k");
	ck_assert_str_eq(bfs(starts), "d2 r d1 c v k");
}
END_TEST

START_TEST(dfs_goes_on_with_the_last_one_released)
{
	ck_assert_str_eq(dfs("d Data; a Relu d; b Relu d; a2 Relu a; b2 Relu b"), "d b b2 a a2");
	/* outputs in order, control consumers behind them */
	ck_assert_str_eq(dfs("d Data; a Relu ^d; b Relu d:1; c Relu d:0"), "d a b c");
}
END_TEST

START_TEST(bfs_takes_what_one_node_releases_by_name)
{
	ck_assert_str_eq(bfs("d Data; b10 Relu d; b2 Relu d; a Relu ^d; z Relu b10"), "d a b10 b2 z");
	/* upper case comes before lower case; bytes above 127 come last */
	ck_assert_str_eq(bfs("d Data; \xc3\xa9 Relu d; a Relu d; B Relu d"), "d B a \xc3\xa9");
	ck_assert_str_eq(bfs("d Data; ab Relu d; a Relu d; aaaaaaaaa2 Relu d; aaaaaaaaa1 Relu d"),
	                 "d a aaaaaaaaa1 aaaaaaaaa2 ab");
}
END_TEST

START_TEST(bfs_starts_again_only_when_nothing_is_ready)
{
	ck_assert_str_eq(bfs("d Data; e Data; a Relu d; b Relu e; a2 Relu a"), "d a a2 e b");
}
END_TEST

START_TEST(equal_edges_release_a_node_once)
{
	ck_assert_str_eq(dfs("d Data; a Add d d ^d; b Relu a"), "d a b");
	ck_assert_str_eq(bfs("d Data; a Add d d ^d; b Relu a"), "d a b");
}
END_TEST

START_TEST(with_memory_priority_dfs_takes_the_cheapest_of_all_ready_ones)
{
	/* fewest data consumers, then fewest bytes, then the name; starting nodes too */
	ck_assert_str_eq(sorted(&mem, "p Relu bytes=1; q Relu bytes=1; r Relu; s Relu bytes=8; "
	                        "u Relu p bytes=4; v Relu p bytes=2; w Relu q bytes=4", SD_SORT_DFS, true),
	                 "r s q w p v u");
}
END_TEST

START_TEST(with_memory_priority_bfs_starts_as_without)
{
	ck_assert_str_eq(sorted(&mem, "p Relu bytes=1; q Relu bytes=1; "
	                        "u Relu p bytes=4; v Relu p bytes=2; w Relu q bytes=3", SD_SORT_BFS, true),
	                 "p v u q w");
}
END_TEST

RUN_TESTS("sort_ready", inputs_start_first_as_listed_then_the_others, dfs_goes_on_with_the_last_one_released,
          bfs_takes_what_one_node_releases_by_name, bfs_starts_again_only_when_nothing_is_ready,
          equal_edges_release_a_node_once, with_memory_priority_dfs_takes_the_cheapest_of_all_ready_ones,
          with_memory_priority_bfs_starts_as_without)
