/* cache.h - finished plans in memory, found by plan_key or by the digest of a request's bytes.
 *
 * Holds only what this process planned and proved. Bounded by bytes, the record keeping
 * counted too; what was not used for longest goes first. All functions may be called from
 * any thread. A plan that was handed out lives on while it is being sent. */
#ifndef SD_CACHE_H
#define SD_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "blob.h"

#define SD_CACHE_KEY_BYTES 32u
#define SD_CACHE_ENTRY_SHARE 16u /* one entry is at most this part of the budget */
#define SD_CACHE_RAWS_MAX 8u     /* request digests kept for one plan; enough for a few writers of one graph */

struct sd_cache_entry;
struct sd_cache_raw;

struct sd_cache_stats {
	uint64_t entries, bytes, bytes_max;
	uint64_t hits, raw_hits, misses, evictions;
};

struct sd_cache {
	uv_mutex_t lock;
	uint64_t salt; /* odd and secret: which bucket a digest falls into cannot be chosen from outside */
	struct sd_cache_entry **entry_bucket;
	struct sd_cache_raw **raw_bucket;
	unsigned entry_bits, raw_bits; /* of the tables' sizes */
	uint64_t raw_count;
	struct sd_cache_entry *newest, *oldest;
	struct sd_cache_stats stats;
};

/* False when the system has no memory. */
bool sd_cache_init(struct sd_cache *cache, uint64_t bytes_max, uint64_t salt);
void sd_cache_finish(struct sd_cache *cache);

/* The plan's bytes with a reference for the caller, or NULL. Only a search by key counts a miss. */
struct sd_blob *sd_cache_find(struct sd_cache *cache, const unsigned char key[SD_CACHE_KEY_BYTES]);
struct sd_blob *sd_cache_find_raw(struct sd_cache *cache, const unsigned char raw[SD_CACHE_KEY_BYTES]);

/* Keeps the plan under its key, unless it is too large or there is no memory. */
void sd_cache_store(struct sd_cache *cache, const unsigned char key[SD_CACHE_KEY_BYTES], struct sd_blob *plan);

/* Remembers that requests with these bytes get the plan of this key, where it is kept. */
void sd_cache_link(struct sd_cache *cache, const unsigned char raw[SD_CACHE_KEY_BYTES],
                   const unsigned char key[SD_CACHE_KEY_BYTES]);

/* Forgets everything, or what is over a new budget; `stats` (may be NULL) gets what was there before. */
void sd_cache_flush(struct sd_cache *cache, struct sd_cache_stats *stats);
void sd_cache_resize(struct sd_cache *cache, uint64_t bytes_max);

void sd_cache_read_stats(struct sd_cache *cache, struct sd_cache_stats *stats);

#endif
