/* sponge_test - SHA-256 of sequences of values: published digests, no two sequences alike. */
#include "proto/canon.h"
#include "proto/sponge.h"
#include "run_tests.h"

static void digest_of(unsigned char out[SD_DIGEST_BYTES], const char *purpose, const char *const *text, int texts)
{
	struct sd__sponge s;

	sd__sponge_begin(&s, purpose);
	for (int i = 0; i < texts; i++)
		sd__sponge_text(&s, (struct sd_text){ text[i], (uint32_t)strlen(text[i]) });
	ck_assert(sd__sponge_end(&s, out));
}

START_TEST(it_is_sha_256_of_the_bytes)
{
	/* The bytes of one value, built by hand: a text behind its length. */
	unsigned char one[SD_DIGEST_BYTES], other[SD_DIGEST_BYTES];
	const char *text = "abc";

	digest_of(one, "purpose", &text, 1);
	sd_digest(SD_TEXT("\x07purpose\x03" "abc"), other);
	ck_assert_mem_eq(one, other, SD_DIGEST_BYTES);
}
END_TEST

START_TEST(published_digest)
{
	static const unsigned char want[SD_DIGEST_BYTES] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
	};
	unsigned char digest[SD_DIGEST_BYTES];

	sd_digest(SD_TEXT("abc"), digest);
	ck_assert_mem_eq(digest, want, SD_DIGEST_BYTES);
}
END_TEST

START_TEST(borders_between_values_count)
{
	static const char *const ab_c[] = { "ab", "c" }, *const a_bc[] = { "a", "bc" }, *const abc[] = { "abc" };
	unsigned char one[SD_DIGEST_BYTES], two[SD_DIGEST_BYTES], three[SD_DIGEST_BYTES], four[SD_DIGEST_BYTES];

	digest_of(one, "p", ab_c, 2);
	digest_of(two, "p", a_bc, 2);
	digest_of(three, "p", abc, 1);
	digest_of(four, "q", abc, 1);
	ck_assert_mem_ne(one, two, SD_DIGEST_BYTES);
	ck_assert_mem_ne(one, three, SD_DIGEST_BYTES);
	ck_assert_mem_ne(three, four, SD_DIGEST_BYTES);
}
END_TEST

START_TEST(long_sequences_are_not_cut)
{
	static char text[20000], bytes[20000 + 64];
	unsigned char one[SD_DIGEST_BYTES], other[SD_DIGEST_BYTES];

	memset(text, 'x', sizeof(text));
	for (uint32_t len = 4000; len < 20000; len += 777) {
		struct sd__sponge s;
		size_t at = 2;

		memcpy(bytes, "\x01p", 2);
		bytes[at++] = (char)(len | 0x80);
		if (len < 16384) {
			bytes[at++] = (char)(len >> 7);
		} else {
			bytes[at++] = (char)(len >> 7 | 0x80);
			bytes[at++] = (char)(len >> 14);
		}
		memcpy(bytes + at, text, len);
		bytes[at + len] = 9;
		sd_digest((struct sd_text){ bytes, (uint32_t)(at + len + 1) }, other);
		sd__sponge_begin(&s, "p");
		sd__sponge_text(&s, (struct sd_text){ text, len });
		sd__sponge_number(&s, 9);
		ck_assert(sd__sponge_end(&s, one));
		ck_assert_mem_eq(one, other, SD_DIGEST_BYTES);
	}
}
END_TEST

RUN_TESTS("sponge", it_is_sha_256_of_the_bytes, published_digest, borders_between_values_count, long_sequences_are_not_cut)
