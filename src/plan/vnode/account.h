/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides the account (a Unix user of a Slurm) of the job of a pod. Each account has a
 * red-box of its own, with its own journal: so this decides which red-box is asked about
 * a pod. Pure.
 *
 * Before red-box is asked for a job, the status of its pod names the account, in the
 * condition CONDITION_JOB_KEY. From then on that account counts, whatever is configured:
 * another red-box would find no job, and submit a second one.
 *
 * A user who may make a pod may write its annotations, but neither its namespace nor its
 * status. So the account comes from the namespace and from the status; an annotation
 * alone never leads to an account that the namespace does not have.
 */
#ifndef PLAN_VNODE_ACCOUNT_H
#define PLAN_VNODE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"
#include "plan/vnode/rule.h"

/* A namespace whose jobs run as this account. */
struct vspace {
	const char *ns, *account;
};

/* The accounts of one Slurm, besides the one of its own red-box, which is called "". */
struct vaccounts {
	const char *const *names; /* that have a red-box here */
	size_t n_names;
	const struct vspace *spaces;
	size_t n_spaces;
	bool required; /* other namespaces have none; false: that of the own red-box */
};

struct vpod_account {
	enum vpod_way way;
	const char *name; /* of VWAY_NONE ""; it lives as long as the pod and the accounts */
};

/* The account in the status of the pod or, if there is none, that of its namespace. */
struct vpod_account vpod_account_of(const struct json *pod, const struct vaccounts *all);

#endif
