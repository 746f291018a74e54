/* last_error.h - what last failed on this thread.
 *
 * What enqueues tells only whether it was taken; a failure of the work itself comes out at a later
 * synchronize, on whichever thread asks. Each thread keeps the last failure that it was told, so
 * that code which looks only now and then still finds it. */
#ifndef SD_LAST_ERROR_H
#define SD_LAST_ERROR_H

#include "base/diag.h"
#include "base/status.h"

struct sd_last_error {
	enum sd_status status;       /* SD_OK: nothing failed */
	enum sd_code code;
	char message[SD_MESSAGE_MAX];
};

/* Keeps a failure with its sentence; SD_OK is not kept. `diag` may be NULL. Answers `status`. */
enum sd_status sd_last_error_keep(enum sd_status status, const struct sd_diag *diag);

/* Peek leaves it, get takes it away. */
void sd_last_error_peek(struct sd_last_error *error);
void sd_last_error_get(struct sd_last_error *error);

#endif
