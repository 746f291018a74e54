#include "reader.h"

#include <stdlib.h>
#include <string.h>

static uint32_t take_up_to(const unsigned char **at, size_t *len, uint32_t want, unsigned char *to)
{
	uint32_t n = *len < want ? (uint32_t)*len : want;

	if (to && n)
		memcpy(to, *at, n);
	*at += n;
	*len -= n;
	return n;
}

static void begin_next(struct sd_reader *reader)
{
	reader->head_have = reader->body_have = 0;
	reader->body = NULL;
	reader->is_decided = reader->is_skipping = false;
}

static enum sd_read_event feed_head(struct sd_reader *reader, const unsigned char **at, size_t *len)
{
	if (reader->head_have < SD_FRAME_HEADER) {
		reader->head_have += take_up_to(at, len, SD_FRAME_HEADER - reader->head_have, reader->head + reader->head_have);
		if (reader->head_have < SD_FRAME_HEADER)
			return SD_READ_MORE;
		if (sd_frame_read(reader->head, &reader->frame) != SD_OK)
			return SD_READ_BAD;
	}
	return SD_READ_HEAD;
}

enum sd_read_event sd_reader_feed(struct sd_reader *reader, const unsigned char **at, size_t *len)
{
	for (;;) {
		if (!reader->is_decided)
			return feed_head(reader, at, len);
		reader->body_have += take_up_to(at, len, reader->frame.body_bytes - reader->body_have,
		                                reader->body ? reader->body + reader->body_have : NULL);
		if (reader->body_have < reader->frame.body_bytes)
			return SD_READ_MORE;
		if (!reader->is_skipping)
			return SD_READ_FRAME;
		begin_next(reader);
	}
}

bool sd_reader_take(struct sd_reader *reader)
{
	reader->is_decided = true;
	if (reader->frame.body_bytes)
		reader->body = malloc(reader->frame.body_bytes);
	return reader->body || reader->frame.body_bytes == 0;
}

void sd_reader_skip(struct sd_reader *reader)
{
	reader->is_decided = reader->is_skipping = true;
}

unsigned char *sd_reader_body(struct sd_reader *reader)
{
	unsigned char *body = reader->body;

	begin_next(reader);
	return body;
}

unsigned char *sd_reader_room(struct sd_reader *reader, size_t *room)
{
	if (!reader->body || reader->body_have == reader->frame.body_bytes)
		return NULL;
	*room = reader->frame.body_bytes - reader->body_have;
	return reader->body + reader->body_have;
}

void sd_reader_wrote(struct sd_reader *reader, size_t len)
{
	reader->body_have += (uint32_t)len;
}

bool sd_reader_is_inside(const struct sd_reader *reader)
{
	return reader->head_have > 0;
}

void sd_reader_finish(struct sd_reader *reader)
{
	free(reader->body);
	begin_next(reader);
}
