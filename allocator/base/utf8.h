/* utf8.h - one step through UTF-8 text that nobody vouches for. */
#ifndef SD_UTF8_H
#define SD_UTF8_H

#include <stdint.h>

static inline int sd_utf8_is_tail(unsigned char c, unsigned char low, unsigned char high)
{
	return c >= low && c <= high;
}

/* Bytes of the well-formed character at `at`, of which `left` bytes may be read; 0 when there is
 * none: a stray or missing tail byte, an overlong form, a surrogate, a value above U+10FFFF. */
static inline uint32_t sd_utf8_step(const unsigned char *at, uint32_t left)
{
	unsigned char c = left ? at[0] : 0xff;
	uint32_t need = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

	if (need > left || need < 2)
		return need > left ? 0 : need;
	/* The second byte carries the bounds that rule out overlong forms and what Unicode leaves out. */
	if (!sd_utf8_is_tail(at[1], c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf))
		return 0;
	for (uint32_t i = 2; i < need; i++) {
		if (!sd_utf8_is_tail(at[i], 0x80, 0xbf))
			return 0;
	}
	return need;
}

#endif
