#include "sponge.h"

#include <openssl/evp.h>

static void flush(struct sd__sponge *sponge)
{
	if (!sponge->failed && EVP_DigestUpdate(sponge->context, sponge->waiting, sponge->len) != 1)
		sponge->failed = true;
	sponge->len = 0;
}

void sd__sponge_begin(struct sd__sponge *sponge, const char *purpose)
{
	sponge->len = 0;
	sponge->context = EVP_MD_CTX_new();
	sponge->failed = !sponge->context || EVP_DigestInit_ex(sponge->context, EVP_sha256(), NULL) != 1;
	sd__sponge_text(sponge, (struct sd_text){ purpose, (uint32_t)strlen(purpose) });
}

void sd__sponge_number(struct sd__sponge *sponge, uint64_t value)
{
	if (sponge->len + 10 > sizeof(sponge->waiting))
		flush(sponge);
	while (value >= 0x80) {
		sponge->waiting[sponge->len++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	sponge->waiting[sponge->len++] = (unsigned char)value;
}

void sd__sponge_signed(struct sd__sponge *sponge, int64_t value)
{
	sd__sponge_number(sponge, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void sd__sponge_text(struct sd__sponge *sponge, struct sd_text text)
{
	sd__sponge_number(sponge, text.len);
	while (text.len > 0) {
		size_t part = sizeof(sponge->waiting) - sponge->len;

		if (part > text.len)
			part = text.len;
		memcpy(sponge->waiting + sponge->len, text.at, part);
		sponge->len += part;
		text.at += part;
		text.len -= (uint32_t)part;
		if (sponge->len == sizeof(sponge->waiting))
			flush(sponge);
	}
}

bool sd__sponge_end(struct sd__sponge *sponge, unsigned char out[SD_DIGEST_BYTES])
{
	flush(sponge);
	if (!sponge->failed && EVP_DigestFinal_ex(sponge->context, out, NULL) != 1)
		sponge->failed = true;
	EVP_MD_CTX_free(sponge->context);
	sponge->context = NULL;
	return !sponge->failed;
}
