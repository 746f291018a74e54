/* Values of attributes in a dump, as values of a request. */
#include "ge_dump_parts.h"

#include <math.h>

#include "base/utf8.h"
#include "json_message.h"

typedef Streamd__V1__Attr attr_t;
typedef Streamd__V1__Value value_t;
typedef Streamd__V1__Map map_t;

#define STRING_MAX (64u << 10) /* bytes of a text that a request may hold */

/* Written for the dump's own reader. */
static bool is_of_the_dump(const char *key)
{
	static const char *const keys[] = {
		"_src_out_peer_index_for_ge_txt_load", "_input_name_key", "_input_name_value", "_output_name_key", "_output_name_value",
		"_opt_input", "_ir_attr_names", "_ir_inputs_key", "_ir_inputs_value", "_ir_outputs_key", "_ir_outputs_value",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static bool is_text(const ProtobufCBinaryData *bytes)
{
	size_t at = 0;

	while (at < bytes->len) {
		uint32_t step = bytes->data[at] ? sd_utf8_step(bytes->data + at, (uint32_t)(bytes->len - at)) : 0;

		if (step == 0)
			return false;
		at += step;
	}
	return bytes->len <= STRING_MAX;
}

/* NULL: no memory. */
static char *string_of(struct dump_import *im, const ProtobufCBinaryData *bytes)
{
	char *copy = sd_arena_alloc(im->mem, bytes->len + 1);

	if (!copy)
		return NULL;
	if (bytes->len)
		memcpy(copy, bytes->data, bytes->len);
	copy[bytes->len] = '\0';
	return copy;
}

static enum sd_status strings_of(struct dump_import *im, const Streamd__Dump__List *from, Streamd__V1__List *list, bool *holds)
{
	list->s = SD_NEW(im->mem, char *, from->n_s);
	if (!list->s)
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < from->n_s && *holds; i++) {
		*holds = is_text(&from->s[i]);
		list->s[list->n_s] = string_of(im, &from->s[i]);
		if (!list->s[list->n_s++])
			return sd__dump_no_memory(im);
	}
	return SD_OK;
}

static bool are_finite(const double *number, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(number[i]))
			return false;
	}
	return true;
}

static enum sd_status list_of(struct dump_import *im, const Streamd__Dump__List *from, value_t *value, bool *holds)
{
	Streamd__V1__List *list = sd_message_new(im->mem, &streamd__v1__list__descriptor);

	if (!list)
		return sd__dump_no_memory(im);
	value->kind_case = STREAMD__V1__VALUE__KIND_LIST;
	value->list = list;
	*holds = are_finite(from->f, from->n_f);
	if (from->n_s)
		return strings_of(im, from, list, holds);
	list->n_i = from->n_i;
	list->i = from->i;
	if (!from->n_i) {
		list->n_f = from->n_f;
		list->f = from->f;
	}
	if (!from->n_i && !from->n_f) {
		list->n_b = from->n_b;
		list->b = from->b;
	}
	return SD_OK;
}

static enum sd_status lists_of(struct dump_import *im, const Streamd__Dump__Lists *from, value_t *value)
{
	Streamd__V1__Lists *lists = sd_message_new(im->mem, &streamd__v1__lists__descriptor);

	if (!lists || !(lists->lists = SD_NEW(im->mem, Streamd__V1__Ints *, from->n_list_list_i)))
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < from->n_list_list_i; i++) {
		Streamd__V1__Ints *ints = sd_message_new(im->mem, &streamd__v1__ints__descriptor);

		if (!ints)
			return sd__dump_no_memory(im);
		ints->n_i = from->list_list_i[i]->n_list_i;
		ints->i = from->list_list_i[i]->list_i;
		lists->lists[lists->n_lists++] = ints;
	}
	value->kind_case = STREAMD__V1__VALUE__KIND_LISTS;
	value->lists = lists;
	return SD_OK;
}

/* A value that is no map. `*holds` is false where a request has no place for it. */
static enum sd_status value_of(struct dump_import *im, const Streamd__Dump__Value *from, value_t **out, bool *holds)
{
	value_t *value = *out = sd_message_new(im->mem, &streamd__v1__value__descriptor);

