/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides the account (a Unix user of a Slurm) of the job of a pod. Each account has a
 * red-box of its own, with its own journal, so this decides which red-box is queried for
 * a pod. Pure.
 *
 * Before red-box is queried for a job, the status of the pod names the account, in the
 * condition CONDITION_JOB_KEY. From then on that account counts, whatever is configured:
 * another red-box would find no job, and submit a second one.
 *
 * A user who may create a pod may write its annotations, but neither its namespace nor
 * its status. So the account comes from the namespace and from the status. An annotation
 * alone never leads to an account that the namespace does not have.
 */
#ifndef PLAN_VNODE_ACCOUNT_H
#define PLAN_VNODE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"
#include "plan/vnode/rule.h"

/* A namespace, and the account of its jobs. */
struct vspace {
	const char *ns, *account;
};

/* The accounts of one Slurm, without that of its own red-box, whose name here is "". */
struct vaccounts {
	const char *const *names; /* accounts that have a red-box here */
	size_t n_names;
	const struct vspace *spaces;
	size_t n_spaces;
	/* Other namespaces have no account; false: they have that of the own red-box */
	bool required;
};

struct vpod_account {
	enum vpod_way way;
	const char *name; /* "" for VWAY_NONE; valid as long as the pod and the accounts */
};

/* The account in the status of the pod or, if there is none, that of its namespace. */
struct vpod_account vpod_account_of(const struct json *pod, const struct vaccounts *all);

#endif
