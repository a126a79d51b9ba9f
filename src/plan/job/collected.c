/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of results and inputs. */
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
		str_add(out, "it gives no reason");
}

const char *job_copy_end(struct job_sheet *s, const struct job_copy *c)
{
	AUTO(str_free) struct str why = { 0 };
	add_end(&why, c->pod);
	return arena_strdup(s->arena, str_text(&why));
}

/* Words of the status for results and for inputs. */
static const struct {
	const char *condition;
	/* "the results"; "copies the results"; "gives out results" */
	const char *what, *copies, *gives;
} nouns[] = {
	[JOB_INPUTS] = { JOB_INPUTS_PREPARED, "the inputs", "brings the inputs", "takes inputs" },
	[JOB_RESULTS] = { JOB_COLLECTED, "the results", "copies the results", "gives out results" },
};

static const char *node_of(const struct job_sheet *s)
{
	return job_pod_of(s) ? job_pod_of(s)->node_name : "";
}

/* The volume of the copy: "nfs files.example.com:/export", "persistentVolumeClaim c". */
static const char *volume_text(struct job_sheet *s, const struct job_copy *c)
{
	static const char *const members[] = { "claimName", "driver", "path" };
	const char *of = c->what == JOB_RESULTS ? "results" : "prepare";
	const struct json *mount = json_at(s->job.object, "spec", of, "mount");
	AUTO(str_free) struct str text = { 0 };
	for (struct json_iter it = json_iter(mount); json_next(&it);) {
		if (!json_is_obj(it.value))
			continue;
		str_add_foreign(&text, it.key, 40);
		const char *server = json_str(json_get(it.value, "server"), "");
		str_addf(&text, "%s", str_empty(server) ? "" : " ");
		str_add_foreign(&text, server, 100);
		for (size_t i = 0; i < LENGTH(members); i++) {
			const char *word = json_str(json_get(it.value, members[i]), "");
			str_add(&text, str_empty(word) ? "" : str_empty(server) ? " " : ":");
			str_add_foreign(&text, word, 100);
		}
	}
	return arena_strdup(s->arena, str_text(&text));
}

/*
 * Only Events of the pod show the cause, such as FailedMount if a server does not answer.
 */
static const char *node_text(struct job_sheet *s, const struct job_copy *c)
{
	if (str_empty(c->pod->node_name))
		return "for its Kubernetes node";
	return arena_printf(s->arena,
		"Kubernetes node %s has it, and makes its volume (%s) and its image ready; if this lasts, the volume cannot be mounted: \"kubectl describe pod %s\" says why (FailedMount)",
		c->pod->node_name, volume_text(s, c), c->name);
}

static const char *copy_text(struct job_sheet *s, const struct job_copy *c)
{
	const char *does = nouns[c->what].copies;
	if (c->pod->phase == POD_RUNNING)
		return arena_printf(s->arena, "pod %s %s", c->name, does);
	return arena_printf(s->arena, "pod %s, which %s, waits: %s", c->name, does,
		str_empty(c->pod->why) ? node_text(s, c) : c->pod->why);
}

/* The text does not change while the pod stays the same. */
static const char *pause_text(struct job_sheet *s, const struct job_copy *c)
{
	char at[TIME_RFC3339_BYTES];
	time_format(c->next_attempt_ms, at);
	if (!c->pod)
		return arena_printf(s->arena, "pod %s has gone; it is recreated after %s", c->name,
			at);
	if (c->pod->phase != POD_FAILED && c->pod->exit_code <= 0)
		return arena_printf(s->arena,
			"virtual node %s %s elsewhere than where pod %s asks; the pod is recreated after %s",
			node_of(s), nouns[c->what].gives, c->name, at);
	return arena_printf(s->arena, "pod %s failed: %s; it is recreated after %s", c->name,
		job_copy_end(s, c), at);
}

static const char *give_up_text(struct job_sheet *s, const struct job_copy *c)
{
	if (c->what == JOB_INPUTS)
		return arena_printf(s->arena,
			"pod %s failed: %s; nothing is submitted: when that is mended, delete the %s and apply it anew",
			c->name, job_copy_end(s, c), job_kind(s));
	return arena_printf(s->arena,
		"pod %s failed: %s; when that is mended, delete the pod, and another one is made",
		c->name, job_copy_end(s, c));
}

