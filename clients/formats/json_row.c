#include "json_row.h"

#include "json_message.h"
#include "suggest.h"

static enum sd_status read_bounded(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, int64_t least, int64_t most, int64_t *value)
{
	if (!json_is_integer(json))
		return sd_json_fail_type(r, at, json, "an integer");
	*value = json_integer_value(json);
	if (*value < least || *value > most)
		return sd_json_fail(r, at, "must be from %lld to %lld", (long long)least, (long long)most);
	return SD_OK;
}

enum sd_status sd__row_read_uint32(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, uint32_t *value)
{
	int64_t wide = 0;

	SD_TRY(read_bounded(r, at, json, 0, UINT32_MAX, &wide));
	*value = (uint32_t)wide;
	return SD_OK;
}

enum sd_status sd__row_read_int32(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, int32_t *value)
{
	int64_t wide = 0;

	SD_TRY(read_bounded(r, at, json, INT32_MIN, INT32_MAX, &wide));
	*value = (int32_t)wide;
	return SD_OK;
}

enum sd_status sd__row_want_list(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json)
{
	return json_is_array(json) ? SD_OK : sd_json_fail_type(r, at, json, "a list");
}

static enum sd_status read_word(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, const char *const *words, int *value)
{
	if (!json_is_string(json))
		return sd_json_fail_type(r, at, json, "a string");
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], json_string_value(json)) == 0) {
			*value = i;
			return SD_OK;
		}
	}
	return sd_json_fail(r, at, "is none of the words that stand here, like %s", words[0]);
}

static enum sd_status read_key(void *reader, const struct sd_json_path *at, json_t *json, const struct sd__row_key *key, void *row)
{
	struct sd_json_reader *r = reader;
	char *member = (char *)row + key->offset;

	switch (key->kind) {
	case SD__ROW_UINT32: return sd__row_read_uint32(r, at, json, (uint32_t *)(void *)member);
	case SD__ROW_INT32: return sd__row_read_int32(r, at, json, (int32_t *)(void *)member);
	case SD__ROW_INT64: return read_bounded(r, at, json, INT64_MIN, INT64_MAX, (int64_t *)(void *)member);
	case SD__ROW_WORD: return read_word(r, at, json, key->words, (int *)(void *)member);
	case SD__ROW_OTHER: return key->read(reader, at, json, member);
	case SD__ROW_UNUSED: return SD_OK;
	case SD__ROW_BOOL: break;
	}
	if (!json_is_boolean(json))
		return sd_json_fail_type(r, at, json, "true or false");
	*(bool *)member = json_is_true(json);
	return SD_OK;
}

static const char *key_name(const void *keys, unsigned index)
{
	return ((const struct sd__row_key *)keys)[index].name;
}

static const struct sd__row_key *find_key(const struct sd__row_key *keys, const char *name)
{
	for (; keys->name; keys++) {
		if (strcmp(keys->name, name) == 0)
			return keys;
	}
	return NULL;
}

enum sd_status sd__row_read_object(void *reader, const struct sd_json_path *at, json_t *json, const struct sd__row_key *keys, void *row)
{
	struct sd_json_reader *r = reader;
	const char *name;
	json_t *value;

	if (!json_is_object(json))
		return sd_json_fail_type(r, at, json, "an object");
	json_object_foreach(json, name, value) {
		const struct sd__row_key *key = find_key(keys, name);
		struct sd_json_path here = sd_json_key(at, name);
		const char *near = key ? NULL : sd_suggest(name, key_name, keys);

		if (!key)
			return near ? sd_json_fail(r, &here, "unknown key; did you mean %s?", near) : sd_json_fail(r, &here, "unknown key");
		SD_TRY(read_key(reader, &here, value, key, row));
	}
	return SD_OK;
}

enum sd_status sd__row_read_list(void *reader, const struct sd_json_path *at, json_t *json, const struct sd__row_key *keys, size_t size, void *rows,
                                 uint32_t *count)
{
	struct sd_json_reader *r = reader;
	char *row;

	SD_TRY(sd__row_want_list(r, at, json));
	row = sd_arena_zero(r->mem, json_array_size(json), size);
	memcpy(rows, &row, sizeof(row));
	*count = row ? (uint32_t)json_array_size(json) : 0;
	if (!row)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		SD_TRY(sd__row_read_object(reader, &here, json_array_get(json, i), keys, row + i * size));
	}
	return SD_OK;
}
