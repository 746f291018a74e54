/* last_errors_test - the last of each kind, bounded, however many there are. */
#include "run_tests.h"

#include "last_errors.h"

static struct sd_last_errors errors;
static const char plan[] = "Plan", acquire[] = "Acquire";

static void add(const char *method, uint64_t request, const char *bytes)
{
	struct sd_blob *error = sd_blob_copy(bytes, strlen(bytes));

	sd_last_errors_add(&errors, method, 7, request, error);
	ck_assert_uint_le(atomic_load(&error->refs), 2);
	sd_blob_release(error);
}

START_TEST(the_latest_stands_first)
{
	add(plan, 1, "a");
	add(plan, 2, "b");
	ck_assert_uint_eq(errors.count, 2);
	ck_assert_uint_eq(errors.total, 2);
	ck_assert_uint_eq(errors.row[0].request_id, 2);
	ck_assert_uint_eq(errors.row[1].request_id, 1);
	ck_assert_uint_eq(errors.row[0].conn_id, 7);
	ck_assert_int_gt(errors.row[0].time_ms, INT64_C(1600000000000));
	sd_last_errors_finish(&errors);
}
END_TEST

START_TEST(the_same_again_counts_up_and_goes_to_the_front)
{
	add(plan, 1, "a");
	add(plan, 2, "b");
	add(acquire, 3, "a"); /* of another method it is another one */
	add(plan, 4, "a");
	ck_assert_uint_eq(errors.count, 3);
	ck_assert_uint_eq(errors.total, 4);
	ck_assert_uint_eq(errors.row[0].times, 2);
	ck_assert_uint_eq(errors.row[0].request_id, 4);
	ck_assert_ptr_eq(errors.row[0].method, plan);
	ck_assert_ptr_eq(errors.row[1].method, acquire);
	ck_assert_uint_eq(errors.row[2].request_id, 2);
	sd_last_errors_finish(&errors);
}
END_TEST

START_TEST(the_oldest_makes_room)
{
	char bytes[12];

	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(bytes, sizeof(bytes), "%u", i);
		add(plan, i, bytes);
	}
	ck_assert_uint_eq(errors.count, SD_LAST_ERRORS);
	ck_assert_uint_eq(errors.total, 1000);
	for (uint32_t i = 0; i < SD_LAST_ERRORS; i++)
		ck_assert_uint_eq(errors.row[i].request_id, 999 - i);
	for (uint32_t i = 0; i < 1000; i++)
		add(acquire, i, "flood");
	ck_assert_uint_eq(errors.row[0].times, 1000);
	ck_assert_uint_eq(errors.row[1].request_id, 999); /* a flood of one kind leaves the others */
	sd_last_errors_finish(&errors);
	ck_assert_uint_eq(errors.count, 0);
}
END_TEST

START_TEST(one_without_bytes_is_counted_alone)
{
	sd_last_errors_add(&errors, plan, 1, 1, NULL);
	ck_assert_uint_eq(errors.total, 1);
	ck_assert_uint_eq(errors.count, 0);
}
END_TEST

RUN_TESTS("last_errors", the_latest_stands_first, the_same_again_counts_up_and_goes_to_the_front, the_oldest_makes_room,
          one_without_bytes_is_counted_alone)
