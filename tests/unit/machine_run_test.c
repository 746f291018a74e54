/* machine_run_test - time, signals and holds. */
#include "machine_world.h"

START_TEST(every_hop_costs_record_latency_and_wait)
{
	struct sd_machine_model model = bare_model(4, 4);
	struct world w;
	uint32_t s[2], tag = 0;

	model.record_ns = 3;
	model.event_latency_ns = 70;
	model.wait_ns = 500;
	world_open(&w, model);
	s[0] = stream_of(&w, 0);
	s[1] = stream_of(&w, 0);
	work(&w, s[0], 4, 0, 1000, tag++);
	for (uint32_t hop = 0; hop < 4; hop++) {
		uint32_t signal = signal_of(&w);

		ck_assert_int_eq(sd_machine_add_record(w.machine, s[hop % 2], signal, tag++), SD_OK);
		ck_assert_int_eq(sd_machine_add_wait(w.machine, s[1 - hop % 2], signal, false, tag++), SD_OK);
		sd_machine_drop_signal(w.machine, signal);
		work(&w, s[1 - hop % 2], 4, 0, 1000, tag++);
	}
	ck_assert_int_eq(span(&w), 5 * 1000 + 4 * 573);
	world_close(&w);
}
END_TEST

START_TEST(gaps_the_host_and_the_first_use_of_a_stream)
{
	struct sd_machine_model model = bare_model(4, 4);
	struct world w;
	uint32_t s;

	model.launch_gap_ns = 10;
	model.activate_ns = 1000;
	world_open(&w, model);
	s = stream_of(&w, 0);
	work(&w, s, 1, 0, 100, 0);
	work(&w, s, 1, 0, 100, 1);
	ck_assert_int_eq(sd_machine_add_stream(w.machine, 0, true, &s), SD_OK);
	work(&w, s, 1, 0, 100, 2);
	work(&w, s, 1, 0, 100, 3);
	ck_assert_int_eq(span(&w), 1000 + 220);
	ck_assert_int_eq(w.ended[1], 220);
	world_close(&w);
	model = bare_model(4, 4);
	model.host_issue_ns = 50;
	world_open(&w, model);
	work(&w, stream_of(&w, 0), 1, 0, 20, 0);
	work(&w, stream_of(&w, 0), 1, 0, 20, 1);
	ck_assert_int_eq(span(&w), 120);
	work(&w, stream_of(&w, 0), 1, 0, 20, 2);
	ck_assert_int_eq(span(&w), 190);
	world_close(&w);
}
END_TEST

START_TEST(a_wait_passes_at_once_where_the_signal_was_seen)
{
	struct sd_machine_model model = bare_model(4, 4);
	struct world w;
	uint32_t a, b, signal;
	int64_t at;

	model.wait_ns = 5;
	model.event_latency_ns = 7;
	world_open(&w, model);
	a = stream_of(&w, 0);
	b = stream_of(&w, 0);
	signal = signal_of(&w);
	ck_assert(!sd_machine_is_recorded(w.machine, signal, &at));
	ck_assert_int_eq(sd_machine_add_record(w.machine, a, signal, 0), SD_OK);
	work(&w, b, 1, 0, 100, 1);
	ck_assert_int_eq(sd_machine_add_wait(w.machine, b, signal, false, 2), SD_OK);
	ck_assert_int_eq(sd_machine_add_wait(w.machine, b, signal, false, 3), SD_OK);
	ck_assert_int_eq(span(&w), 110);
	ck_assert(sd_machine_is_recorded(w.machine, signal, &at));
	ck_assert_int_eq(at, 0);
	world_close(&w);
}
END_TEST

/* A waiter that takes the signal leaves none for the next. */
START_TEST(one_waiter_passes_for_each_record)
{
	struct sd_machine_head head;
	struct world w;
	uint32_t a, b, signal;

	world_open(&w, bare_model(4, 4));
	a = stream_of(&w, 0);
	b = stream_of(&w, 0);
	signal = signal_of(&w);
	ck_assert_int_eq(sd_machine_add_wait(w.machine, b, signal, true, 0), SD_OK);
	ck_assert_int_eq(sd_machine_add_wait(w.machine, b, signal, true, 1), SD_OK);
	ck_assert_int_eq(sd_machine_add_record(w.machine, a, signal, 2), SD_OK);
	span(&w);
	ck_assert_uint_eq(w.count, 2);
	ck_assert(sd_machine_at(w.machine, b, &head));
	ck_assert(head.is_waiting);
	ck_assert_uint_eq(head.tag, 1);
	ck_assert_uint_eq(head.signal, signal);
	ck_assert(sd_machine_is_quiet(w.machine));
	ck_assert_int_eq(sd_machine_add_record(w.machine, a, signal, 3), SD_OK);
	span(&w);
	ck_assert_uint_eq(sd_machine_left(w.machine), 0);
	world_close(&w);
}
END_TEST

