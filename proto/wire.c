#include "wire.h"

#include <string.h>

#define VARINT_MAX 10u /* bytes of the longest varint: 64 bits in groups of 7 */

/* ---- reading ---- */

static bool refuse(struct sd_wire *wire, const unsigned char *field)
{
	wire->at = wire->end = field;
	wire->bad = true;
	return false;
}

bool sd__wire_varint_any(struct sd_wire *wire, uint64_t *value)
{
	const unsigned char *at = wire->at;
	uint64_t sum = 0;

	if (at == wire->end)
		return false;
	for (unsigned i = 0; i < VARINT_MAX && at != wire->end; i++) {
		unsigned char c = *at++;

		/* The tenth byte has room for one bit. */
		if (i == VARINT_MAX - 1 && c > 1)
			break;
		sum |= (uint64_t)(c & 0x7f) << (7 * i);
		if (c < 0x80) {
			wire->at = at;
			*value = sum;
			return true;
		}
	}
	return refuse(wire, wire->at);
}

static bool read_fixed(struct sd_wire *wire, unsigned bytes, uint64_t *value)
{
	uint64_t sum = 0;

	if ((size_t)(wire->end - wire->at) < bytes)
		return false;
	for (unsigned i = 0; i < bytes; i++)
		sum |= (uint64_t)wire->at[i] << (8 * i);
	wire->at += bytes;
	*value = sum;
	return true;
}

static bool read_bytes(struct sd_wire *wire, struct sd_text *bytes)
{
	uint64_t len;

	if (!sd_wire_varint(wire, &len) || len > (uint64_t)(wire->end - wire->at))
		return false;
	*bytes = (struct sd_text){ (const char *)wire->at, (uint32_t)len };
	wire->at += len;
	return true;
}

bool sd__wire_next_any(struct sd_wire *wire, struct sd_field *field)
{
	const unsigned char *start = wire->at;
	uint64_t tag;
	bool ok = false;

	if (start == wire->end)
		return false;
	if (!sd_wire_varint(wire, &tag) || tag >> 3 == 0 || tag >> 3 > SD_FIELD_MAX)
		return refuse(wire, start);
	*field = (struct sd_field){ .number = (uint32_t)(tag >> 3), .type = (enum sd_wire_type)(tag & 7), .bytes = { "", 0 } };
	switch (tag & 7) {
	case SD_WIRE_VARINT: ok = sd_wire_varint(wire, &field->number_value); break;
	case SD_WIRE_FIXED64: ok = read_fixed(wire, 8, &field->number_value); break;
	case SD_WIRE_BYTES: ok = read_bytes(wire, &field->bytes); break;
	case SD_WIRE_FIXED32: ok = read_fixed(wire, 4, &field->number_value); break;
	}
	return ok || refuse(wire, start);
}

bool sd_wire_more(struct sd_wire *packed, enum sd_wire_type kind, uint64_t *value)
{
	if (kind == SD_WIRE_VARINT)
		return sd_wire_varint(packed, value);
	if (packed->at == packed->end)
		return false;
	return read_fixed(packed, 8, value) || refuse(packed, packed->at);
}

bool sd_wire_first(const struct sd_field *field, struct sd_wire *packed, enum sd_wire_type kind, uint64_t *value)
{
	if (field->type == SD_WIRE_BYTES)
		return sd_wire_more(packed, kind, value);
	*value = field->number_value;
	return true;
}

/* ---- writing ---- */

void sd_buffer_init(struct sd_buffer *buffer, struct sd_arena *mem, size_t first_cap)
{
	*buffer = (struct sd_buffer){ .mem = mem, .data = sd_arena_alloc(mem, first_cap), .cap = first_cap };
	buffer->failed = !buffer->data;
}

/* Room for `len` more bytes; false over budget. */
static bool has_room(struct sd_buffer *buffer, size_t len)
{
	size_t cap = buffer->cap * 2;
	unsigned char *data;

	if (buffer->failed)
		return false;
	if (len <= buffer->cap - buffer->len)
		return true;
	if (cap < buffer->len + len)
		cap = buffer->len + len;
	data = sd_arena_alloc(buffer->mem, cap);
	if (!data) {
		buffer->failed = true;
		return false;
	}
	memcpy(data, buffer->data, buffer->len);
	buffer->data = data;
	buffer->cap = cap;
	return true;
}

void sd_buffer_append(struct sd_buffer *buffer, const void *data, size_t len)
{
	if (len == 0 || !has_room(buffer, len))
		return;
	memcpy(buffer->data + buffer->len, data, len);
	buffer->len += len;
}

static unsigned write_varint(unsigned char out[VARINT_MAX], uint64_t value)
{
	unsigned len = 0;

	while (value >= 0x80) {
		out[len++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	out[len++] = (unsigned char)value;
	return len;
}

void sd_put_varint(struct sd_buffer *buffer, uint64_t value)
{
	if (has_room(buffer, VARINT_MAX))
		buffer->len += write_varint(buffer->data + buffer->len, value);
}

static void put_tag(struct sd_buffer *buffer, uint32_t field, enum sd_wire_type type)
{
	sd_put_varint(buffer, (uint64_t)field << 3 | type);
}

void sd_put_uint_always(struct sd_buffer *buffer, uint32_t field, uint64_t value)
{
	put_tag(buffer, field, SD_WIRE_VARINT);
	sd_put_varint(buffer, value);
}

void sd_put_uint(struct sd_buffer *buffer, uint32_t field, uint64_t value)
{
	if (value)
		sd_put_uint_always(buffer, field, value);
}

void sd_put_sint(struct sd_buffer *buffer, uint32_t field, int64_t value)
{
	sd_put_uint(buffer, field, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void sd_put_bytes(struct sd_buffer *buffer, uint32_t field, const void *data, size_t len)
{
	if (len == 0)
		return;
	put_tag(buffer, field, SD_WIRE_BYTES);
	sd_put_varint(buffer, len);
	sd_buffer_append(buffer, data, len);
}

/* The length is written last, in as few bytes as it needs: one is kept free, and the
 * rare longer content moves up. */
size_t sd_put_begin(struct sd_buffer *buffer, uint32_t field)
{
	put_tag(buffer, field, SD_WIRE_BYTES);
	sd_buffer_append(buffer, "", 1);
	return buffer->len;
}

void sd_put_end(struct sd_buffer *buffer, size_t begun)
{
	unsigned char length[VARINT_MAX];
	size_t content = buffer->len - begun;
	unsigned more = write_varint(length, content) - 1;

	if (!has_room(buffer, more))
		return;
	if (more)
		memmove(buffer->data + begun + more, buffer->data + begun, content);
	memcpy(buffer->data + begun - 1, length, more + 1);
	buffer->len += more;
}
