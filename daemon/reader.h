/* reader.h - frames out of bytes that arrive in any pieces.
 *
 * Knows no socket. The owner is asked once the header is there: only then is memory
 * taken for a body, or the body skipped as it arrives. */
#ifndef SD_READER_H
#define SD_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "frame.h"

enum sd_read_event {
	SD_READ_MORE,  /* everything was taken, nothing is complete */
	SD_READ_HEAD,  /* frame is known; call sd_reader_take or sd_reader_skip */
	SD_READ_FRAME, /* the body is complete: fetch it with sd_reader_body */
	SD_READ_BAD,   /* no frame; the connection cannot go on */
};

struct sd_reader {
	unsigned char head[SD_FRAME_HEADER];
	uint32_t head_have, body_have;
	struct sd_frame frame; /* once its header is complete */
	unsigned char *body;
	bool is_decided, is_skipping;
};

/* Takes bytes from the front of `*at`, at most up to the next event. */
enum sd_read_event sd_reader_feed(struct sd_reader *reader, const unsigned char **at, size_t *len);

/* After SD_READ_HEAD: the body is wanted, in memory of exactly its size (false: there is
 * none), or is dropped as it comes, without a further event. */
bool sd_reader_take(struct sd_reader *reader);
void sd_reader_skip(struct sd_reader *reader);

/* After SD_READ_FRAME: the body, the caller's to free (NULL when it is empty); the next frame begins. */
unsigned char *sd_reader_body(struct sd_reader *reader);

/* Where more of a body in progress may be written directly, and how much; NULL if there
 * is none. What was written is told to sd_reader_wrote. */
unsigned char *sd_reader_room(struct sd_reader *reader, size_t *room);
void sd_reader_wrote(struct sd_reader *reader, size_t len);

/* Whether a frame has begun and is not complete. */
bool sd_reader_is_inside(const struct sd_reader *reader);

void sd_reader_finish(struct sd_reader *reader);

#endif
