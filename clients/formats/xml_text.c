#include "xml_text.h"

#include <string.h>

#include "base/utf8.h"

#define WIDE_LEAD 0xe1 /* first byte of U+1000 and above */

static size_t step(struct sd_text text, uint32_t at)
{
	size_t len = sd_utf8_step((const unsigned char *)text.at + at, text.len - at);

	return len ? len : 1;
}

static const char *entity_of(unsigned char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	default: return NULL;
	}
}

/* U+FFFE and U+FFFF, the only two of what UTF-8 can say above control bytes. */
static bool is_noncharacter(const unsigned char *at, size_t len)
{
	return len == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
}

void sd_put_xml(struct sd_emitter *out, struct sd_text text)
{
	for (uint32_t i = 0; i < text.len;) {
		const unsigned char *at = (const unsigned char *)text.at + i;
		size_t len = sd_utf8_step(at, text.len - i);
		const char *entity = entity_of(*at);

		if (entity)
			sd_emit_raw(out, entity, strlen(entity));
		else if (len == 0 || *at < 0x20 || *at == 0x7f || is_noncharacter(at, len))
			sd_emit_raw(out, "\xef\xbf\xbd", 3);
		else
			sd_emit_raw(out, text.at + i, len);
		i += len ? (uint32_t)len : 1;
	}
}

static uint32_t columns_at(struct sd_text text, uint32_t at)
{
	return (unsigned char)text.at[at] >= WIDE_LEAD ? 2 : 1;
}

uint32_t sd_text_columns(struct sd_text text)
{
	uint32_t columns = 0;

	for (uint32_t i = 0; i < text.len; i += (uint32_t)step(text, i))
		columns += columns_at(text, i);
	return columns;
}

struct sd_text sd_text_cut(struct sd_text text, uint32_t columns)
{
	uint32_t taken = 0, i = 0;

	while (i < text.len && taken + columns_at(text, i) <= columns) {
		taken += columns_at(text, i);
		i += (uint32_t)step(text, i);
	}
	return (struct sd_text){ text.at, i };
}
