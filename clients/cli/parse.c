/* The flags of the command line. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { OPT_FORMAT = 256, OPT_LOCAL, OPT_TIMING, OPT_OPTION, OPT_DEVICE, OPT_LIMIT, OPT_SOCKET, OPT_DEADLINE, OPT_STREAM_IDS, OPT_RUNS, OPT_SEED, OPT_CHECK, OPT_BATCH, OPT_REPORT };

static const struct option long_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },   { "output", required_argument, NULL, 'o' },
	{ "local", no_argument, NULL, OPT_LOCAL },           { "timing", no_argument, NULL, OPT_TIMING },
	{ "option", required_argument, NULL, OPT_OPTION },   { "device", required_argument, NULL, OPT_DEVICE },
	{ "limit", required_argument, NULL, OPT_LIMIT },     { "socket", required_argument, NULL, OPT_SOCKET },
	{ "stream-ids", required_argument, NULL, OPT_STREAM_IDS },
	{ "deadline", required_argument, NULL, OPT_DEADLINE }, { "quiet", no_argument, NULL, 'q' },
	{ "runs", required_argument, NULL, OPT_RUNS },       { "seed", required_argument, NULL, OPT_SEED },
	{ "check", no_argument, NULL, OPT_CHECK },           { "batch", no_argument, NULL, OPT_BATCH },
	{ "report", no_argument, NULL, OPT_REPORT },
	{ 0 },
};

enum exit_status cli_usage(const struct cli *cli, const char *format, ...)
{
	va_list args;

	cli_tell_name(cli);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	return EXIT_USAGE;
}

static unsigned flag_of(int option)
{
	switch (option) {
	case OPT_FORMAT: return FLAG_FORMAT;
	case 'o': return FLAG_OUTPUT;
	case OPT_LOCAL: return FLAG_LOCAL;
	case OPT_BATCH: return FLAG_BATCH;
	case OPT_TIMING: return FLAG_TIMING;
	case OPT_OPTION:
	case OPT_DEVICE:
	case OPT_STREAM_IDS:
	case OPT_LIMIT: return FLAG_REQUEST;
	case OPT_SOCKET:
	case OPT_DEADLINE: return FLAG_DAEMON;
	case OPT_RUNS:
	case OPT_SEED:
	case OPT_REPORT:
	case OPT_CHECK: return FLAG_RUN;
	}
	return ~0u; /* --quiet is for all */
}

/* Adds KEY=VALUE to an object that is made when the first comes; a later one replaces an earlier. */
static enum exit_status add_pair(const struct cli *cli, json_t **object, const char *flag, const char *pair)
{
	const char *split = strchr(pair, '=');
	json_t *value;
	int failed;

	if (!split || split == pair)
		return cli_usage(cli, "%s takes KEY=VALUE, not %s", flag, pair);
	value = json_loads(split + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if (!value)
		value = json_string(split + 1);
	if (!value)
		return cli_usage(cli, "the value of %s %s is no UTF-8 text", flag, pair);
	if (!*object)
		*object = json_object();
	failed = json_object_setn_new(*object, pair, (size_t)(split - pair), value);
	return failed ? cli_usage(cli, "the key of %s %s is no UTF-8 text", flag, pair) : EXIT_GOOD;
}

/* One more alternative: an object, or KEY=VALUE. */
static enum exit_status add_alternative(struct cli *cli, const char *text)
{
	struct cli_alternative *alternative = &cli->alternative[cli->alternative_count];

	if (cli->alternative_count == ALTERNATIVES_MAX)
		return cli_usage(cli, "%s takes at most %d --option", cli->command->name, ALTERNATIVES_MAX);
	cli->alternative_count++;
	alternative->text = text;
	if (*text != '{')
		return add_pair(cli, &alternative->options, "--option", text);
	alternative->options = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	return alternative->options ? EXIT_GOOD : cli_usage(cli, "--option takes KEY=VALUE or a JSON object, not %s", text);
}

static enum exit_status set_option(struct cli *cli, const char *text)
{
	if (cli->command->flags & FLAG_ALTERNATIVES)
		return add_alternative(cli, text);
	return add_pair(cli, &cli->overlay.options, "--option", text);
}

static const struct {
	const char *word;
	enum cli_format format;
	bool of_plans, of_runs; /* else of all commands */
} formats[] = {
	{ "json", FORMAT_JSON, false, false }, { "text", FORMAT_TEXT, false, false }, { "dot", FORMAT_DOT, true, false },
	{ "svg", FORMAT_SVG, true, false },    { "html", FORMAT_HTML, true, false },  { "trace", FORMAT_TRACE, true, true },
	{ "annotated", FORMAT_ANNOTATED, true, false },
};
#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

static const char *formats_of(const struct cli_command *command)
{
	return command->run == cli_plan ? "json, text, dot, svg, html, trace or annotated" : command->run == cli_run ? "text, json or trace" : "json or text";
}

static enum exit_status set_format(struct cli *cli, const char *word)
{
	bool plans = cli->command->run == cli_plan, runs = cli->command->run == cli_run;

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		bool of_all = !formats[i].of_plans && !formats[i].of_runs;

		if (strcmp(word, formats[i].word) == 0 && (of_all || (plans && formats[i].of_plans) || (runs && formats[i].of_runs))) {
			cli->format = formats[i].format;
			return EXIT_GOOD;
		}
	}
	return cli_usage(cli, "--format of %s is %s, not %s", cli->command->name, formats_of(cli->command), word);
}

