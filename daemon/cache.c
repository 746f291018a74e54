#include "cache.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 8u

/* One way in which a request was written that gets the entry's plan. */
struct sd_cache_raw {
	unsigned char raw[SD_CACHE_KEY_BYTES];
	struct sd_cache_raw *in_bucket;
	struct sd_cache_raw *older; /* of the same entry */
	struct sd_cache_entry *entry;
};

struct sd_cache_entry {
	unsigned char key[SD_CACHE_KEY_BYTES];
	struct sd_cache_entry *in_bucket;
	struct sd_cache_entry *newer, *older;
	struct sd_cache_raw *raws;
	unsigned raw_count;
	struct sd_blob *plan;
};

/* Digests are uniform; the secret factor keeps somebody who searches for requests
 * with equal bits from filling one bucket. */
static size_t bucket_of(const struct sd_cache *cache, const unsigned char *digest, unsigned bits)
{
	uint64_t head;

	memcpy(&head, digest, sizeof(head));
	return (size_t)(head * cache->salt >> (64 - bits));
}

bool sd_cache_init(struct sd_cache *cache, uint64_t bytes_max, uint64_t salt)
{
	*cache = (struct sd_cache){ .salt = salt | 1, .entry_bits = FIRST_BITS, .raw_bits = FIRST_BITS,
	                            .stats = { .bytes_max = bytes_max } };
	cache->entry_bucket = calloc((size_t)1 << FIRST_BITS, sizeof(struct sd_cache_entry *));
	cache->raw_bucket = calloc((size_t)1 << FIRST_BITS, sizeof(struct sd_cache_raw *));
	if (!cache->entry_bucket || !cache->raw_bucket || uv_mutex_init(&cache->lock) != 0) {
		free(cache->entry_bucket);
		free(cache->raw_bucket);
		return false;
	}
	return true;
}

static size_t entry_bytes(const struct sd_cache_entry *entry)
{
	return sizeof(*entry) + sizeof(struct sd_blob) + entry->plan->len;
}

