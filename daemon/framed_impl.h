/* framed_impl.h - between the files of a connection: its life (framed.c), its reading (framed_read.c) and its writing (framed_write.c). */
#ifndef SD_FRAMED_IMPL_H
#define SD_FRAMED_IMPL_H

#include "framed.h"

/* Largest frame in the connection's state. */
uint64_t sd__framed_frame_max(const struct sd_framed *framed);

/* Whether it may be read now: what is unread by the peer is within bounds. */
bool sd__framed_may_read(const struct sd_framed *framed);

/* Looks at what was put aside and starts or stops reading, as may be. */
void sd__framed_resume(struct sd_framed *framed);

/* Reads and drops what comes, until the peer closes. */
void sd__framed_drop_input(struct sd_framed *framed);

/* One frame to the peer: head, then `body` (a reference is taken over; NULL: none), then tail. */
struct sd_out {
	enum sd_frame_kind kind;
	uint16_t method;
	uint64_t request_id;
	unsigned char head[SD_ANSWER_HEAD], tail[32]; /* of the body, around the blob */
	uint8_t head_len, tail_len;
	struct sd_blob *body;
};
void sd__framed_send(struct sd_framed *framed, const struct sd_out *out);

/* An error frame. */
void sd__framed_send_error(struct sd_framed *framed, const struct sd_frame *about, const struct sd_diag *diag);

/* The same, and the connection cannot go on. */
void sd__framed_refuse(struct sd_framed *framed, const struct sd_frame *about, const struct sd_diag *diag);

/* Something legal but senseless; who does much of it is closed. */
void sd__framed_glitch(struct sd_framed *framed);

void sd__framed_settle(struct sd_framed *framed);
void sd__framed_finish(struct sd_framed *framed);
void sd__framed_close(struct sd_framed *framed, const char *why);

#endif
