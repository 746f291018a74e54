/* race_clock_test - what clocks know, and what they leave out. */
#include "run_tests.h"

#include "race_impl.h"

START_TEST(learning)
{
	uint64_t host[8] = { [6] = 40 };
	struct sd__clock *known = NULL, *other = NULL, *shared;

	ck_assert(sd__clock_learn(&known, NULL, 3, 10, 0, host));
	ck_assert(sd__clock_learn(&known, NULL, 1, 5, 0, host));
	ck_assert(sd__clock_learn(&other, NULL, 1, 7, 2, host));
	ck_assert(sd__clock_learn(&other, NULL, 6, 40, 2, host)); /* seen by the host */
	ck_assert(sd__clock_learn(&other, NULL, 0, 9, 2, host));
	ck_assert_uint_eq(other->count, 2);
	shared = sd__clock_share(known);
	ck_assert(sd__clock_learn(&known, other, 2, 4, 0, host));
	ck_assert_uint_eq(known->count, 3); /* of 1, 2 and 3: nothing of itself */
	ck_assert_uint_eq(sd__clock_at(known, 1), 7);
	ck_assert_uint_eq(sd__clock_at(known, 2), 4);
	ck_assert_uint_eq(sd__clock_at(known, 3), 10);
	ck_assert_uint_eq(sd__clock_at(known, 0), 0);
	ck_assert_uint_eq(sd__clock_at(shared, 1), 5);
	ck_assert_uint_eq(sd__clock_at(NULL, 1), 0);
	sd__clock_drop(shared);
	sd__clock_drop(known);
	sd__clock_drop(other);
	sd__clock_drop(NULL);
}
END_TEST

RUN_TESTS("race_clock", learning)
