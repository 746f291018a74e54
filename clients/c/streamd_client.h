/* streamd_client.h - a blocking client of the daemon, in one header.
 *
 * A client is one connection to one daemon, used by one thread at a time; only
 * sd_client_cancel() may be called from elsewhere, a signal handler included. Every call
 * has a deadline and ends by it. No signal is raised or blocked, nothing is global, and
 * nothing is written anywhere. A broken connection is made anew by the next call.
 *
 * Bodies are the protobuf messages of proto/streamd.proto, packed: METHOD_PLAN takes a
 * PlanRequest and answers a PlanAnswer, and so on. */
#ifndef STREAMD_CLIENT_H
#define STREAMD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "proto/frame.h"

#define SD_CLIENT_PATH_MAX 108u /* bytes of a socket's path with its NUL; the system's bound */

struct sd_client;

/* How to connect and to call; zero everywhere is a good choice. */
struct sd_client_options {
	const char *socket;       /* NULL: see sd_client_socket_path() */
	const char *name;         /* who is calling, for the daemon's log; NULL: "c" */
	uint32_t connect_ms;      /* bound of connecting and greeting; 0: 5000 */
	uint32_t deadline_ms;     /* of calls that state none; 0: the daemon's default */
	uint32_t attempts;        /* of a call that may be repeated, the first included; 0: 4 */
};

/* Why a call failed, in the daemon's words or in the library's own. */
struct sd_client_error {
	enum sd_status status;
	char code[16];            /* "SD4010" */
	char message[1024];       /* cut if longer */
	char node[520];           /* the graph's node that it is about, or empty */
	char pass[64];
	bool retryable;           /* the same call may succeed later */
	uint32_t retry_after_ms;  /* not before this */
};

/* What a call brought. On SD_OK the answer's body, else the error. */
struct sd_reply {
	unsigned char *body;      /* freed by sd_reply_finish() */
	size_t body_bytes;
	struct sd_client_error error;
};

/* $STREAMD_SOCKET, else $XDG_RUNTIME_DIR/streamd/streamd.sock where that directory exists, else
 * /run/streamd/streamd.sock. Answers `out`. */
const char *sd_client_socket_path(char out[SD_CLIENT_PATH_MAX]);

/* Connects and greets. UNAVAILABLE (SD4010) when no daemon answers there; then *client is NULL.
 * `options` and `error` may be NULL. */
enum sd_status sd_client_open(struct sd_client **client, const struct sd_client_options *options, struct sd_client_error *error);

/* Closes; NULL is fine. */
void sd_client_close(struct sd_client *client);

/* Sends the body and waits for the answer, at most `deadline_ms` (0: the daemon's default). A call
 * that may be repeated without harm (all but Report, CacheFlush, Drain, CancelJob, RegisterModel, Acquire, Release, Unload, Reserve) is repeated when the
 * daemon says that it may succeed later or the connection broke, with growing pauses, within
 * the deadline. `reply` is overwritten; give it to sd_reply_finish() whatever came. */
enum sd_status sd_client_call(struct sd_client *client, enum sd_method method, const void *body, size_t body_bytes,
                              uint32_t deadline_ms, struct sd_reply *reply);

void sd_reply_finish(struct sd_reply *reply);

/* What one request of a batch was answered. It lives during the call that hands it over. */
struct sd_client_item {
	uint32_t index;               /* of the request, from 0 */
	enum sd_status status;
	const unsigned char *answer;  /* with SD_OK: a PlanAnswer, packed */
	size_t answer_bytes;
	struct sd_client_error error; /* else: why it has no plan */
};

/* False: the rest is not wanted. It must not call the client. */
typedef bool sd_client_hear(void *arg, const struct sd_client_item *item);

/* Plans all graphs of a PlanBatchRequest. `hear` gets each answer as soon as it comes, in any order, one for each request. SD_OK
 * when all were answered, whether with a plan or with an error of their own; CANCELLED when `hear` wanted no more, or by
 * sd_client_cancel(); else `error` (may be NULL) tells what kept the rest from being answered. At most `deadline_ms` for all of it
 * (0: the daemon's default). It is repeated as any call is, but not once something was heard. */
enum sd_status sd_client_plan_batch(struct sd_client *client, const void *body, size_t body_bytes, uint32_t deadline_ms,
                                    sd_client_hear *hear, void *arg, struct sd_client_error *error);

/* Ends the call that is under way, or the next one, with CANCELLED; the daemon is told. */
void sd_client_cancel(struct sd_client *client);

/* What the daemon said when it was greeted. */
const char *sd_client_server_version(const struct sd_client *client);
const char *sd_client_path(const struct sd_client *client);

#endif
