#include "remote.h"

#include <string.h>

#include "formats/json_path.h"
#include "wait.h"

/* A copy that outlives the client; empty when there is no memory. */
static struct sd_text text_of(struct cli *cli, const char *string)
{
	size_t len = strlen(string);
	char *copy = sd_arena_alloc(&cli->mem, len + 1);

	if (!copy)
		return SD_TEXT("");
	memcpy(copy, string, len + 1);
	return (struct sd_text){ copy, (uint32_t)len };
}

enum exit_status cli_refuse(struct cli *cli, const struct sd_client_error *from, struct cli_error *error)
{
	*error = (struct cli_error){
		.code = text_of(cli, from->code), .status = text_of(cli, sd_status_name(from->status)),
		.message = text_of(cli, from->message), .node = text_of(cli, from->node), .pass = text_of(cli, from->pass),
		.retryable = from->retryable, .retry_after_ms = from->retry_after_ms,
	};
	return EXIT_REFUSED;
}

enum exit_status cli_report_remote(struct cli *cli, const struct sd_client_error *from)
{
	struct cli_error error;

	cli_refuse(cli, from, &error);
	return cli_report(cli, &error);
}

static enum exit_status keep(struct cli *cli, const struct sd_reply *reply, struct sd_text *answer, struct cli_error *error)
{
	unsigned char *copy = sd_arena_alloc(&cli->mem, reply->body_bytes);
	struct sd_diag diag = { 0 };

	if (!copy) {
		sd_memory_fail(&cli->mem, &diag);
		cli_error_from_diag(error, &diag, NULL);
		return EXIT_REFUSED;
	}
	memcpy(copy, reply->body, reply->body_bytes);
	*answer = (struct sd_text){ (const char *)copy, (uint32_t)reply->body_bytes };
	return EXIT_GOOD;
}

static enum exit_status try_call(struct cli *cli, enum sd_method method, struct sd_text body, struct sd_text *answer, struct cli_error *error)
{
	struct sd_client_options options = { .socket = cli->socket, .name = "streamctl" };
	struct sd_client_error why;
	enum exit_status status;
	enum sd_status called;
	struct sd_client *client;
	struct cli_wait wait;
	struct sd_reply reply;

	if (sd_client_open(&client, &options, &why) != SD_OK)
		return cli_refuse(cli, &why, error);
	cli_wait_begin(cli, &wait);
	called = sd_client_call(client, method, body.at, body.len, cli->deadline_ms, &reply);
	cli_wait_end(&wait);
	if (called == SD_OK)
		status = keep(cli, &reply, answer, error);
	else
		status = cli_refuse(cli, &reply.error, error);
	sd_reply_finish(&reply);
	sd_client_close(client);
	return status;
}

enum exit_status cli_call(struct cli *cli, enum sd_method method, struct sd_text body, struct sd_text *answer)
{
	struct cli_error error;
	enum exit_status status = try_call(cli, method, body, answer, &error);

	return status == EXIT_GOOD ? status : cli_report(cli, &error);
}

enum exit_status cli_remote_plan(struct cli *cli, enum sd_method method, struct sd_text request, struct remote_plan *got, struct cli_error *error)
{
	uint64_t start = cli_now_ns();
	struct sd_text answer;
	enum exit_status status = try_call(cli, method, request, &answer, error);

	if (status != EXIT_GOOD)
		return status;
	*got = (struct remote_plan){ .answer = sd_plan_answer_of(answer), .round_trip_ns = cli_now_ns() - start };
	return EXIT_GOOD;
}
