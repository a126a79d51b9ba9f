/* SPDX-License-Identifier: Apache-2.0 */
/* Why a pod is not ready, in the words of the scheduler and the kubelet. */
#include "engine/pod/pod_why.h"

#include <string.h>

#include "base/own.h"
#include "object/condition.h"

/*
 * The number of restarts is rounded down to a power of 2, so that not every restart of a
 * crash loop changes the text.
 */
static void add_crash(struct str *out, const struct json *container)
{
	const struct json *last = json_at(container, "lastState", "terminated");
	const char *name = json_str(json_get(container, "name"), ""),
		   *reason = json_str(json_get(last, "reason"), "");
	int64_t restarts = json_i64(json_get(container, "restartCount"), 0), least = 1;
	while (least * 2 <= restarts && least < INT32_MAX)
		least *= 2;
	str_add(out, "container ");
	str_add_foreign(out, name, 63);
	str_addf(out,
		" ends again and again, %lld times or more, the last time with exit code %lld",
		(long long)least, (long long)json_i64(json_get(last, "exitCode"), 0));
	if (!str_empty(reason))
		str_add(out, " (");
	str_add_foreign(out, reason, 40);
	str_add(out, str_empty(reason) ? "" : ")");
	str_add(out, "; kubectl logs --previous shows its last words");
}

/*
 * The kubelet writes the cause after "Back-off pulling image ...: " (Kubernetes 1.31 and
 * newer).
 */
static void add_pull(struct str *out, const struct json *container)
{
	static const char mark[] = "ErrImagePull: ";
	const char *text = json_str(json_get(json_at(container, "state", "waiting"), "message"),
			   ""),
		   *cause = strstr(text, mark);
	str_add(out, "image ");
	str_add_foreign(out, json_str(json_get(container, "image"), ""), 120);
	str_add(out, ": ");
	str_add_foreign(out, cause ? cause + strlen(mark) : text, 240);
}

static void add_message(struct str *out, const struct json *container)
{
	str_add_foreign(out,
		json_str(json_get(json_at(container, "state", "waiting"), "message"), ""), 300);
}

/*
 * The kubelet's reasons why a container waits. shown NULL: the container may start at any
 * moment, so the reason is not reported.
 */
static const struct waiting_row {
	const char *reason, *shown;
	void (*add)(struct str *out, const struct json *container);
} rows[] = {
	{ "ContainerCreating", NULL, NULL },
	{ "PodInitializing", NULL, NULL },
	{ "", NULL, NULL },
	{ "ImagePullBackOff", "ErrImagePull", add_pull },
	{ "ErrImagePull", "ErrImagePull", add_pull },
	{ "CrashLoopBackOff", "CrashLoopBackOff", add_crash },
};

static bool add_container(struct str *out, const struct json *container)
{
	const char *reason = json_str(json_get(json_at(container, "state", "waiting"), "reason"),
		"");
	struct waiting_row row = { NULL, reason, add_message };
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (str_eq(reason, rows[i].reason))
			row = rows[i];
	if (!row.shown)
		return false;
	str_add_foreign(out, row.shown, 60);
	str_add(out, ": ");
	row.add(out, container);
	return true;
}

static bool add_containers(struct str *out, const struct json *statuses)
{
	struct json_iter it = json_iter(statuses);
	while (json_next(&it))
		if (add_container(out, it.value))
			return true;
	return false;
}

static const struct json *find(const struct json *status, const char *type)
{
	return condition_find(json_get(status, "conditions"), type);
}

/*
 * If all containers are ready and the pod is not, a kubelet reports readiness gates.
 * Without gates it is the node controller that set Ready to False, because the node does
 * not answer; it gives no text.
 */
static bool add_silent_node(struct str *out, const struct json *pod)
{
	const struct json *status = json_get(pod, "status"), *ready = find(status, "Ready");
	const char *node = json_str(json_at(pod, "spec", "nodeName"), "");
	bool gates = str_eq(json_str(json_get(ready, "reason"), ""), "ReadinessGatesNotReady");
	if (gates || !condition_is(ready, "False") ||
		!condition_is(find(status, "ContainersReady"), "True"))
		return false;
	str_add(out, "NodeNotReady: Kubernetes node ");
	str_add_foreign(out, node, 253);
	str_add(out, " does not answer, and jobs may run there all the same (kubectl get node ");
	str_add_foreign(out, node, 253);
	str_add(out,
		"); when it is gone for good, delete that node, and its pods are recreated elsewhere");
	return true;
}

void pod_why(const struct json *pod, struct str *out)
{
	const struct json *status = json_get(pod, "status"),
			  *scheduled = find(status, "PodScheduled");
	if (condition_is(find(status, "Ready"), "True") ||
		add_containers(out, json_get(status, "initContainerStatuses")) ||
		add_containers(out, json_get(status, "containerStatuses")) ||
		add_silent_node(out, pod) || !condition_is(scheduled, "False"))
		return;
	str_add_foreign(out, json_str(json_get(scheduled, "reason"), "Unschedulable"), 60);
	str_add(out, ": ");
	str_add_foreign(out, json_str(json_get(scheduled, "message"), ""), 300);
}
