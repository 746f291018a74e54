/* error.h - private: an error as the user gets it, wherever it came from. */
#ifndef SD_CLI_ERROR_H
#define SD_CLI_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "streamd/graph.h"

struct cli_error {
	struct sd_text code, status, message, node, pass;
	bool retryable;
	uint32_t retry_after_ms;
	char text[SD_MESSAGE_MAX]; /* where `message` may lie */
};

/* The diagnostic in words; `graph` gives the names of its nodes and may be NULL. */
void cli_error_from_diag(struct cli_error *error, const struct sd_diag *diag, const struct sd_graph *graph);

#endif
