/* verify_text_test - violations as lines for people. */
#include <string.h>

#include "run_tests.h"
#include "world.h"

START_TEST(a_line_names_nodes_stream_and_number)
{
	struct world *w = world_make("ab", "ab", "a|b", "01");
	struct sd_names names = sd_graph_names(&w->request.graph);
	char line[256];

	ck_assert_uint_eq(world_judge(w), 1);
	sd_violation_text(&w->verdict.violation[0], &names, line, sizeof(line));
	ck_assert_str_eq(line, "an edge is not kept: the second may start before the first has finished: 'a', 'b' on stream 1");
	sd_violation_text(&w->verdict.violation[0], NULL, line, sizeof(line));
	ck_assert_ptr_nonnull(strstr(line, "node 0, node 1"));
	world_free(w);
}
END_TEST

START_TEST(a_line_fits_whatever_room_there_is)
{
	struct sd_violation violation = { .kind = SD_VIOLATION_LIMIT, .a = 1, .b = SD_NO_NODE, .stream = 3, .id = INT64_MAX, .detail = "too many" };
	char whole[256], line[256];
	size_t len = sd_violation_text(&violation, NULL, whole, sizeof(whole));

	ck_assert_str_eq(whole, "a limit of the device is exceeded: too many: node 1 on stream 3 number 9223372036854775807");
	ck_assert_uint_eq(len, strlen(whole));
	ck_assert_uint_eq(sd_violation_text(&violation, NULL, line, 0), 0);
	for (size_t cap = 1; cap < len + 5; cap++) {
		memset(line, 'x', sizeof(line));
		ck_assert_uint_eq(sd_violation_text(&violation, NULL, line, cap), cap - 1 < len ? cap - 1 : len);
		ck_assert_int_eq(strncmp(line, whole, strlen(line)), 0);
		ck_assert_int_eq(line[cap], 'x');
	}
}
END_TEST

START_TEST(every_kind_has_words)
{
	for (int kind = 0; kind <= SD_VIOLATION_KINDS; kind++) {
		struct sd_violation violation = { .kind = (enum sd_violation_kind)kind, .a = SD_NO_NODE, .b = SD_NO_NODE, .stream = -1, .id = -1 };
		char line[256];

		ck_assert_uint_gt(sd_violation_text(&violation, NULL, line, sizeof(line)), 10);
	}
}
END_TEST

RUN_TESTS("verify_text", a_line_names_nodes_stream_and_number, a_line_fits_whatever_room_there_is,
	every_kind_has_words)
