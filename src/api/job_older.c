/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of SlurmJobs of the older group. */
#include "api/job_older.h"

#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"

/* The part of the key after the older domain; NULL: the key has another domain. */
static const char *name_of(const struct job *j, const char *key)
{
	bool older = j->resource == RES_OLDER_SLURMJOB && str_has_prefix(key, LABEL_DOMAIN_OLDER);
	return older ? key + strlen(LABEL_DOMAIN_OLDER) : NULL;
}

const char *job_node_label(struct arena *a, const struct job *j, const char *key, const char *value)
{
	const char *name = name_of(j, key);
	if (!name)
		return key;
	if (str_eq(name, "workload-manager") && str_eq(value, "slurm"))
		return NULL;
	return arena_printf(a, LABEL_DOMAIN_WLM "%s", name);
}

const char *job_unread(const struct job *j)
{
	static const char *const members[] = { "resources", "podSecurityContext", "timeLimit" };
	for (size_t i = 0; i < LENGTH(members) && j->resource == RES_OLDER_SLURMJOB; i++)
		if (!json_is_null(json_at(j->object, "spec", members[i])))
			return members[i];
	return NULL;
}

/* A job with spec.ssh would run as another user, perhaps on another Slurm. */
struct err job_older_check_ssh(const struct job *j)
{
	if (j->resource != RES_OLDER_SLURMJOB || json_is_null(json_at(j->object, "spec", "ssh")))
		return OK;
	return err_new(ERR_INVALID,
		"spec.ssh asks for a login to Slurm as a user of its own, which is not supported: jobs go through red-box, as the account of their namespace; remove spec.ssh to run the job that way");
}

struct err job_older_check_labels(const struct job *j)
{
	AUTO(str_free) struct str other = { 0 };
	for (struct json_iter it = json_iter(j->node_selector); json_next(&it);) {
		const char *name = name_of(j, it.key);
		str_clear(&other);
		str_addf(&other, LABEL_DOMAIN_WLM "%s", name ? name : "");
		if (name && json_get(j->node_selector, str_text(&other)))
			return err_new(ERR_INVALID,
				"spec.nodeSelector has %.100s and %.100s, which mean the same label of virtual nodes: keep only one of them",
				it.key, str_text(&other));
	}
	return OK;
}
