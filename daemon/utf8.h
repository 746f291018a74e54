/* utf8.h - how long the character is that begins here. */
#ifndef SD_UTF8_H
#define SD_UTF8_H

#include <stddef.h>

/* Bytes of the valid UTF-8 character at `at` (1 to 4); 0 when there is none within `len`. */
static inline size_t sd_utf8_length(const unsigned char *at, size_t len)
{
	size_t need = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;

	if (need == 0 || need > len)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Too long a form, a surrogate, beyond U+10FFFF. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return need;
}

#endif
