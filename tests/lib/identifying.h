/* identifying.h - digests of requests for the tests of the canonical form. */
#ifndef SD_IDENTIFYING_H
#define SD_IDENTIFYING_H

#include "proto/canon.h"

/* Identity of the request that the text of wire_text.h describes; it must be a good one. */
struct sd_identity identity_of(const char *text);

/* Looks that all requests of a table differ from each other in graph_hash or plan_key. `open` and
 * `close` go around each text. */
enum digest { OF_GRAPH, OF_PLAN };
void expect_all_different(enum digest which, const char *const *text, size_t count, const char *open, const char *close);
void expect_all_equal(enum digest which, const char *const *text, size_t count, const char *open, const char *close);

#define EXPECT_DIFFERENT(which, texts, open, close) \
	expect_all_different((which), (texts), sizeof(texts) / sizeof((texts)[0]), (open), (close))
#define EXPECT_EQUAL(which, texts, open, close) \
	expect_all_equal((which), (texts), sizeof(texts) / sizeof((texts)[0]), (open), (close))

#endif
