#include "local.h"

#include <string.h>

#include "cli.h"
#include "formats/plan_answer.h"
#include "proto/canon.h"
#include "streamd/planner.h"

struct clock {
	struct local_plan *made;
	const struct local_watch *watch;
	uint64_t last_ns;
};

static void pass_ended(void *arg, const char *pass)
{
	struct clock *clock = arg;
	struct timing *timing = &clock->made->timing;
	uint64_t now = cli_now_ns(), spent = now - clock->last_ns;

	clock->last_ns = now;
	if (clock->watch)
		clock->watch->passed(clock->watch->arg, clock->made, pass);
	if (strcmp(pass, "verify") == 0) {
		timing->verify_ns += spent;
		return;
	}
	timing->plan_ns += spent;
	if (timing->pass_count < TIMED_PASSES_MAX)
		timing->pass[timing->pass_count++] = (struct timed_pass){ pass, spent };
}

static enum sd_status decode(struct sd_arena *mem, struct sd_text bytes, struct local_plan *made, struct sd_diag *diag)
{
	uint64_t start = cli_now_ns();

	SD_TRY(sd_request_take(mem, bytes, &made->request, diag));
	made->request.passes = sd_site_passes;
	made->timing.decode_ns = cli_now_ns() - start;
	return SD_OK;
}

static enum sd_status make(struct sd_arena *mem, struct local_plan *made, const struct local_watch *watch, const struct sd_plan **plan, struct sd_diag *diag)
{
	struct clock clock = { made, watch, cli_now_ns() };
	struct sd_hooks hooks = { .arg = &clock, .passed = pass_ended };

	return sd_plan_make(mem, &made->request, &hooks, plan, diag);
}

static enum sd_status encode(struct sd_arena *mem, struct local_plan *made, const struct sd_plan *plan, struct sd_text *bytes)
{
	uint64_t start = cli_now_ns();

	SD_TRY(sd_identify(mem, &made->request, &made->identity));
	SD_TRY(sd_plan_encode(mem, plan, &made->identity, bytes));
	made->timing.encode_ns = cli_now_ns() - start;
	return SD_OK;
}

enum sd_status sd_local_plan(struct sd_arena *mem, struct sd_text bytes, const struct local_watch *watch, struct local_plan *made, struct sd_diag *diag)
{
	const struct sd_plan *plan;
	struct sd_text encoded;

	memset(made, 0, sizeof(*made));
	SD_TRY(decode(mem, bytes, made, diag));
	SD_TRY(make(mem, made, watch, &plan, diag));
	if (encode(mem, made, plan, &encoded) != SD_OK)
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	made->timing.peak_bytes = mem->peak_bytes;
	return sd_plan_decode(mem, encoded, made->request.graph.node_count, made->request.graph.graph_count, &made->plan,
	                      &made->identity, diag);
}
