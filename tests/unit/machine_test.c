/* machine_test - what is queued, counted and found in the machine; the figures of its model. */
#include "machine_world.h"

#include "streamd/request.h"

START_TEST(defaults_and_stated_figures)
{
#define SD_X(name) .name = -1,
	struct sd_model stated = { SD_MODEL_LIST(SD_X) };
#undef SD_X
	struct sd_machine_model model;

	sd_machine_model_of(NULL, &model);
	ck_assert_uint_eq(model.cube_cores, 24);
	ck_assert_uint_eq(model.vector_cores, 48);
	ck_assert_uint_eq(model.aicpu_servers, 4);
	ck_assert_int_eq(model.launch_gap_ns, 1000);
	ck_assert_int_eq(model.host_issue_ns, 0);
	ck_assert_int_eq(model.record_ns + model.wait_ns, 1000);
	ck_assert_int_eq(model.event_latency_ns, 1500);
	ck_assert_int_eq(model.activate_ns, 1000);
	ck_assert_int_eq(model.link_alpha_ns, 12000);
	ck_assert_uint_eq(model.contention_permille, 0);
	stated.cube_cores = 3;
	stated.record_ns = INT64_MAX;
	stated.contention_permille = INT64_MAX;
	sd_machine_model_of(&stated, &model);
	ck_assert_uint_eq(model.cube_cores, 3);
	ck_assert_int_eq(model.record_ns, SD_MACHINE_LONGEST_NS);
	ck_assert_uint_eq(model.contention_permille, UINT32_MAX);
	ck_assert_uint_eq(model.vector_cores, 48);
}
END_TEST

START_TEST(a_stream_is_a_queue)
{
	struct sd_machine_head head;
	struct world w;
	uint32_t s;

	world_open(&w, bare_model(4, 4));
	s = stream_of(&w, 0);
	ck_assert(!sd_machine_at(w.machine, s, &head));
	ck_assert(sd_machine_is_quiet(w.machine));
	for (uint32_t i = 0; i < 3; i++)
		work(&w, s, 4, 0, 10, i);
	ck_assert_uint_eq(sd_machine_queued(w.machine, s), 3);
	ck_assert_uint_eq(sd_machine_left(w.machine), 3);
	ck_assert(next(&w, SD_MACHINE_FOR_EVER));
	ck_assert(sd_machine_at(w.machine, s, &head));
	ck_assert_uint_eq(head.tag, 1);
	ck_assert_int_eq(head.kind, SD_MACHINE_WORK);
	ck_assert_int_eq(span(&w), 30);
	ck_assert_uint_eq(sd_machine_left(w.machine), 0);
	ck_assert_int_eq(w.began[2], 20);
	world_close(&w);
}
END_TEST

/* Places are given again, and what was meant for a stream that is gone does not reach its successor. */
START_TEST(places_are_given_again)
{
	struct sd_machine_end end;
	struct world w;
	uint32_t s, t, again;

	world_open(&w, bare_model(1, 1));
	s = stream_of(&w, 0);
	t = stream_of(&w, 0);
	ck_assert_int_eq(sd_machine_add_hold(w.machine, t, 0), SD_OK);
	work(&w, s, 1, 0, 10, 1);
	ck_assert_int_eq(sd_machine_add_activate(w.machine, s, t, 2), SD_OK);
	ck_assert(sd_machine_cut(w.machine, t, &end));
	ck_assert(!sd_machine_cut(w.machine, t, &end));
	sd_machine_remove_stream(w.machine, t);
	again = stream_of(&w, 0);
	ck_assert_uint_eq(again, t);
	ck_assert_int_eq(sd_machine_add_hold(w.machine, again, 3), SD_OK);
	span(&w);
	ck_assert_uint_eq(sd_machine_left(w.machine), 1); /* the hold of the new stream */
	ck_assert(sd_machine_is_quiet(w.machine));
	world_close(&w);
}
END_TEST

START_TEST(memory_is_bounded_by_what_is_queued)
{
	struct world w;
	uint32_t s, t;
	size_t held;

	world_open(&w, bare_model(2, 2));
	s = stream_of(&w, 0);
	t = stream_of(&w, 0);
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t signal = signal_of(&w);

		work(&w, s, 2, 0, 10, 0);
		ck_assert_int_eq(sd_machine_add_record(w.machine, s, signal, 1), SD_OK);
		ck_assert_int_eq(sd_machine_add_wait(w.machine, t, signal, false, 2), SD_OK);
		work(&w, t, 0, 1, 10, 3);
		sd_machine_drop_signal(w.machine, signal);
		span(&w);
		w.count = 0;
		if (round == 10)
			held = w.mem.used_bytes;
	}
	ck_assert_uint_eq(w.mem.used_bytes, held);
	world_close(&w);
}
END_TEST

START_TEST(what_can_never_run)
{
	static const struct {
		struct sd_machine_work work;
		bool runs;
	} rows[] = {
		{ { .cube = 9 }, true }, { { .cube = 9, .gang = true }, false }, { { .cube = 8, .gang = true }, true }, { { .vector = 1 }, false },
		{ { .aicpu = true }, true }, { { .cube = 1, .vector = 1 }, false }, { { .exclusive = 4 }, true },
	};
	struct world w;

	world_open(&w, bare_model(8, 0));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(sd_machine_can_run(w.machine, &rows[i].work) == rows[i].runs, "row %zu", i);
	world_close(&w);
}
END_TEST

/* Whichever allocation fails: a status, or a machine that says it is broken; never a wrong end. */
START_TEST(no_memory)
{
	bool has_ended = false;

	for (uint64_t fail = 1; !has_ended; fail++) {
		const struct sd_machine_model model = bare_model(2, 2);
		struct sd_machine_end end;
		struct sd_arena mem;
		struct sd_machine *m;
		uint32_t s = 0, signal = 0, ended = 0;
		bool ok;

		ck_assert_uint_lt(fail, 100);
		sd_arena_init(&mem, 0);
		mem.fail_at = fail;
		m = sd_machine_new(&mem, &model);
		ok = m && sd_machine_add_stream(m, 0, false, &s) == SD_OK && sd_machine_add_signal(m, &signal) == SD_OK &&
		     sd_machine_add_work(m, s, &(struct sd_machine_work){ .cube = 3, .exclusive = 7, .duration_ns = 5 }, 0) == SD_OK &&
		     sd_machine_add_record(m, s, signal, 1) == SD_OK && sd_machine_add_wait(m, s, signal, false, 2) == SD_OK;
		while (ok && sd_machine_next(m, SD_MACHINE_FOR_EVER, &end))
			ended++;
		has_ended = ok && !sd_machine_is_broken(m);
		ck_assert(!has_ended || (ended == 3 && sd_machine_now(m) == 10));
		sd_arena_finish(&mem);
	}
}
END_TEST

RUN_TESTS("machine", defaults_and_stated_figures, a_stream_is_a_queue, places_are_given_again, memory_is_bounded_by_what_is_queued,
          what_can_never_run, no_memory)
