/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.autoscaling in the plan of a NodeSet. Private to this folder.
 *
 * Two plans write spec.replicas. The first writes the old and the new value into the
 * status, so that a later manager can distinguish the second write from one of another
 * client. If spec.replicas has neither value, another client sets it as well. Then
 * nothing is scaled until spec.replicas is the number that the queue needs.
 */
#ifndef PLAN_NODESET_AUTOSCALE_H
#define PLAN_NODESET_AUTOSCALE_H

#include "api/autoscaling.h"
#include "json/build.h"
#include "plan/autoscale/need.h"
#include "plan/autoscale/rule.h"
#include "plan/nodeset/worksheet.h"

struct autoscale {
	struct autoscaling spec;
	struct autoscale_facts facts;
	struct autoscale_answer answer;
	struct autoscale_need need;
	struct node_shape shape; /* cpus 0: not known */
	bool alone;              /* a partition needs a pod of this NodeSet */
	bool conflict;           /* another client sets spec.replicas */
	bool ordered;            /* this plan writes spec.replicas, and so not the status */
	int64_t replicas, from;  /* for the status */
};

/* Writes status.autoscaling, or removes it if the spec has no autoscaling. */
void autoscale_add_status(struct worksheet *w, struct jval *status);
/* NULL: no condition, or the published condition stays. */
const struct condition *autoscale_condition(struct worksheet *w);
#define AUTOSCALING "Autoscaling"

#endif
