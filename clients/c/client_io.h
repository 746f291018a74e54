/* client_io.h - private: one connection, frame by frame, never past a deadline. */
#ifndef SD_CLIENT_IO_H
#define SD_CLIENT_IO_H

#include "streamd_client.h"

/* A frame that is coming in. */
struct sd__inbox {
	unsigned char header[SD_FRAME_HEADER];
	size_t header_got, body_got;
	struct sd_frame frame;
	unsigned char *body;
};

#define SD__READ_AHEAD 4096u /* small answers come whole with one call */

struct sd__link {
	int fd;      /* -1: not connected */
	int wake;    /* readable once a cancel is asked for */
	struct sd__inbox inbox;
	size_t ahead_at, ahead_len; /* what was read and does not belong to the inbox yet */
	unsigned char ahead[SD__READ_AHEAD];
};

enum sd__event {
	SD__NOTHING,   /* not yet */
	SD__FRAME,     /* a whole frame is in the inbox */
	SD__SENT,      /* all is sent */
	SD__LATE,      /* the deadline came */
	SD__WOKEN,     /* a cancel is asked for */
	SD__LOST,      /* the connection is gone, or what came is no frame */
	SD__NO_MEMORY,
};

int64_t sd__now_ms(void);

/* Connects; 0, or the errno of what failed (ETIMEDOUT by the deadline). */
int sd__link_connect(struct sd__link *link, const char *path, int64_t until_ms);

/* Closes and forgets what was coming in. */
void sd__link_close(struct sd__link *link);

/* Sends one frame. SD__FRAME when a frame came in before all was sent: the daemon may refuse a
 * request by its header alone. */
enum sd__event sd__link_send(struct sd__link *link, const struct sd_frame *frame, const void *body, int64_t until_ms);

/* Waits for the next frame. */
enum sd__event sd__link_receive(struct sd__link *link, int64_t until_ms);

/* Takes the body of the frame in the inbox, which is then empty; freed by the caller. */
unsigned char *sd__link_take(struct sd__link *link, struct sd_frame *frame);

/* Takes back what asked for a cancel. */
void sd__link_calm(struct sd__link *link);

#endif
