/* SPDX-License-Identifier: Apache-2.0 */
/* The promises of the bridge, judged by the truth of Slurm and of the API server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/job.h"
#include "api/names.h"
#include "base/own.h"
#include "sim/sim_bridge.h"

struct bridge_object *bridge_object_of(struct bridge *b, const char *uid)
{
	for (size_t i = 0; i < b->n_objects; i++)
		if (strcmp(b->objects[i].uid, uid) == 0)
			return &b->objects[i];
	return NULL;
}

const struct hpc_job *bridge_job_of(const struct bridge *b, const char *key)
{
	return sim_hpc_of(bridge_slurm_of(b, key), key);
}

/* ---- P5, P1: what red-box asks of Slurm ---- */

static bool has_had(const struct sim_hpc *h, const char *key)
{
	for (const struct hpc_job *j = h->jobs; j; j = j->next)
		if (strcmp(j->key, key) == 0)
			return true;
	return false;
}

/* Also when the first account has lost it: another one cannot know that. */
static void check_account(struct bridge *b, const struct hpc_job *job)
{
	if (has_had(&b->hpc, job->key) && has_had(&b->other.hpc, job->key))
		bridge_break(b, "P5", "job %lld of %s is submitted as two accounts",
			(long long)job->id, job->key);
}

static void on_submit(void *ctx, const struct hpc_job *job)
{
	struct bridge *b = ctx;
	const struct bridge_object *o = bridge_object_of(b, job->key);
	if (!o && !bridge_is_rest(job->key))
		bridge_break(b, "P5", "job %lld is of no SlurmJob: its key is \"%s\"",
			(long long)job->id, job->key);
	else if (o && o->pod_let_go)
		bridge_break(b, "P5", "job %lld of %s comes after its pod was let go",
			(long long)job->id, job->key);
	else if (o && o->inputs && !o->inputs_there)
		bridge_break(b, "P7", "job %lld of %s begins without its inputs",
			(long long)job->id, job->key);
	check_account(b, job);
	for (const struct hpc_job *j = bridge_slurm_of(b, job->key)->jobs; j; j = j->next)
		if (j != job && !j->lost && strcmp(j->key, job->key) == 0)
			bridge_break(b, "P5", "job %lld and job %lld are of one SlurmJob, %s",
				(long long)j->id, (long long)job->id, job->key);
}

static void on_refuse(void *ctx, const char *key, bool for_good)
{
	struct bridge_object *o = bridge_object_of(ctx, key);
	if (o)
		o->refused_for_good |= for_good;
}

static void on_cancel(void *ctx, const struct hpc_job *job)
{
	struct bridge *b = ctx;
	const struct bridge_object *o = bridge_object_of(b, job->key);
	bool stays = o && o->orphaned && !o->pod_deleted;
	bool wished = o && (o->gone || o->pod_deleted || o->deleting) && !stays;
	if (!wished)
		bridge_break(b, "P1", "job %lld of %s is cancelled, and nobody wishes that",
			(long long)job->id, job->key);
}

/* ---- P2: the end that is told ---- */

static bool all_completed(const struct hpc_job *j)
{
	bool all = true;
	for (int i = 0; i < j->n_tasks; i++)
		all &= j->tasks[i].state == HPC_COMPLETED;
	return all;
}

/*
 * slurmctld forgets each task of an array by itself. Its end is then unknown without
 * accounts.
 */
static bool is_half_forgotten(const struct bridge *b, const struct hpc_job *j)
{
	bool any = false;
	for (int i = 0; i < j->n_tasks; i++)
		any |= j->tasks[i].purged && !j->tasks[i].vanished;
	return any && j->kind == HPC_ARRAY && !b->hpc.accounts;
}

/* The last of the key that slurmctld has lost; NULL: it has lost none */
static const struct hpc_job *lost_of(const struct bridge *b, const char *key)
{
	const struct hpc_job *lost = NULL;
	for (const struct hpc_job *j = bridge_slurm_of(b, key)->jobs; j; j = j->next)
		if (j->lost && strcmp(j->key, key) == 0)
			lost = j;
	return lost;
}

