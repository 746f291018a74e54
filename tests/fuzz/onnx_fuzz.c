/* onnx_fuzz - any bytes as a model: refused with words, or a request whose names are unique and whose edges have ends. */
#include "base/check.h"
#include "formats/request.h"
#include "proto/graph_codec.h"

#define BUDGET (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What an import may leave for the decoder to refuse: texts that are no names. */
static void check_request(struct sd_arena *mem, struct sd_text bytes)
{
	struct sd_diag diag = { 0 };
	struct sd_request request;
	struct sd_counts counts;
	enum sd_status status;

	SD_REQUIRE(sd_request_count(bytes, &counts, &diag) == SD_OK);
	status = sd_request_decode(mem, bytes, &counts, &request, &diag);
	SD_REQUIRE(status == SD_OK || status == SD_RESOURCE_EXHAUSTED || diag.code == SD_CODE_BAD_NAME || diag.code == SD_CODE_BAD_VALUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	struct sd_arena mem;
	struct sd_text bytes;

	sd_arena_init(&mem, BUDGET);
	if (sd_input_bytes(&mem, SD_INPUT_ONNX, (struct sd_text){ (const char *)data, (uint32_t)size }, NULL, &bytes, &diag) == SD_OK)
		check_request(&mem, bytes);
	else
		SD_REQUIRE(diag.code != SD_CODE_NONE && sd_diag_message(&diag, NULL, message, sizeof(message)) > 0);
	sd_arena_finish(&mem);
	return 0;
}
