/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables (uthash) whose places nobody outside can foresee: names come from Slurms,
 * tenants and their objects, and names that were chosen to fall into one place would make
 * each look-up a walk over all of them. Include this, not <uthash.h>.
 *
 * The hash is SipHash-2-4 (Aumasson, Bernstein) with a key of its own for each process.
 * The order in which a table is walked is that of its entries' coming, whatever the key.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The key is of 16 bytes. */
uint64_t hash_siphash(const uint8_t *key, const void *bytes, size_t n);
/* That of this process, drawn when it is first needed. */
const uint8_t *hash_key(void);
static inline unsigned hash_of(const void *bytes, size_t n)
{
	return (unsigned)hash_siphash(hash_key(), bytes, n);
}

/* Known before uthash, which has one of its own without a key. */
#undef HASH_FUNCTION
#define HASH_FUNCTION(bytes, n, out) ((out) = hash_of((bytes), (n)))
#include <uthash.h>

#endif