static bool has_ended(const struct hpc_job *j)
{
	bool ended = true;
	for (int i = 0; i < j->n_tasks; i++)
		ended &= hpc_task_ended(&j->tasks[i]);
	return ended;
}

/* A job that ended a moment before slurmctld lost it had that end all the same. */
static const struct hpc_job *told_of(const struct bridge *b, const char *key)
{
	const struct hpc_job *j = bridge_job_of(b, key);
	return j ? j : lost_of(b, key);
}

/*
 * A job that Slurm knows may not be called unknown, nor one that it would know, had it
 * not lost it. A client without the answer of sbatch cannot know when sbatch came to
 * Slurm: so the job is as old as its sbatch, and clocks count whole seconds.
 */
static void check_unknown(struct bridge *b, const char *key, const struct hpc_job *j)
{
	const struct bridge_object *o = bridge_object_of(b, key);
	bool left = !o || o->gone || o->deleting || o->orphaned || o->pod_deleted;
	const struct hpc_job *lost = lost_of(b, key);
	int64_t age_s = lost ? 1 + (b->hpc.loop->now_ms - lost->begun_ms) / 1000 : 0,
		sure_s = b->hpc.min_job_age_s - SUBMISSION_SKEW_S;
	if (j && hpc_job_known(j))
		bridge_break(b, "P2", "job %lld of %s is said to be unknown, and Slurm knows it",
			(long long)j->id, key);
	else if (!j && !left && b->hpc.accounts && !lost && !o->refused_for_good)
		bridge_break(b, "P5", "%s is never submitted, and no submission was ever done",
			key);
	else if (!j && !left && lost && !lost->by_backup && !b->journal_lost && age_s < sure_s)
		bridge_break(b, "P5", "%s is given up %lld s after its submission", key,
			(long long)age_s);
}

static const char *const without_job[] = { "SubmissionRefused", "OwnerGone", "NotAJob",
	"InputsFailed", "PodDeleted" };

static bool is_without_job(const char *reason)
{
	for (size_t i = 0; i < LENGTH(without_job); i++)
		if (strcmp(reason, without_job[i]) == 0)
			return true;
	return false;
}

static yyjson_val *terminated_of(const struct sim_version *pod)
{
	yyjson_val *first = yyjson_arr_get_first(sim_at(pod->root, "status", "containerStatuses"));
	return sim_at(first, "state", "terminated");
}

static int64_t code_of(const struct hpc_task *t)
{
	bool killed = t->state == HPC_TIMEOUT || t->state == HPC_OUT_OF_MEMORY;
	int signal = killed ? 9 : t->signal;
	return signal ? 128 + signal : t->exit_code;
}

static bool is_end_of(const struct hpc_job *j, yyjson_val *terminated)
{
	const char *word = sim_str(terminated, "reason");
	for (int i = 0; i < j->n_tasks; i++)
		if (strcmp(hpc_words[j->tasks[i].state], word) == 0 &&
			(j->kind == HPC_ARRAY ||
				sim_int(terminated, "exitCode", -1) == code_of(&j->tasks[i])))
			return true;
	return false;
}

/* A pod that says so was refused by Slurm, and for good. */
static void check_refused(struct bridge *b, const char *key, const struct sim_version *pod)
{
	const struct bridge_object *o = bridge_object_of(b, key);
	if (o && !o->refused_for_good)
		bridge_break(b, "P5", "pod %s fails for a refusal for now: %s", pod->name,
			sim_str(sim_get(pod->root, "status"), "message"));
}

