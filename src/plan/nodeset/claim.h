/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a pod belongs to a NodeSet. */
#ifndef PLAN_NODESET_CLAIM_H
#define PLAN_NODESET_CLAIM_H

#include <stdbool.h>

struct claim_facts {
	bool controlled; /* the controller is this NodeSet, by uid; false: there is no controller */
	/*
	 * The pod was ours until the garbage collector removed our owner reference
	 * (orphaned.c)
	 */
	bool orphaned;
	/* Whether its labels match the selector and its name is <nodeset>-<digits> */
	bool fits;
	bool deleting; /* the NodeSet is being deleted */
	bool invalid;  /* the selector is unusable: every pod that the NodeSet controls is ours */
	bool terminating;
	bool sent; /* the pod exists (it has a resourceVersion) and is known in full */
};

enum claim { CLAIM_OURS, CLAIM_ADOPT, CLAIM_RELEASE, CLAIM_IGNORE };
enum claim decide_claim(const struct claim_facts *f);

#endif
