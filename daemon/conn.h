/* conn.h - one peer on the framed socket: a small state machine.
 *
 * The table in conn.c gives each state its name, its time and the largest frame. Reading
 * stops while the peer owes us reading (unread answers) or has as many requests open as
 * it may; answers go out in any order. There is one way to close. */
#ifndef SD_CONN_H
#define SD_CONN_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/diag.h"
#include "blob.h"
#include "frame.h"
#include "lease.h"
#include "log.h"
#include "reader.h"

struct sd_server;
struct sd_call;

enum sd_conn_state {
	SD_CONN_HELLO,   /* nothing but hello is taken */
	SD_CONN_IDLE,    /* nothing is open */
	SD_CONN_READING, /* a frame has begun */
	SD_CONN_BUSY,    /* requests are open, or answers unread */
	SD_CONN_CLOSING, /* last bytes go out, the peer is waited for */
	SD_CONN_CLOSED,  /* handles are being closed */
	SD_CONN_STATES
};

/* Who is at the other end of a socket. */
struct sd_peer {
	uint32_t uid;
	int32_t pid;
	bool may_lease;
};

struct sd_conn {
	struct sd_server *server;
	struct sd_conn *prev, *next;
	uint64_t id;
	uint32_t uid; /* of the peer */
	int32_t pid;
	bool may_lease;
	uv_pipe_t pipe;
	uv_timer_t timer;
	uv_shutdown_t shutdown;
	uint8_t handles_open; /* freed after the last */
	enum sd_conn_state state;
	uint64_t active_ms;  /* when the peer last said something */
	uint64_t frame_count, timed_frame; /* frames that began; the one that the timer runs for */
	struct sd_reader reader;
	unsigned char *stash; /* bytes that arrived and may not be looked at yet */
	size_t stash_len;
	bool is_greeted, is_reading, is_pumping, is_leaving;
	bool is_held;   /* the next request waits for one to be done */
	bool is_paused; /* something that arrived waits for the peer to read */
	bool holds_request; /* the frame being read was admitted as a request */
	struct sd_call *calls;
	uint32_t call_count;
	uint64_t owed_bytes; /* handed to the socket and not taken by it */
	uint64_t stall_seen, stall_ms; /* what was unread at last sight, and since when it has been so */
	uint32_t glitches;
	uint64_t glitches_ms;
	struct sd_log_bucket log_bucket;
	struct sd_holding holding;
};

/* A connection over an accepted socket, which it owns from here on, also when it fails. */
void sd_conn_open(struct sd_server *server, int fd, const struct sd_peer *peer);

/* One frame to the peer: head, then `body` (a reference is taken over; NULL: none), then tail. */
struct sd_out {
	enum sd_frame_kind kind;
	uint16_t method;
	uint64_t request_id;
	unsigned char head[16], tail[32]; /* of the body, around the blob */
	uint8_t head_len, tail_len;
	struct sd_blob *body;
};
void sd_conn_send(struct sd_conn *conn, const struct sd_out *out);

/* An error frame. */
void sd_conn_send_error(struct sd_conn *conn, const struct sd_frame *about, const struct sd_diag *diag);

/* The same, and the connection cannot go on. */
void sd_conn_refuse(struct sd_conn *conn, const struct sd_frame *about, const struct sd_diag *diag);

/* Something legal but senseless; who does much of it is closed. */
void sd_conn_glitch(struct sd_conn *conn);

/* A call of it was freed: it may be read again, or it can leave now. */
void sd_conn_settle(struct sd_conn *conn);

/* Whether something may have come from the peer that was not looked at yet, by no fault of its own. */
bool sd_conn_is_behind(const struct sd_conn *conn);

/* Says goodbye; the peer may finish what is open. */
void sd_conn_say_goodbye(struct sd_conn *conn);

/* Sends what is owed, waits a while for the peer to close, then closes. */
void sd_conn_finish(struct sd_conn *conn);

/* At once: the peer is gone, or has used up its time. */
void sd_conn_close(struct sd_conn *conn, const char *why);

/* Once a second: peers that take no bytes, or that died while they were not read. */
void sd_conn_watch(struct sd_conn *conn);

#endif
