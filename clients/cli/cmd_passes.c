/* streamctl passes: the planner's table of passes. */
#include <string.h>

#include "cli.h"
#include "formats/emit.h"
#include "streamd/planner.h"

struct widths {
	int name, when, needs;
};

static int longer(int width, const char *text)
{
	int len = (int)strlen(text);

	return len > width ? len : width;
}

static void print_table(struct cli *cli, FILE *file)
{
	struct widths width = { 4, 4, 5 };
	struct sd_pass_row row;

	for (uint32_t i = 0; sd_pass_row(&cli->mem, i, &row); i++) {
		width.name = longer(width.name, row.name);
		width.when = longer(width.when, row.when);
		width.needs = longer(width.needs, row.needs);
	}
	fprintf(file, "%-*s  rev  %-*s  %-*s  gives\n", width.name, "name", width.when, "when", width.needs, "needs");
	for (uint32_t i = 0; sd_pass_row(&cli->mem, i, &row); i++) {
		fprintf(file, "%-*s  %3u  %-*s  %-*s  %s\n", width.name, row.name, row.rev, width.when, row.when, width.needs, row.needs,
		        row.gives);
	}
}

static void put_key(struct sd_emitter *out, const char *key, const char *value)
{
	sd_emit_key(out, key);
	sd_emit_string(out, value);
}

static void print_json(struct cli *cli, struct sd_emitter *out, FILE *file)
{
	struct sd_pass_row row;

	sd_emit_start(out, file);
	sd_emit_open(out, '[');
	for (uint32_t i = 0; sd_pass_row(&cli->mem, i, &row); i++) {
		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		put_key(out, "name", row.name);
		sd_emit_key(out, "rev");
		sd_emit_uint(out, row.rev);
		put_key(out, "when", row.when);
		put_key(out, "needs", row.needs);
		put_key(out, "gives", row.gives);
		sd_emit_close(out, '}');
	}
	sd_emit_raw(out, "\n]\n", 3);
	sd_emit_finish(out);
}

enum exit_status cli_passes(struct cli *cli)
{
	struct sd_emitter *out = sd_arena_alloc(&cli->mem, sizeof(*out));
	FILE *file = cli_open_output(cli);

	if (!file)
		return EXIT_USAGE;
	if (cli->format == FORMAT_JSON && out)
		print_json(cli, out, file);
	else
		print_table(cli, file);
	return cli_close_output(cli, file);
}
