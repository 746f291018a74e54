/* streamctl verify: the judge's word on a plan that somebody has. */
#include <stdio.h>

#include "cli.h"
#include "formats/plan_json.h"
#include "streamd/verify.h"

static enum exit_status print_verdict(const struct sd_request *request, const struct sd_plan *plan, const struct sd_verdict *verdict)
{
	struct sd_names names = sd_graph_names(&request->graph);
	char line[SD_MESSAGE_MAX];

	for (uint32_t i = 0; i < verdict->count && i < SD_VIOLATIONS_MAX; i++) {
		sd_violation_text(&verdict->violation[i], &names, line, sizeof(line));
		printf("%s\n", line);
	}
	if (verdict->count > SD_VIOLATIONS_MAX)
		printf("and %u more\n", verdict->count - SD_VIOLATIONS_MAX);
	if (verdict->count == 0)
		printf("ok streams=%u syncs=%u\n", plan->stream_count, plan->sync_count);
	return verdict->count == 0 ? EXIT_GOOD : EXIT_REFUSED;
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
	struct sd_verdict verdict;
	struct sd_text bytes;
	struct sd_plan plan;

	if (cli_request(cli, cli->argument[0], &bytes, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	if (cli_decode(cli, bytes, &request, &diag) != SD_OK || read_plan(cli, &request.graph, &plan, &diag) != SD_OK)
		return cli_fail(cli, &diag, &request.graph);
	if (sd_verify(&cli->mem, &request, &plan, NULL, NULL, &verdict) != SD_OK)
		return cli_fail(cli, &verdict.why, &request.graph);
	return print_verdict(&request, &plan, &verdict);
}
