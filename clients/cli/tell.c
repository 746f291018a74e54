#include "tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define QUIET_NS UINT64_C(500000000)   /* what takes less is not told */
#define BETWEEN_NS UINT64_C(100000000) /* from one line to the next */
#define RED "\033[1;31m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"
#define GONE "\r\033[K"

void cli_tell_start(struct cli *cli)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	cli->at_terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	cli->colours = cli->at_terminal && !(none && *none);
}

static const char *colour(const struct cli *cli, const char *code)
{
	return cli->colours ? code : "";
}

void cli_note(const struct cli *cli, const char *format, ...)
{
	va_list args;

	if (cli->quiet)
		return;
	fprintf(stderr, "%sstreamctl: note: ", colour(cli, FAINT));
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", colour(cli, PLAIN));
}

void cli_tell_name(const struct cli *cli)
{
	fprintf(stderr, "%sstreamctl:%s ", colour(cli, RED), colour(cli, PLAIN));
}

/* ---- hints ---- */

/* What often helps; NULL: the message says it all. */
static const char *hint_of(const struct cli *cli, struct sd_text code)
{
	static const struct {
		enum sd_code code;
		unsigned flag;      /* only for commands that have it; 0: all */
		const char *hint;
	} rows[] = {
		{ SD_CODE_UNREACHABLE, FLAG_LOCAL, "streamd & starts a daemon; --local plans without one" },
		{ SD_CODE_UNREACHABLE, 0, "streamd & starts a daemon" },
		{ SD_CODE_BAD_JSON, FLAG_REQUEST, "proto/streamd.proto tells every key; streamctl convert FILE -o - writes a request out in full" },
		{ SD_CODE_BROKEN, 0, "please report this, with the request that brings it about" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sd_text_is(code, sd_code_text(rows[i].code)) && (rows[i].flag == 0 || (cli->command && cli->command->flags & rows[i].flag)))
			return rows[i].hint;
	}
	return NULL;
}

void cli_tell_error(const struct cli *cli, const struct cli_error *error)
{
	const char *hint = cli->at_terminal && !cli->quiet ? hint_of(cli, error->code) : NULL;

	cli_tell_name(cli);
	fprintf(stderr, "%.*s: %.*s\n", (int)error->code.len, error->code.at, (int)error->message.len, error->message.at);
	if (hint)
		fprintf(stderr, "%s  hint: %s%s\n", colour(cli, FAINT), hint, colour(cli, PLAIN));
	else if (cli->at_terminal && !cli->quiet && error->retryable)
		fprintf(stderr, "%s  hint: the same may go through later%s\n", colour(cli, FAINT), colour(cli, PLAIN));
}

/* ---- progress ---- */

void cli_progress(struct cli *cli, uint64_t since_ns, const char *format, ...)
{
	uint64_t now = cli_now_ns();
	va_list args;

	if (!cli->at_terminal || cli->quiet || now - since_ns < QUIET_NS || now - cli->told_ns < BETWEEN_NS)
		return;
	cli->told_ns = now;
	fprintf(stderr, GONE "%s", colour(cli, FAINT));
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "%s", colour(cli, PLAIN));
}

void cli_progress_done(struct cli *cli)
{
	if (cli->told_ns)
		fputs(GONE, stderr);
	cli->told_ns = 0;
}
