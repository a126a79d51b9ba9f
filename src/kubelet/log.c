/* SPDX-License-Identifier: Apache-2.0 */
/* One log: requests the path of its file from red-box. log_read.c reads the file. */
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "kubelet/file.h"
#include "kubelet/log_parts.h"

enum { MOST_LOGS_OF_ONE = 16 };

/* ---- choosing the file ---- */

/* Reads the files of an array, one after the other. */
static void tasks_told(struct log *l, const struct wlm_answer *a)
{
	const char *wish = l->options.follow ? "-f" : "--since";
	if (!l->options.follow && l->options.since_s < 0) {
		l->tasks = tasks_files(a->jobs, a->n_jobs, l->options.standard_error, &l->tasks_of);
		log_read_tasks(l);
		return;
	}
	struct err e = err_new(ERR_INVALID,
		"job %s is an array, and its tasks write to files of their own: leave %s out, or read the log of one task: kubectl get --raw /api/v1/nodes/%s/proxy/containerLogs/%s/%s/task-NUMBER",
		a->jobs[0].array_id, wish, l->node, l->ns, l->pod);
	log_fail(l, 400, e.text);
}

static void look_at_since(struct log *l, const struct log_file *f)
{
	bool none;
	struct err e = log_file_since(f, l->options.since_s, &none);
	if (failed(e))
		log_fail(l, 400, e.text);
	else if (none)
		log_finish(l);
	else
		log_read_file(l);
}

/* Slurm removes a job some minutes after its end, but its file remains. */
static void use_remembered(struct log *l, struct err e)
{
	const struct log_file f = { l->path, l->start_s > 0 ? l->start_s : -1, -1 };
	if (!str_empty(l->path)) {
		look_at_since(l, &f);
	} else if (e.kind == ERR_NOT_FOUND && !l->job_id) {
		log_fail(l, 400,
			"Slurm has no job of this pod, so there is no log: it is not submitted yet, was refused, or is forgotten; \"kubectl describe pod\" says which");
	} else if (e.kind == ERR_NOT_FOUND) {
		e = err_new(e.kind,
			"Slurm has forgotten job %lld, and the path of its output file was not recorded",
			(long long)l->job_id);
		log_fail_with(l, e);
	} else {
		log_fail_with(l, e);
	}
}

/* Reads the file, unless choosing it failed. */
static void read_chosen(struct log *l, struct err e, const struct log_file *f)
{
	if (failed(e)) {
		log_fail(l, 400, e.text);
		return;
	}
	free(l->path);
	l->path = own_strdup(f->path);
	look_at_since(l, f);
}

static void task_told(struct log *l, const struct wlm_answer *a)
{
	const struct slurm_job_shown *task = tasks_find(a->jobs, a->n_jobs, l->options.task);
	struct log_file f;
	struct err e = task ? log_file_choose(task, 1, l->options.standard_error, &f)
			    : err_new(ERR_INVALID, "Slurm shows no started task %lld of the job",
				      (long long)l->options.task);
	read_chosen(l, e, &f);
}

static void job_told(void *log, struct err e, const struct wlm_answer *a)
{
	struct log *l = log;
	struct log_file f;
	l->relay.call = NULL;
	if (failed(e)) {
		use_remembered(l, e);
		return;
	}
	if (l->options.task >= 0) {
		task_told(l, a);
		return;
	}
	if (tasks_have_files(a->jobs, a->n_jobs, l->options.standard_error)) {
		tasks_told(l, a);
		return;
	}
	e = log_file_choose(a->jobs, a->n_jobs, l->options.standard_error, &f);
	if (e.kind == ERR_NOT_FOUND && !str_empty(l->path)) {
		use_remembered(l, e);
		return;
	}
	read_chosen(l, e, &f);
}

/* ---- start ---- */

/*
 * True if the token reads too many logs. An API server is not limited: it reads for all
 * users.
 */
static bool reads_enough(const struct kubelet *k, const struct gate_answer *by)
{
	const struct log *l;
	int same = 0;
	DL_FOREACH(k->logs, l)
	same += by->by_token && l->by_token && str_eq(l->who, by->who);
	return same >= MOST_LOGS_OF_ONE;
}

static struct log *log_new(struct kubelet *k, struct exchange *x, const struct kubelet_pod *p,
	const struct log_options *options, const struct gate_answer *by)
{
	struct log *l = own_alloc(sizeof(*l));
	*l = (struct log){
		.k = k,
		.relay.x = x,
		.options = *options,
		.ns = own_strdup(p->ns),
		.pod = own_strdup(p->name),
		.uid = own_strdup(p->uid),
		.node = own_strdup(p->node),
		.who = own_strdup(by->who),
		.by_token = by->by_token,
		.job_id = p->job_id,
		.red_box = p->red_box,
		.path = own_strdup(options->standard_error ? p->std_err : p->std_out),
		.start_s = p->start_s,
	};
	DL_APPEND(k->logs, l);
	return l;
}

static void gone(void *log) { log_free(log); }

static void refuse(struct exchange *x, const char *ns)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"namespace %s already reads as many logs as it may at a time: end one of them, or try again later",
		ns);
	kubelet_say(x, 429, str_text(&text));
}

static void ask_for_file(struct log *l, struct exchange *x, const struct kubelet_pod *p)
{
	const struct wlm_caller ask = log_caller(l, l->k->config.patience_ms, job_told);
	exchange_later(x, gone, l);
	l->relay.call = wlm_job_info(&ask, p->job_id, p->key);
}

void log_start(struct kubelet *k, struct exchange *x, const struct kubelet_pod *p,
	const struct log_options *options, const struct gate_answer *by)
{
	struct quota *place;
	if (!p->is_job) {
		kubelet_say(x, 400, "the pod represents no job of Slurm: it has no log");
	} else if (!p->job_id && str_empty(p->key)) {
		kubelet_say(x, 400, "the job is not submitted to Slurm yet: it has no log");
	} else if (!p->red_box) {
		kubelet_say(x, 503, KUBELET_NO_RED_BOX);
	} else if (reads_enough(k, by)) {
		kubelet_say(x, 429,
			"you are reading 16 logs already: end one of them, or try again later");
	} else if (!(place = place_take(&k->log_places, p->ns))) {
		refuse(x, p->ns);
	} else {
		struct log *l = log_new(k, x, p, options, by);
		l->place = place;
		ask_for_file(l, x, p);
	}
}
