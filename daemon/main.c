/* streamd - plans device streams for computation graphs, as a service. */
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "rpc.h"
#include "server.h"
#include "streamd/std_files.h"

#define SETS_MAX 256

/* Blocks above this come from the system and go back to it; a fixed bound, because the C
 * library would raise its own after the first large request and keep the memory. */
#define MMAP_BYTES (256 << 10)

enum { EXIT_USAGE = 2 };

static void print_method(const struct sd_rpc *rpc)
{
	static const char *const role[] = {
		[SD_ROLE_SUBMIT] = "for all", [SD_ROLE_OBSERVE] = "for all", [SD_ROLE_LEASE] = "for members of pool.group, for all where none is named",
		[SD_ROLE_ADMIN] = "for root and the daemon's own user",
	};

	printf("  %2d %-13s %s%s\n", rpc->number, rpc->name, role[rpc->role],
	       rpc->is_idempotent ? ", may be sent again" : "");
}

static void print_help(void)
{
	puts("streamd [--config FILE] [--set section.key=value ...] [--check-config] [--print-config] [--version]\n\n"
	     "Plans device streams for computation graphs. Runs on its defaults without any argument.\n\n"
	     "  --config FILE     settings; without it " SD_CONFIG_FILE " where it exists\n"
	     "  --set KEY=VALUE   one setting; wins over file and environment\n"
	     "  --check-config    says whether the settings are right, and ends\n"
	     "  --print-config    prints the documented default file, and ends\n"
	     "  --version         prints the version, and ends\n\n"
	     "Settings, with their defaults:");
	sd_config_print_help(stdout);
	puts("\nMethods, of the framed socket and of gRPC:");
	for (uint32_t i = 0; i < sd_rpc_count(); i++)
		print_method(sd_rpc_row(i));
}

struct arguments {
	struct sd_config_source source;
	const char *sets[SETS_MAX];
	bool only_check;
};

/* Answers an exit status, or -1 to go on. */
static int read_arguments(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' }, { "set", required_argument, NULL, 's' },
		{ "check-config", no_argument, NULL, 'k' }, { "print-config", no_argument, NULL, 'p' },
		{ "version", no_argument, NULL, 'v' },      { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	args->source.sets = args->sets;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'c': args->source.file = optarg; break;
		case 'k': args->only_check = true; break;
		case 'p': sd_config_print_file(stdout); return EXIT_SUCCESS;
		case 'v': puts("streamd " SD_VERSION); return EXIT_SUCCESS;
		case 'h': print_help(); return EXIT_SUCCESS;
		case 's':
			if (args->source.set_count == SETS_MAX) {
				fprintf(stderr, "streamd: more than %d times --set; use a file\n", SETS_MAX);
				return EXIT_USAGE;
			}
			args->sets[args->source.set_count++] = optarg;
			break;
		default: return EXIT_USAGE;
		}
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "streamd: what is '%s'? see streamd --help\n", argv[optind]);
	return EXIT_USAGE;
}

static int serve(const struct sd_config *config, const struct sd_config_source *source)
{
	static struct sd_server server;
	char error[SD_CONFIG_ERROR_MAX];

	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	if (!sd_server_open(&server, config, source, error)) {
		fprintf(stderr, "streamd: %s\n", error);
		return EXIT_FAILURE;
	}
	sd_server_run(&server);
	sd_server_close(&server);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct sd_config config;
	char error[SD_CONFIG_ERROR_MAX];
	int status;

	sd_std_files_take();
	status = read_arguments(argc, argv, &args);
	if (status >= 0)
		return status;
	if (!sd_config_load(&config, &args.source, error)) {
		fprintf(stderr, "streamd: %s\n", error);
		return EXIT_FAILURE;
	}
	if (args.only_check) {
		puts("the settings are right");
		return EXIT_SUCCESS;
	}
	return serve(&config, &args.source);
}
