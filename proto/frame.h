/* frame.h - the envelope of every message on the framed socket.
 *
 * Little-endian: u32 length of what follows, u16 method, u8 kind, u8 flags,
 * u64 request id (chosen by the client, unique while open), u32 deadline_ms_left
 * (0 = the server's default), then the protobuf body. Pure functions over bytes:
 * they neither buffer nor wait, and any header bytes are safe to read. */
#ifndef SD_FRAME_H
#define SD_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SD_PROTOCOL 1u
#define SD_FRAME_HEADER 20u              /* bytes, length field included */
#define SD_FRAME_REST (SD_FRAME_HEADER - 4u) /* least value of the length field */
#define SD_FRAME_BODY_MAX (UINT32_MAX - SD_FRAME_REST) /* what the length field can say; a server takes far less */

enum sd_frame_kind {
	SD_FRAME_HELLO, SD_FRAME_REQUEST, SD_FRAME_ANSWER, SD_FRAME_ERROR,
	SD_FRAME_CANCEL, SD_FRAME_PING, SD_FRAME_PONG, SD_FRAME_GOODBYE,
};

struct sd_frame {
	uint32_t body_bytes; /* at most SD_FRAME_BODY_MAX */
	uint16_t method;
	uint8_t kind; /* enum sd_frame_kind, or any other value a peer sent */
	uint8_t flags;
	uint64_t request_id;
	uint32_t deadline_ms_left;
};

/* Methods of the framed socket, by number; the names are those of the service. */
#define SD_METHOD_LIST(X)                                                      \
	X(PLAN, 1, "Plan")                                                     \
	X(VERIFY, 2, "Verify")                                                 \
	X(STATUS, 3, "Status")                                                 \
	X(LIMITS, 4, "Limits")                                                 \
	X(CACHE_STATS, 5, "CacheStats")                                        \
	X(CACHE_FLUSH, 6, "CacheFlush")                                        \
	X(DRAIN, 7, "Drain")                                                   \
	X(PING, 8, "Ping")                                                     \
	X(JOBS, 9, "Jobs")                                                     \
	X(CANCEL_JOB, 10, "CancelJob")                                         \
	X(EXPLAIN, 11, "Explain")                                              \
	X(REGISTER_MODEL, 12, "RegisterModel")                                 \
	X(ACQUIRE, 13, "Acquire")                                              \
	X(RELEASE, 14, "Release")                                              \
	X(HEARTBEAT, 15, "Heartbeat")                                          \
	X(DESCRIBE, 16, "Describe")                                            \
	X(UNLOAD, 17, "Unload")                                                \
	X(BUDGET, 18, "Budget")                                                \
	X(RESERVE, 19, "Reserve")                                              \
	X(POOL_STATS, 20, "PoolStats")                                         \
	X(LIST, 21, "List")                                                    \
	X(WATCH, 22, "Watch")                                                  \
	X(PLAN_BATCH, 23, "PlanBatch")                                         \
	X(REPORT, 24, "Report")                                                \
	X(SIMULATE, 25, "Simulate")

enum sd_method {
#define SD_X(name, number, text) SD_METHOD_##name = number,
	SD_METHOD_LIST(SD_X)
#undef SD_X
};

/* Writes the header of a frame. */
void sd_frame_write(unsigned char out[SD_FRAME_HEADER], const struct sd_frame *frame);

/* Reads a header once SD_FRAME_HEADER bytes are there; INVALID_ARGUMENT when its
 * length field is too small to hold the rest of the header. How large a body may be is
 * the caller's rule: it must be asked before a byte of the body is waited for. */
enum sd_status sd_frame_read(const unsigned char in[SD_FRAME_HEADER], struct sd_frame *frame);

#endif
