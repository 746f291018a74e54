/* last_errors.h - what peers were refused lately, for who looks at the daemon: the last of each kind, latest first.
 *
 * Bounded whatever peers do: so many rows, each with the Error that was sent. The same error of
 * the same method again counts up and goes to the front, so that a flood of one does not wash
 * the others out. For the loop thread. */
#ifndef SD_LAST_ERRORS_H
#define SD_LAST_ERRORS_H

#include <stdint.h>

#include "base/diag.h"
#include "blob.h"

#define SD_LAST_ERRORS 32u

struct sd_last_error {
	int64_t time_ms;       /* of the last time, since 1970 */
	uint64_t times;
	const char *method;    /* a constant; "connection": it was no call */
	uint64_t conn_id, request_id; /* of the last time; 0: none */
	struct sd_blob *error; /* an Error message; owned */
};

struct sd_last_errors {
	struct sd_last_error row[SD_LAST_ERRORS];
	uint32_t count;
	uint64_t total; /* all that were ever added */
};

/* Keeps a reference to `error`; NULL (there was no memory to make it) is counted alone. */
void sd_last_errors_add(struct sd_last_errors *errors, const char *method, uint64_t conn_id, uint64_t request_id, struct sd_blob *error);

/* A connection was refused something that is no call. */
void sd_last_errors_add_conn(struct sd_last_errors *errors, uint64_t conn_id, const struct sd_diag *diag);

void sd_last_errors_finish(struct sd_last_errors *errors);

#endif
