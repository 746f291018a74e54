/* status.h - how a call ended.
 *
 * The values are those of gRPC, so that a status means the same in the planner,
 * on every wire and in every log. What exactly went wrong, and what would make it
 * right, is told by the diagnostic (diag.h) that comes with it. */
#ifndef SD_STATUS_H
#define SD_STATUS_H

enum sd_status {
	SD_OK = 0,
	SD_CANCELLED = 1,
	SD_INVALID_ARGUMENT = 3,
	SD_DEADLINE_EXCEEDED = 4,
	SD_NOT_FOUND = 5,
	SD_ALREADY_EXISTS = 6,
	SD_PERMISSION_DENIED = 7,
	SD_RESOURCE_EXHAUSTED = 8,
	SD_FAILED_PRECONDITION = 9,
	SD_ABORTED = 10,
	SD_UNIMPLEMENTED = 12,
	SD_INTERNAL = 13,
	SD_UNAVAILABLE = 14,
};

/* "INVALID_ARGUMENT"; never NULL. */
const char *sd_status_name(enum sd_status status);

/* Hands a failure on. There is nothing to clean up: memory is the job's arena. */
#define SD_TRY(call)                          \
	do {                                  \
		enum sd_status try_ = (call); \
		if (try_ != SD_OK)            \
			return try_;          \
	} while (0)

#endif
