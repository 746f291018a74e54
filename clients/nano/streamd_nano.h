/* streamd_nano.h - a client of the daemon that allocates nothing.
 *
 * Everything it needs is one struct sd_nano of a few kilobytes that the caller provides. A
 * graph of any size goes out and a plan comes back piece by piece, through functions of the
 * caller: neither is ever in memory as a whole.
 *
 * One client is one connection, used by one thread at a time. Every call has a deadline and
 * ends by it. A broken connection is made anew by the next call. Calls are not repeated;
 * `retryable` tells where that may help.
 *
 * Messages are those of proto/streamd.proto, as nanopb makes them (streamd.pb.h): texts and
 * lists of what is sent are pointers into the caller's memory. */
#ifndef STREAMD_NANO_H
#define STREAMD_NANO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "proto/frame.h"
#include "streamd.pb.h"

#define SD_NANO_BUFFER 4096u    /* bytes, each way */
#define SD_NANO_PATH_MAX 108u   /* bytes of a socket's path with its NUL; the system's bound */

struct sd_nano_error {
	enum sd_status status;
	char code[16];            /* "SD4010" */
	char message[256];        /* cut if longer */
	char node[128];           /* the graph's node that it is about, or empty; cut if longer */
	bool retryable;           /* the same call may succeed later */
	uint32_t retry_after_ms;  /* not before this */
};

/* A client. Its fields are the library's own; it may lie anywhere and holds a descriptor only. */
struct sd_nano {
	int fd;                   /* -1: not connected */
	bool answered_early;      /* a frame came in before the request was sent */
	uint64_t last_id;
	int64_t until_ms;         /* of the call under way */
	uint32_t body_left;       /* of the frame that is coming in */
	size_t out_used, in_at, in_end;
	char path[SD_NANO_PATH_MAX];
	unsigned char out[SD_NANO_BUFFER], in[SD_NANO_BUFFER];
};

/* One graph of the request, the root or a body. */
struct sd_nano_graph {
	const char *name;
	bool dynamic;
	uint32_t nodes;
	const streamd_v1_Attr *attrs;   /* attr_count of them */
	pb_size_t attr_count;
};

/* What is to be planned. Zero everywhere but `root` and `node` is a request of known shape without options. */
struct sd_nano_request {
	struct sd_nano_graph root;
	uint32_t subgraphs;
	/* Describes subgraph 0 .. subgraphs - 1; NULL where there are none. False ends the call. */
	bool (*subgraph)(void *user, uint32_t subgraph, struct sd_nano_graph *graph);
	/* Describes node `index` of graph 0, the root, or graph 1 + subgraph; *node is all zero. What it
	 * points to must last until the next call. Asked three times or four for each node, and must answer the same
	 * each time. False ends the call. */
	bool (*node)(void *user, uint32_t graph, uint32_t index, streamd_v1_Node *node);
	const streamd_v1_Options *options;   /* NULL: defaults */
	const streamd_v1_Device *device;     /* NULL: profile default */
	void *user;
};

/* What is told of the plan, in the order of its messages. Functions that are NULL are not called; each
 * may answer false, which ends the call with CANCELLED. Nodes are numbered root nodes in order, then
 * each subgraph's. What is pointed to lasts as long as the call of the function. */
struct sd_nano_sink {
	bool (*command)(void *user, uint32_t stream, const streamd_v1_Command *command);    /* in the order in which they run */
	bool (*stream)(void *user, uint32_t stream, const streamd_v1_Stream *facts);        /* behind its commands */
	bool (*attached)(void *user, uint32_t node, uint32_t stream);                       /* a further stream of a node */
	bool (*placed)(void *user, uint32_t node, const streamd_v1_Placement *placement);   /* behind its attached streams */
	bool (*sync)(void *user, uint32_t place, const streamd_v1_Sync *sync);
	bool (*started)(void *user, uint32_t place, uint32_t stream);                       /* by activation `place` */
	bool (*activation)(void *user, uint32_t place, uint32_t node);                      /* behind the streams that it starts */
	bool (*inserted)(void *user, uint32_t node_switch);                                 /* a node behind those of the graph */
	bool (*diagnostic)(void *user, const char *code, uint32_t node_plus1);
	void *user;
};

/* Makes a client; nothing is connected yet. `path` NULL: $STREAMD_SOCKET, else
 * $XDG_RUNTIME_DIR/streamd/streamd.sock where that directory exists, else
 * /run/streamd/streamd.sock. INVALID_ARGUMENT where the path is too long for a socket. */
enum sd_status sd_nano_init(struct sd_nano *client, const char *path);

/* Closes the connection; the client may be used again. */
void sd_nano_close(struct sd_nano *client);

/* Plans the request: totals into *plan, the rest into *sink (NULL: nobody is told). `deadline_ms` at
 * least 1; it counts sending, too. `error` is written unless SD_OK is answered. A plan is whole only when SD_OK is
 * answered; until then, what the sink was told may still turn out to be a part. */
enum sd_status sd_nano_plan(struct sd_nano *client, const struct sd_nano_request *request, uint32_t deadline_ms,
                            const struct sd_nano_sink *sink, streamd_v1_Plan *plan, struct sd_nano_error *error);

/* Any other method: `request` and `answer` are messages and `*_fields` their descriptions, both from
 * streamd.pb.h (streamd_v1_Ping..._fields). Texts and lists of an answer are read through
 * the nanopb callbacks that the caller set in *answer. */
enum sd_status sd_nano_call(struct sd_nano *client, enum sd_method method, const pb_msgdesc_t *request_fields, const void *request,
                            uint32_t deadline_ms, const pb_msgdesc_t *answer_fields, void *answer, struct sd_nano_error *error);

#endif
