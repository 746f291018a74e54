/* cli.h - private: what the commands of streamctl share.
 *
 * A command gets its flags parsed and its arguments counted (main.c holds the table of
 * commands), does one thing and answers an exit status. Nothing is global: everything
 * that a run knows is in struct cli. */
#ifndef SD_CLI_H
#define SD_CLI_H

#include <stdio.h>

#include "error.h"
#include "emit.h"
#include "formats/request.h"
#include "streamd/request.h"
#include "tell.h"

enum exit_status { EXIT_GOOD = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NO_DAEMON = 3 };

enum cli_format { FORMAT_JSON, FORMAT_TEXT, FORMAT_DOT, FORMAT_SVG, FORMAT_HTML, FORMAT_TRACE, FORMAT_ANNOTATED };

/* Flags, as bits of what a command takes. */
enum cli_flag {
	FLAG_FORMAT = 1 << 0,
	FLAG_OUTPUT = 1 << 1,
	FLAG_LOCAL = 1 << 2,
	FLAG_TIMING = 1 << 3,
	FLAG_REQUEST = 1 << 4,  /* --option, --device, --limit, --stream-ids */
	FLAG_DAEMON = 1 << 5,   /* --socket, --deadline */
	FLAG_ALTERNATIVES = 1 << 6, /* each --option stands for itself */
	FLAG_BATCH = 1 << 8,    /* --batch: any number of arguments */
	FLAG_RUN = 1 << 7,      /* --runs, --seed, --check, --report; --device is where it runs */
};

#define ALTERNATIVES_MAX 64 /* rows that fit a screen or two; each is a plan */

/* One --option of a command with FLAG_ALTERNATIVES: KEY=VALUE, or a JSON object of several. */
struct cli_alternative {
	const char *text;
	json_t *options;
};

struct cli {
	const struct cli_command *command;
	enum cli_format format;
	const char *output;        /* file; NULL: standard output */
	bool local, timing, is_batch;
	bool quiet, at_terminal, colours; /* of standard error (tell.h) */
	uint64_t began_ns;         /* what takes long */
	uint64_t told_ns;          /* when progress was told; 0: it is not on the line */
	const char *socket;        /* NULL: where the client library looks */
	uint32_t deadline_ms;      /* 0: the daemon's default */
	struct sd_overlay overlay;
	struct cli_alternative alternative[ALTERNATIVES_MAX];
	uint32_t alternative_count;
	struct sd_text input;      /* what cli_request() read last, and of which kind it is */
	enum sd_input_kind input_kind;
	const char *device;        /* file or profile, read with the flags; with FLAG_RUN what runs the plan, as it stands */
	uint32_t runs;             /* 0: not stated */
	bool has_seed, checks, reports;
	uint64_t seed;
	char **argument;
	int argument_count;
	struct sd_arena mem;       /* of this run: files, requests, answers */
};

struct cli_command {
	const char *name, *arguments, *help;
	int least, most;           /* arguments */
	unsigned flags;
	enum cli_format format;    /* without --format */
	enum exit_status (*run)(struct cli *cli);
};

/* Parses the flags behind the command's name; on EXIT_GOOD the command may run. */
enum exit_status cli_parse(struct cli *cli, int count, char **words);

/* ---- reading ---- */

/* The file as bytes of a PlanRequest, with what the flags lay over it. */
enum sd_status cli_request(struct cli *cli, const char *path, struct sd_text *bytes, struct sd_diag *diag);

/* The same of a file that was read; `path` tells what it is. */
enum sd_status cli_request_bytes(struct cli *cli, const char *path, struct sd_text content, struct sd_text *bytes, struct sd_diag *diag);

/* ---- writing ---- */

/* Where --output says, or standard output; NULL when it cannot be opened, which is reported. */
FILE *cli_open_output(struct cli *cli);

/* Closes it; EXIT_REFUSED, reported, when something could not be written. */
enum exit_status cli_close_output(struct cli *cli, FILE *file);

/* Opens it, lets `write` write `what`, closes it; a failure of either is told, with the names of `graph`
 * (which may be NULL). */
typedef enum sd_status cli_writer(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag);
enum exit_status cli_print(struct cli *cli, cli_writer *write, const void *what, const struct sd_graph *graph);

/* Tells an error: the object on standard output under --format json, a line on standard error
 * always. Answers the exit status that goes with it. */
enum exit_status cli_report(struct cli *cli, const struct cli_error *error);
enum exit_status cli_fail(struct cli *cli, const struct sd_diag *diag, const struct sd_graph *graph);

/* The object alone and a line's end; the exit status alone. */
void cli_put_error(struct sd_emitter *out, const struct cli_error *error);
enum exit_status cli_status_of(const struct cli_error *error);

/* One line on standard error about the use of the command line; EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
enum exit_status cli_usage(const struct cli *cli, const char *format, ...);

uint64_t cli_now_ns(void);

/* ---- the commands ---- */

enum exit_status cli_plan(struct cli *cli);
enum exit_status cli_plan_batch(struct cli *cli);
enum exit_status cli_verify(struct cli *cli);
enum exit_status cli_explain(struct cli *cli);
enum exit_status cli_diff(struct cli *cli);
enum exit_status cli_compare(struct cli *cli);
enum exit_status cli_convert(struct cli *cli);
enum exit_status cli_error(struct cli *cli);
enum exit_status cli_device(struct cli *cli);
enum exit_status cli_settings(struct cli *cli);
enum exit_status cli_run(struct cli *cli);
enum exit_status cli_simulate(struct cli *cli);
enum exit_status cli_passes(struct cli *cli);
enum exit_status cli_status(struct cli *cli);
enum exit_status cli_ping(struct cli *cli);
enum exit_status cli_drain(struct cli *cli);
enum exit_status cli_jobs(struct cli *cli);
enum exit_status cli_cache(struct cli *cli);
enum exit_status cli_pool(struct cli *cli);
enum exit_status cli_report_figures(struct cli *cli);

#endif
