/* error.h - a diagnostic as the bytes of an Error message. */
#ifndef SD_ERROR_H
#define SD_ERROR_H

#include "base/diag.h"
#include "blob.h"

#define SD_RETRY_AFTER_MS 100u /* what a refusal that may be retried asks for */

/* Valid UTF-8 whatever the request held. `names` may be NULL. NULL when the system has no memory. */
struct sd_blob *sd_error_blob(const struct sd_diag *diag, const struct sd_names *names);

#endif
