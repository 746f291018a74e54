#include "hash.h"

static uint64_t hash_key[2] = { 0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u };

void sd_hash_seed(uint64_t key0, uint64_t key1)
{
	hash_key[0] = key0;
	hash_key[1] = key1;
}

struct state {
	uint64_t a, b, c, d;
};

static inline uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline struct state mix(struct state s)
{
	s.a += s.b;
	s.b = rotate(s.b, 13) ^ s.a;
	s.a = rotate(s.a, 32);
	s.c += s.d;
	s.d = rotate(s.d, 16) ^ s.c;
	s.a += s.d;
	s.d = rotate(s.d, 21) ^ s.a;
	s.c += s.b;
	s.b = rotate(s.b, 17) ^ s.c;
	s.c = rotate(s.c, 32);
	return s;
}

static inline struct state absorb(struct state s, uint64_t word)
{
	s.d ^= word;
	s = mix(s);
	s.a ^= word;
	return s;
}

static inline uint64_t load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The rest of a text below 8 bytes; the length in the top byte. */
static inline uint64_t load_tail(const char *at, uint32_t len)
{
	uint64_t word = (uint64_t)len << 56;

	for (uint32_t i = 0; i < (len & 7); i++)
		word |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return word;
}

uint64_t sd__hash(struct sd_text text)
{
	struct state s = {
		hash_key[0] ^ 0x736f6d6570736575u, hash_key[1] ^ 0x646f72616e646f6du,
		hash_key[0] ^ 0x6c7967656e657261u, hash_key[1] ^ 0x7465646279746573u,
	};
	uint32_t whole = text.len & ~7u;

	for (uint32_t i = 0; i < whole; i += 8)
		s = absorb(s, load(text.at + i));
	/* An empty text may point nowhere. */
	s = absorb(s, text.len ? load_tail(text.at + whole, text.len) : 0);
	s.c ^= 0xff;
	s = mix(mix(mix(s)));
	return s.a ^ s.b ^ s.c ^ s.d;
}
