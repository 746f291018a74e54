#include "packed.h"

#include <stdlib.h>
#include <zlib.h>

#include "error.h"
#include "jobs.h"

#define GZIP_LEAST 18u    /* bytes of head and tail */
#define GZIP_RATIO 1032u  /* what a byte can become at most */
#define GZIP_WINDOW (15 + 16)

/* How long the content says to be; false where that cannot be. */
static bool length_of(struct sd_text message, size_t max, size_t *length)
{
	const unsigned char *end = (const unsigned char *)message.at + message.len;

	if (message.len < GZIP_LEAST)
		return false;
	*length = (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
	return *length <= max && *length <= (uint64_t)message.len * GZIP_RATIO;
}

/* Into memory for one byte more than there is to be, which shows what is too long. */
static bool inflate_whole(struct sd_text message, unsigned char *out, size_t length)
{
	z_stream z = { .next_in = (z_const Bytef *)(uintptr_t)message.at, .avail_in = message.len, .next_out = out,
	               .avail_out = (uInt)length + 1 };
	bool fine;

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return false;
	fine = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0 && z.avail_out == 1;
	inflateEnd(&z);
	return fine;
}

unsigned char *sd_unpack(struct sd_text *message, size_t max)
{
	size_t length;
	unsigned char *out = length_of(*message, max, &length) ? malloc(length + 1) : NULL;

	if (out && inflate_whole(*message, out, length)) {
		*message = (struct sd_text){ (const char *)out, (uint32_t)length };
		return out;
	}
	free(out);
	return NULL;
}

static enum sd_status open_packed(struct sd_job *job, struct sd_arena *arena, size_t max, struct sd_diag *diag)
{
	struct sd_text message = job->bytes;
	size_t length;
	unsigned char *out;

	if (!length_of(message, max, &length))
		return SD_FAIL1(diag, SD_CODE_BAD_CALL, SD_NO_NODE, sd_arg_words(SD_UNPACK_WORDS));
	out = sd_arena_alloc(arena, length + 1);
	if (!out)
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)job->bounds.job_bytes_max));
	if (!inflate_whole(message, out, length))
		return SD_FAIL1(diag, SD_CODE_BAD_CALL, SD_NO_NODE, sd_arg_words(SD_UNPACK_WORDS));
	job->bytes = (struct sd_text){ (const char *)out, (uint32_t)length };
	return SD_OK;
}

bool sd_job_open(struct sd_job *job, struct sd_arena *arena)
{
	const struct sd_call *call = job->origin;
	struct sd_diag diag = { 0 };

	job->bytes = (struct sd_text){ (const char *)call->body, call->body_bytes };
	if (!call->unpacked_max || open_packed(job, arena, call->unpacked_max, &diag) == SD_OK)
		return true;
	job->result.status = sd_code_status(diag.code);
	job->result.code = diag.code;
	job->result.body = sd_error_blob(&diag, NULL);
	return false;
}
