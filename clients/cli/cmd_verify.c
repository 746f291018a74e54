/* streamctl verify: the judge's word on a plan that somebody has. Judged here, or by the
 * daemon whose socket is named. */
#include <stdio.h>

#include "formats/json_message.h"
#include "formats/plan_answer.h"
#include "formats/plan_json.h"
#include "formats/schema.h"
#include "proto/wire.h"
#include "remote.h"
#include "streamd/verify.h"

static enum exit_status end(struct cli *cli, uint32_t found, uint32_t shown, uint32_t streams, uint32_t syncs)
{
	enum exit_status status;

	if (found > shown)
		printf("and %u more\n", found - shown);
	if (found == 0)
		printf("ok streams=%u syncs=%u\n", streams, syncs);
	status = cli_close_output(cli, stdout);
	return found == 0 ? status : EXIT_REFUSED;
}

static enum exit_status fail_memory(struct cli *cli)
{
	struct sd_diag diag = { 0 };

	sd_memory_fail(&cli->mem, &diag);
	return cli_fail(cli, &diag, NULL);
}

static enum exit_status judge_here(struct cli *cli, const struct sd_request *request, const struct sd_plan *plan)
{
	struct sd_names names = sd_graph_names(&request->graph);
	struct sd_verdict verdict = { 0 };
	char line[SD_MESSAGE_MAX];
	uint32_t shown;

	if (sd_verify(&cli->mem, request, plan, NULL, NULL, &verdict) != SD_OK)
		return cli_fail(cli, &verdict.why, &request->graph);
	for (shown = 0; shown < verdict.count && shown < SD_VIOLATIONS_MAX; shown++) {
		sd_violation_text(&verdict.violation[shown], &names, line, sizeof(line));
		printf("%s\n", line);
	}
	return end(cli, verdict.count, shown, plan->stream_count, plan->sync_count);
}

/* A VerifyRequest of bytes that are there already. */
static bool put_parts(struct cli *cli, struct sd_text request, const struct sd_plan *plan, struct sd_text *body)
{
	enum { REQUEST = 1, PLAN = 2 };
	struct sd_identity nobody = { .planner = "" };
	struct sd_buffer out;
	struct sd_text bytes;

	if (sd_plan_encode(&cli->mem, plan, &nobody, &bytes) != SD_OK)
		return false;
	sd_buffer_init(&out, &cli->mem, (size_t)request.len + bytes.len + 32);
	sd_put_bytes(&out, REQUEST, request.at, request.len);
	sd_put_bytes(&out, PLAN, bytes.at, bytes.len);
	*body = (struct sd_text){ (const char *)out.data, (uint32_t)out.len };
	return !out.failed;
}

static enum exit_status judge_there(struct cli *cli, struct sd_text request, const struct sd_plan *plan)
{
	ProtobufCAllocator allocator = sd_message_allocator(&cli->mem);
	Streamd__V1__VerifyAnswer *verdict;
	struct sd_text body, answer;
	enum exit_status status;

	if (!put_parts(cli, request, plan, &body))
		return fail_memory(cli);
	status = cli_call(cli, SD_METHOD_VERIFY, body, &answer);
	if (status != EXIT_GOOD)
		return status;
	verdict = streamd__v1__verify_answer__unpack(&allocator, answer.len, (const uint8_t *)answer.at);
	if (!verdict)
		return cli_fail_answer(cli);
	for (size_t i = 0; i < verdict->n_violations; i++)
		printf("%s\n", verdict->violations[i]);
	return end(cli, verdict->violation_count, (uint32_t)verdict->n_violations, verdict->streams, verdict->syncs);
}

static enum sd_status read_plan(struct cli *cli, const struct sd_graph *graph, struct sd_plan *plan, struct sd_diag *diag)
{
	struct sd_text text;

	SD_TRY(sd_input_read(&cli->mem, cli->argument[1], &text, diag));
	return sd_plan_read_json(&cli->mem, text, graph, plan, diag);
}

enum exit_status cli_verify(struct cli *cli)
{
	struct sd_request request = { 0 };
	struct sd_diag diag = { 0 };
	struct sd_text bytes;
	struct sd_plan plan;

	if (cli->deadline_ms && !cli->socket)
		return cli_usage(cli, "--deadline of verify is for a daemon; name its --socket");
	if (cli_request(cli, cli->argument[0], &bytes, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	if (sd_request_take(&cli->mem, bytes, &request, &diag) != SD_OK || read_plan(cli, &request.graph, &plan, &diag) != SD_OK)
		return cli_fail(cli, &diag, &request.graph);
	return cli->socket ? judge_there(cli, bytes, &plan) : judge_here(cli, &request, &plan);
}
