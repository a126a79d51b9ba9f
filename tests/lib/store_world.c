/* SPDX-License-Identifier: Apache-2.0 */
/* A store and its pods (see store_world.h). */
#include "lib/store_world.h"

struct sim_loop store_clock;

int given_a_store(void **state)
{
	sim_loop_init(&store_clock, SIM_LOOP_WALL_MS);
	*state = store_new(&store_clock.loop, NULL, NULL);
	return 0;
}

int free_store(void **state)
{
	store_free(*state);
	assert_int_equal(sim_loop_end(&store_clock), 0);
	return 0;
}

static struct json_doc *pod(const char *name, const char *uid, int version, const char *phase)
{
	char text[1024];
	snprintf(text, sizeof(text),
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
		"\"resourceVersion\":\"%d\",\"labels\":{\"a\":\"b\"},"
		"\"ownerReferences\":[{\"apiVersion\":\"slinky.slurm.net/v1alpha1\","
		"\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\","
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

void put(struct store *s, const char *name, const char *uid, int version, const char *phase)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, version, phase);
	store_put(s, RES_POD, json_root(doc));
}

void removed(struct store *s, const char *name, const char *uid, int version)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, version, "Running");
	store_remove(s, RES_POD, json_root(doc));
}

void outcome(struct store *s, uint64_t ticket, const char *name, const char *uid, int version,
	bool deleted)
{
	AUTO(json_auto) struct json_doc *doc = pod(name, uid, version, "Pending");
	store_outcome(s, ticket, RES_POD, "ns", name, json_root(doc), deleted);
}

const struct record *get(struct store *s, const char *name)
{
	return store_get(s, RES_POD, "ns", name);
}

void count(void *ctx, const struct record *rec)
{
	(void)rec;
	(*(int *)ctx)++;
}

uint64_t sent(struct store *s, const char *name)
{
	char body[200];
	snprintf(body, sizeof(body), "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\"}}", name);
	return store_sent(s, RES_POD, "ns", name, body, "set");
}

void put_text(struct store *s, const char *text)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &doc)));
	store_put(s, RES_POD, json_root(doc));
}
