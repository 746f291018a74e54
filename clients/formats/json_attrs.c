/* Attributes: a JSON map of plain values, which say their kind by how they look. */
#include "json_shapes.h"


typedef Streamd__V1__Value value_t;

/* ---- lists ---- */

static bool all_are(json_t *list, bool (*is)(const json_t *))
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!is(json_array_get(list, i)))
			return false;
	}
	return true;
}

static bool is_string(const json_t *json)
{
	return json_is_string(json);
}
static bool is_integer(const json_t *json)
{
	return json_is_integer(json);
}
static bool is_number(const json_t *json)
{
	return json_is_number(json);
}
static bool is_bool(const json_t *json)
{
	return json_is_boolean(json);
}
static bool is_list(const json_t *json)
{
	return json_is_array(json);
}
static bool is_map(const json_t *json)
{
	return json_is_object(json);
}

static enum sd_status read_ints(struct sd_json_reader *r, json_t *json, int64_t **items, size_t *count)
{
	*items = sd__json_list(r, json, sizeof(**items));
	if (!*items)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++)
		(*items)[i] = json_integer_value(json_array_get(json, i));
	*count = json_array_size(json);
	return SD_OK;
}

enum sd_status sd__json_strings_read(struct sd_json_reader *r, json_t *json, char ***items, size_t *count)
{
	char **strings = sd__json_list(r, json, sizeof(*strings));

	if (!strings)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++)
		strings[i] = sd_message_string(json_string_value(json_array_get(json, i)));
	*items = strings;
	*count = json_array_size(json);
	return SD_OK;
}

static enum sd_status read_reals(struct sd_json_reader *r, json_t *json, Streamd__V1__List *list)
{
	list->f = sd__json_list(r, json, sizeof(*list->f));
	if (!list->f)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++)
		list->f[i] = json_number_value(json_array_get(json, i));
	list->n_f = json_array_size(json);
	return SD_OK;
}

static enum sd_status read_bools(struct sd_json_reader *r, json_t *json, Streamd__V1__List *list)
{
	list->b = sd__json_list(r, json, sizeof(*list->b));
	if (!list->b)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++)
		list->b[i] = json_is_true(json_array_get(json, i));
	list->n_b = json_array_size(json);
	return SD_OK;
}

/* Says which item is not what the items before it are. */
static enum sd_status fail_item(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json)
{
	json_t *first = json_array_get(json, 0);
	const char *want = json_is_array(first) ? "a list of integers" : json_is_object(first) ? "a map"
	                 : json_is_string(first) ? "a string" : json_is_boolean(first) ? "a bool" : "a number";
	size_t i = 0;

	for (; i + 1 < json_array_size(json); i++) {
		json_t *item = json_array_get(json, i);

		if (json_typeof(item) != json_typeof(first) && !(json_is_number(item) && json_is_number(first)) &&
		    !(json_is_boolean(item) && json_is_boolean(first)))
			break;
	}
	struct sd_json_path here = sd_json_item(at, json_is_null(first) ? 0 : i);

	return sd_json_fail_type(r, &here, json_array_get(json, here.index), want);
}

static enum sd_status read_list(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, value_t *value)
{
	Streamd__V1__List *list = sd_message_new(r->mem, &streamd__v1__list__descriptor);

	if (!list)
		return sd_memory_fail(r->mem, r->diag);
	value->kind_case = STREAMD__V1__VALUE__KIND_LIST;
	value->list = list;
	if (all_are(json, is_string))
		return sd__json_strings_read(r, json, &list->s, &list->n_s);
	if (all_are(json, is_integer))
		return read_ints(r, json, &list->i, &list->n_i);
	if (all_are(json, is_number))
		return read_reals(r, json, list);
	if (all_are(json, is_bool))
		return read_bools(r, json, list);
	return fail_item(r, at, json);
}

static enum sd_status read_lists(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, value_t *value)
{
	Streamd__V1__Lists *lists = sd_message_new(r->mem, &streamd__v1__lists__descriptor);

	if (!lists || !(lists->lists = sd__json_messages(r, json)))
		return sd_memory_fail(r->mem, r->diag);
	if (!all_are(json, is_list))
		return fail_item(r, at, json);
	value->kind_case = STREAMD__V1__VALUE__KIND_LISTS;
	value->lists = lists;
	for (; lists->n_lists < json_array_size(json); lists->n_lists++) {
		struct sd_json_path here = sd_json_item(at, lists->n_lists);
		json_t *item = json_array_get(json, lists->n_lists);
		Streamd__V1__Ints *ints = sd_message_new(r->mem, &streamd__v1__ints__descriptor);

		if (!ints)
			return sd_memory_fail(r->mem, r->diag);
		if (!all_are(item, is_integer))
			return sd_json_fail(r, &here, "must be a list of integers; attribute values go no deeper");
		SD_TRY(read_ints(r, item, &ints->i, &ints->n_i));
		lists->lists[lists->n_lists] = ints;
	}
	return SD_OK;
}

