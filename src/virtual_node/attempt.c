/* SPDX-License-Identifier: Apache-2.0 */
/* Writes struct vattempt: the steps of a pod that were started, and their results. */
#include <assert.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "virtual_node/parts.h"

METRIC(operations_counter, "slurm_operator_virtual_node_actions_total", METRIC_COUNTER,
	"Calls for pods: mark, submit, ask-job, tell, cancel, close, let-go, ask-owner, ask-pod, await, reject. The outcome is ok, or the kind of the error as in slurm_operator_actions_total.",
	"action,outcome", METRIC_OF_VIRTUAL_NODE);

enum { LASTS = 3 }; /* failures in a row before a warning is logged */

static const char *const words[] = {
	[VPOD_WAIT] = "wait",
	[VPOD_LEAVE] = "leave",
	[VPOD_REJECT] = "reject",
	[VPOD_ASK_OWNER] = "ask-owner",
	[VPOD_ASK_POD] = "ask-pod",
	[VPOD_AWAIT] = "await",
	[VPOD_MARK] = "mark",
	[VPOD_SUBMIT] = "submit",
	[VPOD_ASK_JOB] = "ask-job",
	[VPOD_TELL] = "tell",
	[VPOD_CANCEL] = "cancel",
	[VPOD_CLOSE] = "close",
	[VPOD_LET_GO] = "let-go",
	[VPOD_FORGET] = "forget",
};

void attempt_begin(struct vpod *p, enum vpod_step step, const char *why)
{
	bool reads = step == VPOD_ASK_JOB || step == VPOD_ASK_OWNER || step == VPOD_ASK_POD;
	assert(!pod_in_flight(p)); /* invariant 1 of plan/vnode/rule.h */
	p->attempt.doing = step;
	p->attempt.sent_ms = loop_now_ms(p->part->box->all->loop);
	if (reads)
		log_debug(why, "namespace", p->ns, "pod", p->name, "action", words[step]);
	else
		log_info(why, "namespace", p->ns, "pod", p->name, "action", words[step], "key",
			p->object.key);
}

static void note_failure(struct vpod *p, struct err e)
{
	struct vattempt *a = &p->attempt;
	const char *word = words[a->doing];
	free(a->failure);
	a->failure = own_strdup(e.text);
	/* After a conflict, the watch will bring the newer version soon. */
	bool again = a->failed == a->doing && e.kind != ERR_CONFLICT;
	a->failures = again ? a->failures + 1 : 1;
	a->failed = a->doing;
	a->failed_ms = loop_now_ms(p->part->box->all->loop);
	if (a->failures == LASTS)
		log_warn("a call for a pod fails again and again", "namespace", p->ns, "pod",
			p->name, "action", word, "why", e.text);
	else
		log_debug("a call for a pod has failed", "namespace", p->ns, "pod", p->name,
			"action", word, "why", e.text);
}

void attempt_over(struct vpod *p, struct err e)
{
	struct vattempt *a = &p->attempt;
	assert(!pod_in_flight(p));
	metric_add(&operations_counter, 1, words[a->doing],
		failed(e) ? err_kind_name(e.kind) : "ok");
	if (failed(e))
		note_failure(p, e);
	else if (a->failed == a->doing) /* the failures of another step still count */
		a->failures = 0;
	pod_wake(p, 0);
}

void attempt_forgive(struct vpod *p) { p->attempt.failures = 0; }
