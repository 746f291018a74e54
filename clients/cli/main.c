/* streamctl - plans graphs and operates the daemon. The table below is all it can do. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "formats/suggest.h"
#include "streamd/std_files.h"

static const struct cli_command commands[] = {
	{ "plan", "INPUT", "plan a graph: request JSON, protobuf or .onnx; - is standard input. With --batch any number of them", 1, 1,
	  FLAG_FORMAT | FLAG_OUTPUT | FLAG_LOCAL | FLAG_TIMING | FLAG_REQUEST | FLAG_DAEMON | FLAG_BATCH, FORMAT_JSON, cli_plan },
	{ "verify", "REQUEST PLAN", "check what a plan promises for that request; by the daemon if --socket is given", 2, 2,
	  FLAG_REQUEST | FLAG_DAEMON, FORMAT_TEXT, cli_verify },
	{ "explain", "INPUT [NODE]", "why each node, or one, is where it is, and what it waits for", 1, 2,
	  FLAG_FORMAT | FLAG_OUTPUT | FLAG_LOCAL | FLAG_REQUEST | FLAG_DAEMON, FORMAT_TEXT, cli_explain },
	{ "diff", "PLAN PLAN", "what differs between two plans in JSON, in words; exit status 1 if anything does", 2, 2,
	  FLAG_FORMAT | FLAG_OUTPUT, FORMAT_TEXT, cli_diff },
	{ "compare", "INPUT", "a table of what each --option would change; an object gives several options at once", 1, 1,
	  FLAG_FORMAT | FLAG_OUTPUT | FLAG_LOCAL | FLAG_REQUEST | FLAG_ALTERNATIVES | FLAG_DAEMON, FORMAT_TEXT, cli_compare },
	{ "convert", "INPUT -o FILE", "write a request as JSON, or as protobuf when FILE ends in .pb", 1, 1,
	  FLAG_OUTPUT | FLAG_REQUEST, FORMAT_TEXT, cli_convert },
	{ "error", "CODE", "what a code of ours means, or a number or text of Ascend's or CUDA's runtime", 1, 1,
	  FLAG_FORMAT | FLAG_OUTPUT, FORMAT_TEXT, cli_error },
	{ "device", "NAME", "what a device here has, and whether it works: sim, host, acl or cuda, the last two with :LIBRARY and @NUMBER", 1, 1,
	  FLAG_FORMAT | FLAG_OUTPUT, FORMAT_TEXT, cli_device },
	{ "settings", "", "what the environment says to the runtime", 0, 0, FLAG_FORMAT | FLAG_OUTPUT, FORMAT_TEXT, cli_settings },
	{ "simulate", "INPUT [PLAN]", "replay a plan, or the plan of a request, on the model of its device: how long, and why so long", 1, 2,
	  FLAG_FORMAT | FLAG_OUTPUT | FLAG_LOCAL | FLAG_REQUEST | FLAG_DAEMON, FORMAT_TEXT, cli_simulate },
	{ "run", "INPUT [PLAN]", "run a plan, or the plan of a request, and see what overlapped; INPUT may be a plan alone", 1, 2,
	  FLAG_FORMAT | FLAG_OUTPUT | FLAG_LOCAL | FLAG_REQUEST | FLAG_RUN | FLAG_DAEMON, FORMAT_TEXT, cli_run },
	{ "report", "[KEY]", "what plans took where they ran, as it was reported; KEY is a plan_key, or how one begins", 0, 1,
	  FLAG_FORMAT | FLAG_OUTPUT | FLAG_DAEMON, FORMAT_TEXT, cli_report_figures },
	{ "passes", "", "print the table of planning passes", 0, 0, FLAG_FORMAT | FLAG_OUTPUT, FORMAT_TEXT, cli_passes },
	{ "status", "", "what the daemon is doing", 0, 0, FLAG_FORMAT | FLAG_DAEMON, FORMAT_TEXT, cli_status },
	{ "jobs", "[cancel ID]", "list the daemon's jobs, or cancel one", 0, 2, FLAG_FORMAT | FLAG_DAEMON, FORMAT_TEXT, cli_jobs },
	{ "cache", "stats|flush", "figures of the daemon's cache, or empty it", 1, 1, FLAG_FORMAT | FLAG_DAEMON, FORMAT_TEXT, cli_cache },
	{ "pool", "VERB [KEY=VALUE..]", "acquire streams and hold them, release those of others, list who has which", 1, 64,
	  FLAG_FORMAT | FLAG_DAEMON, FORMAT_TEXT, cli_pool },
	{ "drain", "", "let the daemon finish its jobs and take no more", 0, 0, FLAG_FORMAT | FLAG_DAEMON, FORMAT_TEXT, cli_drain },
	{ "ping", "", "time one round trip to the daemon", 0, 0, FLAG_FORMAT | FLAG_DAEMON, FORMAT_TEXT, cli_ping },
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static const char *command_name(const void *table, unsigned index)
{
	return index < COMMAND_COUNT ? commands[index].name : NULL;
}

static const struct cli_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	}
	return NULL;
}

static void print_help(void)
{
	printf("usage: streamctl COMMAND [ARGUMENT...] [FLAG...]\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s %-14s %s\n", commands[i].name, commands[i].arguments, commands[i].help);
	printf("\n"
	       "  --format json|text      form of the answer; of plan also dot, svg, html, trace, and annotated:\n"
	       "                          the request or dump itself, with streams and labels written into it\n"
	       "  -o, --output FILE       write there instead of to standard output\n"
	       "  --local                 plan in this process; the same bytes as the daemon's\n"
	       "  --timing                one line of figures on standard error\n"
	       "  --batch                 plan all INPUTs in one call: a line of JSON for each, a plan or an error, in their order\n"
	       "  --option KEY=VALUE      an option of the request; VALUE is JSON if it parses, else a string\n"
	       "  --device FILE|PROFILE   the device: its JSON, or the name of a profile\n"
	       "  --limit KEY=VALUE       a limit of the device\n"
	       "  --stream-ids ignore|trust   trust: the streams that a dump states are kept\n"
	       "  --socket PATH           the daemon's socket; else $STREAMD_SOCKET, else the user's, else the service's\n"
	       "  --deadline MS           how long an answer may take\n"
	       "  -q, --quiet             no notes, no progress; errors are told\n"
	       "  --help, --version       of COMMAND --help: that command alone\n\n"
	       "of run:\n"
	       "  --device host|sim|acl|cuda  where the plan runs: on threads of this machine (default), on the simulated device, or on\n"
	       "                          Ascend's or CUDA's, the last two with :LIBRARY and @NUMBER\n"
	       "  --runs N                how often (default 3)\n"
	       "  --seed N                lengths of tasks are drawn, others in each run; else a task takes its duration_ns, or 20 us.\n"
	       "                          Bodies are chosen and loops take 1 to 3 turns by seed too (0 without one), the same in all runs\n"
	       "  --check                 tell of accesses to memory that nothing orders\n"
	       "  --report                tell the daemon what the runs took; see the command report\n"
	       "  --format text|json|trace  trace: for chrome://tracing or Perfetto\n\n"
	       "exit status: 0 success, 1 refused by the planner or the daemon, 2 wrong usage, 3 no daemon there\n");
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool asks_for_help(int count, char *const *words)
{
	for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
		if (is_help(words[i]))
			return true;
	}
	return false;
}

static void print_command(const struct cli_command *command)
{
	printf("usage: streamctl %s%s%s [FLAG...]\n%s\n\nflags, of all that streamctl --help tells of:%s%s%s%s%s%s%s%s --quiet\n", command->name,
	       *command->arguments ? " " : "", command->arguments, command->help, command->flags & FLAG_FORMAT ? " --format" : "",
	       command->flags & FLAG_OUTPUT ? " --output" : "", command->flags & FLAG_LOCAL ? " --local" : "", command->flags & FLAG_TIMING ? " --timing" : "",
	       command->flags & FLAG_BATCH ? " --batch" : "",
	       command->flags & FLAG_REQUEST ? " --option --device --limit --stream-ids" : "", command->flags & FLAG_DAEMON ? " --socket --deadline" : "", command->flags & FLAG_RUN ? " --device --runs --seed --check --report" : "");
}

static enum exit_status unknown_command(const struct cli *cli, const char *name)
{
	const char *near = sd_suggest(name, command_name, NULL);

	if (near)
		return cli_usage(cli, "there is no command %s; did you mean %s?", name, near);
	return cli_usage(cli, "there is no command %s; see streamctl --help", name);
}

/* What was left out, or is too much, and what to write instead. */
static enum exit_status wrong_count(const struct cli *cli)
{
	const struct cli_command *command = cli->command;

