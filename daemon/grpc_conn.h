/* grpc_conn.h - one peer that speaks gRPC, and its open streams.
 *
 * A stream is read into one message (or several, for server reflection), becomes a call of the
 * handlers when it is whole, and is answered with messages and a status. What the handlers say is
 * gathered and goes out once a turn of the loop (sd_grpc_turn), never from inside nghttp2. */
#ifndef SD_GRPC_CONN_H
#define SD_GRPC_CONN_H

#include <nghttp2/nghttp2.h>
#include <uv.h>

#include "base/text.h"
#include "conn.h"
#include "grpc_text.h"
#include "rpc.h"

struct ssl_st;
struct sd_grpc_stream;

/* A method of one of the services: of the table of rpc.c, or one that only gRPC has. */
#define SD_GRPC_PATH_MAX 72
struct sd_grpc_method {
	char path[SD_GRPC_PATH_MAX]; /* /package.Service/Method */
	size_t path_len;
	const struct sd_rpc *rpc; /* NULL: `serve` takes each message */
	void (*serve)(struct sd_grpc_stream *stream, struct sd_text message);
	bool takes_many; /* any number of messages, until the peer ends */
	uint32_t metric; /* row of the metrics */
};

/* One answer on its way out. */
struct sd_grpc_out {
	struct sd_grpc_out *next;
	struct sd_blob *body;
	size_t sent;
	unsigned char head[SD_GRPC_PREFIX + SD_GZIP_FRONT + SD_ANSWER_HEAD], tail[SD_GZIP_BACK + SD_ANSWER_TAIL];
	uint8_t head_len, tail_len;
};

struct sd_grpc_stream {
	struct sd_grpc_conn *grpc;
	struct sd_grpc_stream *prev, *next;
	struct sd_grpc_stream *held_prev, *held_next; /* whole, and waits to begin */
	int32_t id;
	const struct sd_grpc_method *method; /* NULL: not known, or not yet */
	uint64_t began_ms, timeout_ms;       /* 0: none is stated */
	uint32_t header_bytes;
	/* What its headers said. */
	bool is_post, has_path, has_te, has_type, has_bad_timeout, is_gzip, has_bad_encoding, takes_gzip;
	bool packs; /* answers may go out packed */
	/* The request: a message of so many bytes, so many of them there. */
	unsigned char prefix[SD_GRPC_PREFIX];
	uint8_t prefix_have;
	unsigned char *body;
	uint32_t body_bytes, body_have;
	bool has_message, is_admitted; /* its bytes are accounted for */
	bool is_whole, is_held, is_begun; /* the peer has ended; it waits in the line of the connection; it is a call */
	/* The answers. */
	struct sd_grpc_out *first, *last;
	uint64_t owed_bytes;    /* of them, not sent yet: a share of those of the connection */
	bool is_open, is_ended; /* headers are sent; the status is known */
	bool is_health_watch;
	enum sd_status status;
	struct sd_blob *error; /* an Error message */
};

enum sd_grpc_state {
	SD_GRPC_HELLO,   /* TLS and the preface of HTTP/2 are to come */
	SD_GRPC_OPEN,
	SD_GRPC_LEAVING, /* goodbye was said; what the peer sent before it hears is still done */
	SD_GRPC_LAST,    /* no more streams; those that are open are finished */
	SD_GRPC_CLOSING, /* our end was shown, the peer's is waited for */
	SD_GRPC_CLOSED,
};

struct sd_grpc_conn {
	struct sd_conn conn; /* first */
	union {
		uv_stream_t stream;
		uv_pipe_t pipe;
		uv_tcp_t tcp;
	} io;
	uv_timer_t timer;
	uv_shutdown_t shutdown;
	uint8_t handles_open; /* freed after the last */
	enum sd_grpc_state state;
	bool is_tcp, is_dirty, is_writing, is_sent_away;
	struct sd_grpc_conn *dirty_next;
	nghttp2_session *session;
	struct ssl_st *ssl; /* NULL: in the clear */
	bool is_shaken; /* TLS has been agreed on */
	const unsigned char *carry; /* a piece of the session's that did not fit the buffer */
	size_t carry_len;
	uint32_t room; /* left in the buffer, while it is filled */
	unsigned char *fill;
	struct sd_grpc_stream *streams, *held_first, *held_last;
	uint32_t stream_count, early; /* open; of them, neither begun nor ended */
	uint64_t owed_bytes; /* answers that the socket has not taken */
	uint64_t moved_bytes, data_bytes; /* all that the socket took; what of answers was given to it */
	uint64_t stall_seen, stall_ms;
	uint64_t opened_ms, heard_ms, active_ms; /* since when it is; when a byte came; when the peer last asked for something */
	uint64_t armed_ms, leave_ms; /* when the timer fires; since when it leaves or closes */
	uint64_t ping_ms; /* when we asked whether the peer is there; 0: it answered */
	bool has_sent; /* headers or messages, since the peer's last ping */
};

/* A connection over an accepted socket, which it owns from here on, also when it fails. `who` NULL: by TCP. */
void sd_grpc_conn_open(struct sd_server *server, int fd, const struct sd_who *who);
/* Tells a peer that cannot be taken so, and closes the socket. */
void sd_grpc_turn_away(struct sd_server *server, int fd, const struct sd_diag *why);

