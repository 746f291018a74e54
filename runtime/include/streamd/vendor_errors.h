/* vendor_errors.h - what the numeric and textual errors of the vendors' runtimes mean.
 *
 * Ascend's numbers: 107xxx a parameter or a state, 207xxx a resource, 507xxx the execution; its texts: EL and
 * EE codes. CUDA's numbers are below 1000, its texts their names. Ascend's own words for 207005 speak of memory, also where it is streams that ran out;
 * here every resource error says which one it is about. */
#ifndef SD_VENDOR_ERRORS_H
#define SD_VENDOR_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/text.h"

#define SD_CUDA_LAST_ERROR 999
#define SD_VENDOR_HOST_MEMORY 207001 /* what fails for want of memory of this process */

enum sd_vendor_resource {
	SD_VENDOR_NO_RESOURCE, SD_VENDOR_STREAMS, SD_VENDOR_EVENTS, SD_VENDOR_NOTIFIES, SD_VENDOR_MODELS, SD_VENDOR_QUEUE, SD_VENDOR_MEMORY,
};

/* Who has to look: whoever calls the runtime, who wrote the operator, or who built the model. */
enum sd_vendor_layer { SD_VENDOR_RUNTIME, SD_VENDOR_OPERATOR, SD_VENDOR_COMPILE };

struct sd_vendor_error {
	int64_t number;               /* 0: known by its text only */
	const char *text;             /* "EL0009", "CUDA_ERROR_TIMEOUT"; NULL: known by its number only */
	enum sd_code code;            /* of ours, one of SD_CODE_VENDOR_... */
	enum sd_vendor_resource resource;
	enum sd_vendor_layer layer;
	bool retryable;               /* the same call may succeed later */
	const char *sentence;         /* what happened and what makes it right */
};

/* The row of a number or of a text; NULL if there is none. */
const struct sd_vendor_error *sd_vendor_error_find(int64_t number);
const struct sd_vendor_error *sd_vendor_error_find_text(struct sd_text text);

/* Row `i`; NULL past the last. */
const struct sd_vendor_error *sd_vendor_error_row(uint32_t i);

/* "streams"; "runtime". */
const char *sd_vendor_resource_name(enum sd_vendor_resource resource);
const char *sd_vendor_layer_name(enum sd_vendor_layer layer);

/* The diagnostic of a call that ended with `number`, of Ascend or of CUDA: `what` are words such as "stream_create";
 * they live as long as the diagnostic. A number that is not in the table is a failure of the device. */
enum sd_status sd_vendor_fail(struct sd_diag *diag, const char *what, int64_t number);
enum sd_status sd_cuda_fail(struct sd_diag *diag, const char *what, int64_t number);

#endif