/* ---- values and maps ---- */

/* Anything but a map and a list of maps. */
static enum sd_status read_value(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, value_t **out)
{
	value_t *value = sd_message_new(r->mem, &streamd__v1__value__descriptor);

	if (!value)
		return sd_memory_fail(r->mem, r->diag);
	*out = value;
	switch (json_typeof(json)) {
	case JSON_STRING:
		value->kind_case = STREAMD__V1__VALUE__KIND_S;
		value->s = sd_message_string(json_string_value(json));
		return SD_OK;
	case JSON_INTEGER:
		value->kind_case = STREAMD__V1__VALUE__KIND_I;
		value->i = json_integer_value(json);
		return SD_OK;
	case JSON_REAL:
		value->kind_case = STREAMD__V1__VALUE__KIND_F;
		value->f = json_real_value(json);
		return SD_OK;
	case JSON_TRUE:
	case JSON_FALSE:
		value->kind_case = STREAMD__V1__VALUE__KIND_B;
		value->b = json_is_true(json);
		return SD_OK;
	case JSON_ARRAY:
		if (json_is_array(json_array_get(json, 0)))
			return read_lists(r, at, json, value);
		if (!json_is_object(json_array_get(json, 0)))
			return read_list(r, at, json, value);
		return sd_json_fail(r, at, "must be a list of plain values; attribute values go no deeper");
	case JSON_OBJECT:
		return sd_json_fail(r, at, "must be a plain value or a list; attribute values go no deeper");
	default:
		return sd_json_fail_type(r, at, json, "a value");
	}
}

static enum sd_status read_map(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, Streamd__V1__Map **out)
{
	Streamd__V1__Map *map = sd_message_new(r->mem, &streamd__v1__map__descriptor);
	const char *key;
	json_t *value;

	if (!map || !(map->fields = sd__json_messages(r, json)))
		return sd_memory_fail(r->mem, r->diag);
	*out = map;
	json_object_foreach(json, key, value) {
		struct sd_json_path here = sd_json_key(at, key);
		Streamd__V1__Field *field = sd_message_new(r->mem, &streamd__v1__field__descriptor);

		if (!field)
			return sd_memory_fail(r->mem, r->diag);
		field->name = sd_message_string(key);
		SD_TRY(read_value(r, &here, value, &field->value));
		map->fields[map->n_fields++] = field;
	}
	return SD_OK;
}

static enum sd_status read_maps(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, Streamd__V1__Attr *attr)
{
	Streamd__V1__Maps *maps = sd_message_new(r->mem, &streamd__v1__maps__descriptor);

	if (!maps || !(maps->maps = sd__json_messages(r, json)))
		return sd_memory_fail(r->mem, r->diag);
	if (!all_are(json, is_map))
		return fail_item(r, at, json);
	attr->maps = maps;
	for (; maps->n_maps < json_array_size(json); maps->n_maps++) {
		struct sd_json_path here = sd_json_item(at, maps->n_maps);

		SD_TRY(read_map(r, &here, json_array_get(json, maps->n_maps), &maps->maps[maps->n_maps]));
	}
	return SD_OK;
}

static enum sd_status read_attr(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, Streamd__V1__Attr *attr)
{
	if (json_is_object(json))
		return read_map(r, at, json, &attr->map);
	if (json_is_array(json) && json_is_object(json_array_get(json, 0)))
		return read_maps(r, at, json, attr);
	return read_value(r, at, json, &attr->value);
}

enum sd_status sd__json_attrs_read(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, void *member, size_t *count)
{
	Streamd__V1__Attr **attrs;
	const char *key;
	json_t *value;
	size_t n = 0;

	if (!json_is_object(json))
		return sd_json_fail_type(r, at, json, "a map of attributes");
	attrs = sd__json_messages(r, json);
	if (!attrs)
		return sd_memory_fail(r->mem, r->diag);
	json_object_foreach(json, key, value) {
		struct sd_json_path here = sd_json_key(at, key);

		attrs[n] = sd_message_new(r->mem, &streamd__v1__attr__descriptor);
		if (!attrs[n])
			return sd_memory_fail(r->mem, r->diag);
		attrs[n]->name = sd_message_string(key);
		SD_TRY(read_attr(r, &here, value, attrs[n++]));
	}
	*(Streamd__V1__Attr ***)member = attrs;
	*count = n;
	return SD_OK;
}
