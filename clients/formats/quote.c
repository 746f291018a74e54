#include "quote.h"

#include <stdarg.h>
#include <stdio.h>

#define SHOWN 64u
#define WORDS_MAX 420u /* with the message around them below SD_MESSAGE_MAX */

const char *sd_quote(char out[SD_QUOTE_MAX], struct sd_text name)
{
	uint32_t shown = name.len < SHOWN ? name.len : SHOWN;
	char *at = out;

	while (shown < name.len && shown > 0 && ((unsigned char)name.at[shown] & 0xc0) == 0x80)
		shown--;
	*at++ = '\'';
	for (uint32_t i = 0; i < shown; i++) {
		unsigned char c = (unsigned char)name.at[i];

		if (c >= 0x20 && c != 0x7f)
			*at++ = (char)c;
		else
			at += sprintf(at, "\\x%02x", c);
	}
	sprintf(at, "%s'", shown < name.len ? "..." : "");
	return out;
}

const char *sd_words(struct sd_arena *mem, const char *format, ...)
{
	char text[WORDS_MAX];
	va_list args;
	size_t len;
	char *kept;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	len = strlen(text) + 1;
	kept = sd_arena_alloc(mem, len);
	return kept ? memcpy(kept, text, len) : "there is no memory left to say what";
}
