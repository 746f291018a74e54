/* verify_columns_test - streams that are never asked about at one time share a column, and are not mixed up. */
#include "run_tests.h"
#include "verify_internal.h"
#include "world.h"

#define MANY 40u

/* A judge in front of the columns: one slot a stream, run as they are numbered, node by node. */
struct row {
	struct sd_arena mem;
	struct sd_graph graph;
	struct sd_plan plan;
	struct sd__judge judge;
	uint32_t zero[MANY + 1], number[MANY + 1], in_first[MANY + 1];
	uint16_t op;
	struct sd_edge in[MANY * 2];
	struct sd__slot slot[MANY];
	struct sd_stream stream[MANY];
	struct sd_command command[1];
	struct sd_placement node[MANY];
	struct sd__extra extra[1];
};

/* Node n needs the `back` nodes in front of it. */
static struct row *row_of_streams(uint32_t back)
{
	struct row *row = calloc(1, sizeof(*row));

	ck_assert_ptr_nonnull(row);
	sd_arena_init(&row->mem, 0);
	for (uint32_t n = 0; n < MANY; n++) {
		row->number[n + 1] = n + 1;
		for (uint32_t k = 1; k <= back && k <= n; k++)
			row->in[row->graph.edge_count++].src = n - k;
		row->in_first[n + 1] = row->graph.edge_count;
		row->stream[n].logical_id = n;
		row->slot[n] = (struct sd__slot){ .node = n, .stream = n, .activation = SD__NONE };
	}
	row->graph.node_count = row->plan.stream_count = row->plan.logical_stream_count = row->judge.slot_count = row->judge.real_nodes = MANY;
	row->graph.in_first = row->in_first, row->graph.in = row->in, row->graph.op_type = row->zero, row->plan.stream = row->stream;
	row->judge.mem = &row->mem, row->judge.graph = &row->graph, row->judge.plan = &row->plan, row->judge.op = &row->op;
	row->judge.slot = row->slot, row->judge.slot_first = row->judge.main_slot = row->judge.origin = row->number;
	row->judge.order = row->judge.place = row->number;
	row->judge.arriving_first = row->judge.extra_first = row->zero, row->judge.extra = row->extra;
	ck_assert_int_eq(sd__verify_columns(&row->judge), SD_OK);
	return row;
}

static void row_free(struct row *row)
{
	sd_arena_finish(&row->mem);
	free(row);
}

START_TEST(a_row_of_short_streams_needs_two_columns)
{
	struct row *row = row_of_streams(1);

	ck_assert_uint_eq(row->judge.column_count, 2);
	for (uint32_t s = 2; s < MANY; s++) {
		ck_assert_uint_ne(row->judge.column[s], row->judge.column[s - 1]);
		ck_assert_uint_eq(row->judge.column[s], row->judge.column[s - 2]);
		ck_assert_uint_gt(sd__position(&row->judge, s), sd__position(&row->judge, s - 2));
	}
	row_free(row);
}
END_TEST

START_TEST(streams_asked_about_together_have_columns_of_their_own)
{
	struct row *row = row_of_streams(2);

	ck_assert_uint_eq(row->judge.column_count, 3);
	for (uint32_t s = 0; s < MANY; s++)
		ck_assert_uint_eq(sd__column_slot(&row->judge, row->judge.column[s], sd__position(&row->judge, s)), s);
	row_free(row);
}
END_TEST

START_TEST(no_stream_is_taken_for_another_of_its_column)
{
	WORLD_KEEPS(world_make("abcdef", "ab bc cd de ef", "a!0|?0b!1|?1c!2|?2d!3|?3e!4|?4f", "012345"));
	WORLD_BREAKS(world_make("abcdef", "ab bc cd de ef", "a!0|?0b!1|?1c!2|?2d!3|?3e|f", "012345"), UNORDERED);
	WORLD_BREAKS(world_make("abcdef", "ab bc cd de ef", "a!0|?0b|c!1|?1d!2|?2e!3|?3f", "012345"), UNORDERED);
	/* The first is asked for once more at the end. */
	WORLD_KEEPS(world_make("abcdef", "ab bc cd de ef af", "a!0|?0b!1|?1c!2|?2d!3|?3e!4|?4f", "012345"));
	WORLD_BREAKS(world_make("abcdef", "bc cd de ef af", "a|b!0|?0c!1|?1d!2|?2e!3|?3f", "012345"), UNORDERED);
}
END_TEST

/* What nodes that are not launched stand for is told by its column. */
START_TEST(what_a_meeting_lacks_is_named)
{
	struct world *w = world_make("abcdEf", "ab bc bd cE dE Ef", "a!0|?0b!1!2|?1c!3|?2d|?3f", "01234");

	ck_assert_uint_gt(world_judge(w), 0);
	ck_assert_int_eq(w->verdict.violation[0].kind, SD_VIOLATION_UNORDERED);
	ck_assert_uint_eq(w->verdict.violation[0].a, world_node(w, 'd'));
	ck_assert_uint_eq(w->verdict.violation[0].b, world_node(w, 'f'));
	world_free(w);
}
END_TEST

RUN_TESTS("verify_columns", a_row_of_short_streams_needs_two_columns, streams_asked_about_together_have_columns_of_their_own,
	no_stream_is_taken_for_another_of_its_column, what_a_meeting_lacks_is_named)
