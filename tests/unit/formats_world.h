/* formats_world.h - what the suites of the formats share: texts in, messages and files out. */
#ifndef FORMATS_WORLD_H
#define FORMATS_WORLD_H

#include "run_tests.h"

#include <string.h>

#include "formats/request.h"
#include "proto/graph_codec.h"

static struct sd_arena mem;
static char said[SD_MESSAGE_MAX];

static inline struct sd_text text_of(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

/* "CODE: message" of a diagnostic, in `said`. */
static inline const char *say(const struct sd_diag *diag)
{
	int len = snprintf(said, sizeof(said), "%s: ", sd_code_text(diag->code));

	sd_diag_message(diag, NULL, said + len, sizeof(said) - (size_t)len);
	return said;
}

/* The request JSON as bytes; NULL text when it is refused, and then `said` tells why. */
static inline struct sd_text bytes_of(const char *json)
{
	struct sd_text bytes = { NULL, 0 };
	struct sd_diag diag = { 0 };

	if (sd_input_bytes(&mem, SD_INPUT_JSON, text_of(json), NULL, NULL, &bytes, &diag) == SD_OK)
		return bytes;
	say(&diag);
	return (struct sd_text){ NULL, 0 };
}

/* Bytes of a request, decoded; the test fails when they are refused. */
static inline struct sd_request *decoded(struct sd_text bytes)
{
	struct sd_request *request = sd_arena_zero(&mem, 1, sizeof(*request));
	struct sd_diag diag = { 0 };
	struct sd_counts counts;

	ck_assert_int_eq(sd_request_count(bytes, &counts, &diag), SD_OK);
	ck_assert_msg(sd_request_decode(&mem, bytes, &counts, request, &diag) == SD_OK, "%s", say(&diag));
	return request;
}

static inline struct sd_request *request_from(const char *json)
{
	struct sd_text bytes = bytes_of(json);

	ck_assert_msg(bytes.at != NULL, "%s", said);
	return decoded(bytes);
}

/* What `write` puts into a file, as a string in `mem`. */
struct written {
	FILE *file;
	char *at;
	size_t len;
};

static inline FILE *written_open(struct written *w)
{
	w->file = open_memstream(&w->at, &w->len);
	ck_assert_ptr_nonnull(w->file);
	return w->file;
}

static inline const char *written_close(struct written *w)
{
	char *kept;

	fclose(w->file);
	kept = sd_arena_alloc(&mem, w->len + 1);
	memcpy(kept, w->at, w->len + 1);
	free(w->at);
	return kept;
}

#define REFUSED(json, message)                              \
	do {                                                \
		ck_assert_ptr_null(bytes_of(json).at);      \
		ck_assert_str_eq(said, message);            \
	} while (0)

#endif