START_TEST(holds_open_one_by_one)
{
	struct sd_machine_model model = bare_model(4, 4);
	struct world w;
	uint32_t a, b;

	model.activate_ns = 40;
	world_open(&w, model);
	a = stream_of(&w, 0);
	b = stream_of(&w, 0);
	ck_assert_int_eq(sd_machine_add_hold(w.machine, b, 0), SD_OK);
	work(&w, b, 1, 0, 100, 1);
	ck_assert_int_eq(sd_machine_add_hold(w.machine, b, 2), SD_OK);
	work(&w, b, 1, 0, 100, 3);
	work(&w, a, 1, 0, 10, 4);
	ck_assert_int_eq(sd_machine_add_activate(w.machine, a, b, 5), SD_OK);
	ck_assert_int_eq(span(&w), 150);
	ck_assert_uint_eq(sd_machine_left(w.machine), 2);
	ck_assert_int_eq(sd_machine_add_activate(w.machine, a, b, 6), SD_OK);
	ck_assert_int_eq(span(&w), 290);
	/* All are open: this one does nothing, and the next hold is closed. */
	ck_assert_int_eq(sd_machine_add_activate(w.machine, a, b, 7), SD_OK);
	span(&w);
	ck_assert_int_eq(sd_machine_add_hold(w.machine, b, 8), SD_OK);
	span(&w);
	ck_assert_uint_eq(sd_machine_left(w.machine), 1);
	/* One that comes before its stream gets there opens the hold in advance. */
	work(&w, b, 1, 0, 100, 9);
	ck_assert_int_eq(sd_machine_add_hold(w.machine, b, 10), SD_OK);
	ck_assert_int_eq(sd_machine_add_activate(w.machine, a, b, 11), SD_OK);
	ck_assert_int_eq(sd_machine_add_activate(w.machine, a, b, 12), SD_OK);
	span(&w);
	ck_assert_uint_eq(sd_machine_left(w.machine), 0);
	world_close(&w);
}
END_TEST

START_TEST(time_stops_where_it_is_told_to)
{
	struct world w;
	uint32_t s;

	world_open(&w, bare_model(1, 1));
	ck_assert(!next(&w, 70));
	ck_assert_int_eq(sd_machine_now(w.machine), 70);
	s = stream_of(&w, 0);
	work(&w, s, 1, 0, 100, 0);
	ck_assert(!next(&w, 169));
	ck_assert(next(&w, 170));
	ck_assert_int_eq(w.began[0], 70);
	ck_assert(!next(&w, SD_MACHINE_FOR_EVER));
	ck_assert_int_eq(sd_machine_now(w.machine), 170);
	work(&w, s, 1, 0, INT64_MAX, 1);
	work(&w, s, 1, 0, INT64_MAX, 2);
	ck_assert_int_eq(span(&w), 170 + 2 * SD_MACHINE_LONGEST_NS);
	world_close(&w);
}
END_TEST

/* Each waits for what the other brings afterwards: nothing ends, and it is seen which waits. */
START_TEST(what_waits_for_ever_is_seen)
{
	struct sd_machine_head head;
	struct sd_machine_end end;
	struct world w;
	uint32_t s[2], signal[2];

	world_open(&w, bare_model(1, 1));
	for (uint32_t i = 0; i < 2; i++) {
		s[i] = stream_of(&w, 0);
		signal[i] = signal_of(&w);
	}
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_int_eq(sd_machine_add_wait(w.machine, s[i], signal[1 - i], false, 2 * i), SD_OK);
		ck_assert_int_eq(sd_machine_add_record(w.machine, s[i], signal[i], 2 * i + 1), SD_OK);
	}
	ck_assert(!next(&w, SD_MACHINE_FOR_EVER));
	ck_assert_uint_eq(sd_machine_left(w.machine), 4);
	ck_assert(sd_machine_at(w.machine, s[0], &head));
	ck_assert(head.is_waiting);
	ck_assert_uint_eq(head.signal, signal[1]);
	ck_assert(sd_machine_cut(w.machine, s[0], &end)); /* the wait goes, and all gets on */
	ck_assert_int_eq(end.kind, SD_MACHINE_WAIT);
	span(&w);
	ck_assert_uint_eq(sd_machine_left(w.machine), 0);
	world_close(&w);
}
END_TEST

/* The same calls, the same ends in the same order. */
START_TEST(runs_are_alike)
{
	uint32_t first[64], count = 0;

	for (uint32_t round = 0; round < 2; round++) {
		struct world w;
		uint32_t s[4];

		world_open(&w, bare_model(3, 3));
		for (uint32_t i = 0; i < 4; i++)
			s[i] = stream_of(&w, (int32_t)(i % 2));
		for (uint32_t i = 0; i < 40; i++)
			work(&w, s[i * 7 % 4], i % 3, (i + 1) % 2, i * 37 % 11, i);
		span(&w);
		ck_assert_uint_eq(w.count, 40);
		if (round == 0)
			memcpy(first, w.order, sizeof(first));
		else
			ck_assert_int_eq(memcmp(first, w.order, w.count * sizeof(*first)), 0);
		count = w.count;
		world_close(&w);
	}
	ck_assert_uint_eq(count, 40);
}
END_TEST

RUN_TESTS("machine_run", every_hop_costs_record_latency_and_wait, gaps_the_host_and_the_first_use_of_a_stream,
          a_wait_passes_at_once_where_the_signal_was_seen, one_waiter_passes_for_each_record, holds_open_one_by_one, time_stops_where_it_is_told_to,
          what_waits_for_ever_is_seen, runs_are_alike)
