/* What stands behind an attribute's name: one value, a list, or a map of values. */
#include "graph_decode.h"
#include "plain.h"

static enum sd_status bad_attr(struct sd__decode *d, uint32_t node, struct sd_text name, const char *must)
{
	return SD_FAIL2(d->diag, SD_CODE_BAD_ATTR, node, sd_arg_text(name), sd_arg_words(must));
}

static enum sd_status check_string(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text string)
{
	if (string.len <= SD_TEXT_VALUE_BYTES_MAX && sd__text_is_plain(string))
		return SD_OK;
	return bad_attr(d, node, name, "UTF-8 text without NUL, each piece at most 65536 bytes");
}

/* ---- lists ---- */

struct item_rule {
	enum sd_value_kind kind;
	enum sd_wire_type type;
	size_t bytes;
};

/* By field number of List. */
static const struct item_rule item_rules[] = {
	[1] = { SD_VALUE_STRING, SD_WIRE_BYTES, sizeof(struct sd_text) },
	[2] = { SD_VALUE_INT, SD_WIRE_VARINT, sizeof(int64_t) },
	[3] = { SD_VALUE_FLOAT, SD_WIRE_FIXED64, sizeof(double) },
	[4] = { SD_VALUE_BOOL, SD_WIRE_VARINT, sizeof(uint8_t) },
};

static void store_number(enum sd_value_kind kind, void *items, uint32_t at, uint64_t value)
{
	if (kind == SD_VALUE_INT)
		((int64_t *)items)[at] = (int64_t)value;
	else if (kind == SD_VALUE_FLOAT)
		memcpy((double *)items + at, &value, sizeof(value));
	else
		((uint8_t *)items)[at] = value != 0;
}

/* Reads the items that one field holds into `items` from place `at` on (only counts them when it
 * is NULL) and answers how many there are. */
static uint32_t read_items(const struct sd_field *f, const struct item_rule *rule, void *items, uint32_t at)
{
	struct sd_wire packed = sd_wire_over(f->bytes);
	uint32_t first = at;
	uint64_t value;

	if (rule->kind == SD_VALUE_STRING) {
		if (items)
			((struct sd_text *)items)[at] = f->bytes;
		return 1;
	}
	for (bool more = sd_wire_first(f, &packed, rule->type, &value); more;
	     more = sd_wire_more(&packed, rule->type, &value), at++) {
		if (items)
			store_number(rule->kind, items, at, value);
	}
	return at - first;
}

/* All items of field `number` in a message. */
static uint32_t read_field_items(struct sd_text bytes, uint32_t number, const struct item_rule *rule, void *items)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	uint32_t count = 0;

	while (sd_wire_next(&wire, &f)) {
		if (f.number == number)
			count += read_items(&f, rule, items, count);
	}
	return count;
}

static enum sd_status read_list(struct sd__decode *d, struct sd_text bytes, uint32_t number, const struct item_rule *rule,
                                struct sd_list *list)
{
	uint32_t count = read_field_items(bytes, number, rule, NULL);
	void *items = NULL;

	if (count) {
		items = sd_arena_array(d->mem, count, rule->bytes);
		if (!items)
			return sd__over_budget(d);
		read_field_items(bytes, number, rule, items);
	}
	/* The members of the union are pointers of one representation. */
	*list = (struct sd_list){ .item = rule->kind, .count = count, .string = items };
	return SD_OK;
}

/* Which field the items of a List are in: 1 for an empty one, 0 when there are several kinds. */
static uint32_t find_list_kind(struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	uint32_t kind = 0;

	while (sd_wire_next(&wire, &f)) {
		if (f.number > 4 || read_items(&f, &item_rules[f.number], NULL, 0) == 0)
			continue;
		if (kind && kind != f.number)
			return 0;
		kind = f.number;
	}
	return kind ? kind : 1;
}

static enum sd_status decode_list(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                                  struct sd_list *list)
{
	uint32_t kind = find_list_kind(bytes);

