#include "deflated.h"

#include <string.h>
#include <zlib.h>

#include "conn.h"
#include "jobs.h"

#define LEVEL 1               /* a plan gets a sixth of its size; higher ones take far longer for a little less */
#define RAW_WINDOW (-15)      /* blocks alone, no head and tail */
#define MEMORY_LEVEL 8
#define STEP (1u << 20)       /* bytes between two looks at whether it is wanted still */
#define KEPT_SHARE 8u         /* what does not save an eighth is not worth unpacking */

static void *take(void *arena, uInt count, uInt size)
{
	return sd_arena_alloc(arena, (size_t)count * size);
}

/* It goes with the arena. */
static void give_back(void *arena, void *at)
{
}

/* Runs all of it through; the last block is not the last of its gzip. False: there is no room, or it is not wanted. */
static bool run(z_stream *z, const unsigned char *at, size_t len, bool (*stop)(void *arg), void *arg)
{
	do {
		size_t some = len < STEP ? len : STEP;

		z->next_in = (z_const Bytef *)(uintptr_t)at;
		z->avail_in = (uInt)some;
		at += some;
		len -= some;
		if (stop(arg) || deflate(z, len ? Z_NO_FLUSH : Z_SYNC_FLUSH) != Z_OK || z->avail_in || z->avail_out == 0)
			return false;
	} while (len);
	return true;
}

struct sd_deflated sd_deflate(struct sd_arena *arena, const void *at, size_t len, bool (*stop)(void *arg), void *arg)
{
	z_stream z = { .zalloc = take, .zfree = give_back, .opaque = arena };
	size_t room = len - len / KEPT_SHARE;
	unsigned char *out = len && len <= UINT32_MAX ? sd_arena_alloc(arena, room) : NULL;
	struct sd_deflated done = { .blob = NULL };

	if (!out || deflateInit2(&z, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return done;
	z.next_out = out;
	z.avail_out = (uInt)room;
	if (run(&z, at, len, stop, arg))
		done = (struct sd_deflated){ sd_blob_copy(out, z.total_out), (uint32_t)crc32_z(0, at, len), (uint32_t)len };
	deflateEnd(&z);
	return done;
}

/* ---- jobs ---- */

/* From how many bytes on; 0: nobody wants it. */
static size_t wanted_above(struct sd_job *job)
{
	size_t least = 0;

	uv_mutex_lock(&job->jobs->lock);
	for (const struct sd_call *call = job->calls; call; call = call->job_next) {
		if (call->pack_above && (least == 0 || call->pack_above < least))
			least = call->pack_above;
	}
	uv_mutex_unlock(&job->jobs->lock);
	return least;
}

static bool is_unwanted(void *job)
{
	return atomic_load_explicit(&((struct sd_job *)job)->stop, memory_order_relaxed);
}

void sd_job_deflate(struct sd_job *job, struct sd_arena *arena)
{
	struct sd_result *result = &job->result;
	size_t above = result->status == SD_OK && result->body ? wanted_above(job) : 0;
	uint64_t since = uv_hrtime();

	if (above == 0 || result->body->len < above)
		return;
	result->deflated = sd_deflate(arena, result->body->data, result->body->len, is_unwanted, job);
	result->stage_ns[SD_STAGE_PACK] = uv_hrtime() - since;
}

/* ---- around it ---- */

static size_t put_le(unsigned char *out, uint32_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char)(value >> (8 * i));
	return bytes;
}

/* A block of bytes as they are; behind another one that ended with a whole byte. */
static size_t put_stored(unsigned char *out, bool is_last, const unsigned char *at, size_t len)
{
	size_t n = 0;

	out[n++] = is_last;
	n += put_le(out + n, (uint32_t)len, 2);
	n += put_le(out + n, ~(uint32_t)len & 0xffff, 2);
	memcpy(out + n, at, len);
	return n + len;
}

size_t sd_gzip_front(unsigned char *out, const struct sd_answer *answer)
{
	static const unsigned char magic[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255 }; /* no time, made fast, on whatever system */

	memcpy(out, magic, sizeof(magic));
	return sizeof(magic) + (answer->head_len ? put_stored(out + sizeof(magic), false, answer->head, answer->head_len) : 0);
}

size_t sd_gzip_back(unsigned char *out, const struct sd_answer *answer)
{
	const struct sd_deflated *middle = &answer->deflated;
	uLong crc = crc32(0, answer->head, answer->head_len);
	size_t n = put_stored(out, true, answer->tail, answer->tail_len);

	crc = crc32(crc32_combine(crc, middle->crc, (z_off_t)middle->bytes), answer->tail, answer->tail_len);
	n += put_le(out + n, (uint32_t)crc, 4);
	return n + put_le(out + n, answer->head_len + middle->bytes + answer->tail_len, 4);
}
