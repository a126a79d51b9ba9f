/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides the account of the job of a pod: by the pod, or by the mapping of namespaces.
 */
#include "plan/vnode/account.h"

#include "api/names.h"
#include "base/str.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/vnode/pod.h"

static bool has_red_box(const struct vaccounts *all, const char *name)
{
	for (size_t i = 0; i < all->n_names; i++)
		if (str_eq(all->names[i], name))
			return true;
	return !*name;
}

/* NULL: jobs of the namespace are refused. */
static const char *account_of_space(const struct vaccounts *all, const char *ns)
{
	for (size_t i = 0; i < all->n_spaces; i++)
		if (str_eq(all->spaces[i].ns, ns))
			return all->spaces[i].account;
	return all->required ? NULL : "";
}

static struct vpod_account noted(const struct vaccounts *all, const char *name)
{
	return (struct vpod_account){ has_red_box(all, name) ? VWAY_NOTED : VWAY_LOST, name };
}

/*
 * The condition was removed. Any client may have written the annotation, so it counts
 * only if it names the account of the namespace.
 */
static struct vpod_account of_annotation(const struct json *pod, const struct vaccounts *all,
	const char *mapped)
{
	const char *name = json_str(json_get(json_at(pod, "metadata", "annotations"),
					    ANNOTATION_JOB_ACCOUNT),
		"");
	if (str_eq(name, mapped ? mapped : ""))
		return noted(all, name);
	return (struct vpod_account){ VWAY_LOST, name };
}

struct vpod_account vpod_account_of(const struct json *pod, const struct vaccounts *all)
{
	const struct json *c = condition_find(json_at(pod, "status", "conditions"),
		CONDITION_JOB_KEY);
	const char *mapped = account_of_space(all, metadata_of(pod).ns);
	if (c)
		return noted(all, json_str(json_get(c, "reason"), ""));
	if (!str_empty(vpod_begun_key(pod)))
		return of_annotation(pod, all, mapped);
	if (vpod_is_of_others(pod))
		return noted(all, "");
	return (struct vpod_account){ mapped ? VWAY_MAPPED : VWAY_NONE, mapped ? mapped : "" };
}
