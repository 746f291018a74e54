/* What streamctl says when something does not work, and where it writes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "formats/json_path.h"

uint64_t cli_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct sd_text text_of(const char *string)
{
	return (struct sd_text){ string, (uint32_t)strlen(string) };
}

void cli_error_from_diag(struct cli_error *error, const struct sd_diag *diag, const struct sd_graph *graph)
{
	struct sd_names names;

	if (graph)
		names = sd_graph_names(graph);
	*error = (struct cli_error){
		.code = text_of(sd_code_text(diag->code)),
		.status = text_of(sd_status_name(sd_code_status(diag->code))),
		.node = graph && diag->node < graph->node_count ? graph->name[diag->node] : SD_TEXT(""),
		.pass = text_of(diag->pass ? diag->pass : ""),
		.retryable = sd_code_retryable(diag->code),
	};
	sd_diag_message(diag, graph ? &names : NULL, error->text, sizeof(error->text));
	error->message = text_of(error->text);
}

void cli_put_error(struct sd_emitter *out, const struct cli_error *error)
{
	sd_emit_open(out, '{');
	sd_emit_key(out, "error");
	sd_emit_open(out, '{');
	sd_emit_key(out, "code");
	sd_emit_text(out, error->code);
	sd_emit_key(out, "status");
	sd_emit_text(out, error->status);
	sd_emit_key(out, "message");
	sd_emit_text(out, error->message);
	sd_emit_key(out, "node");
	sd_emit_text(out, error->node);
	sd_emit_key(out, "pass");
	sd_emit_text(out, error->pass);
	sd_emit_key(out, "retryable");
	sd_emit_bool(out, error->retryable);
	sd_emit_key(out, "retry_after_ms");
	sd_emit_uint(out, error->retry_after_ms);
	sd_emit_close(out, '}');
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
}

static void print_object(struct cli *cli, const struct cli_error *error)
{
	struct sd_emitter *out = sd_arena_alloc(&cli->mem, sizeof(*out));

	if (!out)
		return;
	sd_emit_start(out, stdout);
	cli_put_error(out, error);
	sd_emit_finish(out);
}

enum exit_status cli_report(struct cli *cli, const struct cli_error *error)
{
	if (cli->format == FORMAT_JSON)
		print_object(cli, error);
	cli_tell_error(cli, error);
	return cli_status_of(error);
}

enum exit_status cli_status_of(const struct cli_error *error)
{
	if (sd_text_is(error->code, sd_code_text(SD_CODE_UNREACHABLE)))
		return EXIT_NO_DAEMON;
	if (sd_text_is(error->code, sd_code_text(SD_CODE_UNREADABLE)) || sd_text_is(error->code, sd_code_text(SD_CODE_UNWRITABLE)))
		return EXIT_USAGE;
	return EXIT_REFUSED;
}

enum exit_status cli_fail(struct cli *cli, const struct sd_diag *diag, const struct sd_graph *graph)
{
	struct cli_error error;

	cli_error_from_diag(&error, diag, graph);
	return cli_report(cli, &error);
}

static enum exit_status fail_output(struct cli *cli)
{
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, SD_CODE_UNWRITABLE, SD_NO_NODE, sd_arg_text(text_of(cli->output ? cli->output : "standard output")),
	         sd_arg_words(strerror(errno)));
	return cli_fail(cli, &diag, NULL);
}

FILE *cli_open_output(struct cli *cli)
{
	FILE *file = cli->output && strcmp(cli->output, "-") != 0 ? fopen(cli->output, "wb") : stdout;

	if (!file)
		fail_output(cli);
	return file;
}

enum exit_status cli_close_output(struct cli *cli, FILE *file)
{
	bool failed = ferror(file) != 0;

	if (file == stdout)
		failed |= fflush(file) != 0;
	else
		failed |= fclose(file) != 0;
	return failed ? fail_output(cli) : EXIT_GOOD;
}

enum exit_status cli_print(struct cli *cli, cli_writer *write, const void *what, const struct sd_graph *graph)
{
	struct sd_emitter *out = sd_arena_alloc(&cli->mem, sizeof(*out));
	struct sd_diag diag = { 0 };
	enum exit_status closed;
	FILE *file;

	if (!out) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	file = cli_open_output(cli);
	if (!file)
		return EXIT_USAGE;
	sd_emit_start(out, file);
	write(cli, out, what, &diag);
	sd_emit_finish(out);
	closed = cli_close_output(cli, file);
	return diag.code == SD_CODE_NONE ? closed : cli_fail(cli, &diag, graph);
}

enum sd_status cli_request(struct cli *cli, const char *path, struct sd_text *bytes, struct sd_diag *diag)
{
	SD_TRY(sd_input_read(&cli->mem, path, &cli->input, diag));
	return cli_request_bytes(cli, path, cli->input, bytes, diag);
}

enum sd_status cli_request_bytes(struct cli *cli, const char *path, struct sd_text content, struct sd_text *bytes, struct sd_diag *diag)
{
	struct sd_notes notes = { .count = 0 };

	cli->input_kind = sd_input_kind(path, content);
	if (cli->overlay.trusts_streams && cli->input_kind != SD_INPUT_DUMP)
		return SD_FAIL1(diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("--stream-ids trust is for dumps of Graph Engine, which state streams; leave it out"));
	SD_TRY(sd_input_bytes(&cli->mem, cli->input_kind, content, &cli->overlay, &notes, bytes, diag));
	for (uint32_t i = 0; i < notes.count; i++)
		cli_note(cli, "%s", notes.note[i]);
	return SD_OK;
}
