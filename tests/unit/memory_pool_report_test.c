/* memory_pool_report_test - who holds the memory. */
#include "run_tests.h"

#include "model_device.h"

static void *take_for(const char *tag, uint64_t bytes)
{
	void *memory;

	ck_assert_int_eq(sd_memory_pool_alloc(pool, bytes, 1, SD_PAGES_HUGE_FIRST, tag, &memory, NULL), SD_OK);
	return memory;
}

START_TEST(exhausted_pool_says_who_holds_it)
{
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	void *memory, *gone;

	open_pool(32 * MIB, (struct sd_memory_pool_options){ 0 });
	take_for("weights", 4 * MIB - 64);
	take_for("kv", 6 * MIB - 64);
	take_for("kv", 2 * MIB - 64);
	take_for("io", MIB - 64);
	take_for("scratch", MIB / 2 - 64);
	gone = take_for("gone", 3 * MIB - 64);
	give(gone, 1);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 16 * MIB - 64, 2, SD_PAGES_HUGE_FIRST, "late", &memory, &diag), SD_RESOURCE_EXHAUSTED);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_str_eq(message, "the memory pool has no 16777216 bytes in one piece: of 20971520 reserved (at most 33554432) 14155776 are in use "
	                 "(8388608 by 'kv', 4194304 by 'weights', 1048576 by 'io'), 3145728 cached, the largest free block has 3670016, a trim would give 0; "
	                 "free some of it, synchronize streams so that cached memory is free, or let the pool grow");
}
END_TEST

static char told[256];

static void tell(void *arg, const struct sd_memory_tag_facts *facts)
{
	sprintf(told + strlen(told), "%s %u %u %u;", facts->tag, (unsigned)facts->bytes, (unsigned)facts->peak_bytes, facts->blocks);
}

START_TEST(tags_are_counted)
{
	void *a;

	open_pool(32 * MIB, (struct sd_memory_pool_options){ 0 });
	a = take_for("b", 100);
	take_for("b", 100);
	take_for("a tag that is longer than what is kept of it", 10);
	take_for(NULL, 10);
	give(a, 1);
	sd_memory_pool_each_tag(pool, tell, NULL);
	ck_assert_str_eq(told, " 64 64 1;a tag that is longer than what  64 64 1;b 192 384 1;");
	sd_memory_pool_reset_peaks(pool);
	told[0] = '\0';
	sd_memory_pool_each_tag(pool, tell, NULL);
	ck_assert_ptr_nonnull(strstr(told, "b 192 192 1;"));
}
END_TEST

RUN_TESTS("memory_pool_report", exhausted_pool_says_who_holds_it, tags_are_counted)
