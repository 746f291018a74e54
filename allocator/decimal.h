/* decimal.h - numbers that requests write as text. */
#ifndef SD_DECIMAL_H
#define SD_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Digits only, no blanks, no leading zero but "0" itself, at most 2^31 - 1; with `sign`, one
 * minus in front. False for anything else. */
bool sd_decimal(struct sd_text text, bool sign, int32_t *value);

#endif
