/* conn.h - one peer, whichever wire it speaks.
 *
 * What the handlers, the leases and the life of calls know of a peer: who it is, what it has
 * open, what it holds, and a table of functions to tell it something. Each listener has its own
 * kind of connection, with a struct sd_conn at its head (framed.h, grpc_conn.h). For the loop thread. */
#ifndef SD_CONN_H
#define SD_CONN_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/diag.h"
#include "blob.h"
#include "deflated.h"
#include "lease.h"
#include "log.h"

struct sd_server;
struct sd_call;
struct sd_conn;

/* Who is at the other end. */
struct sd_who {
	uint32_t uid; /* of a peer that the kernel does not know: a number made of its name */
	int32_t pid;  /* of one on another machine: a number of its connection */
	bool is_admin, may_lease;
};

#define SD_ANSWER_HEAD 24u /* three fields of a number or a length */
#define SD_ANSWER_TAIL 32u

/* What a call is told: head, then `body` (a reference is taken over; NULL: no memory was left), then tail. */
struct sd_answer {
	enum sd_status status; /* SD_OK: the method's message, else an Error */
	bool is_part;          /* more answers follow */
	unsigned char head[SD_ANSWER_HEAD], tail[SD_ANSWER_TAIL]; /* of the message, around the blob */
	uint8_t head_len, tail_len;
	struct sd_blob *body;
	struct sd_deflated deflated; /* the body packed, where there is that (its reference is taken over, too) */
};

/* Gives the references of an answer back that is not told. */
void sd_answer_drop(const struct sd_answer *answer);

/* How a kind of connection does what all of them can. */
struct sd_conn_kind {
	/* To the peer of a call. */
	void (*answer)(struct sd_call *call, const struct sd_answer *answer);
	/* Whether something that the call was told has not gone out yet. */
	bool (*owes)(const struct sd_call *call);
	/* Whether that, or all that its connection was told, is as much as a peer may leave unread; what follows is kept back until it has read. */
	bool (*is_full)(const struct sd_call *call);
	/* Whether something may have come from the peer that was not looked at yet, by no fault of its own. */
	bool (*is_behind)(const struct sd_conn *conn);
	/* A call of it was freed: it may be read again, or it can leave now. */
	void (*settle)(struct sd_conn *conn);
	/* Once a second: peers that take no bytes, or that died while they were not read. */
	void (*watch)(struct sd_conn *conn);
	/* Says goodbye; the peer may finish what is open. */
	void (*say_goodbye)(struct sd_conn *conn);
	/* Whether, after the goodbye, nothing is open and all has been said. */
	bool (*is_quiet)(const struct sd_conn *conn);
	/* Sends what is owed, waits a while for the peer to close, then closes. */
	void (*finish)(struct sd_conn *conn);
	/* At once: the peer is gone, or has used up its time. */
	void (*close)(struct sd_conn *conn, const char *why);
	/* What came before the goodbye was seen is still done, since clients of this kind take a refusal for the answer. */
	bool does_what_came;
};

struct sd_conn {
	const struct sd_conn_kind *kind;
	struct sd_server *server;
	struct sd_conn *prev, *next;
	uint64_t id;
	uint32_t uid;
	int32_t pid;
	bool is_admin, may_lease;
	struct sd_call *calls;
	uint32_t call_count;
	uint64_t held_bytes; /* answers that its batches keep back until it has read */
	uint32_t glitches;
	uint64_t glitches_ms;
	struct sd_log_bucket log_bucket;
	struct sd_holding holding;
};

/* Puts a new connection into the server's list. */
void sd_conn_enlist(struct sd_conn *conn, const struct sd_conn_kind *kind, struct sd_server *server, const struct sd_who *who);

/* Its calls and leases end. The same, and it is taken out of the list. */
void sd_conn_let_go(struct sd_conn *conn);
void sd_conn_unlist(struct sd_conn *conn);

/* Whether bytes lie in the socket. */
bool sd_conn_has_unread(const uv_handle_t *handle);

/* Something legal but senseless. False: it did too much of it, and is to be closed. */
bool sd_conn_glitch(struct sd_conn *conn);

#endif
