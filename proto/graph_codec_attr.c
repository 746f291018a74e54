/* Attributes of nodes and graphs: sorted by name, each once, the known ones with their key. */
#include <stdlib.h>

#include "graph_decode.h"

bool sd__attr_names_init(struct sd__decode *d)
{
	static const struct sd_text known[] = {
#define SD_X(name, text) { text, sizeof(text) - 1 },
		SD_ATTR_LIST(SD_X)
#undef SD_X
	};

	if (!sd__intern_init(&d->attr_names, d->mem))
		return false;
	/* Entered first and in order, a known name has its key as its number. */
	for (uint32_t key = 0; key < SD_ATTR_OTHER; key++) {
		if (sd__intern_add(&d->attr_names, known[key]) != key)
			return false;
	}
	return true;
}

enum sd_status sd__decode_attr_name(struct sd__decode *d, uint32_t node, struct sd_text name, struct sd_attr *attr)
{
	uint32_t seen = d->attr_names.count;
	uint32_t number = sd__intern_add(&d->attr_names, name);

	if (number == SD__NO_NAME)
		return sd__over_budget(d);
	attr->name = name;
	attr->key = number < SD_ATTR_OTHER ? (enum sd_attr_key)number : SD_ATTR_OTHER;
	return d->attr_names.count == seen ? SD_OK : sd__check_name(d, node, "attribute name", name);
}

enum sd_status sd__decode_attr(struct sd__decode *d, uint32_t node, struct sd_text bytes)
{
	struct sd_text part[5] = { { "", 0 } };
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_attr *attr = &d->attr[d->attr_count];
	struct sd_field f;
	unsigned seen = 0;

	SD_REQUIRE(d->attr_count < d->map_attr);
	d->attr_count++;
	while (sd_wire_next(&wire, &f)) {
		if (f.number < 5) {
			part[f.number] = f.bytes;
			seen |= 1u << f.number;
		}
	}
	if (!(seen & 1u << 1))
		part[1] = SD_TEXT("");
	SD_TRY(sd__decode_attr_name(d, node, part[1], attr));
	switch (seen >> 2) {
	case 1: return sd__decode_value(d, node, attr->name, part[2], &attr->value);
	case 2: return sd__decode_map(d, node, attr->name, part[3], &attr->value);
	case 4: return sd__decode_maps(d, node, attr->name, part[4], &attr->value);
	default: return SD_FAIL2(d->diag, SD_CODE_BAD_ATTR, node, sd_arg_text(attr->name),
		                 sd_arg_words("given as exactly one of value, map and maps"));
	}
}

static int by_name(const void *a, const void *b)
{
	return sd_text_compare(((const struct sd_attr *)a)->name, ((const struct sd_attr *)b)->name);
}

enum sd_status sd__sort_attrs(struct sd__decode *d, uint32_t node, struct sd_attr *attr, uint32_t count)
{
	uint32_t i = 1;

	while (i < count && by_name(&attr[i - 1], &attr[i]) < 0)
		i++;
	if (i >= count)
		return SD_OK;
	qsort(attr, count, sizeof(*attr), by_name);
	for (i = 1; i < count; i++) {
		if (by_name(&attr[i - 1], &attr[i]) == 0)
			return SD_FAIL1(d->diag, SD_CODE_ATTR_TWICE, node, sd_arg_text(attr[i].name));
	}
	return SD_OK;
}

enum sd_status sd__finish_attrs(struct sd__decode *d, uint32_t node, uint32_t first, struct sd_attr_range *range,
                                uint64_t *present)
{
	*range = (struct sd_attr_range){ first, d->attr_count - first };
	*present = 0;
	for (uint32_t i = first; i < d->attr_count; i++) {
		if (d->attr[i].key != SD_ATTR_OTHER)
			*present |= (uint64_t)1 << d->attr[i].key;
	}
	return sd__sort_attrs(d, node, d->attr + first, range->count);
}
