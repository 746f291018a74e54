/* plain.h - text that may be shown and compared: UTF-8 without NUL. Private to proto. */
#ifndef SD_PLAIN_H
#define SD_PLAIN_H

#include "base/text.h"

bool sd__text_is_plain(struct sd_text text);

#endif
