#include "plain.h"

#include "base/utf8.h"

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Eight bytes of ASCII without NUL: no top bit is set, and taking 1 from every byte sets none. */
static inline bool is_plain_ascii(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return ((word | (word - ONES)) & HIGHS) == 0;
}

bool sd__text_is_plain(struct sd_text text)
{
	const unsigned char *at = (const unsigned char *)text.at;
	uint32_t left = text.len;

	while (left) {
		uint32_t step = left >= 8 && is_plain_ascii(at) ? 8 : sd_utf8_step(at, left);

		if (step == 0 || *at == 0)
			return false;
		at += step;
		left -= step;
	}
	return true;
}
