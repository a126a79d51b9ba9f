/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of API servers, and of other clients that reach the port, to the webhook. The
 * first byte says which of its paths; the rest is the body.
 *
 * For every input: the answer is JSON or one sentence, and nothing is allowed that the
 * planner's faults, or a name that changed, speak against. The judge reads the body
 * again, without the webhook's own reader.
 */
#include <string.h>

#include "api/cluster.h"
#include "api/job.h"
#include "api/nodeset.h"
#include "base/log.h"
#include "base/own.h"
#include "webhook/webhook.h"
#include "engine/store/trim.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *const paths[] = { "/validate-slinky-slurm-net-v1alpha1-nodeset",
	"/validate-slinky-slurm-net-v1alpha1-cluster", "/mutate-slinky-slurm-net-v1alpha1-nodeset",
	"/mutate-slinky-slurm-net-v1alpha1-cluster", "/validate-wlm-sylabs-io-v1alpha1-slurmjob",
	"/validate-wlm-sylabs-io-v1alpha1-wlmjob", "/" };
enum { NODESET, CLUSTER, SLURMJOB = 4, WLMJOB, NONE };

/* Wrong now, and not before: of a size that the planner takes whole. */
static bool is_bad_nodeset(const struct json *new, const struct json *old)
{
	struct nodeset is, was;
	struct fault faults[NODESET_MAX_FAULTS];
	nodeset_read(new, &is);
	nodeset_read(old, &was);
	if (old &&
		(strcmp(is.cluster_name, was.cluster_name) != 0 ||
			strcmp(is.service_name, was.service_name) != 0))
		return true;
	return !is.deleting && nodeset_faults(&is, faults) &&
		(!old || !nodeset_faults(&was, faults));
}

static bool is_bad_cluster(const struct json *new, const struct json *old)
{
	struct cluster is, was;
	cluster_read(new, &is);
	cluster_read(old, &was);
	return !is.deleting && failed(cluster_check(&is)) && (!old || !failed(cluster_check(&was)));
}

static bool is_bad_job(enum resource r, const struct json *new, const struct json *old)
{
	struct job is, was;
	job_read(r, new, &is);
	job_read(r, old, &was);
	return !is.deleting && job_fault_of(&is).reason && (!old || !job_fault_of(&was).reason);
}

static void check_allowed(const char *path, const char *body, size_t n)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	if (failed(json_parse(body, n, SIZE_MAX, &doc)))
		return; /* nested too deep for this reader */
	const struct json *request = json_get(json_root(doc), "request");
	const struct json *new = json_get(request, "object"), *old = json_get(request, "oldObject");
	const char *operation = json_str(json_get(request, "operation"), "");
	bool update = strcmp(operation, "UPDATE") == 0;
	if (*json_str(json_get(request, "subResource"), "") ||
		(!update && strcmp(operation, "CREATE") != 0))
		return;
	old = json_is_obj(old) ? old : NULL;
	if (!json_is_obj(new) || (update && !old))
		abort();
	if ((path == paths[NODESET] && is_bad_nodeset(new, old)) ||
		(path == paths[CLUSTER] && is_bad_cluster(new, old)) ||
		(path == paths[SLURMJOB] && is_bad_job(RES_SLURMJOB, new, old)) ||
		(path == paths[WLMJOB] && is_bad_job(RES_WLMJOB, new, old)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str out AUTO(str_free) = { 0 };
	struct json_doc *doc AUTO(json_auto) = NULL;
	log_set_level(LOG_ERROR);
	if (n < 1)
		return 0;
	const char *path = paths[bytes[0] % LENGTH(paths)];
	AUTO(own_free) char *body = own_strndup((const char *)bytes + 1, n - 1);
	size_t size = strlen(body);
	const struct webhook_known known = { 0 };
	int status = webhook_review(&known, bytes[0] & 0x80 ? CALLER_UNKNOWN : CALLER_AUTHENTICATED,
		path, body, size, &out);
	if (status != 200 && (status != 400 || path == paths[NONE]) && status != 404)
		abort();
	if (status != 200)
		return 0;
	if (failed(json_parse(str_text(&out), out.len, SIZE_MAX, &doc)))
		abort();
	const struct json *response = json_get(json_root(doc), "response");
	if (!*json_str(json_get(response, "uid"), ""))
		abort();
	if (json_bool(json_get(response, "allowed"), false))
		check_allowed(path, body, size);
	return 0;
}
