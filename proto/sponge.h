/* sponge.h - values in, SHA-256 out. Private to proto.
 *
 * Every value says where it ends (numbers as varints, texts behind their length), so that
 * two different sequences of the same calls never give the same bytes. */
#ifndef SD_SPONGE_H
#define SD_SPONGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "plan_codec.h"

struct evp_md_ctx_st;

struct sd__sponge {
	struct evp_md_ctx_st *context;
	size_t len;
	bool failed; /* the digest could not be made; what is put since is lost */
	unsigned char waiting[4096];
};

/* `purpose` keeps digests of different things apart. */
void sd__sponge_begin(struct sd__sponge *sponge, const char *purpose);
void sd__sponge_number(struct sd__sponge *sponge, uint64_t value);
void sd__sponge_signed(struct sd__sponge *sponge, int64_t value);
void sd__sponge_text(struct sd__sponge *sponge, struct sd_text text);

/* Ends the digest and frees what it took; false when it could not be made. */
bool sd__sponge_end(struct sd__sponge *sponge, unsigned char out[SD_DIGEST_BYTES]);

#endif
