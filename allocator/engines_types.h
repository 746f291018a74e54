/* engines_types.h - which shipped engine runs an operator type. */
#ifndef SD_ENGINES_TYPES_H
#define SD_ENGINES_TYPES_H

#include "base/text.h"

/* Name of the engine; empty for a type that the tables do not hold. */
struct sd_text sd__engine_of_type(struct sd_text type);

#endif
