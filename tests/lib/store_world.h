/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that a watch and the outcomes of writes tell of pods of ns. The pods that are
 * put are of the NodeSet whose uid is "set".
 *
 *     struct store *s = *state;
 *     uint64_t ticket = sent(s, "foo-0");
 *     outcome(s, ticket, "foo-0", "u0", 9, false);
 *     assert_string_equal(get(s, "foo-0")->uid, "u0");
 *
 *     cmocka_unit_test_setup_teardown(name, given_a_store, free_store)
 */
#ifndef TESTS_LIB_STORE_WORLD_H
#define TESTS_LIB_STORE_WORLD_H

#include "lib/sim_loop.h"
#include "lib/test.h"

#include "engine/store/store.h"

extern struct sim_loop store_clock;

int given_a_store(void **state);
int free_store(void **state);

/* The watch shows one, in this phase, and ready */
void put(struct store *s, const char *name, const char *uid, int version, const char *phase);
void put_text(struct store *s, const char *text); /* the whole object */
/* The watch shows that it went */
void removed(struct store *s, const char *name, const char *uid, int version);

/* The creation of the pod is sent; the ticket is for its outcome */
uint64_t sent(struct store *s, const char *name);
/* A write has ended, and this is what the API server answered */
void outcome(struct store *s, uint64_t ticket, const char *name, const char *uid, int version,
	bool deleted);

const struct record *get(struct store *s, const char *name); /* NULL: it is not there */
void count(void *n, const struct record *rec);               /* adds one to an int */

#endif
