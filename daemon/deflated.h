/* deflated.h - answers that go out packed with gzip.
 *
 * The large part of an answer, a plan, is packed by a worker, once for all calls of its job, into the memory of the job. What the
 * loop puts around it (which call it answers, whether it came from the cache) goes into blocks of its own in front and behind, which
 * are not packed: a gzip of three pieces, whose checksum is put together from theirs. So the loop packs nothing. */
#ifndef SD_DEFLATED_H
#define SD_DEFLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "blob.h"

struct sd_answer;
struct sd_job;

#define SD_GZIP_FRONT 15u /* bytes that the format has in front of the first piece, */
#define SD_GZIP_BACK 13u  /* and around the last */

/* The middle piece: `crc` and `bytes` are of what was packed. */
struct sd_deflated {
	struct sd_blob *blob; /* NULL: there is none */
	uint32_t crc, bytes;
};

/* Packs, with scratch of the arena. No blob: it would save less than an eighth, there is no memory, or `stop` said so. */
struct sd_deflated sd_deflate(struct sd_arena *arena, const void *at, size_t len, bool (*stop)(void *arg), void *arg);

/* On a worker, of a job that has run: its body, where one of its calls takes it packed. */
void sd_job_deflate(struct sd_job *job, struct sd_arena *arena);

/* What stands in front of and behind the packed piece; answer how many bytes: at most SD_GZIP_FRONT + head_len, SD_GZIP_BACK + tail_len. */
size_t sd_gzip_front(unsigned char *out, const struct sd_answer *answer);
size_t sd_gzip_back(unsigned char *out, const struct sd_answer *answer);

#endif
