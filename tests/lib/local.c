#include "local.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "formats/request.h"
#include "proto/canon.h"
#include "proto/graph_codec.h"
#include "proto/plan_codec.h"

uint64_t local_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct sd_text local_read(struct sd_arena *mem, const char *path)
{
	struct sd_text content, bytes;
	struct sd_diag diag = { .code = SD_CODE_NONE };
	char message[SD_MESSAGE_MAX];

	if (sd_input_read(mem, path, &content, &diag) == SD_OK &&
	    sd_input_bytes(mem, sd_input_kind(path, content), content, NULL, NULL, &bytes, &diag) == SD_OK)
		return bytes;
	sd_diag_message(&diag, NULL, message, sizeof(message));
	fprintf(stderr, "%s: %s\n", path, message);
	exit(2);
}

/* What sd_hooks.passed leaves behind: when the last pass before "verify" ended. */
struct lap {
	uint64_t last_ns, verify_ns;
};

static void on_passed(void *arg, const char *pass)
{
	struct lap *lap = arg;
	uint64_t now = local_now();

	if (strcmp(pass, "verify") == 0)
		lap->verify_ns += now - lap->last_ns;
	lap->last_ns = now;
}

static uint64_t step(uint64_t *last)
{
	uint64_t now = local_now(), ns = now - *last;

	*last = now;
	return ns;
}

enum sd_status local_plan(struct sd_arena *mem, struct sd_text request, struct local_answer *answer,
                          struct sd_diag *diag, struct local_times *times)
{
	struct local_times ignored;
	struct sd_identity identity;
	struct sd_request *decoded = SD_NEW0(mem, struct sd_request, 1);
	struct lap lap = { local_now(), 0 };
	const struct sd_hooks hooks = { .arg = &lap, .passed = times ? on_passed : NULL };
	uint64_t last = lap.last_ns;

	if (!decoded)
		return SD_FAIL0(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE);
	if (!times)
		times = &ignored;
	SD_TRY(sd_request_count(request, &answer->counts, diag));
	times->count_ns = step(&last);
	SD_TRY(sd_request_decode(mem, request, &answer->counts, decoded, diag));
	times->decode_ns = step(&last);
	lap.last_ns = last;
	SD_TRY(sd_plan_make(mem, decoded, &hooks, &answer->plan, diag));
	times->plan_ns = step(&last) - lap.verify_ns;
	times->verify_ns = lap.verify_ns;
	SD_TRY(sd_identify(mem, decoded, &identity));
	times->identify_ns = step(&last);
	SD_TRY(sd_plan_encode(mem, answer->plan, &identity, &answer->bytes));
	times->encode_ns = step(&last);
	return SD_OK;
}