/* Once a turn, for one that is dirty: begins what was held, sends, looks at the time. */
void sd_grpc_conn_turn(struct sd_grpc_conn *grpc);
void sd_grpc_dirty(struct sd_grpc_conn *grpc);
void sd_grpc_conn_close(struct sd_grpc_conn *grpc, const char *why);

/* The peer has said what it has to say first. */
void sd_grpc_greeted(struct sd_grpc_conn *grpc);
/* A goodbye went out; a ping was answered. */
void sd_grpc_sent_goaway(struct sd_grpc_conn *grpc);
void sd_grpc_heard_ping(struct sd_grpc_conn *grpc, const uint8_t what[8]);
/* It is told why, and the connection ends. */
void sd_grpc_send_away(struct sd_grpc_conn *grpc, uint32_t error_code, const char *why);

/* ---- grpc_io.c: bytes ---- */

/* Reads from now on. False: the socket cannot be read. */
bool sd_grpc_io_start(struct sd_grpc_conn *grpc);
void sd_grpc_io_flush(struct sd_grpc_conn *grpc);
/* Nothing more will be sent: TLS says so. */
void sd_grpc_io_end(struct sd_grpc_conn *grpc);

/* ---- grpc_session.c: what nghttp2 tells ---- */

#define SD_GRPC_FRAME_MAX (1 << 20)     /* of the peer's frames: fewer, larger ones for a large graph */
#define SD_GRPC_STREAM_WINDOW (4 << 20) /* what it may send ahead of being read */
#define SD_GRPC_CONN_WINDOW (16 << 20)

/* False: no memory. */
bool sd_grpc_callbacks_make(nghttp2_session_callbacks **callbacks);
/* The session, once the peer is known: its first frames are queued. False: no memory. */
bool sd_grpc_session_open(struct sd_grpc_conn *grpc);

/* ---- grpc_stream.c: requests ---- */

struct sd_grpc_stream *sd_grpc_stream_begin(struct sd_grpc_conn *grpc, int32_t id);
void sd_grpc_stream_header(struct sd_grpc_stream *stream, struct sd_text name, struct sd_text value);
void sd_grpc_stream_headers_done(struct sd_grpc_stream *stream);
void sd_grpc_stream_data(struct sd_grpc_stream *stream, const unsigned char *at, size_t len);
void sd_grpc_stream_whole(struct sd_grpc_stream *stream);
/* Its message goes, if it has not become a call. */
void sd_grpc_stream_drop_body(struct sd_grpc_stream *stream);
/* Its connection is gone: what is accounted for it goes, it itself later. */
void sd_grpc_stream_give_up(struct sd_grpc_stream *stream);
/* Its peer reset it, or it is over; frees it. */
void sd_grpc_stream_end(struct sd_grpc_stream *stream);
/* Whole ones begin as far as the connection may have open. */
void sd_grpc_begin_held(struct sd_grpc_conn *grpc);
/* Answers those whose time is over; answers when the next one's is (UINT64_MAX: none). */
uint64_t sd_grpc_expire(struct sd_grpc_conn *grpc, uint64_t now);

/* ---- grpc_answer.c: answers ---- */

void sd_grpc_answer(struct sd_call *call, const struct sd_answer *answer);
bool sd_grpc_owes(const struct sd_call *call);
bool sd_grpc_is_full(const struct sd_call *call);
/* A message; takes the body over. */
void sd_grpc_send(struct sd_grpc_stream *stream, const struct sd_answer *answer);
/* The end; takes `error` over, which is NULL with SD_OK. */
void sd_grpc_finish(struct sd_grpc_stream *stream, enum sd_status status, struct sd_blob *error);
void sd_grpc_fail(struct sd_grpc_stream *stream, const struct sd_diag *diag);
/* A status of HTTP alone, for one who does not speak gRPC. */
void sd_grpc_http_status(struct sd_grpc_stream *stream, const char status[3]);
/* Its status is known: it counts, and its message goes. */
void sd_grpc_count_end(struct sd_grpc_stream *stream, enum sd_status status);
void sd_grpc_drop_outs(struct sd_grpc_stream *stream);
/* What nghttp2 asks for when it sends DATA. */
int sd_grpc_send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *framehd, size_t length,
                      nghttp2_data_source *source, void *user_data);

/* ---- grpc_services.c ---- */

struct sd_grpc_method *sd_grpc_methods_make(uint32_t *count); /* NULL: no memory */
const struct sd_grpc_method *sd_grpc_find_method(const struct sd_server *server, struct sd_text path);

/* grpc_health.c, grpc_reflect.c: */
void sd_grpc_health_check(struct sd_grpc_stream *stream, struct sd_text message);
void sd_grpc_health_watch(struct sd_grpc_stream *stream, struct sd_text message);
void sd_grpc_health_drain(struct sd_grpc_conn *grpc); /* those who watch are told, and their streams end */
void sd_grpc_reflect(struct sd_grpc_stream *stream, struct sd_text message);
bool sd_grpc_has_service(const char *name); /* one of those that reflection lists */

#endif
