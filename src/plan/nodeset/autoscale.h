/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.autoscaling in the plan of a NodeSet. Private to this folder.
 *
 * spec.replicas is written in two plans: the status first has the old and the new value,
 * so that a later manager can tell this write from that of another client. When
 * spec.replicas is neither, another client sets it as well, and nothing is scaled until
 * it is what the queue needs.
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
	bool alone;              /* a partition has no other nodes */
	bool conflict;           /* another client sets spec.replicas */
	bool ordered;            /* spec.replicas is written by this plan: the status is not */
	int64_t replicas, from;  /* for the status */
};

/* Writes status.autoscaling; takes it away when the spec has none. */
void autoscale_add_status(struct worksheet *w, struct jval *status);
/* NULL: there is none, or what was published is to stay. */
const struct condition *autoscale_condition(struct worksheet *w);
#define AUTOSCALING "Autoscaling"

#endif
