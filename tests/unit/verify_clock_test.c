/* verify_clock_test - rows are shared while equal, owned when written, used again when dropped. */
#include "run_tests.h"
#include "verify_clock.h"

static struct sd_arena mem;
static struct sd__rows rows;

static void begin(void)
{
	sd_arena_init(&mem, 0);
	ck_assert_int_eq(sd__rows_init(&rows, &mem, 8, 32), SD_OK);
}

START_TEST(the_blank_row_is_never_written)
{
	uint32_t row;

	begin();
	row = sd__row_share(&rows, SD__ROW_BLANK);
	row = sd__row_own(&rows, row);
	ck_assert_uint_ne(row, SD__ROW_BLANK);
	sd__row(&rows, row)[31] = 7;
	ck_assert_int_eq(sd__row(&rows, SD__ROW_BLANK)[31], 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_shared_row_is_copied_a_single_one_is_not)
{
	uint32_t one, other, copy;

	begin();
	one = sd__row_own(&rows, sd__row_share(&rows, SD__ROW_BLANK));
	ck_assert_uint_eq(sd__row_own(&rows, one), one);
	sd__row(&rows, one)[3] = 5;
	other = sd__row_share(&rows, one);
	copy = sd__row_own(&rows, other);
	ck_assert_uint_ne(copy, one);
	ck_assert_int_eq(sd__row(&rows, copy)[3], 5);
	ck_assert_uint_eq(sd__row_own(&rows, one), one);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(dropped_rows_come_back)
{
	begin();
	for (int i = 0; i < 100; i++) {
		uint32_t a = sd__row_own(&rows, sd__row_share(&rows, SD__ROW_BLANK));
		uint32_t b = sd__row_own(&rows, sd__row_share(&rows, SD__ROW_BLANK));

		ck_assert_int_eq(sd__row(&rows, a)[0], 0);
		sd__row(&rows, a)[0] = 1;
		sd__row_drop(&rows, a);
		sd__row_drop(&rows, b);
	}
	ck_assert_uint_eq(rows.used_max, 3);
	ck_assert_uint_eq(rows.used, 1);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_join_takes_the_greater_of_each)
{
	int32_t a[32], b[32];

	for (int i = 0; i < 32; i++) {
		a[i] = i;
		b[i] = 31 - i;
	}
	sd__row_join(a, b, 32);
	for (int i = 0; i < 32; i++)
		ck_assert_int_eq(a[i], i > 15 ? i : 31 - i);
}
END_TEST

RUN_TESTS("verify_clock", the_blank_row_is_never_written, a_shared_row_is_copied_a_single_one_is_not,
	dropped_rows_come_back, a_join_takes_the_greater_of_each)
