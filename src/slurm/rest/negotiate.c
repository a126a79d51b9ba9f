/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negotiates the API version. /openapi/v3 lists all versions in one response (0.7 to 0.9
 * MB, 22 ms). If it is refused or unusable, ping/ of each version is tried, newest first.
 * Neither request shows whether the token is valid.
 */
#include "slurm/rest/parts.h"

#include "base/own.h"

enum { OPENAPI_BYTES = 2 << 20, PROBE_MS = 15000 };

static void probe(struct slurm *s, const struct slurm_version *v);

static struct verdict no_version(void)
{
	return verdict_new(SLURM_VERSION,
		err_new(ERR_INVALID,
			"slurmrestd offers none of the versions %s to %s of the REST interface; it must be of Slurm 24.11 or newer and serve slurmctld (\"-s slurmctld\")",
			"v0.0.40", slurm_versions[0].name));
}

static void settle(struct slurm *s, const struct slurm_version *version, struct verdict v)
{
	s->version = version;
	s->probing = NULL;
	/* jobs/state names jobs differently in another version. */
	jobs_forget(&s->jobs);
	s->settled(s, v);
}

static void probed(void *ctx, struct err err, const struct http_answer *answer)
{
	struct slurm *s = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(s, err, answer, false, &doc);
	s->asking = NULL;
	if (!failed(v.err) && doc)
		settle(s, s->probing, v);
	else if (v.other_version && s->probing[1].name)
		probe(s, s->probing + 1);
	else if (v.other_version && str_has_prefix(answer->body, "Unable"))
		settle(s, NULL, no_version());
	else
		settle(s, NULL, failed(v.err) ? v : no_version());
}

static void probe(struct slurm *s, const struct slurm_version *version)
{
	AUTO(str_free) struct str path = { 0 };
	struct slurm_request r = { .timeout_ms = PROBE_MS };
	s->probing = version;
	str_addf(&path, "/slurm/%s/ping/", version->name);
	s->asking = slurm_send(s, &r, str_text(&path), probed, s);
}

static void openapi_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct slurm *s = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(s, err, answer, false, &doc);
	s->asking = NULL;
	const struct json *root = json_root(doc);
	const struct slurm_version *version = failed(v.err) ? NULL : slurm_version_choose(root);
	if (version)
		settle(s, version, v);
	else if (!failed(v.err) && json_count(json_get(root, "paths")))
		settle(s, NULL, no_version());
	else if (failed(err) && err.kind != ERR_TOO_LARGE)
		settle(s, NULL, v);
	else
		probe(s, slurm_versions);
}

void negotiate(struct slurm *s, void (*settled)(struct slurm *s, struct verdict v))
{
	struct slurm_request r = { .timeout_ms = SLURM_READ_MS, .max_answer_bytes = OPENAPI_BYTES };
	s->settled = settled;
	s->asking = slurm_send(s, &r, "/openapi/v3", openapi_read, s);
}
