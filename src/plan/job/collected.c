/* SPDX-License-Identifier: Apache-2.0 */
/* What the status says of the results: the condition, and how often it was tried. */
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "plan/job/sheet.h"

/* "exit code 1: the message" */
static void add_end(struct str *out, const struct pod_fact *p)
{
	str_add_foreign(out, p->reason, 100);
	if (p->exit_code >= 0)
		str_addf(out, "%sexit code %lld", out->len ? ", " : "", (long long)p->exit_code);
	if (!str_empty(p->message)) {
		str_add(out, out->len ? ": " : "");
		str_add_foreign(out, p->message, 400);
	}
	if (!out->len)
		str_add(out, "it says no more");
}

static const char *copy_text(struct job_sheet *s)
{
	const struct pod_fact *p = s->view->collector;
	if (p->phase == POD_RUNNING)
		return arena_printf(s->arena, "pod %s copies the results", s->collector_name);
	return arena_printf(s->arena, "pod %s is to copy the results, and waits: %s",
		s->collector_name, str_empty(p->why) ? "for its machine" : p->why);
}

/* The same text as long as it is the same pod. */
static const char *pause_text(struct job_sheet *s)
{
	AUTO(str_free) struct str why = { 0 };
	const struct pod_fact *p = s->view->collector;
	char at[TIME_RFC3339_BYTES];
	time_format(s->next_attempt_ms, at);
	if (!p)
		return arena_printf(s->arena, "pod %s has gone; it is made anew from %s on",
			s->collector_name, at);
	if (p->phase != POD_FAILED)
		return arena_printf(s->arena,
			"virtual node %s gives out results elsewhere than where pod %s asks; that "
			"is made anew from %s on",
			job_pod_of(s) ? job_pod_of(s)->node_name : "", s->collector_name, at);
	add_end(&why, p);
	return arena_printf(s->arena, "pod %s failed: %s; it is made anew from %s on",
		s->collector_name, str_text(&why), at);
}

static const char *give_up_text(struct job_sheet *s)
{
	AUTO(str_free) struct str why = { 0 };
	add_end(&why, s->view->collector);
	return arena_printf(s->arena,
		"pod %s failed: %s; when that is mended, delete the pod, and another one is made",
		s->collector_name, str_text(&why));
}

static const char *done_text(struct job_sheet *s)
{
	AUTO(str_free) struct str says = { 0 };
	str_add_foreign(&says, s->view->collector->message, 400);
	if (says.len)
		return arena_strdup(s->arena, str_text(&says));
	return arena_printf(s->arena, "pod %s has copied the results", s->collector_name);
}

static const char *no_server_text(struct job_sheet *s)
{
	const char *node = job_pod_of(s) ? job_pod_of(s)->node_name : "";
	if (s->view->server.trouble)
		return arena_printf(s->arena, "virtual node %s cannot be read: %s", node,
			s->view->server.trouble);
	return arena_printf(s->arena,
		"virtual node %s does not say where it gives out results: it is not served by "
		"slurm-operator, or without an address or a port for API servers "
		"(--node-address, --kubelet-bind-address)",
		node);
}

static const char *refuse_text(struct job_sheet *s)
{
	return arena_strdup(s->arena, s->results_fault.err.text);
}

static const char *no_image_text(struct job_sheet *s)
{
	return arena_strdup(s->arena,
		"the manager knows no image for the pod that copies results (--results-image)");
}

static const char *spare_text(struct job_sheet *s)
{
	return arena_strdup(s->arena,
		"the job failed, and spec.results.when is not Ended: its results stay where it "
		"wrote them");
}

static const char *no_pod_text(struct job_sheet *s)
{
	return arena_printf(s->arena,
		"pod %s has gone before the results were copied, and without it no virtual node "
		"gives them out; they are where the job wrote them",
		s->pod_name);
}

static const char *name_text(struct job_sheet *s)
{
	return arena_printf(s->arena,
		"pod %s is there and is not of this %s, so no results are copied: delete that pod",
		s->collector_name, job_kind(s));
}

static const struct {
	enum cond_status status;
	const char *reason; /* NULL: that of the fault */
	const char *(*text)(struct job_sheet *s);
} rows[] = {
	[COLLECT_REFUSE] = { COND_FALSE, NULL, refuse_text },
	[COLLECT_NO_IMAGE] = { COND_FALSE, "NoCollectorImage", no_image_text },
	[COLLECT_SPARE] = { COND_FALSE, "JobFailed", spare_text },
	[COLLECT_NO_JOB_POD] = { COND_FALSE, "JobPodGone", no_pod_text },
	[COLLECT_NO_SERVER] = { COND_FALSE, "NoResultsServer", no_server_text },
	[COLLECT_WAIT_NAME] = { COND_FALSE, "CollectorNameTaken", name_text },
	[COLLECT_COPY] = { COND_FALSE, "Collecting", copy_text },
	[COLLECT_PAUSE] = { COND_FALSE, "CollectionDelayed", pause_text },
	[COLLECT_GIVE_UP] = { COND_FALSE, "CollectionFailed", give_up_text },
	[COLLECT_DONE] = { COND_TRUE, "Collected", done_text },
};

bool job_collected(struct job_sheet *s, struct condition *out)
{
	const char *failure = s->collect == COLLECT_CREATE
		? job_failure_of(s, VERB_CREATE, s->collector_name)
		: NULL;
	if (failure) {
		*out = (struct condition){ JOB_COLLECTED, COND_FALSE, "CollectorNotMade",
			arena_printf(s->arena, "pod %s cannot be made: %s", s->collector_name,
				failure) };
		return true;
	}
	if ((size_t)s->collect >= LENGTH(rows) || !rows[s->collect].text)
		return false;
	const char *reason = rows[s->collect].reason;
	*out = (struct condition){ JOB_COLLECTED, rows[s->collect].status,
		reason ? reason : s->results_fault.reason, rows[s->collect].text(s) };
	return true;
}

void job_set_collector(struct job_sheet *s, struct jval *status)
{
	const struct pod_fact *p = s->view->collector;
	bool own = p && str_eq(p->controller.uid, s->job.uid) && job_results_of(&s->job).asked;
	char made[TIME_RFC3339_BYTES];
	if (!own || p->created_ms <= 0 || !s->attempts)
		return;
	struct jval *collector = j_child(s->d, status, "collector");
	time_format(p->created_ms, made);
	j_set_int(s->d, collector, "attempts", s->attempts);
	j_set_str(s->d, collector, "lastAttemptTime", made);
}
