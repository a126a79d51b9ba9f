/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers of the simulator: xoshiro256**, seeded by splitmix64. Every part of the
 * world draws from a stream of its own, so that leaving out one fault while shrinking
 * does not change what the other parts do.
 */
#ifndef SIM_RAND_H
#define SIM_RAND_H

#include <stdbool.h>
#include <stdint.h>

struct sim_rand {
	uint64_t s[4];
};

static inline uint64_t sim_rand_split(uint64_t *x)
{
	uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The stream with that number of a seed. */
static inline struct sim_rand sim_rand_new(uint64_t seed, uint64_t stream)
{
	uint64_t x = seed * UINT64_C(0x2545f4914f6cdd1d) + stream;
	struct sim_rand r;
	for (int i = 0; i < 4; i++)
		r.s[i] = sim_rand_split(&x);
	return r;
}

static inline uint64_t sim_rand_rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t sim_rand_next(struct sim_rand *r)
{
	uint64_t out = sim_rand_rotl(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;
	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = sim_rand_rotl(r->s[3], 45);
	return out;
}

/* From low to high, both included. */
static inline int64_t sim_rand_range(struct sim_rand *r, int64_t low, int64_t high)
{
	if (high <= low)
		return low;
	return low + (int64_t)(sim_rand_next(r) % (uint64_t)(high - low + 1));
}

static inline bool sim_rand_chance(struct sim_rand *r, int per_mille)
{
	return sim_rand_range(r, 0, 999) < per_mille;
}

#endif