static const char *done_text(struct job_sheet *s, const struct job_copy *c)
{
	AUTO(str_free) struct str says = { 0 };
	str_add_foreign(&says, c->pod->message, 400);
	if (says.len)
		return arena_strdup(s->arena, str_text(&says));
	return arena_printf(s->arena, "pod %s has copied %s", c->name, nouns[c->what].what);
}

static const char *no_server_text(struct job_sheet *s, const struct job_copy *c)
{
	if (s->view->server.trouble)
		return arena_printf(s->arena, "virtual node %s cannot be read: %s", node_of(s),
			s->view->server.trouble);
	return arena_printf(s->arena,
		"virtual node %s does not say where it %s: it is not served by slurm-operator, or without an address or a port for API servers (--node-address, --kubelet-bind-address)",
		node_of(s), nouns[c->what].gives);
}

static const char *refuse_text(struct job_sheet *s, const struct job_copy *c)
{
	return arena_strdup(s->arena, c->fault.err.text);
}

static const char *no_image_text(struct job_sheet *s, const struct job_copy *c)
{
	return arena_printf(s->arena,
		"the manager knows no image for the pod that %s (--results-image)",
		nouns[c->what].copies);
}

static const char *spare_text(struct job_sheet *s, const struct job_copy *c)
{
	(void)c;
	return arena_strdup(s->arena,
		"the job failed, and spec.results.when is not Ended: its results stay where it wrote them");
}

static const char *no_pod_text(struct job_sheet *s, const struct job_copy *c)
{
	(void)c;
	return arena_printf(s->arena,
		"pod %s has gone before the results were copied, and without it no virtual node gives them out; they are where the job wrote them",
		s->pod_name);
}

static const char *name_text(struct job_sheet *s, const struct job_copy *c)
{
	return arena_printf(s->arena,
		"pod %s is there and is not of this %s, so nothing %s: delete that pod", c->name,
		job_kind(s), nouns[c->what].copies);
}

static const struct {
	enum cond_status status;
	const char *reasons[JOB_COPIES]; /* NULL: the reason of the fault */
	const char *(*text)(struct job_sheet *s, const struct job_copy *c);
} rows[] = {
	[COLLECT_REFUSE] = { COND_FALSE, { NULL, NULL }, refuse_text },
	[COLLECT_NO_IMAGE] = { COND_FALSE, { "NoPreparerImage", "NoCollectorImage" },
		no_image_text },
	[COLLECT_SPARE] = { COND_FALSE, { NULL, "JobFailed" }, spare_text },
	[COLLECT_NO_JOB_POD] = { COND_FALSE, { NULL, "JobPodGone" }, no_pod_text },
	[COLLECT_NO_SERVER] = { COND_FALSE, { "NoInputsServer", "NoResultsServer" },
		no_server_text },
	[COLLECT_WAIT_NAME] = { COND_FALSE, { "PreparerNameTaken", "CollectorNameTaken" },
		name_text },
	[COLLECT_COPY] = { COND_FALSE, { "Preparing", "Collecting" }, copy_text },
	[COLLECT_PAUSE] = { COND_FALSE, { "PreparationDelayed", "CollectionDelayed" }, pause_text },
	[COLLECT_GIVE_UP] = { COND_FALSE, { "PreparationFailed", "CollectionFailed" },
		give_up_text },
	[COLLECT_DONE] = { COND_TRUE, { "Prepared", "Collected" }, done_text },
};

bool job_copy_condition(struct job_sheet *s, enum job_copy_what what, struct condition *out)
{
	static const char *const not_made[] = { "PreparerNotMade", "CollectorNotMade" };
	const struct job_copy *c = &s->copies[what];
	const char *failure = c->step == COLLECT_CREATE ? job_failure_of(s, VERB_CREATE, c->name)
							: NULL;
	*out = (struct condition){ nouns[what].condition, COND_FALSE, not_made[what], NULL };
	if (failure) {
		out->message = arena_printf(s->arena, "pod %s cannot be made: %s", c->name,
			failure);
		return true;
	}
	if ((size_t)c->step >= LENGTH(rows) || !rows[c->step].text)
		return false;
	const char *reason = rows[c->step].reasons[what];
	out->status = rows[c->step].status;
	out->reason = reason ? reason : c->fault.reason;
	out->message = rows[c->step].text(s, c);
	return true;
}
