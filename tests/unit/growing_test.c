/* growing_test - allocators that grow, keep what they have, and go back to a single stream. */
#include "sim_world.h"

#include "streamd/growing.h"

static struct sd_growing *grower(struct sd_device *d, enum sd_growing_kind kind)
{
	struct sd_growing *g = NULL;

	ck_assert_int_eq(sd_growing_create(kind, d, 0, 0, &g, NULL), SD_OK);
	return g;
}

START_TEST(streams_up_to_2023)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("ascend910b") });
	struct sd_growing *g = grower(d, SD_GROWING_STREAMS);
	static const uint32_t counts[] = { 0, 1, 2, 2023 };
	struct sd_diag diag = { 0 };
	sd_handle *list;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		ck_assert_int_eq(sd_growing_acquire(g, counts[i], &list, NULL), SD_OK);
		ck_assert_uint_eq(sd_growing_size(g), counts[i] ? counts[i] : 1);
		ck_assert_uint_eq(facts_of(d).streams_used, sd_growing_size(g) - 1);
	}
	ck_assert_int_eq(sd_growing_acquire(g, 2024, &list, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_GROW_LIMIT);
	says(&diag, "2024 streams are asked for, 2023 can be had at once");
	sd_growing_destroy(g);
	ck_assert_uint_eq(facts_of(d).streams_used, 0);
	d->ops->close(d);
}
END_TEST

START_TEST(slot_0_is_the_callers)
{
	struct sd_device *d = sim();
	struct sd_growing *g = grower(d, SD_GROWING_STREAMS), *events = grower(d, SD_GROWING_EVENTS);
	sd_handle mine = new_stream(d), other = new_stream(d), *list;

	ck_assert_int_eq(sd_growing_acquire(g, 3, &list, NULL), SD_OK);
	ck_assert_uint_eq(list[0], SD_NO_HANDLE);
	ck_assert_uint_ne(list[1], list[2]);
	sd_growing_set_main(g, mine);
	ck_assert_uint_eq(list[0], mine);
	sd_growing_set_main(g, other);
	ck_assert_uint_eq(list[0], other);
	sd_growing_destroy(g);
	ck_assert_uint_eq(facts_of(d).streams_used, 2);
	ck_assert_int_eq(sync(d, other), SD_OK); /* it was not destroyed */
	/* No slot of the others is kept for anybody. */
	ck_assert_int_eq(sd_growing_acquire(events, 1, &list, NULL), SD_OK);
	sd_growing_set_main(events, mine);
	ck_assert_uint_ne(list[0], mine);
	sd_growing_destroy(events);
	sd_growing_destroy(NULL);
	d->ops->close(d);
}
END_TEST

START_TEST(nothing_shrinks)
{
	struct sd_device *d = sim();

	for (enum sd_growing_kind kind = SD_GROWING_STREAMS; kind <= SD_GROWING_NOTIFIES; kind++) {
		struct sd_growing *g = grower(d, kind);
		sd_handle *list, *again, first;

		ck_assert_int_eq(sd_growing_acquire(g, 33, &list, NULL), SD_OK);
		first = list[32];
		ck_assert_int_eq(sd_growing_acquire(g, 22, &again, NULL), SD_OK);
		ck_assert_uint_eq(sd_growing_size(g), 33);
		ck_assert_uint_eq(again[32], first);
		sd_growing_destroy(g);
	}
	ck_assert_uint_eq(facts_of(d).streams_destroyed, 32);
	ck_assert_uint_eq(facts_of(d).events_destroyed, 33);
	ck_assert_uint_eq(facts_of(d).notifies_destroyed, 33);
	d->ops->close(d);
}
END_TEST

