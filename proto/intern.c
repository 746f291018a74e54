#include "intern.h"

#define FIRST_CAP 64u

static bool resize(struct sd__intern *set, uint32_t cap)
{
	struct sd_text *text = SD_NEW(set->mem, struct sd_text, cap);

	if (!text)
		return false;
	if (set->count)
		memcpy(text, set->text, set->count * sizeof(*text));
	set->text = text;
	set->cap = cap;
	if (!sd__names_init(&set->names, set->mem, text, cap))
		return false;
	for (uint32_t i = 0; i < set->count; i++)
		sd__names_add(&set->names, i);
	return true;
}

bool sd__intern_init(struct sd__intern *set, struct sd_arena *mem)
{
	*set = (struct sd__intern){ .mem = mem };
	return resize(set, FIRST_CAP);
}

/* Any place will do: a bad guess costs a look into the table. */
static uint32_t cache_place(struct sd_text text)
{
	uint32_t first = text.len ? (unsigned char)text.at[0] : 0;
	uint32_t middle = text.len ? (unsigned char)text.at[text.len / 2] : 0;
	uint32_t last = text.len ? (unsigned char)text.at[text.len - 1] : 0;

	return (text.len + first * 3 + middle * 5 + last * 11) % SD__INTERN_CACHE;
}

uint32_t sd__intern_add(struct sd__intern *set, struct sd_text text)
{
	uint32_t *cached = &set->cache[cache_place(text)];
	uint32_t number;

	if (*cached && sd_text_equal(set->text[*cached - 1], text))
		return *cached - 1;
	if (set->count == set->cap && !resize(set, set->cap * 2))
		return SD__NO_NAME;
	set->text[set->count] = text;
	number = sd__names_add(&set->names, set->count);
	if (number == SD__NO_NAME)
		number = set->count++;
	*cached = number + 1;
	return number;
}