	if (kind == 0)
		return sd__malformed(d, bytes, "a list holds items of several kinds");
	SD_TRY(read_list(d, bytes, kind, &item_rules[kind], list));
	for (uint32_t i = 0; list->item == SD_VALUE_STRING && i < list->count; i++)
		SD_TRY(check_string(d, node, name, list->string[i]));
	return SD_OK;
}

static uint32_t count_field(struct sd_text bytes, uint32_t number)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	uint32_t count = 0;

	while (sd_wire_next(&wire, &f))
		count += f.number == number;
	return count;
}

static enum sd_status decode_lists(struct sd__decode *d, struct sd_text bytes, struct sd_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_list *list = SD_NEW(d->mem, struct sd_list, count_field(bytes, 1));

	if (!list)
		return sd__over_budget(d);
	value->count = 0;
	value->lists = list;
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			SD_TRY(read_list(d, f.bytes, 1, &item_rules[2], &list[value->count++]));
	}
	return SD_OK;
}

/* ---- one value ---- */

enum sd_status sd__decode_value(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                                struct sd_value *value)
{
	/* By field number of Value. */
	static const enum sd_value_kind kinds[] = {
		[1] = SD_VALUE_STRING, [2] = SD_VALUE_INT, [3] = SD_VALUE_FLOAT,
		[4] = SD_VALUE_BOOL, [5] = SD_VALUE_LIST, [6] = SD_VALUE_LISTS,
	};
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f, last = { 0 };

	while (sd_wire_next(&wire, &f)) {
		if (f.number <= 6)
			last = f; /* of the members of a oneof the last one holds */
	}
	if (last.number == 0)
		return bad_attr(d, node, name, "given a value");
	*value = (struct sd_value){ .kind = kinds[last.number] };
	switch (value->kind) {
	case SD_VALUE_STRING: value->string = last.bytes; return check_string(d, node, name, value->string);
	case SD_VALUE_INT: value->integer = (int64_t)last.number_value; return SD_OK;
	case SD_VALUE_FLOAT: memcpy(&value->real, &last.number_value, sizeof(value->real)); return SD_OK;
	case SD_VALUE_BOOL: value->boolean = last.number_value != 0; return SD_OK;
	case SD_VALUE_LIST: return decode_list(d, node, name, last.bytes, &value->list);
	default: return decode_lists(d, last.bytes, value);
	}
}

/* ---- maps ---- */

static enum sd_status decode_entry(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                                   struct sd_attr *entry)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_text key = { "", 0 }, value = key;

	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			key = f.bytes;
		else if (f.number == 2)
			value = f.bytes;
	}
	SD_TRY(sd__decode_attr_name(d, node, key, entry));
	return sd__decode_value(d, node, name, value, &entry->value);
}

static enum sd_status read_map(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                               struct sd_map *map)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	uint32_t count = count_field(bytes, 1);
	struct sd_attr *entry;

	SD_REQUIRE(count <= d->map_attr - d->attr_count);
	d->map_attr -= count;
	entry = d->attr + d->map_attr;
	*map = (struct sd_map){ count, entry };
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			SD_TRY(decode_entry(d, node, name, f.bytes, entry++));
	}
	return sd__sort_attrs(d, node, d->attr + d->map_attr, count);
}

enum sd_status sd__decode_maps(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                               struct sd_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_map *map = SD_NEW(d->mem, struct sd_map, count_field(bytes, 1));

	if (!map)
		return sd__over_budget(d);
	*value = (struct sd_value){ .kind = SD_VALUE_MAPS, .maps = map };
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			SD_TRY(read_map(d, node, name, f.bytes, &map[value->count++]));
	}
	return SD_OK;
}

enum sd_status sd__decode_map(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_text bytes,
                              struct sd_value *value)
{
	struct sd_map *map = SD_NEW(d->mem, struct sd_map, 1);

	if (!map)
		return sd__over_budget(d);
	*value = (struct sd_value){ .kind = SD_VALUE_MAP, .count = 1, .maps = map };
	return read_map(d, node, name, bytes, map);
}
