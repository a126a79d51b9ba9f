/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod and the words of Slurm for its job, or a node, as any user may write them, are
 * planned. The input: a byte; the object; behind an empty line, words of Slurm. The
 * lowest bit of the byte chooses the node, others what is known besides.
 *
 * For every input each body is JSON, names this very version, and nothing is submitted
 * that the pod does not say.
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "object/metadata.h"
#include "plan/vnode/account.h"
#include "plan/vnode/node.h"
#include "plan/vnode/pod.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void look_at(struct arena *a, const char *body)
{
	const struct json *patch = body ? json_parse_in(a, body, strlen(body), SIZE_MAX) : NULL;
	if (body && !json_is_obj(patch))
		__builtin_trap();
}

static struct vpod_account account_of(const struct json *pod, bool required)
{
	static const char *const names[] = { "a1" };
	static const struct vspace space = { "team", "a1" };
	const struct vaccounts all = { names, 1, &space, 1, required };
	const struct vpod_account account = vpod_account_of(pod, &all);
	AUTO(own_free) char *text = json_text(pod, NULL);
	bool of_team = str_eq(metadata_of(pod).ns, "team");
	bool may_say = strstr(text, "wlm.sylabs.io/Submission");
	if (account.way != VWAY_LOST && *account.name && !of_team && !may_say)
		__builtin_trap();
	return account;
}

static char no_key[] = "";

static void plan_pod(struct arena *a, const struct json *pod, const char *words, uint8_t knows)
{
	struct slurm_job_shown records[2] = {
		{ .id = 7,
			.state = words,
			.reason = words,
			.array_id = knows & 2 ? words : "",
			.exit_code = words,
			.nodes = words,
			.start_s = 5 },
		{ .id = 8,
			.state = "RUNNING",
			.reason = "",
			.array_id = "7",
			.exit_code = "0:0",
			.nodes = "" },
	};
	struct vpod_account account = account_of(pod, knows & 2);
	AUTO(own_free) char *name = own_strdup(account.name);
	struct vobject object = { .pod = pod, .key = no_key, .way = account.way, .account = name };
	struct vowner owner = { .is = (enum vpod_owner)(knows >> 2 & 3), .asked_ms = 1000 };
	owner.pod_read = knows & 2;
	owner.script = pod;
	struct vreport report = {
		.job = (enum vpod_job)((knows >> 4 & 7) % 5),
		.asked_ms = 1000,
		.records = records,
		.n_records = knows & 2 ? 2 : 1,
	};
	struct vattempt attempt = { 0 };
	struct vpod_view view = { &object, &owner, &report, &attempt, .node = "n" };
	struct vpod_plan plan;
	vpod_plan(&view, a, 2000, INT64_C(1767225600000), &plan);
	look_at(a, plan.body);
	if (plan.step == VPOD_SUBMIT &&
		(str_empty(vpod_begun_key(pod)) || account.way != VWAY_NOTED))
		__builtin_trap();
	if (plan.step == VPOD_LET_GO && report.job == VJOB_LIVE && !vpod_has_ended(pod) &&
		!str_empty(vpod_begun_key(pod)))
		__builtin_trap();
}

static void plan_node(struct arena *a, const struct json *node, const char *words)
{
	struct wlm_feature features[] = { { words, words, 1 }, { words, "", 2 },
		{ "cuda", words, 3 } };
	struct wlm_resources resources = { 1, 2, 3, 4, features, LENGTH(features) };
	struct vnode_view view = {
		.name = vnode_name(a, "hpc", words),
		.cluster = "hpc",
		.partition = words,
		.known = true,
		.node = node,
		.resources = &resources,
		.address = words,
		.slurm_version = words,
	};
	struct vnode_plan plan;
	if (strlen(view.name) > VNODE_NAME_MOST)
		__builtin_trap();
	vnode_plan(&view, a, 2000, INT64_C(1767225600000), &plan);
	look_at(a, plan.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(arena_free) struct arena arena = { 0 };
	if (n < 2)
		return 0;
	const char *text = (const char *)bytes + 1;
	const char *end = memmem(text, n - 1, "\n\n", 2);
	size_t length = end ? (size_t)(end - text) : n - 1;
	const char *words = end ? arena_strndup(&arena, end + 2, n - 1 - length - 2) : "";
	const struct json *object = json_parse_in(&arena, text, length, SIZE_MAX);
	if (!json_is_obj(object))
		return 0;
	if (bytes[0] & 1)
		plan_node(&arena, object, words);
	else
		plan_pod(&arena, object, words, bytes[0]);
	return 0;
}
