/* streamctl convert: any request as JSON to edit, or as the bytes that travel. */
#include <string.h>

#include "cli.h"
#include "formats/plan_answer.h"

static bool ends_in_pb(const char *path)
{
	size_t len = strlen(path);

	return len > 3 && strcmp(path + len - 3, ".pb") == 0;
}

enum exit_status cli_convert(struct cli *cli)
{
	struct sd_request request = { 0 };
	struct sd_diag diag = { 0 };
	struct sd_text bytes;
	enum sd_status status;
	FILE *file;

	if (!cli->output)
		return cli_usage(cli, "convert needs -o FILE; - is standard output");
	if (cli_request(cli, cli->argument[0], &bytes, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	if (sd_request_take(&cli->mem, bytes, &request, &diag) != SD_OK)
		return cli_fail(cli, &diag, &request.graph);
	file = cli_open_output(cli);
	if (!file)
		return EXIT_USAGE;
	if (!ends_in_pb(cli->output)) {
		status = sd_request_write_json(&cli->mem, bytes, file, &diag);
		if (status != SD_OK && !ferror(file)) {
			cli_close_output(cli, file);
			return cli_fail(cli, &diag, NULL);
		}
	} else {
		fwrite(bytes.at, 1, bytes.len, file);
	}
	return cli_close_output(cli, file);
}
