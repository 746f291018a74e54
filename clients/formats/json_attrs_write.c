/* Attributes to JSON: the inverse of json_attrs.c. */
#include "json_shapes.h"

static void write_list(struct sd_emitter *out, const Streamd__V1__List *list)
{
	sd_emit_open(out, '[');
	for (size_t i = 0; i < list->n_s; i++)
		sd_emit_string(out, list->s[i]);
	for (size_t i = 0; i < list->n_i; i++)
		sd_emit_int(out, list->i[i]);
	for (size_t i = 0; i < list->n_f; i++)
		sd_emit_real(out, list->f[i]);
	for (size_t i = 0; i < list->n_b; i++)
		sd_emit_bool(out, list->b[i]);
	sd_emit_close(out, ']');
}

static void write_lists(struct sd_emitter *out, const Streamd__V1__Lists *lists)
{
	sd_emit_open(out, '[');
	for (size_t i = 0; i < lists->n_lists; i++) {
		sd_emit_open(out, '[');
		for (size_t k = 0; k < lists->lists[i]->n_i; k++)
			sd_emit_int(out, lists->lists[i]->i[k]);
		sd_emit_close(out, ']');
	}
	sd_emit_close(out, ']');
}

static void write_value(struct sd_emitter *out, const Streamd__V1__Value *value)
{
	switch (value->kind_case) {
	case STREAMD__V1__VALUE__KIND_I:
		sd_emit_int(out, value->i);
		break;
	case STREAMD__V1__VALUE__KIND_F:
		sd_emit_real(out, value->f);
		break;
	case STREAMD__V1__VALUE__KIND_B:
		sd_emit_bool(out, value->b);
		break;
	case STREAMD__V1__VALUE__KIND_LIST:
		write_list(out, value->list);
		break;
	case STREAMD__V1__VALUE__KIND_LISTS:
		write_lists(out, value->lists);
		break;
	case STREAMD__V1__VALUE__KIND_S:
		sd_emit_string(out, value->s);
		break;
	default:
		sd_emit_string(out, "");
	}
}

static void write_map(struct sd_emitter *out, const Streamd__V1__Map *map)
{
	sd_emit_open(out, '{');
	for (size_t i = 0; i < map->n_fields; i++) {
		sd_emit_key(out, map->fields[i]->name);
		write_value(out, map->fields[i]->value);
	}
	sd_emit_close(out, '}');
}

static void write_attr(struct sd_emitter *out, const Streamd__V1__Attr *attr)
{
	sd_emit_key(out, attr->name);
	if (attr->map) {
		write_map(out, attr->map);
	} else if (attr->maps) {
		sd_emit_open(out, '[');
		for (size_t i = 0; i < attr->maps->n_maps; i++)
			write_map(out, attr->maps->maps[i]);
		sd_emit_close(out, ']');
	} else {
		write_value(out, attr->value);
	}
}

void sd__json_attrs_write(struct sd_emitter *out, const void *member, size_t count)
{
	Streamd__V1__Attr *const *attrs = *(Streamd__V1__Attr *const *const *)member;

	sd_emit_open(out, '{');
	for (size_t i = 0; i < count; i++)
		write_attr(out, attrs[i]);
	sd_emit_close(out, '}');
}
