/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes ownership visible: AUTO(release) on a declaration calls release at the end of the
 * scope; TAKE(p) hands the pointer over and leaves NULL behind.
 */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include <stddef.h>
#include <stdlib.h>

#define AUTO(release) __attribute__((cleanup(release)))
#define TAKE(p)                             \
	__extension__({                     \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* For AUTO on char pointers from malloc. */
static inline void own_free(void *pp) { free(*(void **)pp); }

/*
 * Allocation functions that end the process with one sentence if memory runs out. Then it
 * is safest to stop, and a restart is always safe, because no state is kept outside of
 * the API objects.
 */
void *own_alloc(size_t bytes); /* zeroed */
void *own_realloc(void *p, size_t bytes);
char *own_strdup(const char *s); /* NULL stays NULL */
char *own_strndup(const char *s, size_t n);

/* Overwrites a secret, such as a token, before its memory is freed. NULL is fine. */
void own_wipe(char *secret);
/* own_wipe for use with AUTO. */
static inline void own_wipe_at(void *pp) { own_wipe(*(char **)pp); }

#endif