	if (cli->argument_count < command->least && cli->is_batch)
		return cli_usage(cli, "%s --batch needs its INPUTs, one or more, as in: streamctl %s --batch models/*.onnx", command->name, command->name);
	if (cli->argument_count < command->least)
		return cli_usage(cli, "too few arguments; usage: streamctl %s %s", command->name, command->arguments);
	return cli_usage(cli, "'%s' is one argument too many%s; usage: streamctl %s%s%s", cli->argument[command->most],
	                 command->flags & FLAG_BATCH ? " (--batch takes any number)" : "", command->name, *command->arguments ? " " : "", command->arguments);
}

static enum exit_status run(struct cli *cli, int count, char **words)
{
	enum exit_status status = cli_parse(cli, count, words);

	if (status != EXIT_GOOD)
		return status;
	if (cli->argument_count < cli->command->least || (cli->argument_count > cli->command->most && !cli->is_batch))
		return wrong_count(cli);
	return cli->command->run(cli);
}

int main(int argc, char **argv)
{
	struct cli cli = { 0 };
	enum exit_status status;

	sd_std_files_take();
	cli_tell_start(&cli);
	if (argc < 2)
		return cli_usage(&cli, "name a command; see streamctl --help");
	if (is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
		print_help();
		return EXIT_GOOD;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("streamctl %s\n", SD_VERSION);
		return EXIT_GOOD;
	}
	cli.command = find_command(argv[1]);
	if (!cli.command)
		return unknown_command(&cli, argv[1]);
	if (asks_for_help(argc - 2, argv + 2)) {
		print_command(cli.command);
		return EXIT_GOOD;
	}
	cli.format = cli.command->format;
	sd_arena_init(&cli.mem, 0);
	status = run(&cli, argc - 1, argv + 1);
	for (uint32_t i = 0; i < cli.alternative_count; i++)
		json_decref(cli.alternative[i].options);
	json_decref(cli.overlay.options);
	json_decref(cli.overlay.device);
	json_decref(cli.overlay.limits);
	sd_arena_finish(&cli.mem);
	return status;
}
