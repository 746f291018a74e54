#include "frame.h"

static void put(unsigned char *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *in, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)in[i] << (8 * i);
	return value;
}

void sd_frame_write(unsigned char out[SD_FRAME_HEADER], const struct sd_frame *frame)
{
	put(out, (uint64_t)frame->body_bytes + SD_FRAME_REST, 4);
	put(out + 4, frame->method, 2);
	put(out + 6, frame->kind, 1);
	put(out + 7, frame->flags, 1);
	put(out + 8, frame->request_id, 8);
	put(out + 16, frame->deadline_ms_left, 4);
}

enum sd_status sd_frame_read(const unsigned char in[SD_FRAME_HEADER], struct sd_frame *frame)
{
	uint32_t length = (uint32_t)get(in, 4);

	if (length < SD_FRAME_REST)
		return SD_INVALID_ARGUMENT;
	*frame = (struct sd_frame){
		.body_bytes = length - SD_FRAME_REST,
		.method = (uint16_t)get(in + 4, 2),
		.kind = in[6],
		.flags = in[7],
		.request_id = get(in + 8, 8),
		.deadline_ms_left = (uint32_t)get(in + 16, 4),
	};
	return SD_OK;
}
