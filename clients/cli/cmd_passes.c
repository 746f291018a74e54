/* streamctl passes: the planner's table of passes, then the site's own. */
#include <string.h>

#include "cli.h"
#include "emit.h"
#include "streamd/planner.h"

/* Row `index` of the planner's table, then of the site's; false past the end. */
static bool row_at(struct cli *cli, uint32_t index, struct sd_pass_row *row)
{
	uint32_t planner = 0, site = 0;

	if (sd_pass_row(&cli->mem, index, row))
		return true;
	while (sd_pass_row(&cli->mem, planner, row))
		planner++;
	while (site < index - planner && sd_site_passes[site].name)
		site++;
	*row = (struct sd_pass_row){ sd_site_passes[site].name, "in stream_passes", "-", "-", sd_site_passes[site].version };
	return row->name != NULL;
}

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

	for (uint32_t i = 0; row_at(cli, i, &row); i++) {
		width.name = longer(width.name, row.name);
		width.when = longer(width.when, row.when);
		width.needs = longer(width.needs, row.needs);
	}
	fprintf(file, "%-*s  rev  %-*s  %-*s  gives\n", width.name, "name", width.when, "when", width.needs, "needs");
	for (uint32_t i = 0; row_at(cli, i, &row); i++) {
		fprintf(file, "%-*s  %3u  %-*s  %-*s  %s\n", width.name, row.name, row.rev, width.when, row.when, width.needs, row.needs,
		        row.gives);
	}
}

static void print_json(struct cli *cli, struct sd_emitter *out, FILE *file)
{
	struct sd_pass_row row;

	sd_emit_start(out, file);
	sd_emit_open(out, '[');
	for (uint32_t i = 0; row_at(cli, i, &row); i++) {
		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		sd_emit_pair(out, "name", row.name);
		sd_emit_key(out, "rev");
		sd_emit_uint(out, row.rev);
		sd_emit_pair(out, "when", row.when);
		sd_emit_pair(out, "needs", row.needs);
		sd_emit_pair(out, "gives", row.gives);
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