static void check_end(struct bridge *b, const char *key, const struct sim_version *pod)
{
	const struct hpc_job *j = told_of(b, key);
	yyjson_val *terminated = terminated_of(pod);
	const char *phase = sim_str(sim_get(pod->root, "status"), "phase"),
		   *reason = sim_str(sim_get(pod->root, "status"), "reason");
	bool well = strcmp(phase, "Succeeded") == 0;
	if (strcmp(reason, "SubmissionRefused") == 0)
		check_refused(b, key, pod);
	if (strcmp(reason, "JobNotFound") == 0)
		check_unknown(b, key, bridge_job_of(b, key));
	else if (is_without_job(reason) && j && hpc_job_lives(j))
		bridge_break(b, "P2", "pod %s says %s, and job %lld lives", pod->name, reason,
			(long long)j->id);
	else if (is_without_job(reason))
		return;
	else if (!j || !has_ended(j))
		bridge_break(b, "P2", "pod %s says %s, and its job has not ended", pod->name,
			phase);
	else if (is_half_forgotten(b, j))
		return;
	else if (well != all_completed(j))
		bridge_break(b, "P2", "pod %s says %s, and job %lld ended as %s", pod->name, phase,
			(long long)j->id, hpc_words[j->tasks[0].state]);
	else if (!well && !is_end_of(j, terminated))
		bridge_break(b, "P2", "pod %s says %s %lld, and job %lld ended as %s %d", pod->name,
			sim_str(terminated, "reason"),
			(long long)sim_int(terminated, "exitCode", -1), (long long)j->id,
			hpc_words[j->tasks[0].state], j->tasks[0].exit_code);
}

bool bridge_is_end(const struct sim_version *v, const char *key)
{
	const char *phase = v ? sim_str(sim_get(v->root, "status"), key) : "";
	return strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
}

/* ---- pods ---- */

const char *bridge_key_of(const struct sim_version *pod)
{
	const char *owner = sim_owner_uid(pod);
	return *owner ? owner : sim_annotation(pod, ANNOTATION_JOB_KEY);
}

static bool is_by_vnode(const struct sim_write *w)
{
	return w->actor == ACTOR_OPERATOR && w->request && w->request->who == BRIDGE_VNODE;
}

static void on_pod_gone(struct bridge *b, const struct sim_write *w, struct bridge_object *o)
{
	const struct hpc_job *j = bridge_job_of(b, o->uid);
	o->pod_gone = true;
	o->pod_let_go |= is_by_vnode(w);
	if (is_by_vnode(w) && j && hpc_job_lives(j))
		bridge_break(b, "P5", "pod %s is let go, and job %lld lives", w->after->name,
			(long long)j->id);
	const struct sim_version *v = sim_store_find(&b->kube.store, o->resource, BRIDGE_NS,
		o->name);
	bool hears = v && strcmp(v->uid, o->uid) == 0 && !sim_terminating(v);
	if (is_by_vnode(w) && hears && !bridge_is_end(v, "phase"))
		bridge_break(b, "P2", "pod %s is let go, and SlurmJob %s has not heard of its end",
			w->after->name, v->name);
}

/* By a user, or by the manager, whose finalizer held what the user had removed. */
static bool is_by_force(const struct sim_write *w, const struct bridge_object *o)
{
	bool manager = w->actor == ACTOR_OPERATOR && !is_by_vnode(w) && !o->deleting;
	return w->removed && (w->actor == ACTOR_USER || (manager && o->pod_deleted));
}

/* The virtual node has its lists, and no fault cuts its watches. */
static bool vnode_sees(const struct bridge *b)
{
	enum { LISTS_MS = 20000 };
	return b->calm && b->vnode &&
		b->loop->now_ms - b->programs[BRIDGE_VNODE].born_ms >= LISTS_MS;
}

static void on_pod(struct bridge *b, const struct sim_write *w)
{
	const char *key = bridge_key_of(w->after);
	struct bridge_object *o = bridge_object_of(b, key);
	if (!o)
		return;
	o->had_pod = true;
	o->pods += !w->before;
	if (o->pods > 1 && !w->before && !o->gone) /* what comes too late goes again */
		bridge_break(b, "P5", "a second pod is made for %s", key);
	bool disrupted = w->before && sim_condition_true(w->before, "DisruptionTarget");
	if (w->marked && w->actor == ACTOR_USER && !disrupted)
		o->pod_deleted = true;
	bool forced = is_by_force(w, o) && !bridge_is_end(w->after, "phase");
	o->pod_taken |= is_by_force(w, o);
	o->pod_forced |= forced;
	o->pod_deleted |= forced; /* also where Kubernetes began to delete it */
	o->pod_seen |= forced && !disrupted && vnode_sees(b);
	if (w->removed)
		on_pod_gone(b, w, o);
	bool ends = !w->removed && bridge_is_end(w->after, "phase") &&
		!bridge_is_end(w->before, "phase");
	if (ends && w->actor == ACTOR_OPERATOR)
		check_end(b, key, w->after);
}

