/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the pods that copy results, and send inputs. */
#include "children/collector_pod.h"

#include "api/names.h"
#include "base/own.h"
#include "json/build.h"
#include "object/metadata.h"

#define COLLECT_AT "/collect"
#define INPUTS_AT "/prepare"
#define TOKEN_AT "/var/run/secrets/wlm.sylabs.io"
enum { TOKEN_S = 3600, TOKEN_MODE = 0440 };

/*
 * The job controls the pod without blockOwnerDeletion: the Kubernetes node of a collector
 * may be dead, and a foreground deletion must not wait for it.
 */
static void add_metadata(struct jdoc *d, struct arena *a, struct jval *pod,
	const struct collector *c)
{
	const struct job *j = c->job;
	struct jval *m = j_child(d, pod, "metadata"), *notes = j_child(d, m, "annotations");
	struct jval *owner = owner_reference(d, j->resource, j->name, j->uid, true);
	j_set_str(d, m, "name", c->inputs ? job_inputs_pod_name(a, j) : job_collector_name(a, j));
	j_set_str(d, m, "namespace", j->ns);
	j_set_str(d, notes, ANNOTATION_COLLECT_ATTEMPT,
		arena_printf(a, "%lld", (long long)c->attempt));
	j_set_str(d, notes, ANNOTATION_RESULTS_URL, c->url);
	j_set_str(d, notes, ANNOTATION_RESULTS_KEY, c->key);
	j_del(owner, "blockOwnerDeletion");
	j_push(d, j_set(d, m, "ownerReferences", j_arr(d)), owner);
}

static void add_args(struct jdoc *d, struct arena *a, struct jval *container,
	const struct collector *c)
{
	const char *pod = job_pod_name(a, c->job);
	const char *const place = c->inputs   ? "--from=" INPUTS_AT
		: job_results_of(c->job).flat ? "--to=" COLLECT_AT
					      : arena_printf(a, "--to=" COLLECT_AT "/%s", pod);
	const char *const args[] = {
		c->inputs ? "prepare" : "results",
		arena_printf(a, "--url=%s", c->url),
		arena_printf(a, "--public-key=%s", c->key),
		arena_printf(a, "--pod=%s/%s", c->job->ns, pod),
		"--token-file=" TOKEN_AT "/token",
		place,
	};
	struct jval *list = j_set(d, container, "args", j_arr(d));
	for (size_t i = 0; i < LENGTH(args); i++)
		j_push(d, list, j_str(d, args[i]));
}

static void add_mount(struct jdoc *d, struct jval *list, const char *volume, const char *path,
	bool read_only)
{
	struct jval *mount = j_push(d, list, j_obj(d));
	j_set_str(d, mount, "name", volume);
	j_set_str(d, mount, "mountPath", path);
	if (read_only)
		j_set_bool(d, mount, "readOnly", true);
}

/*
 * The collector copies one file at a time, in pieces, so its memory does not depend on
 * the size of the files.
 */
static void add_room(struct jdoc *d, struct jval *container)
{
	struct jval *resources = j_child(d, container, "resources");
	struct jval *requests = j_child(d, resources, "requests");
	struct jval *limits = j_child(d, resources, "limits");
	j_set_str(d, requests, "cpu", "10m");
	j_set_str(d, requests, "memory", "32Mi");
	j_set_str(d, limits, "cpu", "1");
	j_set_str(d, limits, "memory", "128Mi");
}

static const struct json *mount_of(const struct collector *c)
{
	return c->inputs ? job_inputs_of(c->job).mount : job_results_of(c->job).mount;
}

static void add_container(struct jdoc *d, struct arena *a, struct jval *spec,
	const struct collector *c)
{
	const char *volume = json_str(json_get(mount_of(c), "name"), "");
	struct jval *box = j_push(d, j_set(d, spec, "containers", j_arr(d)), j_obj(d));
	j_set_str(d, box, "name", c->inputs ? "pr1" : "cr1");
	j_set_str(d, box, "image", c->options->image);
	add_args(d, a, box, c);
	add_room(d, box);
	struct jval *security = j_child(d, box, "securityContext");
	j_set_bool(d, security, "allowPrivilegeEscalation", false);
	j_set_bool(d, security, "readOnlyRootFilesystem", true);
	j_push(d, j_set(d, j_child(d, security, "capabilities"), "drop", j_arr(d)),
		j_str(d, "ALL"));
	struct jval *mounts = j_set(d, box, "volumeMounts", j_arr(d));
	add_mount(d, mounts, volume, c->inputs ? INPUTS_AT : COLLECT_AT, c->inputs);
	add_mount(d, mounts, VOLUME_RESULTS_TOKEN, TOKEN_AT, true);
}

/* The token is bound to this pod, and only the virtual node accepts its audience. */
static void add_token(struct jdoc *d, struct jval *volumes, bool inputs)
{
	struct jval *volume = j_push(d, volumes, j_obj(d));
	struct jval *projected = j_child(d, volume, "projected");
	struct jval *source = j_push(d, j_set(d, projected, "sources", j_arr(d)), j_obj(d));
	struct jval *token = j_child(d, source, "serviceAccountToken");
	j_set_str(d, volume, "name", VOLUME_RESULTS_TOKEN);
	j_set_int(d, projected, "defaultMode", TOKEN_MODE);
	j_set_str(d, token, "audience", inputs ? AUDIENCE_INPUTS : AUDIENCE_RESULTS);
	j_set_int(d, token, "expirationSeconds", TOKEN_S);
	j_set_str(d, token, "path", "token");
}

/* Sets what Kubernetes' Pod Security Standard "restricted" requires. */
static void add_user(struct jdoc *d, struct jval *spec, const struct job_options *o)
{
	struct jval *security = j_child(d, spec, "securityContext");
	j_set_bool(d, security, "runAsNonRoot", true);
	j_set_int(d, security, "runAsUser", o->uid);
	j_set_int(d, security, "runAsGroup", o->gid);
	j_set_int(d, security, "fsGroup", o->gid);
	j_set_str(d, security, "fsGroupChangePolicy", "OnRootMismatch");
	j_set_str(d, j_child(d, security, "seccompProfile"), "type", "RuntimeDefault");
}

const char *collector_pod_build(struct jdoc *d, struct arena *a, const struct collector *c)
{
	struct jval *pod = j_obj(d);
	j_set_str(d, pod, "apiVersion", "v1");
	j_set_str(d, pod, "kind", "Pod");
	add_metadata(d, a, pod, c);
	struct jval *spec = j_child(d, pod, "spec");
	add_container(d, a, spec, c);
	struct jval *volumes = j_set(d, spec, "volumes", j_arr(d));
	j_push(d, volumes, j_copy(d, mount_of(c)));
	add_token(d, volumes, c->inputs);
	add_user(d, spec, c->options);
	j_set_str(d, spec, "restartPolicy", "Never");
	j_set_bool(d, spec, "automountServiceAccountToken", false);
	j_set_bool(d, spec, "enableServiceLinks", false);
	return j_text(d, pod);
}