	*holds = true;
	if (!value)
		return sd__dump_no_memory(im);
	if (from->list)
		return list_of(im, from->list, value, holds);
	if (from->list_list_int)
		return lists_of(im, from->list_list_int, value);
	if (from->has_s) {
		*holds = is_text(&from->s);
		value->kind_case = STREAMD__V1__VALUE__KIND_S;
		value->s = string_of(im, &from->s);
		return value->s ? SD_OK : sd__dump_no_memory(im);
	}
	if (from->has_i) {
		value->kind_case = STREAMD__V1__VALUE__KIND_I;
		value->i = from->i;
	} else if (from->has_f) {
		*holds = isfinite(from->f) != 0;
		value->kind_case = STREAMD__V1__VALUE__KIND_F;
		value->f = from->f;
	} else if (from->has_b) {
		value->kind_case = STREAMD__V1__VALUE__KIND_B;
		value->b = from->b;
	} else {
		*holds = false;
	}
	return SD_OK;
}

static enum sd_status map_of(struct dump_import *im, const Streamd__Dump__Named *from, map_t **out)
{
	map_t *map = *out = sd_message_new(im->mem, &streamd__v1__map__descriptor);
	value_t *value;
	bool holds;

	if (!map || !(map->fields = SD_NEW(im->mem, Streamd__V1__Field *, from->n_attr)))
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < from->n_attr; i++) {
		Streamd__V1__Field *field = sd_message_new(im->mem, &streamd__v1__field__descriptor);

		if (!from->attr[i]->key || !from->attr[i]->value)
			continue;
		if (!field)
			return sd__dump_no_memory(im);
		SD_TRY(value_of(im, from->attr[i]->value, &value, &holds));
		field->name = from->attr[i]->key;
		field->value = value;
		if (holds)
			map->fields[map->n_fields++] = field;
	}
	return SD_OK;
}

static enum sd_status maps_of(struct dump_import *im, const Streamd__Dump__List *from, attr_t *attr)
{
	attr->maps = sd_message_new(im->mem, &streamd__v1__maps__descriptor);
	if (!attr->maps || !(attr->maps->maps = SD_NEW(im->mem, map_t *, from->n_na)))
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < from->n_na; i++)
		SD_TRY(map_of(im, from->na[i], &attr->maps->maps[attr->maps->n_maps++]));
	return SD_OK;
}

static enum sd_status fill(struct dump_import *im, const Streamd__Dump__Value *from, attr_t *attr, bool *holds)
{
	*holds = true;
	if (from->func)
		return map_of(im, from->func, &attr->map);
	if (from->list && from->list->n_na)
		return maps_of(im, from->list, attr);
	return value_of(im, from, &attr->value, holds);
}

enum sd_status sd__dump_attrs(struct dump_import *im, dump_entry **entry, size_t count, attr_t ***attrs, size_t *attr_count)
{
	bool holds;

	*attr_count = 0;
	*attrs = SD_NEW(im->mem, attr_t *, count);
	if (!*attrs)
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < count; i++) {
		attr_t *attr = sd_message_new(im->mem, &streamd__v1__attr__descriptor);

		if (!entry[i]->key || !entry[i]->value || is_of_the_dump(entry[i]->key))
			continue;
		if (!attr)
			return sd__dump_no_memory(im);
		attr->name = entry[i]->key;
		SD_TRY(fill(im, entry[i]->value, attr, &holds));
		if (holds)
			(*attrs)[(*attr_count)++] = attr;
	}
	return SD_OK;
}

static const Streamd__Dump__Value *find(dump_entry *const *entry, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (entry[i]->key && strcmp(entry[i]->key, key) == 0)
			return entry[i]->value;
	}
	return NULL;
}

bool sd__dump_int(dump_entry *const *entry, size_t count, const char *key, int64_t *value)
{
	const Streamd__Dump__Value *found = find(entry, count, key);

	if (!found || !found->has_i)
		return false;
	*value = found->i;
	return true;
}

bool sd__dump_bool(dump_entry *const *entry, size_t count, const char *key)
{
	const Streamd__Dump__Value *found = find(entry, count, key);

	return found && ((found->has_b && found->b) || (found->has_i && found->i == 1));
}
