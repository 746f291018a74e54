/* wire.h - protobuf wire format, field by field, without allocating.
 *
 * The reader walks the fields of one message in place and never looks past its end;
 * nested messages are read by another reader over the field's bytes, so depth is bounded
 * by the code that reads. The writer appends to an arena buffer that grows. */
#ifndef SD_WIRE_H
#define SD_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

#define SD_FIELD_MAX ((1u << 29) - 1) /* greatest field number that the format knows */

enum sd_wire_type { SD_WIRE_VARINT = 0, SD_WIRE_FIXED64 = 1, SD_WIRE_BYTES = 2, SD_WIRE_FIXED32 = 5 };

struct sd_wire {
	const unsigned char *at, *end; /* once bad: where the malformed field begins */
	bool bad; /* malformed; then no field is given out any more */
};

struct sd_field {
	uint32_t number;
	enum sd_wire_type type;
	uint64_t number_value;  /* varint and fixed; 0 for SD_WIRE_BYTES */
	struct sd_text bytes;   /* SD_WIRE_BYTES; empty for the others */
};

static inline struct sd_wire sd_wire_over(struct sd_text bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.at;

	return (struct sd_wire){ at, bytes.len ? at + bytes.len : at, false };
}

/* The general cases of the two inline readers below. */
bool sd__wire_next_any(struct sd_wire *wire, struct sd_field *field);
bool sd__wire_varint_any(struct sd_wire *wire, uint64_t *value);

/* The next field; false at the end or when the message is malformed (`bad` tells). Groups,
 * field number 0, numbers above SD_FIELD_MAX and lengths past the end are malformed. */
static inline bool sd_wire_next(struct sd_wire *wire, struct sd_field *field)
{
	const unsigned char *at = wire->at;
	size_t left = (size_t)(wire->end - at);

	/* Nearly all fields of a graph are short texts and messages with a number below 16. */
	if (left >= 2 && (at[0] & 0x87) == SD_WIRE_BYTES && at[0] >= 8 && at[1] < 0x80 && at[1] <= left - 2) {
		*field = (struct sd_field){ at[0] >> 3, SD_WIRE_BYTES, 0, { (const char *)at + 2, at[1] } };
		wire->at = at + 2 + at[1];
		return true;
	}
	return sd__wire_next_any(wire, field);
}

/* One varint of a packed list; false at the end or malformed. */
static inline bool sd_wire_varint(struct sd_wire *wire, uint64_t *value)
{
	if (wire->at != wire->end && *wire->at < 0x80) {
		*value = *wire->at++;
		return true;
	}
	return sd__wire_varint_any(wire, value);
}

/* The next number of a repeated scalar field, which comes packed or one by one. `packed`
 * stands over field->bytes when `field` is SD_WIRE_BYTES; a lone number is given once:
 *
 *	struct sd_wire packed = sd_wire_over(field.bytes);
 *	for (bool more = sd_wire_first(&field, &packed, kind, &value); more; more = sd_wire_more(&packed, kind, &value))
 */
bool sd_wire_more(struct sd_wire *packed, enum sd_wire_type kind, uint64_t *value);
bool sd_wire_first(const struct sd_field *field, struct sd_wire *packed, enum sd_wire_type kind, uint64_t *value);

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

/* `first_cap` is a guess of the final size: a good one saves the copies of growing. */
void sd_buffer_init(struct sd_buffer *buffer, struct sd_arena *mem, size_t first_cap);
void sd_buffer_append(struct sd_buffer *buffer, const void *data, size_t len);

void sd_put_varint(struct sd_buffer *buffer, uint64_t value);
void sd_put_uint(struct sd_buffer *buffer, uint32_t field, uint64_t value);  /* left out when 0 */
void sd_put_uint_always(struct sd_buffer *buffer, uint32_t field, uint64_t value); /* members of a oneof */
void sd_put_sint(struct sd_buffer *buffer, uint32_t field, int64_t value);   /* zigzag, left out when 0 */
void sd_put_bytes(struct sd_buffer *buffer, uint32_t field, const void *data, size_t len); /* left out when empty */

/* A nested message (or packed list) of unknown size: begin, put fields, end. An empty one
 * is written too. */
size_t sd_put_begin(struct sd_buffer *buffer, uint32_t field);
void sd_put_end(struct sd_buffer *buffer, size_t begun);

#endif
