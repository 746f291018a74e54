/* request_json_fuzz - any text: a request that is read, written as JSON and read again has the same bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "formats/request.h"
#include "proto/graph_codec.h"

#define BUDGET (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool decodes(struct sd_arena *mem, struct sd_text bytes)
{
	struct sd_request request;
	struct sd_counts counts;

	return sd_request_count(bytes, &counts, NULL) == SD_OK && sd_request_decode(mem, bytes, &counts, &request, NULL) == SD_OK;
}

static void check_again(struct sd_arena *mem, struct sd_text bytes)
{
	struct sd_diag diag = { 0 };
	struct sd_text again;
	size_t len;
	char *text;
	FILE *file = open_memstream(&text, &len);

	SD_REQUIRE(file);
	SD_REQUIRE(sd_request_write_json(mem, bytes, file, &diag) == SD_OK);
	fclose(file);
	SD_REQUIRE(sd_input_bytes(mem, SD_INPUT_JSON, (struct sd_text){ text, (uint32_t)len }, NULL, NULL, &again, &diag) == SD_OK);
	SD_REQUIRE(sd_text_equal(bytes, again));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_text content = { (const char *)data, (uint32_t)size }, bytes;
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	struct sd_arena mem;

	sd_arena_init(&mem, BUDGET);
	sd_input_kind("-", content);
	if (sd_input_bytes(&mem, SD_INPUT_JSON, content, NULL, NULL, &bytes, &diag) != SD_OK)
		SD_REQUIRE(diag.code != SD_CODE_NONE && sd_diag_message(&diag, NULL, message, sizeof(message)) > 0);
	else if (decodes(&mem, bytes))
		check_again(&mem, bytes);
	sd_arena_finish(&mem);
	return 0;
}
