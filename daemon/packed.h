/* packed.h - messages that came packed with gzip.
 *
 * The last bytes of a gzip say how long its content is: that is believed only within the bound and
 * within what this form can pack at all, and must come true, so that a few bytes never take much memory. */
#ifndef SD_PACKED_H
#define SD_PACKED_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

struct sd_job;

#define SD_UNPACK_WORDS "a packed message is no gzip of one stream, or holds more than is taken"

/* Unpacks a message of at most `max` bytes into memory of the caller's to free; `message` stands over
 * it then. NULL: it is none, or longer, or there is no memory. */
unsigned char *sd_unpack(struct sd_text *message, size_t max);

/* On a worker: the bytes that a job works on, unpacked into its arena where they have to be. False: its
 * result is an error. */
bool sd_job_open(struct sd_job *job, struct sd_arena *arena);

#endif
