/* blob.h - bytes that several owners share: a cached plan is one, the body of an answer too.
 *
 * Written once by its maker, const ever after. The count is atomic: workers and the loop
 * take and drop references without a lock. */
#ifndef SD_BLOB_H
#define SD_BLOB_H

#include <stdatomic.h>
#include <stddef.h>

struct sd_blob {
	atomic_uint refs;
	size_t len;
	unsigned char data[];
};

/* `len` bytes to be written, one reference; NULL when the system has no memory. */
struct sd_blob *sd_blob_create(size_t len);

/* The same with a copy of `data`. */
struct sd_blob *sd_blob_copy(const void *data, size_t len);

struct sd_blob *sd_blob_acquire(struct sd_blob *blob);
void sd_blob_release(struct sd_blob *blob); /* NULL is fine */

#endif
