/* SPDX-License-Identifier: Apache-2.0 */
/* A store and its pods, for the tests of the store. */
#ifndef TESTS_UNIT_STORE_GIVEN_H
#define TESTS_UNIT_STORE_GIVEN_H

#include "lib/sim_loop.h"
#include "lib/test.h"

#include "engine/store.h"

static struct sim_loop clock_;
static int changes;
static inline void changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid)
{
	(void)ctx, (void)r, (void)ns, (void)name, (void)owner_uid;
	changes++;
}

static inline struct json_doc *pod(const char *name, const char *uid, int version,
	const char *phase)
{
	char text[1024];
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%d\",\"labels\":{\"a\":\"b\"},"
		"\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\","
		"\"controller\":true}]},"
		"\"spec\":{\"nodeName\":\"n1\",\"hostname\":\"h\",\"volumes\":[{\"name\":\"v\","
		"\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]},"
		"\"status\":{\"phase\":\"%s\",\"conditions\":[{\"type\":\"Ready\",\"status\":"
		"\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}",
		name, uid, version, phase);
	struct json_doc *doc = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	return doc;
}

static inline void put(struct store *s, const char *name, const char *uid, int version,
	const char *phase)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, version, phase);
	store_put(s, RES_POD, json_root(doc));
}

static inline void removed(struct store *s, const char *name, const char *uid, int version)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, version, "Running");
	store_remove(s, RES_POD, json_root(doc));
}

static inline void outcome(struct store *s, uint64_t ticket, const char *name, const char *uid,
	int version, bool deleted)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, version, "Pending");
	store_outcome(s, ticket, RES_POD, "ns", name, json_root(doc), deleted);
}

static inline const struct record *get(struct store *s, const char *name)
{
	return store_get(s, RES_POD, "ns", name);
}

static inline void count(void *ctx, const struct record *rec)
{
	(void)rec;
	(*(int *)ctx)++;
}

static inline uint64_t sent(struct store *s, const char *name)
{
	char body[200];
	snprintf(body, sizeof(body), "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\"}}", name);
	return store_sent(s, RES_POD, "ns", name, body, "set");
}

static inline void put_text(struct store *s, const char *text)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, RES_POD, json_root(doc));
}

static inline int setup(void **state)
{
	sim_loop_init(&clock_, SIM_LOOP_WALL_MS);
	*state = store_new(&clock_.loop, changed, NULL);
	return 0;
}
static inline int teardown(void **state)
{
	store_free(*state);
	assert_int_equal(sim_loop_end(&clock_), 0);
	return 0;
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
