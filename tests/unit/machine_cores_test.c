/* machine_cores_test - who gets cores, servers and links, and when. */
#include "machine_world.h"

START_TEST(two_full_works_take_turns_and_two_halves_do_not)
{
	struct world w;

	world_open(&w, bare_model(24, 48));
	work(&w, stream_of(&w, 0), 24, 0, 10 * US, 0);
	work(&w, stream_of(&w, 0), 24, 0, 10 * US, 1);
	ck_assert_int_eq(span(&w), 20 * US);
	world_close(&w);
	world_open(&w, bare_model(24, 48));
	work(&w, stream_of(&w, 0), 12, 0, 10 * US, 0);
	work(&w, stream_of(&w, 0), 12, 0, 10 * US, 1);
	ck_assert_int_eq(span(&w), 10 * US);
	world_close(&w);
}
END_TEST

/* V20 C40 V20 beside V30 C20 V20 on one core of each kind: who goes first decides. */
static int64_t crossing(int32_t first_priority)
{
	struct world w;
	int64_t result;
	uint32_t a, b;

	world_open(&w, bare_model(1, 1));
	a = stream_of(&w, first_priority);
	b = stream_of(&w, 1);
	work(&w, a, 0, 1, 20, 0);
	work(&w, a, 1, 0, 40, 1);
	work(&w, a, 0, 1, 20, 2);
	work(&w, b, 0, 1, 30, 3);
	work(&w, b, 1, 0, 20, 4);
	work(&w, b, 0, 1, 20, 5);
	result = span(&w);
	world_close(&w);
	return result;
}

START_TEST(who_goes_first_decides)
{
	ck_assert_int_eq(crossing(1), 100); /* equal: the one that was added first */
	ck_assert_int_eq(crossing(0), 100);
	ck_assert_int_eq(crossing(2), 110);
}
END_TEST

START_TEST(blocks_take_rounds)
{
	struct world w;
	uint32_t a, b;

	world_open(&w, bare_model(24, 48));
	work(&w, stream_of(&w, 0), 36, 0, 10, 0);
	ck_assert_int_eq(span(&w), 20);
	world_close(&w);
	/* The second half of a round is another's: 36 + 12 blocks fill two rounds. */
	world_open(&w, bare_model(24, 48));
	a = stream_of(&w, 0);
	b = stream_of(&w, 0);
	work(&w, a, 36, 0, 10, 0);
	work(&w, b, 12, 0, 10, 1);
	ck_assert_int_eq(span(&w), 20);
	ck_assert_int_eq(w.began[1], 10);
	world_close(&w);
	/* Very many blocks are some longer ones. */
	world_open(&w, bare_model(1, 1));
	work(&w, stream_of(&w, 0), UINT32_MAX, 0, 1, 0);
	ck_assert_int_ge(span(&w), UINT32_MAX);
	world_close(&w);
}
END_TEST

START_TEST(at_most_so_many_at_once)
{
	const struct sd_machine_work four = { .cube = 8, .at_once = 4, .duration_ns = 10 };
	struct world w;
	uint32_t a, b;

	world_open(&w, bare_model(8, 8));
	a = stream_of(&w, 0);
	b = stream_of(&w, 0);
	ck_assert_int_eq(sd_machine_add_work(w.machine, a, &four, 0), SD_OK);
	work(&w, b, 4, 0, 15, 1);
	ck_assert_int_eq(span(&w), 20);
	ck_assert_int_eq(w.began[1], 0);
	ck_assert_int_eq(w.ended[0], 20);
	world_close(&w);
}
END_TEST

START_TEST(a_gang_starts_when_all_is_free_and_is_not_passed)
{
	const struct sd_machine_work gang = { .cube = 6, .gang = true, .duration_ns = 10 };
	struct world w;
	uint32_t s[3];

	world_open(&w, bare_model(8, 8));
	for (uint32_t i = 0; i < 3; i++)
		s[i] = stream_of(&w, 0);
	work(&w, s[0], 4, 0, 10, 0);
	ck_assert_int_eq(sd_machine_add_work(w.machine, s[1], &gang, 1), SD_OK);
	work(&w, s[2], 2, 0, 10, 2); /* would fit, and is younger */
	ck_assert_int_eq(span(&w), 20);
	ck_assert_int_eq(w.began[1], 10);
	ck_assert_int_eq(w.began[2], 10);
	world_close(&w);
}
END_TEST

START_TEST(work_on_both_kinds_needs_both)
{
	struct world w;
	uint32_t s[3];

	world_open(&w, bare_model(2, 4));
	for (uint32_t i = 0; i < 3; i++)
		s[i] = stream_of(&w, 0);
	work(&w, s[0], 0, 3, 10, 0);
	work(&w, s[1], 2, 4, 20, 1);
	work(&w, s[2], 2, 0, 5, 2); /* waits behind it */
	ck_assert_int_eq(span(&w), 35);
	ck_assert_int_eq(w.began[1], 10);
	ck_assert_int_eq(w.began[2], 30);
	world_close(&w);
	world_open(&w, bare_model(2, 4));
	work(&w, stream_of(&w, 0), 4, 12, 10, 0); /* two rounds of cubes, three of vectors */
	ck_assert_int_eq(span(&w), 30);
	world_close(&w);
}
END_TEST

