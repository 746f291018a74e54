/* decoding.h - requests for the tests of the decoder: from wire_text.h to struct sd_request.
 *
 * An answer lives until decoding_end(); each file that is tested has its own suite. */
#ifndef SD_DECODING_H
#define SD_DECODING_H

#include "proto/graph_codec.h"

struct decoding {
	struct sd_arena mem;
	struct sd_text bytes;
	struct sd_counts counts;
	struct sd_request request;
	struct sd_diag diag;
	enum sd_status status;
	char message[SD_MESSAGE_MAX]; /* empty when all is well */
};

/* Counts and decodes the message that the text describes. */
struct decoding *decode(const char *text);
void decoding_end(struct decoding *d);

/* The same for a graph's fields: decode_graph("2{1\"a\" 2\"Relu\"}"). */
struct decoding *decode_graph(const char *fields);

/* A request that must be refused, and what its message must say. */
struct refusal {
	const char *text;
	enum sd_code code;
	const char *says;
};

/* Decodes each row and looks that it is refused as it says; `open` and `close` go around its text. */
void expect_refusals(const struct refusal *row, size_t count, const char *open, const char *close);
#define EXPECT_REFUSALS(rows, open, close) expect_refusals((rows), sizeof(rows) / sizeof((rows)[0]), (open), (close))

#endif
