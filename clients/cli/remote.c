#include "remote.h"

#include <string.h>

#include "formats/json_path.h"
#include "proto/wire.h"

static struct sd_text text_of(const char *string)
{
	return (struct sd_text){ string, (uint32_t)strlen(string) };
}

static enum exit_status report(struct cli *cli, const struct sd_client_error *error)
{
	struct cli_error told = {
		.code = text_of(error->code), .status = text_of(sd_status_name(error->status)), .message = text_of(error->message),
		.node = text_of(error->node), .pass = text_of(error->pass),
		.retryable = error->retryable, .retry_after_ms = error->retry_after_ms,
	};

	return cli_report(cli, &told);
}

static enum exit_status keep(struct cli *cli, const struct sd_reply *reply, struct sd_text *answer)
{
	unsigned char *copy = sd_arena_alloc(&cli->mem, reply->body_bytes);
	struct sd_diag diag = { 0 };

	if (!copy) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	memcpy(copy, reply->body, reply->body_bytes);
	*answer = (struct sd_text){ (const char *)copy, (uint32_t)reply->body_bytes };
	return EXIT_GOOD;
}

enum exit_status cli_call(struct cli *cli, enum sd_method method, struct sd_text body, struct sd_text *answer)
{
	struct sd_client_options options = { .socket = cli->socket, .name = "streamctl" };
	struct sd_client_error error;
	enum exit_status status;
	struct sd_client *client;
	struct sd_reply reply;

	if (sd_client_open(&client, &options, &error) != SD_OK)
		return report(cli, &error);
	if (sd_client_call(client, method, body.at, body.len, cli->deadline_ms, &reply) == SD_OK)
		status = keep(cli, &reply, answer);
	else
		status = report(cli, &reply.error);
	sd_reply_finish(&reply);
	sd_client_close(client);
	return status;
}

/* Fields of PlanAnswer; its plan is kept as bytes. */
enum { ANSWER_PLAN = 1, ANSWER_FROM_CACHE = 2, ANSWER_PLAN_NS = 3, ANSWER_VERIFY_NS = 4 };

enum exit_status cli_remote_plan(struct cli *cli, struct sd_text request, struct remote_plan *got)
{
	uint64_t start = cli_now_ns();
	struct sd_text answer;
	enum exit_status status = cli_call(cli, SD_METHOD_PLAN, request, &answer);
	struct sd_field field;
	struct sd_wire wire;

	if (status != EXIT_GOOD)
		return status;
	*got = (struct remote_plan){ .round_trip_ns = cli_now_ns() - start };
	wire = sd_wire_over(answer);
	while (sd_wire_next(&wire, &field)) {
		if (field.number == ANSWER_PLAN && field.type == SD_WIRE_BYTES)
			got->plan = field.bytes;
		else if (field.number == ANSWER_FROM_CACHE)
			got->from_cache = field.number_value != 0;
		else if (field.number == ANSWER_PLAN_NS)
			got->plan_ns = field.number_value;
		else if (field.number == ANSWER_VERIFY_NS)
			got->verify_ns = field.number_value;
	}
	return EXIT_GOOD;
}