START_TEST(exclusive_numbers_and_servers)
{
	const struct sd_machine_work link = { .exclusive = 5, .duration_ns = 10 }, other = { .exclusive = 4, .duration_ns = 10 };
	const struct sd_machine_work server = { .aicpu = true, .duration_ns = 10 };
	struct world w;

	world_open(&w, bare_model(1, 1));
	for (uint64_t i = 0; i < 3; i++)
		ck_assert_int_eq(sd_machine_add_work(w.machine, stream_of(&w, 0), &link, i), SD_OK);
	ck_assert_int_eq(sd_machine_add_work(w.machine, stream_of(&w, 0), &other, 3), SD_OK);
	for (uint64_t i = 4; i < 9; i++)
		ck_assert_int_eq(sd_machine_add_work(w.machine, stream_of(&w, 0), &server, i), SD_OK);
	ck_assert_int_eq(span(&w), 30);
	ck_assert_int_eq(w.began[1], 10);
	ck_assert_int_eq(w.began[2], 20);
	ck_assert_int_eq(w.began[3], 0);
	ck_assert_int_eq(w.began[5], 0);
	ck_assert_int_eq(w.began[6], 10);
	ck_assert_int_eq(w.began[8], 20);
	world_close(&w);
}
END_TEST

/* A collective that uses vector cores too keeps none while it waits for its link. */
START_TEST(a_link_comes_before_cores)
{
	const struct sd_machine_work link = { .exclusive = 1, .duration_ns = 30 }, both = { .exclusive = 1, .vector = 2, .gang = true, .duration_ns = 10 };
	struct world w;
	uint32_t s;

	world_open(&w, bare_model(1, 2));
	ck_assert_int_eq(sd_machine_add_work(w.machine, stream_of(&w, 0), &link, 0), SD_OK);
	ck_assert_int_eq(sd_machine_add_work(w.machine, stream_of(&w, 0), &both, 1), SD_OK);
	s = stream_of(&w, 0);
	work(&w, s, 0, 2, 10, 2);
	ck_assert_int_eq(span(&w), 40);
	ck_assert_int_eq(w.began[2], 0);
	ck_assert_int_eq(w.began[1], 30);
	world_close(&w);
}
END_TEST

START_TEST(others_on_the_same_cores_slow_down)
{
	struct sd_machine_model model = bare_model(4, 4);
	struct world w;

	model.contention_permille = 100;
	world_open(&w, model);
	work(&w, stream_of(&w, 0), 2, 0, 1000, 0);
	work(&w, stream_of(&w, 0), 2, 0, 1000, 1);
	work(&w, stream_of(&w, 0), 0, 1, 1000, 2);
	ck_assert_int_eq(span(&w), 1100);
	ck_assert_int_eq(w.ended[0], 1000);
	ck_assert_int_eq(w.ended[2], 1000);
	world_close(&w);
}
END_TEST

/* What was cut gives back its cores and its link, wherever it is. */
START_TEST(what_is_cut_gives_back)
{
	const struct sd_machine_work both = { .exclusive = 1, .cube = 4, .duration_ns = 1000 };
	struct sd_machine_end end;
	struct world w;
	uint32_t s[4];

	world_open(&w, bare_model(4, 4));
	for (uint32_t i = 0; i < 4; i++) {
		s[i] = stream_of(&w, 0);
		if (i < 3)
			ck_assert_int_eq(sd_machine_add_work(w.machine, s[i], &both, i), SD_OK);
	}
	work(&w, s[3], 4, 0, 10, 3); /* waits for cores */
	ck_assert(!next(&w, 100));
	ck_assert(sd_machine_cut(w.machine, s[1], &end)); /* waits for the link */
	ck_assert_int_eq(end.began_ns, 100);
	ck_assert(sd_machine_cut(w.machine, s[0], &end)); /* runs */
	ck_assert_int_eq(end.began_ns, 0);
	ck_assert_int_eq(span(&w), 1110);
	ck_assert_int_eq(w.began[2], 100); /* added before the other, and has waited as long */
	ck_assert_int_eq(w.began[3], 1100);
	world_close(&w);
}
END_TEST

RUN_TESTS("machine_cores", two_full_works_take_turns_and_two_halves_do_not, who_goes_first_decides, blocks_take_rounds, at_most_so_many_at_once,
          a_gang_starts_when_all_is_free_and_is_not_passed, work_on_both_kinds_needs_both, exclusive_numbers_and_servers, a_link_comes_before_cores,
          others_on_the_same_cores_slow_down, what_is_cut_gives_back)
