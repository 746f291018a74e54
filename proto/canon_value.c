/* Attribute values by content; node names inside them as indices. */
#include "canon_parts.h"

/* ---- values that name nodes ---- */

static uint32_t find_node(struct sd__canon *canon, struct sd_text name)
{
	const struct sd_graph *g = &canon->request->graph;

	if (!canon->names.slot && !canon->over_budget) {
		canon->over_budget = !sd__names_init(&canon->names, canon->mem, g->name, g->node_count);
		for (uint32_t n = 0; !canon->over_budget && n < g->node_count; n++)
			sd__names_add(&canon->names, n);
	}
	return canon->over_budget ? SD__NO_NAME : sd__names_find(&canon->names, name);
}

/* "VERB;NAME;NUMBER" cut at the first and the last semicolon: a name may hold some itself. */
static bool split_reference(struct sd_text text, struct sd_text part[3])
{
	const char *first = text.len ? memchr(text.at, ';', text.len) : NULL;
	const char *last = text.at + text.len;

	if (!first)
		return false;
	while (*--last != ';')
		;
	if (first == last)
		return false;
	part[0] = (struct sd_text){ text.at, (uint32_t)(first - text.at) };
	part[1] = (struct sd_text){ first + 1, (uint32_t)(last - first - 1) };
	part[2] = (struct sd_text){ last + 1, (uint32_t)(text.at + text.len - last - 1) };
	return true;
}

static void put_reference(struct sd__canon *canon, struct sd_text text)
{
	struct sd_text part[3];
	uint32_t node = split_reference(text, part) ? find_node(canon, part[1]) : SD__NO_NAME;

	sd__sponge_number(&canon->sponge, node != SD__NO_NAME);
	if (node == SD__NO_NAME) {
		sd__sponge_text(&canon->sponge, text);
		return;
	}
	sd__sponge_text(&canon->sponge, part[0]);
	sd__sponge_number(&canon->sponge, node);
	sd__sponge_text(&canon->sponge, part[2]);
}

/* ---- values ---- */

static void put_string(struct sd__canon *canon, enum sd_attr_key key, struct sd_text string)
{
	if (key == SD_ATTR_EVENT_MULTIPLEXING)
		put_reference(canon, string);
	else
		sd__sponge_text(&canon->sponge, string);
}

static void put_real(struct sd__canon *canon, double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	sd__sponge_number(&canon->sponge, bits);
}

static void put_list(struct sd__canon *canon, enum sd_attr_key key, const struct sd_list *list)
{
	sd__sponge_number(&canon->sponge, list->item);
	sd__sponge_number(&canon->sponge, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		switch (list->item) {
		case SD_VALUE_INT: sd__sponge_signed(&canon->sponge, list->integer[i]); break;
		case SD_VALUE_FLOAT: put_real(canon, list->real[i]); break;
		case SD_VALUE_BOOL: sd__sponge_number(&canon->sponge, list->boolean[i]); break;
		default: put_string(canon, key, list->string[i]); break;
		}
	}
}

static void put_value(struct sd__canon *canon, enum sd_attr_key key, const struct sd_value *value)
{
	sd__sponge_number(&canon->sponge, value->kind);
	switch (value->kind) {
	case SD_VALUE_STRING: put_string(canon, key, value->string); break;
	case SD_VALUE_INT: sd__sponge_signed(&canon->sponge, value->integer); break;
	case SD_VALUE_FLOAT: put_real(canon, value->real); break;
	case SD_VALUE_BOOL: sd__sponge_number(&canon->sponge, value->boolean); break;
	case SD_VALUE_LIST: put_list(canon, key, &value->list); break;
	case SD_VALUE_LISTS:
		sd__sponge_number(&canon->sponge, value->count);
		for (uint32_t i = 0; i < value->count; i++)
			put_list(canon, key, &value->lists[i]);
		break;
	case SD_VALUE_MAP:
	case SD_VALUE_MAPS:
		sd__sponge_number(&canon->sponge, value->count);
		for (uint32_t i = 0; i < value->count; i++)
			sd__canon_attrs(canon, value->maps[i].entry, value->maps[i].count);
		break;
	}
}

/* Maps are attributes too, one level deep: a value in a map is no map. */
void sd__canon_attrs(struct sd__canon *canon, const struct sd_attr *attr, uint32_t count)
{
	sd__sponge_number(&canon->sponge, count);
	for (uint32_t i = 0; i < count; i++) {
		sd__sponge_text(&canon->sponge, attr[i].name);
		put_value(canon, attr[i].key, &attr[i].value);
	}
}
