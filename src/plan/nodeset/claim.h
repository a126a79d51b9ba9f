/* SPDX-License-Identifier: Apache-2.0 */
/* Is a pod ours? */
#ifndef PLAN_NODESET_CLAIM_H
#define PLAN_NODESET_CLAIM_H

#include <stdbool.h>

struct claim_facts {
	bool controlled; /* its controller is this NodeSet, by uid; otherwise it has none */
	/*
	 * The pod was ours until the garbage collector removed our reference: see
	 * orphaned.c
	 */
	bool orphaned;
	/* Whether its labels match the selector and its name is <nodeset>-<digits> */
	bool fits;
	bool deleting; /* the NodeSet is being deleted */
	bool invalid;  /* its selector says nothing: everything that we control counts */
	bool terminating;
	bool sent; /* it exists (it has a resourceVersion), and all of it is known */
};

enum claim { CLAIM_OURS, CLAIM_ADOPT, CLAIM_RELEASE, CLAIM_IGNORE };
enum claim decide_claim(const struct claim_facts *f);

#endif
