#include "shape.h"

static bool stop(struct sd__walk *walk, const char *why)
{
	walk->why = why;
	return false;
}

/* Items of one occurrence of a repeated number. */
static bool count_numbers(struct sd__walk *walk, const struct sd_field *field, enum sd_wire_type kind, uint64_t *items)
{
	struct sd_wire packed = sd_wire_over(field->bytes);
	uint64_t value;

	*items = 0;
	for (bool more = sd_wire_first(field, &packed, kind, &value); more; more = sd_wire_more(&packed, kind, &value))
		(*items)++;
	return !packed.bad || stop(walk, "a packed list is cut off or holds an overlong number");
}

static bool type_fits(enum sd__form form, enum sd_wire_type type)
{
	switch (form) {
	case SD__UNKNOWN: return true;
	case SD__NUMBER: return type == SD_WIRE_VARINT;
	case SD__NUMBERS: return type == SD_WIRE_VARINT || type == SD_WIRE_BYTES;
	case SD__REAL: return type == SD_WIRE_FIXED64;
	case SD__REALS: return type == SD_WIRE_FIXED64 || type == SD_WIRE_BYTES;
	case SD__TEXT:
	case SD__MESSAGE:
	case SD__MESSAGE_ONCE: return type == SD_WIRE_BYTES;
	}
	return false;
}

static bool walk_field(struct sd__walk *walk, const struct sd__shape *shape, const struct sd_field *field, bool again)
{
	enum sd__form form = (enum sd__form)shape->row[field->number].form;
	uint8_t counter = shape->row[field->number].counter;
	uint64_t items = 1;

	if (!type_fits(form, field->type))
		return stop(walk, "a field has the wrong wire type");
	if (form == SD__MESSAGE_ONCE && again)
		return stop(walk, "a message that may stand once stands there twice");
	if (form == SD__NUMBERS && !count_numbers(walk, field, SD_WIRE_VARINT, &items))
		return false;
	if (form == SD__REALS && !count_numbers(walk, field, SD_WIRE_FIXED64, &items))
		return false;
	if (form == SD__TEXT)
		walk->counter[0] += field->bytes.len;
	if (counter)
		walk->counter[counter - 1] += items;
	return form < SD__MESSAGE || sd__shape_walk(walk, shape->row[field->number].shape, field->bytes);
}

bool sd__shape_walk(struct sd__walk *walk, const struct sd__shape *shape, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;
	uint32_t seen = 0;

	while (walk->at = (const char *)wire.at, sd_wire_next(&wire, &field)) {
		if (field.number >= SD__ROWS || shape->row[field.number].form == SD__UNKNOWN)
			continue;
		if (!walk_field(walk, shape, &field, seen >> field.number & 1))
			return false;
		seen |= 1u << field.number;
	}
	if (wire.bad)
		return stop(walk, "a field is cut off, overlong or of an unknown kind");
	if (seen & shape->group)
		walk->counter[shape->group_counter - 1]++;
	return true;
}
