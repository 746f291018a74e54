#include "blob.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sd_blob *sd_blob_create(size_t len)
{
	struct sd_blob *blob;

	if (len > SIZE_MAX - sizeof(*blob))
		return NULL;
	blob = malloc(sizeof(*blob) + len);
	if (!blob)
		return NULL;
	atomic_init(&blob->refs, 1);
	blob->len = len;
	return blob;
}

struct sd_blob *sd_blob_copy(const void *data, size_t len)
{
	struct sd_blob *blob = sd_blob_create(len);

	if (blob && len)
		memcpy(blob->data, data, len);
	return blob;
}

struct sd_blob *sd_blob_acquire(struct sd_blob *blob)
{
	atomic_fetch_add_explicit(&blob->refs, 1, memory_order_relaxed);
	return blob;
}

void sd_blob_release(struct sd_blob *blob)
{
	if (blob && atomic_fetch_sub_explicit(&blob->refs, 1, memory_order_acq_rel) == 1)
		free(blob);
}
