/* tell.h - private: what streamctl says to people beside its answer, on standard error.
 *
 * Notes are for files and terminals alike, unless --quiet. Progress, colours and hints are for terminals: there is no
 * byte of them where standard error is anything else, and no colour where NO_COLOR is set. */
#ifndef SD_CLI_TELL_H
#define SD_CLI_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct cli;

/* Looks at standard error and the environment; before anything is told. */
void cli_tell_start(struct cli *cli);

/* "streamctl: note: ...", a line; nothing under --quiet. */
__attribute__((format(printf, 2, 3)))
void cli_note(const struct cli *cli, const char *format, ...);

/* "streamctl: CODE: message", a line, and at a terminal what could be done about it. */
void cli_tell_error(const struct cli *cli, const struct cli_error *error);

/* "streamctl: ", in red at a terminal; the caller ends the line. */
void cli_tell_name(const struct cli *cli);

/* A line at a terminal that is overwritten by what is told next, and gone with cli_tell_done(). `since_ns`: when the work
 * began; what takes less than half a second is not told. */
__attribute__((format(printf, 3, 4)))
void cli_progress(struct cli *cli, uint64_t since_ns, const char *format, ...);
void cli_progress_done(struct cli *cli);

#endif
