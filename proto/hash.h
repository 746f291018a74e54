/* hash.h - the keyed hash of the name tables.
 *
 * Names come from strangers, who must not be able to choose names that fall into one
 * place of a table: so the hash has a key. No result depends on the key. */
#ifndef SD_HASH_H
#define SD_HASH_H

#include <stdint.h>

#include "base/text.h"

/* Sets the key of this process: once, at start-up, before any request is decoded and any
 * thread started, from random bytes. Without it a fixed key is used. */
void sd_hash_seed(uint64_t key0, uint64_t key1);

/* SipHash-1-3 of the text under that key. */
uint64_t sd__hash(struct sd_text text);

#endif