/* ---- SlurmJobs ---- */

static struct bridge_object *new_object(struct bridge *b, enum resource resource,
	const struct sim_version *v)
{
	if (b->n_objects == BRIDGE_OBJECTS)
		abort();
	struct bridge_object *o = &b->objects[b->n_objects++];
	*o = (struct bridge_object){ .resource = resource,
		.inputs = strstr(v->text, "\"prepare\":{\"to\"") };
	snprintf(o->uid, sizeof(o->uid), "%s", v->uid);
	snprintf(o->name, sizeof(o->name), "%s", v->name);
	return o;
}

static void check_status(struct bridge *b, const struct sim_version *v)
{
	const struct hpc_job *j = told_of(b, v->uid);
	const char *phase = sim_str(sim_get(v->root, "status"), "phase");
	bool well = strcmp(phase, "Succeeded") == 0;
	if (j && hpc_job_lives(j))
		bridge_break(b, "P2", "SlurmJob %s says %s, and job %lld lives", v->name, phase,
			(long long)j->id);
	else if (j && is_half_forgotten(b, j))
		return;
	else if (well && (!j || !all_completed(j)))
		bridge_break(b, "P2", "SlurmJob %s says Succeeded, and its job did not", v->name);
	else if (!well && j && all_completed(j) && hpc_job_known(j))
		bridge_break(b, "P2", "SlurmJob %s says Failed, and job %lld did not", v->name,
			(long long)j->id);
}

static void on_object(struct bridge *b, const struct sim_write *w)
{
	struct bridge_object *o = bridge_object_of(b, w->after->uid);
	if (!o)
		o = new_object(b, w->resource, w->after);
	o->gone |= w->removed;
	o->deleting |= sim_terminating(w->after) || w->removed;
	o->orphaned |= sim_has_finalizer(w->after, "orphan");
	b->nowhere += !!strstr(w->after->text, "\"NoPartitionFits\"");
	if (w->actor == ACTOR_OPERATOR && bridge_is_end(w->after, "phase") &&
		!bridge_is_end(w->before, "phase"))
		check_status(b, w->after);
}

static void trace(struct bridge *b, const struct sim_write *w)
{
	const struct sim_version *v = w->after;
	if (w->resource != RES_POD && !job_is_resource(w->resource))
		return;
	bridge_note(b, "%s%s %s %s %s/%s -> %s%s %s %s", sim_actor_names[w->actor],
		!w->request                               ? ""
			: w->request->who == BRIDGE_VNODE ? " (virtual node)"
							  : " (manager)",
		w->verb, resource_name(w->resource), v->name, w->subresource, v->rv_text,
		w->removed                      ? " gone"
			: w->before == w->after ? " unchanged"
			: w->marked             ? " deleting"
						: "",
		sim_str(sim_get(v->root, "status"), "phase"), sim_annotation(v, ANNOTATION_JOB_ID));
}

static void on_write(void *ctx, const struct sim_write *w)
{
	struct bridge *b = ctx;
	bool counts = w->resource == RES_POD || job_is_resource(w->resource);
	trace(b, w);
	if (counts && w->actor == ACTOR_OPERATOR && w->before != w->after)
		b->last_write_ms = b->loop->now_ms;
	if (w->resource == RES_POD && bridge_is_preparer(w->after))
		bridge_on_preparer(b, w);
	else if (w->resource == RES_POD)
		on_pod(b, w);
	else if (job_is_resource(w->resource))
		on_object(b, w);
}

static void on_fault(void *ctx, const char *kind, const char *what)
{
	bridge_note(ctx, "fault: %s: %s", kind, what);
}

void bridge_watch(struct bridge *b)
{
	b->kube.on_write = on_write;
	b->kube.ctx = b;
	b->hpc.on_submit = on_submit;
	b->hpc.on_refuse = on_refuse;
	b->hpc.on_cancel = on_cancel;
	b->net->faults.on_fault = on_fault;
	b->net->faults.ctx = b;
}