static void to_front(struct sd_cache *cache, struct sd_cache_entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void from_list(struct sd_cache *cache, struct sd_cache_entry *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void drop_raw(struct sd_cache *cache, struct sd_cache_raw *raw)
{
	struct sd_cache_raw **at = &cache->raw_bucket[bucket_of(cache, raw->raw, cache->raw_bits)];

	while (*at != raw)
		at = &(*at)->in_bucket;
	*at = raw->in_bucket;
	free(raw);
	cache->raw_count--;
	cache->stats.bytes -= sizeof(*raw);
}

static void drop_entry(struct sd_cache *cache, struct sd_cache_entry *entry)
{
	struct sd_cache_entry **at = &cache->entry_bucket[bucket_of(cache, entry->key, cache->entry_bits)];

	while (entry->raws) {
		struct sd_cache_raw *raw = entry->raws;

		entry->raws = raw->older;
		drop_raw(cache, raw);
	}
	while (*at != entry)
		at = &(*at)->in_bucket;
	*at = entry->in_bucket;
	from_list(cache, entry);
	cache->stats.entries--;
	cache->stats.bytes -= entry_bytes(entry);
	sd_blob_release(entry->plan);
	free(entry);
}

static void shrink_to(struct sd_cache *cache, uint64_t bytes)
{
	while (cache->oldest && cache->stats.bytes > bytes) {
		drop_entry(cache, cache->oldest);
		cache->stats.evictions++;
	}
}

static struct sd_cache_entry *entry_of(const struct sd_cache *cache, const unsigned char *key)
{
	struct sd_cache_entry *entry = cache->entry_bucket[bucket_of(cache, key, cache->entry_bits)];

	while (entry && memcmp(entry->key, key, SD_CACHE_KEY_BYTES) != 0)
		entry = entry->in_bucket;
	return entry;
}

static struct sd_cache_raw *raw_of(const struct sd_cache *cache, const unsigned char *digest)
{
	struct sd_cache_raw *raw = cache->raw_bucket[bucket_of(cache, digest, cache->raw_bits)];

	while (raw && memcmp(raw->raw, digest, SD_CACHE_KEY_BYTES) != 0)
		raw = raw->in_bucket;
	return raw;
}

static struct sd_blob *use(struct sd_cache *cache, struct sd_cache_entry *entry)
{
	from_list(cache, entry);
	to_front(cache, entry);
	cache->stats.hits++;
	return sd_blob_acquire(entry->plan);
}

struct sd_blob *sd_cache_find(struct sd_cache *cache, const unsigned char key[SD_CACHE_KEY_BYTES])
{
	struct sd_cache_entry *entry;
	struct sd_blob *plan = NULL;

	uv_mutex_lock(&cache->lock);
	entry = entry_of(cache, key);
	if (entry)
		plan = use(cache, entry);
	else
		cache->stats.misses++;
	uv_mutex_unlock(&cache->lock);
	return plan;
}

struct sd_blob *sd_cache_find_raw(struct sd_cache *cache, const unsigned char digest[SD_CACHE_KEY_BYTES])
{
	struct sd_cache_raw *raw;
	struct sd_blob *plan = NULL;

	uv_mutex_lock(&cache->lock);
	raw = raw_of(cache, digest);
	if (raw) {
		plan = use(cache, raw->entry);
		cache->stats.raw_hits++;
	}
	uv_mutex_unlock(&cache->lock);
	return plan;
}

/* Twice the buckets once there are as many entries; without memory the chains just grow. */
static void grow_entries(struct sd_cache *cache)
{
	size_t old_size = (size_t)1 << cache->entry_bits;
	struct sd_cache_entry **old = cache->entry_bucket, **fresh;

	if (cache->stats.entries < old_size || !(fresh = calloc(old_size * 2, sizeof(struct sd_cache_entry *))))
		return;
	cache->entry_bits++;
	for (struct sd_cache_entry *entry = cache->newest; entry; entry = entry->older) {
		size_t bucket = bucket_of(cache, entry->key, cache->entry_bits);

		entry->in_bucket = fresh[bucket];
		fresh[bucket] = entry;
	}
	cache->entry_bucket = fresh;
	free(old);
}

static void grow_raws(struct sd_cache *cache)
{
	size_t old_size = (size_t)1 << cache->raw_bits;
	struct sd_cache_raw **old = cache->raw_bucket, **fresh;

	if (cache->raw_count < old_size || !(fresh = calloc(old_size * 2, sizeof(struct sd_cache_raw *))))
		return;
	cache->raw_bits++;
	for (struct sd_cache_entry *entry = cache->newest; entry; entry = entry->older) {
		for (struct sd_cache_raw *raw = entry->raws; raw; raw = raw->older) {
			size_t bucket = bucket_of(cache, raw->raw, cache->raw_bits);

			raw->in_bucket = fresh[bucket];
			fresh[bucket] = raw;
		}
	}
	cache->raw_bucket = fresh;
	free(old);
}

static void insert(struct sd_cache *cache, const unsigned char *key, struct sd_blob *plan)
{
	struct sd_cache_entry *entry = calloc(1, sizeof(*entry));
	size_t bucket;

	if (!entry)
		return;
	memcpy(entry->key, key, SD_CACHE_KEY_BYTES);
	entry->plan = sd_blob_acquire(plan);
	shrink_to(cache, cache->stats.bytes_max - entry_bytes(entry));
	grow_entries(cache);
	bucket = bucket_of(cache, key, cache->entry_bits);
	entry->in_bucket = cache->entry_bucket[bucket];
	cache->entry_bucket[bucket] = entry;
	to_front(cache, entry);
	cache->stats.entries++;
	cache->stats.bytes += entry_bytes(entry);
}

void sd_cache_store(struct sd_cache *cache, const unsigned char key[SD_CACHE_KEY_BYTES], struct sd_blob *plan)
{
	uv_mutex_lock(&cache->lock);
	if (sizeof(struct sd_cache_entry) + sizeof(*plan) + plan->len <= cache->stats.bytes_max / SD_CACHE_ENTRY_SHARE &&
	    !entry_of(cache, key))
		insert(cache, key, plan);
	uv_mutex_unlock(&cache->lock);
}

static void drop_oldest_raw(struct sd_cache *cache, struct sd_cache_entry *entry)
{
	struct sd_cache_raw **at = &entry->raws, *raw;

	while ((*at)->older)
		at = &(*at)->older;
	raw = *at;
	*at = NULL;
	entry->raw_count--;
	drop_raw(cache, raw);
}

static void link_raw(struct sd_cache *cache, struct sd_cache_entry *entry, const unsigned char *digest)
{
	struct sd_cache_raw *raw = calloc(1, sizeof(*raw));
	size_t bucket;

	if (!raw)
		return;
	if (entry->raw_count == SD_CACHE_RAWS_MAX)
		drop_oldest_raw(cache, entry);
	grow_raws(cache);
	memcpy(raw->raw, digest, SD_CACHE_KEY_BYTES);
	bucket = bucket_of(cache, digest, cache->raw_bits);
	raw->in_bucket = cache->raw_bucket[bucket];
	cache->raw_bucket[bucket] = raw;
	raw->entry = entry;
	raw->older = entry->raws;
	entry->raws = raw;
	entry->raw_count++;
	cache->raw_count++;
	cache->stats.bytes += sizeof(*raw);
}

void sd_cache_link(struct sd_cache *cache, const unsigned char raw[SD_CACHE_KEY_BYTES],
                   const unsigned char key[SD_CACHE_KEY_BYTES])
{
	struct sd_cache_entry *entry;

	uv_mutex_lock(&cache->lock);
	entry = entry_of(cache, key);
	if (entry && !raw_of(cache, raw)) {
		link_raw(cache, entry, raw);
		shrink_to(cache, cache->stats.bytes_max);
	}
	uv_mutex_unlock(&cache->lock);
}

void sd_cache_flush(struct sd_cache *cache, struct sd_cache_stats *stats)
{
	struct sd_cache_entry *older;

	uv_mutex_lock(&cache->lock);
	if (stats)
		*stats = cache->stats;
	for (struct sd_cache_entry *entry = cache->newest; entry; entry = older) {
		older = entry->older;
		drop_entry(cache, entry);
	}
	uv_mutex_unlock(&cache->lock);
}

void sd_cache_resize(struct sd_cache *cache, uint64_t bytes_max)
{
	uv_mutex_lock(&cache->lock);
	cache->stats.bytes_max = bytes_max;
	shrink_to(cache, bytes_max);
	uv_mutex_unlock(&cache->lock);
}

void sd_cache_finish(struct sd_cache *cache)
{
	sd_cache_flush(cache, NULL);
	uv_mutex_destroy(&cache->lock);
	free(cache->entry_bucket);
	free(cache->raw_bucket);
}

void sd_cache_read_stats(struct sd_cache *cache, struct sd_cache_stats *stats)
{
	uv_mutex_lock(&cache->lock);
	*stats = cache->stats;
	uv_mutex_unlock(&cache->lock);
}
