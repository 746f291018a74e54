/* chain_rows.c - the pass table as text, for listings. */
#include "base/vec.h"
#include "chain.h"

static const char *const fact_name[] = {
#define SD_X(name) #name,
	SD_FACT_LIST(SD_X)
#undef SD_X
};

static const char *const when_name[] = { "multi", "single", "explicit", "dynamic", "dyn_one" };

/* The names of the set bits, joined; "-" if none. */
static const char *join_bits(struct sd_arena *mem, uint32_t bits, const char *const *name, uint32_t names)
{
	size_t len = 2;
	char *text, *at;

	for (uint32_t i = 0; i < names; i++)
		len += bits >> i & 1 ? strlen(name[i]) + 1 : 0;
	text = at = SD_NEW(mem, char, len);
	if (!text)
		return "";
	for (uint32_t i = 0; i < names; i++) {
		size_t part = strlen(name[i]);

		if (!(bits >> i & 1))
			continue;
		if (at != text)
			*at++ = ' ';
		memcpy(at, name[i], part);
		at += part;
	}
	if (at == text)
		*at++ = '-';
	*at = '\0';
	return text;
}

bool sd_pass_row(struct sd_arena *mem, uint32_t index, struct sd_pass_row *row)
{
	const struct sd_pass *pass = &sd_chain[index];

	if (index >= sd_chain_length)
		return false;
	*row = (struct sd_pass_row){
		.name = pass->name, .rev = pass->rev,
		.when = pass->when == SD_ALWAYS ? "always" : join_bits(mem, pass->when, when_name, sizeof(when_name) / sizeof(when_name[0])),
		.needs = join_bits(mem, pass->needs, fact_name, SD_FACT_BITS),
		.gives = join_bits(mem, pass->gives, fact_name, SD_FACT_BITS),
	};
	return true;
}
