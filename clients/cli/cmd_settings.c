/* streamctl settings: what the environment says to the runtime of this process. */
#include "cli.h"
#include "streamd/settings.h"

static void put_json(struct sd_emitter *out, const struct sd_settings *settings)
{
	const struct sd_setting_row *row;

	sd_emit_open(out, '[');
	for (uint32_t i = 0; (row = sd_setting_row(i)); i++) {
		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		sd_emit_pair(out, "name", row->name);
		sd_emit_key(out, "value");
		sd_emit_int(out, settings->of[i].value);
		sd_emit_pair(out, "set_by", settings->of[i].origin ? settings->of[i].origin : "");
		sd_emit_pair(out, "variable", row->variable);
		sd_emit_pair(out, "alias", row->alias);
		sd_emit_pair(out, "meaning", row->meaning);
		sd_emit_close(out, '}');
	}
	sd_emit_raw(out, "\n]\n", 3);
}

static void put_line(void *arg, const char *line)
{
	sd_emit_words(arg, line);
	sd_emit_words(arg, "\n");
}

static void put_text(struct sd_emitter *out, const struct sd_settings *settings)
{
	const struct sd_setting_row *row;

	sd_settings_tell(settings, put_line, out);
	for (uint32_t i = 0; (row = sd_setting_row(i)); i++) {
		sd_emit_words(out, "\n");
		sd_emit_words(out, row->variable);
		sd_emit_words(out, ", or ");
		sd_emit_words(out, row->alias);
		sd_emit_words(out, "\n    ");
		put_line(out, row->meaning);
	}
}

static enum sd_status write_settings(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	if (cli->format == FORMAT_JSON)
		put_json(out, what);
	else
		put_text(out, what);
	return SD_OK;
}

enum exit_status cli_settings(struct cli *cli)
{
	struct sd_settings settings;
	struct sd_diag diag = { 0 };

	if (sd_settings_read(&settings, NULL, NULL, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	return cli_print(cli, write_settings, &settings, NULL);
}
