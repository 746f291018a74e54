/* wire.h - protobuf wire format, field by field, without allocating.
 *
 * The reader walks the fields of one message in place; nested messages are read by
 * another reader over the field's bytes, so depth is bounded by the code that reads.
 * The writer appends to an arena buffer that grows. */
#ifndef SD_WIRE_H
#define SD_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum sd_wire_type { SD_WIRE_VARINT = 0, SD_WIRE_FIXED64 = 1, SD_WIRE_BYTES = 2, SD_WIRE_FIXED32 = 5 };

struct sd_wire {
	const unsigned char *at, *end;
	bool bad; /* malformed; then no field is given out any more */
};

struct sd_field {
	uint32_t number;
	enum sd_wire_type type;
	uint64_t number_value;  /* varint and fixed */
	struct sd_text bytes;   /* SD_WIRE_BYTES */
};

static inline struct sd_wire sd_wire_over(struct sd_text bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.at;

	return (struct sd_wire){ at, at + bytes.len, false };
}

/* The next field; false at the end or when the message is malformed (`bad` tells). Groups,
 * field number 0, numbers above 2^29-1 and lengths past the end are malformed. */
bool sd_wire_next(struct sd_wire *wire, struct sd_field *field);

/* One varint of a packed list; false at the end or malformed. */
bool sd_wire_varint(struct sd_wire *wire, uint64_t *value);

static inline int64_t sd_zigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* ---- writing ---- */

struct sd_buffer {
	struct sd_arena *mem;
	unsigned char *data;
	size_t len, cap;
	bool failed; /* over budget; what is written since is lost */
};

void sd_buffer_init(struct sd_buffer *buffer, struct sd_arena *mem, size_t first_cap);
void sd_buffer_append(struct sd_buffer *buffer, const void *data, size_t len);

void sd_put_varint(struct sd_buffer *buffer, uint64_t value);
void sd_put_uint(struct sd_buffer *buffer, uint32_t field, uint64_t value);  /* left out when 0 */
void sd_put_uint_always(struct sd_buffer *buffer, uint32_t field, uint64_t value); /* members of a oneof */
void sd_put_sint(struct sd_buffer *buffer, uint32_t field, int64_t value);   /* zigzag, left out when 0 */
void sd_put_bytes(struct sd_buffer *buffer, uint32_t field, const void *data, size_t len); /* left out when empty */

/* A nested message of unknown size: begin, put fields, end. */
size_t sd_put_begin(struct sd_buffer *buffer, uint32_t field);
void sd_put_end(struct sd_buffer *buffer, size_t begun);

#endif