/* A number in digits, from `least` to `most`. */
static enum exit_status read_number(const struct cli *cli, const char *flag, const char *what, const char *word, uint64_t least, uint64_t most,
                                    uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno == ERANGE || *number < least || *number > most)
		return cli_usage(cli, "%s takes %s, not %s", flag, what, word);
	return EXIT_GOOD;
}

static enum exit_status set_deadline(struct cli *cli, const char *word)
{
	uint64_t ms;
	enum exit_status status = read_number(cli, "--deadline", "milliseconds, 1 or more", word, 1, UINT32_MAX, &ms);

	cli->deadline_ms = status == EXIT_GOOD ? (uint32_t)ms : 0;
	return status;
}

static enum exit_status set_runs(struct cli *cli, const char *word)
{
	uint64_t runs;
	enum exit_status status = read_number(cli, "--runs", "a number from 1 to 10000", word, 1, 10000, &runs);

	cli->runs = status == EXIT_GOOD ? (uint32_t)runs : 0;
	return status;
}

static enum exit_status set_seed(struct cli *cli, const char *word)
{
	cli->has_seed = true;
	return read_number(cli, "--seed", "a number from 0", word, 0, UINT64_MAX, &cli->seed);
}

static enum exit_status set_stream_ids(struct cli *cli, const char *word)
{
	cli->overlay.trusts_streams = strcmp(word, "trust") == 0;
	if (!cli->overlay.trusts_streams && strcmp(word, "ignore") != 0)
		return cli_usage(cli, "--stream-ids is ignore or trust, not %s", word);
	return EXIT_GOOD;
}

static enum exit_status set_flag(struct cli *cli, int option)
{
	switch (option) {
	case OPT_FORMAT: return set_format(cli, optarg);
	case OPT_OPTION: return set_option(cli, optarg);
	case OPT_LIMIT: return add_pair(cli, &cli->overlay.limits, "--limit", optarg);
	case OPT_DEADLINE: return set_deadline(cli, optarg);
	case OPT_STREAM_IDS: return set_stream_ids(cli, optarg);
	case 'q': cli->quiet = true; break;
	case OPT_RUNS: return set_runs(cli, optarg);
	case OPT_SEED: return set_seed(cli, optarg);
	case OPT_CHECK: cli->checks = true; break;
	case OPT_REPORT: cli->reports = true; break;
	case OPT_LOCAL: cli->local = true; break;
	case OPT_BATCH: cli->is_batch = true; break;
	case OPT_TIMING: cli->timing = true; break;
	case OPT_DEVICE: cli->device = optarg; break;
	case OPT_SOCKET: cli->socket = optarg; break;
	case 'o': cli->output = optarg; break;
	}
	return EXIT_GOOD;
}

/* A word with a slash or the ending .json is a file, anything else the name of a profile. */
static enum exit_status read_device(struct cli *cli)
{
	size_t len = strlen(cli->device);
	json_error_t error;

	if (!strchr(cli->device, '/') && (len < 5 || strcmp(cli->device + len - 5, ".json") != 0)) {
		cli->overlay.device = json_pack("{s:s}", "profile", cli->device);
		return cli->overlay.device ? EXIT_GOOD : cli_usage(cli, "the name of --device is no UTF-8 text");
	}
	cli->overlay.device = json_load_file(cli->device, JSON_REJECT_DUPLICATES, &error);
	if (!cli->overlay.device && error.line < 0) /* it could not even be opened, which the text says with the path */
		return cli_usage(cli, "--device: %s", error.text);
	if (!cli->overlay.device)
		return cli_usage(cli, "--device %s: %s (line %d)", cli->device, error.text, error.line);
	return EXIT_GOOD;
}

/* A mistyped key is wrong usage and told before anything is read. */
static enum exit_status check_overlay(struct cli *cli)
{
	struct sd_diag diag = { 0 };
	enum sd_status status = sd_overlay_check(&cli->mem, &cli->overlay, &diag);

	for (uint32_t i = 0; status == SD_OK && i < cli->alternative_count; i++)
		status = sd_overlay_check(&cli->mem, &(struct sd_overlay){ .options = cli->alternative[i].options }, &diag);
	if (status == SD_OK)
		return EXIT_GOOD;
	cli_fail(cli, &diag, NULL);
	return EXIT_USAGE;
}

enum exit_status cli_parse(struct cli *cli, int count, char **words)
{
	enum exit_status status;
	int option, at = 0;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(count, words, ":o:q", long_options, &at)) != -1) {
		if (option == ':')
			return cli_usage(cli, "%s needs a value", words[optind - 1]);
		if (option == '?')
			return cli_usage(cli, "there is no flag %s; see streamctl --help", words[optind - 1]);
		if (!(flag_of(option) & cli->command->flags))
			return cli_usage(cli, "%s does not take --%s", cli->command->name, option == 'o' ? "output" : long_options[at].name);
		status = set_flag(cli, option);
		if (status != EXIT_GOOD)
			return status;
	}
	cli->argument = words + optind;
	cli->argument_count = count - optind;
	status = cli->device && !(cli->command->flags & FLAG_RUN) ? read_device(cli) : EXIT_GOOD;
	return status == EXIT_GOOD ? check_overlay(cli) : status;
}
