/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4, as its paper defines it, and the hash key of the process. */
#include "base/hash.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct sip {
	uint64_t v0, v1, v2, v3;
};

static uint64_t turned(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static inline void rounds(struct sip *s, int n)
{
	while (n--) {
		s->v0 += s->v1;
		s->v1 = turned(s->v1, 13) ^ s->v0;
		s->v0 = turned(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = turned(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = turned(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = turned(s->v1, 17) ^ s->v2;
		s->v2 = turned(s->v2, 32);
	}
}

/* Little-endian, as the paper says; n of at most 8 bytes. */
static inline uint64_t word_at(const uint8_t *at, size_t n)
{
	uint64_t word = 0;
	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)at[i] << (8 * i);
	return word;
}

static inline void take(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	rounds(s, 2);
	s->v0 ^= word;
}

uint64_t hash_siphash(const uint8_t *key, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint64_t k0 = word_at(key, 8), k1 = word_at(key + 8, 8);
	struct sip s = {
		k0 ^ UINT64_C(0x736f6d6570736575),
		k1 ^ UINT64_C(0x646f72616e646f6d),
		k0 ^ UINT64_C(0x6c7967656e657261),
		k1 ^ UINT64_C(0x7465646279746573),
	};
	size_t left = n;
	for (; left >= 8; left -= 8, at += 8)
		take(&s, word_at(at, 8));
	take(&s, word_at(at, left) | (uint64_t)n << 56);
	s.v2 ^= 0xff;
	rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

const uint8_t *hash_key(void)
{
	static uint8_t key[16];
	static bool drawn;
	if (!drawn && getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		abort(); /* without random numbers from the kernel there is no TLS either */
	drawn = true;
	return key;
}
