/* SPDX-License-Identifier: Apache-2.0 */
/* A NodeSet and its objects, given to its planner (see given.h). */
#include "lib/given.h"
#include "json/build.h"

const struct json *given_json(struct given *g, const char *text)
{
	struct json_doc *doc = NULL;
	struct err e = json_parse(text, strlen(text), SIZE_MAX, &doc);
	if (failed(e))
		fail_msg("%s in %s", e.text, text);
	if (g->n_docs == GIVEN_DOCS)
		fail_msg("more than %d documents", GIVEN_DOCS);
	g->docs[g->n_docs++] = doc;
	return json_root(doc);
}

void given_end(struct given *g)
{
	for (size_t i = 0; i < g->n_docs; i++)
		json_free(g->docs[i]);
	arena_free(&g->arena);
}

/* ---- the NodeSet and its revisions ---- */

void given_spec(struct given *g, const char *spec, const char *metadata)
{
	g->object = given_json(g,
		arena_printf(&g->arena,
			"{\"apiVersion\":\"slinky.slurm.net/"
			"v1alpha1\",\"kind\":\"NodeSet\",\"metadata\":{\"namespace\":\"ns\","
			"\"name\":\"foo\",\"uid\":\"set\","
			"\"resourceVersion\":\"7\","
			"\"generation\":1%s%s},\"spec\":{%s%s\"clusterName\":\"slurm\","
			"\"serviceName\":\"svc\",\"selector\":{\"matchLabels\":{\"app\":\"slurmd\"}"
			"},"
			"\"template\":" GIVEN_TEMPLATE "}}",
			*metadata ? "," : "", metadata, spec, *spec ? "," : ""));
}

void given_hash(struct given *g)
{
	struct nodeset n;
	nodeset_read(g->object, &n);
	g->hash = revision_hash(&g->arena, revision_data(g->d, &n), 0);
}

void given_revision(struct given *g, const char *hash, int64_t number, const char *data)
{
	const char *body = arena_printf(&g->arena,
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"foo-%s\",\"uid\":\"rev-%s\","
		"\"resourceVersion\":\"5\",\"labels\":{\"app\":\"slurmd\","
		"\"" LABEL_HASH "\":\"%s\"},"
		"\"ownerReferences\":[{\"kind\":\"NodeSet\",\"name\":\"foo\",\"uid\":\"set\","
		"\"controller\":true}]},\"data\":%s,\"revision\":%lld}",
		hash, hash, hash, data, (long long)number);
	g->revisions[g->n_revisions++].object = given_json(g, body);
}

void given_newest_revision(struct given *g, int64_t number)
{
	struct nodeset n;
	nodeset_read(g->object, &n);
	given_hash(g);
	given_revision(g, g->hash, number, revision_data(g->d, &n));
}

void given_nodeset_meta(struct given *g, const char *spec, const char *metadata)
{
	g->d = jdoc_new(&g->arena);
	g->cluster = YES;
	g->max_creates = g->max_writes = 500;
	g->namespace_uid = "";
	g->acting_since_ms = GIVEN_NOW_MS - 1000;
	g->now_ms = GIVEN_NOW_MS;
	g->wall_ms = GIVEN_WALL_MS;
	g->slurm = (struct slurm_fact){ YES, GIVEN_NOW_MS - 100, GIVEN_NOW_MS - 100, "",
		GIVEN_SLURM, 0, "", GIVEN_NOW_MS - 100 };
	given_spec(g, spec, metadata);
	given_newest_revision(g, 1);
}

void given_nodeset(struct given *g, const char *spec)
{
	given_nodeset_meta(g, spec, GIVEN_FINALIZER);
}

void given_at_rest(struct given *g, int n)
{
	given_nodeset(g, arena_printf(&g->arena, "\"replicas\":%d", n));
	given_pods(g, n);
}

/* ---- its other objects ---- */

const struct json *given_claim(struct given *g, const char *name, const char *metadata)
{
	return given_foreign_claim(g, name,
		arena_printf(&g->arena, "\"labels\":{\"app\":\"slurmd\"}%s%s", *metadata ? "," : "",
			metadata));
}

const struct json *given_foreign_claim(struct given *g, const char *name, const char *metadata)
{
	const struct json *o = given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"pvc-%s\","
			"\"resourceVersion\":\"4\"%s%s}}",
			name, name, *metadata ? "," : "", metadata));
	g->claims[g->n_claims++].object = o;
	return o;
}

void given_taken(struct given *g, const char *name, const char *kind, const char *owner)
{
	g->taken[g->n_taken++] = (struct pod_fact){
		.ns = "ns",
		.name = name,
		.uid = name,
		.resource_version = "3",
		.controller = { kind, owner, "theirs", true },
	};
}

void given_failing(struct given *g, struct operation operation, enum err_kind error,
	const char *name, const char *says)
{
	g->failing[g->n_failing++] = (struct failing_action){ operation, error, name, says };
}
