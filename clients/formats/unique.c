#include "unique.h"

#include <stdio.h>

bool sd_unique_init(struct sd_unique *unique, struct sd_arena *mem, uint32_t most)
{
	/* One more: a name is looked up before it is known to be new. */
	*unique = (struct sd_unique){ .mem = mem, .taken = SD_NEW(mem, struct sd_text, (size_t)most + 1) };
	return unique->taken && sd__names_init(&unique->names, mem, unique->taken, most + 1);
}

char *sd_text_copy(struct sd_arena *mem, struct sd_text text)
{
	char *copy = sd_arena_alloc(mem, (size_t)text.len + 1);

	if (!copy)
		return NULL;
	if (text.len)
		memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	return copy;
}

/* Whether the name was free; it is taken from here on. */
static bool take(struct sd_unique *unique, struct sd_text name)
{
	unique->taken[unique->count] = name;
	if (sd__names_add(&unique->names, unique->count) != SD__NO_NAME)
		return false;
	unique->count++;
	return true;
}

bool sd_unique_numbered(struct sd_unique *unique, struct sd_text stem, uint32_t number, struct sd_text *name)
{
	char text[SD_NAME_KEPT + 16];

	do {
		int len = snprintf(text, sizeof(text), "%.*s_%u", (int)(stem.len < SD_NAME_KEPT ? stem.len : SD_NAME_KEPT), stem.at, number++);

		*name = (struct sd_text){ sd_text_copy(unique->mem, (struct sd_text){ text, (uint32_t)len }), (uint32_t)len };
		if (!name->at)
			return false;
	} while (!take(unique, *name));
	return true;
}

bool sd_unique_name(struct sd_unique *unique, struct sd_text wish, uint32_t number, struct sd_text *name)
{
	if (wish.len == 0)
		return sd_unique_numbered(unique, wish, number, name);
	*name = (struct sd_text){ sd_text_copy(unique->mem, wish), wish.len };
	return name->at && (take(unique, *name) || sd_unique_numbered(unique, wish, number, name));
}
