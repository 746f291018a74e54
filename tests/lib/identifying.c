#include "identifying.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoding.h"

#define ROWS_MAX 128

struct sd_identity identity_of(const char *text)
{
	struct decoding *d = decode(text);
	struct sd_identity identity;

	ck_assert_msg(d->status == SD_OK, "%s: %s", text, d->message);
	ck_assert_int_eq(sd_identify(&d->mem, &d->request, &identity), SD_OK);
	decoding_end(d);
	return identity;
}

static void digests_of(enum digest which, const char *const *text, size_t count, const char *open, const char *close,
                       unsigned char digest[ROWS_MAX][SD_DIGEST_BYTES])
{
	ck_assert_uint_le(count, ROWS_MAX);
	for (size_t i = 0; i < count; i++) {
		char whole[4096];
		struct sd_identity identity;

		snprintf(whole, sizeof(whole), "%s%s%s", open, text[i], close);
		identity = identity_of(whole);
		memcpy(digest[i], which == OF_GRAPH ? identity.graph_hash : identity.plan_key, SD_DIGEST_BYTES);
	}
}

void expect_all_different(enum digest which, const char *const *text, size_t count, const char *open, const char *close)
{
	unsigned char digest[ROWS_MAX][SD_DIGEST_BYTES];

	digests_of(which, text, count, open, close, digest);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++)
			ck_assert_msg(memcmp(digest[i], digest[k], SD_DIGEST_BYTES) != 0, "%s is like %s", text[i], text[k]);
	}
}

void expect_all_equal(enum digest which, const char *const *text, size_t count, const char *open, const char *close)
{
	unsigned char digest[ROWS_MAX][SD_DIGEST_BYTES];

	digests_of(which, text, count, open, close, digest);
	for (size_t i = 1; i < count; i++)
		ck_assert_msg(memcmp(digest[i], digest[0], SD_DIGEST_BYTES) == 0, "%s is unlike %s", text[i], text[0]);
}
