/* import_fuzz.h - any bytes as a file of a foreign kind: refused with words, or a request that decodes or is refused with words. */
#ifndef IMPORT_FUZZ_H
#define IMPORT_FUZZ_H

#include "base/check.h"
#include "formats/request.h"
#include "proto/graph_codec.h"

#define IMPORT_BUDGET (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_said(const struct sd_diag *diag)
{
	char message[SD_MESSAGE_MAX];

	SD_REQUIRE(diag->code != SD_CODE_NONE && sd_diag_message(diag, NULL, message, sizeof(message)) > 0);
}

/* `leaves` says which faults an import may leave for the decoder to refuse. */
static inline void fuzz_import(enum sd_input_kind kind, const uint8_t *data, size_t size, bool (*leaves)(const struct sd_diag *diag))
{
	struct sd_diag diag = { 0 };
	struct sd_request request;
	struct sd_counts counts;
	struct sd_arena mem;
	struct sd_text bytes;

	sd_arena_init(&mem, IMPORT_BUDGET);
	if (sd_input_bytes(&mem, kind, (struct sd_text){ (const char *)data, (uint32_t)size }, NULL, NULL, &bytes, &diag) != SD_OK) {
		fuzz_said(&diag);
	} else {
		SD_REQUIRE(sd_request_count(bytes, &counts, &diag) == SD_OK);
		if (sd_request_decode(&mem, bytes, &counts, &request, &diag) != SD_OK) {
			fuzz_said(&diag);
			SD_REQUIRE(sd_code_status(diag.code) == SD_RESOURCE_EXHAUSTED || leaves(&diag));
		}
	}
	sd_arena_finish(&mem);
}

#endif
