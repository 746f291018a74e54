/* hash_test - the keyed hash against the published figures of SipHash-1-3, and its key. */
#include "proto/hash.h"
#include "run_tests.h"

static const char bytes[64] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

START_TEST(it_is_siphash_1_3)
{
	sd_hash_seed(0x0706050403020100u, 0x0f0e0d0c0b0a0908u);
	ck_assert_uint_eq(sd__hash((struct sd_text){ bytes, 0 }), 0xabac0158050fc4dcu);
}
END_TEST

START_TEST(every_byte_and_the_length_count)
{
	char text[40] = "0123456789abcdefghijklmnopqrstuvwxyz";

	for (uint32_t len = 1; len < 36; len++) {
		uint64_t whole = sd__hash((struct sd_text){ text, len });

		ck_assert_uint_ne(whole, sd__hash((struct sd_text){ text, len - 1 }));
		for (uint32_t i = 0; i < len; i++) {
			text[i] ^= 1;
			ck_assert_uint_ne(whole, sd__hash((struct sd_text){ text, len }));
			text[i] ^= 1;
		}
	}
}
END_TEST

START_TEST(an_empty_text_may_point_nowhere)
{
	ck_assert_uint_eq(sd__hash((struct sd_text){ NULL, 0 }), sd__hash(SD_TEXT("")));
}
END_TEST

START_TEST(the_key_counts)
{
	uint64_t first;

	sd_hash_seed(1, 2);
	first = sd__hash(SD_TEXT("name"));
	sd_hash_seed(1, 3);
	ck_assert_uint_ne(first, sd__hash(SD_TEXT("name")));
	sd_hash_seed(2, 2);
	ck_assert_uint_ne(first, sd__hash(SD_TEXT("name")));
}
END_TEST

RUN_TESTS("hash", it_is_siphash_1_3, every_byte_and_the_length_count, an_empty_text_may_point_nowhere,
          the_key_counts)
