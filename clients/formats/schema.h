/* schema.h - the generated messages; their header counts on limits.h being there. */
#ifndef SD_SCHEMA_H
#define SD_SCHEMA_H

#include <limits.h>
#include <stdint.h>

#include "streamd.pb-c.h"

/* Generated structs take strings as writable, though nothing writes to them. */
static inline char *sd_message_string(const char *text)
{
	return (char *)(uintptr_t)text;
}

#endif
