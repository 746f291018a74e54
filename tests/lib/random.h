/* random.h - the same numbers for the same seed, on every machine and C library. */
#ifndef SD_RANDOM_H
#define SD_RANDOM_H

#include <stdint.h>

/* A number below `bound`, which is above 0. `state` starts as seed + 1 and is never 0. */
static inline uint32_t random_below(uint32_t *state, uint32_t bound)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return (uint32_t)((uint64_t)(*state * 2654435761u) * bound >> 32);
}

#endif