START_TEST(a_failure_keeps_what_is_there)
{
	static const struct sd_sim_fault faults[] = { { .call = SD_SIM_STREAM_CREATE, .first = 5 }, { .call = SD_SIM_EVENT_CREATE, .first = 5 } };
	struct sd_device *d = sim_with((struct sd_sim_options){ .faults = faults, .fault_count = 2 });
	struct sd_growing *streams = grower(d, SD_GROWING_STREAMS), *events = grower(d, SD_GROWING_EVENTS);
	struct sd_diag diag = { 0 };
	sd_handle *list = NULL, fourth;

	ck_assert_int_eq(sd_growing_acquire(streams, 9, &list, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "stream_create was refused with vendor error 207008");
	ck_assert_ptr_null(list);
	ck_assert_uint_eq(sd_growing_size(streams), 1 + 4);
	ck_assert_int_eq(sd_growing_acquire(streams, 5, &list, NULL), SD_OK);
	fourth = list[4];
	ck_assert_int_eq(sd_growing_acquire(streams, 9, &list, NULL), SD_OK);
	ck_assert_uint_eq(list[4], fourth);
	ck_assert_uint_eq(facts_of(d).streams_created, 8);
	ck_assert_int_eq(sd_growing_acquire(events, 9, &list, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(sd_growing_size(events), 4);
	ck_assert_int_eq(sd_growing_acquire(events, 9, &list, NULL), SD_OK);
	sd_growing_destroy(streams);
	sd_growing_destroy(events);
	ck_assert_uint_eq(facts_of(d).streams_used + facts_of(d).events_used, 0);
	d->ops->close(d);
}
END_TEST

START_TEST(external_allocators_are_given_all_or_none)
{
	struct sd_device *d = sim();
	struct sd_growing *g[3] = { grower(d, SD_GROWING_STREAMS), grower(d, SD_GROWING_EVENTS), grower(d, SD_GROWING_NOTIFIES) };

	for (int mask = 0; mask < 8; mask++) {
		const struct sd_growing_set given = { .streams = mask & 1 ? g[0] : NULL, .events = mask & 2 ? g[1] : NULL, .notifies = mask & 4 ? g[2] : NULL };
		struct sd_growing_set set;
		struct sd_diag diag = { 0 };
		enum sd_status status = sd_growing_set_open(&set, &given, d, &diag);
		sd_handle *list;

		if (mask != 0 && mask != 7) {
			ck_assert_int_eq(status, SD_INVALID_ARGUMENT);
			says(&diag, "give all three or none");
			continue;
		}
		ck_assert_int_eq(status, SD_OK);
		ck_assert_int_eq(set.is_owned, mask == 0);
		ck_assert_int_eq(sd_growing_acquire(set.streams, 4, &list, NULL), SD_OK);
		ck_assert_int_eq(sd_growing_acquire(set.events, 4, &list, NULL), SD_OK);
		sd_growing_set_close(&set);
		ck_assert_ptr_null(set.streams);
		ck_assert_uint_eq(facts_of(d).streams_used, mask == 0 ? 0 : 3);
	}
	for (int i = 0; i < 3; i++)
		sd_growing_destroy(g[i]);
	d->ops->close(d);
}
END_TEST

START_TEST(too_few_streams_roll_back_to_one)
{
	const struct sd_growing_need need = { .streams = 6, .occupied = 2, .events = 7, .notifies = 3, .attached = 1 };
	const struct sd_growing_need single = { .streams = 1 };
	struct sd_growing_terms t = sd_growing_terms_of(&need, true, 6);

	ck_assert(!t.is_degraded);
	ck_assert_uint_eq(t.reusable, 4);
	ck_assert_uint_eq(t.events * 100 + t.notifies * 10 + t.attached, 731);
	for (int known = 0; known < 2; known++) {
		t = sd_growing_terms_of(&need, known, 5);
		ck_assert(t.is_degraded);
		ck_assert_uint_eq(t.reusable, 1);
		ck_assert_uint_eq(t.events + t.notifies + t.attached, 0);
		ck_assert_uint_eq(t.need, 6);
		ck_assert_uint_eq(t.free, known ? 5 : 0);
	}
	t = sd_growing_terms_of(&single, false, 0); /* it needs nothing */
	ck_assert(!t.is_degraded);
	ck_assert_uint_eq(t.reusable, 1);
}
END_TEST

START_TEST(free_streams_are_those_of_the_device)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .streams_max = 3 });
	struct sd_growing *g = grower(d, SD_GROWING_STREAMS);
	sd_handle *list;

	ck_assert_uint_eq(sd_growing_free_streams(d), 3);
	ck_assert_int_eq(sd_growing_acquire(g, 3, &list, NULL), SD_OK);
	ck_assert_uint_eq(sd_growing_free_streams(d), 1);
	new_stream(d);
	ck_assert_uint_eq(sd_growing_free_streams(d), 0);
	sd_growing_destroy(g);
	d->ops->close(d);
}
END_TEST

START_TEST(events_and_notifies_have_their_ends)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("ascend910b"), .notifies_max = 8192 });
	struct sd_growing *events = grower(d, SD_GROWING_EVENTS), *notifies = grower(d, SD_GROWING_NOTIFIES);
	struct sd_diag diag = { 0 };
	sd_handle *list;

	ck_assert_int_eq(sd_growing_acquire(notifies, 1024, &list, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(sd_growing_acquire(notifies, 1023, &list, NULL), SD_OK);
	ck_assert_uint_eq(facts_of(d).notifies_used, 1023);
	ck_assert_int_eq(sd_growing_acquire(events, 4097, &list, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "4097 events are asked for, 4096 can be had");
	ck_assert_uint_eq(facts_of(d).events_used, 0);
	ck_assert_int_eq(sd_growing_acquire(events, 4096, &list, NULL), SD_OK);
	sd_growing_destroy(events);
	sd_growing_destroy(notifies);
	d->ops->close(d);
}
END_TEST

RUN_TESTS("growing", streams_up_to_2023, slot_0_is_the_callers, nothing_shrinks, a_failure_keeps_what_is_there,
          external_allocators_are_given_all_or_none, too_few_streams_roll_back_to_one, free_streams_are_those_of_the_device,
          events_and_notifies_have_their_ends)
