/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables (uthash) whose buckets a peer cannot predict. Names come from Slurm
 * clusters, tenants and their objects; names that were chosen to fall into one bucket
 * would make each lookup a walk over all of them. Include this, not <uthash.h>.
 *
 * The hash is SipHash-2-4 (Aumasson, Bernstein) with a key of its own for each process.
 * The order of iteration is that of insertion, whatever the hash key is.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The key has 16 bytes. */
uint64_t hash_siphash(const uint8_t *key, const void *bytes, size_t n);
/* The hash key of this process, drawn when it is first needed. */
const uint8_t *hash_key(void);
static inline unsigned hash_of(const void *bytes, size_t n)
{
	return (unsigned)hash_siphash(hash_key(), bytes, n);
}

/* Defined before uthash is included: its own default hash has no key. */
#undef HASH_FUNCTION
#define HASH_FUNCTION(bytes, n, out) ((out) = hash_of((bytes), (n)))
#include <uthash.h>

#endif
