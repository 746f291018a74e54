/* streamctl status, jobs, cache, drain, ping: what operators of the daemon need. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "remote.h"
#include "formats/schema.h"

static const struct sd_text nothing = { "", 0 };

enum exit_status cli_status(struct cli *cli)
{
	return cli_ask(cli, SD_METHOD_STATUS, nothing, &streamd__v1__status_answer__descriptor);
}

enum exit_status cli_drain(struct cli *cli)
{
	return cli_ask(cli, SD_METHOD_DRAIN, nothing, &streamd__v1__drain_answer__descriptor);
}

enum exit_status cli_cache(struct cli *cli)
{
	if (strcmp(cli->argument[0], "stats") == 0)
		return cli_ask(cli, SD_METHOD_CACHE_STATS, nothing, &streamd__v1__cache_stats_answer__descriptor);
	if (strcmp(cli->argument[0], "flush") == 0)
		return cli_ask(cli, SD_METHOD_CACHE_FLUSH, nothing, &streamd__v1__cache_flush_answer__descriptor);
	return cli_usage(cli, "cache takes stats or flush, not %s", cli->argument[0]);
}

static enum exit_status cancel_job(struct cli *cli, const char *word)
{
	Streamd__V1__CancelJobRequest request = STREAMD__V1__CANCEL_JOB_REQUEST__INIT;
	uint8_t body[16];
	char *end;

	request.id = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end)
		return cli_usage(cli, "jobs cancel takes the number of a job, not %s", word);
	return cli_ask(cli, SD_METHOD_CANCEL_JOB,
	               (struct sd_text){ (const char *)body, (uint32_t)streamd__v1__cancel_job_request__pack(&request, body) },
	               &streamd__v1__empty__descriptor);
}

enum exit_status cli_jobs(struct cli *cli)
{
	if (cli->argument_count == 0)
		return cli_ask(cli, SD_METHOD_JOBS, nothing, &streamd__v1__jobs_answer__descriptor);
	if (cli->argument_count == 2 && strcmp(cli->argument[0], "cancel") == 0)
		return cancel_job(cli, cli->argument[1]);
	if (cli->argument_count == 1 && strcmp(cli->argument[0], "cancel") == 0)
		return cli_usage(cli, "jobs cancel needs the number of a job, which streamctl jobs lists; usage: streamctl jobs [cancel ID]");
	return cli_usage(cli, "jobs lists what there is, or takes cancel ID, not %s", cli->argument[0]);
}

enum exit_status cli_ping(struct cli *cli)
{
	static const char payload[] = "\x0a\x04ping"; /* a PingRequest */
	uint64_t start = cli_now_ns(), spent;
	struct sd_text answer;
	enum exit_status status = cli_call(cli, SD_METHOD_PING, (struct sd_text){ payload, sizeof(payload) - 1 }, &answer);

	if (status != EXIT_GOOD)
		return status;
	spent = cli_now_ns() - start;
	if (cli->format == FORMAT_JSON)
		printf("{\"round_trip_ns\": %" PRIu64 "}\n", spent);
	else
		printf("pong after %" PRIu64 " us\n", spent / 1000);
	return cli_close_output(cli, stdout);
}
