/* framed.h - one peer on the framed socket: a small state machine.
 *
 * The table in framed.c gives each state its name, its time and the largest frame. Reading
 * stops while the peer owes us reading (unread answers) or has as many requests open as
 * it may; answers go out in any order. There is one way to close. */
#ifndef SD_FRAMED_H
#define SD_FRAMED_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "conn.h"
#include "frame.h"
#include "reader.h"

enum sd_framed_state {
	SD_FRAMED_HELLO,   /* nothing but hello is taken */
	SD_FRAMED_IDLE,    /* nothing is open */
	SD_FRAMED_READING, /* a frame has begun */
	SD_FRAMED_BUSY,    /* requests are open, or answers unread */
	SD_FRAMED_CLOSING, /* last bytes go out, the peer is waited for */
	SD_FRAMED_CLOSED,  /* handles are being closed */
	SD_FRAMED_STATES
};

struct sd_framed {
	struct sd_conn conn; /* first */
	uv_pipe_t pipe;
	uv_timer_t timer;
	uv_shutdown_t shutdown;
	uint8_t handles_open; /* freed after the last */
	enum sd_framed_state state;
	uint64_t active_ms;  /* when the peer last said something */
	uint64_t frame_count, timed_frame; /* frames that began; the one that the timer runs for */
	struct sd_reader reader;
	unsigned char *stash; /* bytes that arrived and may not be looked at yet */
	size_t stash_len;
	bool is_greeted, is_reading, is_pumping, is_leaving;
	bool is_held;   /* the next request waits for one to be done */
	bool is_paused; /* something that arrived waits for the peer to read */
	bool holds_request; /* the frame being read was admitted as a request */
	uint64_t owed_bytes; /* handed to the socket and not taken by it */
	uint64_t stall_seen, stall_ms; /* what was unread at last sight, and since when it has been so */
};

/* A connection over an accepted socket, which it owns from here on, also when it fails. */
void sd_framed_open(struct sd_server *server, int fd, const struct sd_who *who);

/* What a peer reads that cannot be taken: an error frame, which fits any socket buffer. Closes the socket. */
void sd_framed_turn_away(struct sd_server *server, int fd, const struct sd_diag *why);

#endif
