/* streamctl diff: two plans in JSON, and what differs between them. */
#include "cli.h"
#include "formats/json_path.h"
#include "formats/plan_diff.h"
#include "formats/plan_names.h"

static void print_text(struct sd_emitter *out, const struct sd_plan_diff *diff)
{
	for (uint32_t i = 0; i < diff->note.count; i++) {
		sd_put(out, "note: ");
		sd_put_name(out, diff->note.at[i], "");
		sd_put(out, "\n");
	}
	for (uint32_t i = 0; i < diff->line.count; i++) {
		sd_put_name(out, diff->line.at[i], "");
		sd_put(out, "\n");
	}
	if (diff->count > 0)
		sd_put(out, "%u difference%s\n", diff->count, diff->count == 1 ? "" : "s");
	else
		sd_put(out, "equal\n");
}

static void put_lines(struct sd_emitter *out, const char *key, const struct sd_text *line, uint32_t count)
{
	sd_emit_line(out, 1);
	sd_emit_key(out, key);
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < count; i++) {
		sd_emit_line(out, 2);
		sd_emit_text(out, line[i]);
	}
	sd_emit_close(out, ']');
}

static void print_json(struct sd_emitter *out, const struct sd_plan_diff *diff)
{
	sd_emit_open(out, '{');
	sd_emit_line(out, 1);
	sd_emit_key(out, "equal");
	sd_emit_bool(out, diff->count == 0);
	put_lines(out, "notes", diff->note.at, diff->note.count);
	put_lines(out, "differences", diff->line.at, diff->line.count);
	sd_emit_raw(out, "\n", 1);
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
}

static enum sd_status write(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	if (cli->format == FORMAT_JSON)
		print_json(out, what);
	else
		print_text(out, what);
	return SD_OK;
}

static enum exit_status print(struct cli *cli, const struct sd_plan_diff *diff)
{
	enum exit_status status = cli_print(cli, write, diff, NULL);

	return status == EXIT_GOOD && diff->count > 0 ? EXIT_REFUSED : status;
}

static enum sd_status read_plan(struct cli *cli, const char *path, struct sd_plan_alone *plan, struct sd_diag *diag)
{
	struct sd_text text;

	*plan = (struct sd_plan_alone){ .root = NULL };
	SD_TRY(sd_input_read(&cli->mem, path, &text, diag));
	return sd_plan_alone_read(&cli->mem, text, plan, diag);
}

/* What cannot be read is neither equal nor different: exit status 2, so that 1 says what it should. */
enum exit_status cli_diff(struct cli *cli)
{
	struct sd_plan_alone first = { .root = NULL }, second = { .root = NULL };
	struct sd_diag diag = { 0 };
	struct sd_plan_diff diff;
	enum exit_status status;

	if (read_plan(cli, cli->argument[0], &first, &diag) == SD_OK && read_plan(cli, cli->argument[1], &second, &diag) == SD_OK &&
	    sd_plan_compare(&cli->mem, &first, &second, &diff, &diag) == SD_OK) {
		status = print(cli, &diff);
	} else {
		cli_fail(cli, &diag, NULL);
		status = EXIT_USAGE;
	}
	sd_plan_alone_finish(&first);
	sd_plan_alone_finish(&second);
	return status;
}
