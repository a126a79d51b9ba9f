/* SPDX-License-Identifier: Apache-2.0 */
/* The red-box of the world of virtual nodes, and the Slurm behind it. */
#include "lib/vnode_world_parts.h"

/* ---- calls ---- */

static struct wlm_call *begin(const struct wlm_caller *by, enum wlm_request_kind kind,
	const char *key, const char *script)
{
	struct world_box *box = (struct world_box *)by->client;
	struct vnode_world *w = box->w;
	struct wlm_call *c = w->calls;
	while (c->open)
		c++;
	assert_true(c < w->calls + WORLD_CALLS);
	*c = (struct wlm_call){ kind, *by, own_strdup(key), own_strdup(script), true,
		(int)(box - w->boxes) };
	box->asked += key != NULL;
	box->listings += kind == WLM_PARTITIONS;
	return c;
}

static void over(struct wlm_call *c)
{
	free(TAKE(c->key));
	free(TAKE(c->script));
	c->open = false;
}

static struct wlm_call *submit(const struct wlm_caller *by, const char *script,
	const char *partition, const char *key, int64_t id)
{
	(void)id;
	assert_string_equal(partition, "debug");
	return begin(by, WLM_SUBMIT_JOB, key, script);
}

static struct wlm_call *submit_container(const struct wlm_caller *by,
	const struct wlm_container_ask *ask)
{
	assert_string_equal(ask->partition, "debug");
	return begin(by, WLM_SUBMIT_JOB_CONTAINER, ask->key, ask->image);
}

static struct wlm_call *cancel(const struct wlm_caller *by, int64_t id, const char *key)
{
	(void)id;
	return begin(by, WLM_CANCEL_JOB, key, NULL);
}

static struct wlm_call *close_key(const struct wlm_caller *by, const char *key)
{
	return begin(by, WLM_CLOSE_SUBMISSION, key, NULL);
}

static struct wlm_call *job_info(const struct wlm_caller *by, int64_t id, const char *key)
{
	(void)id;
	return begin(by, WLM_JOB_INFO, key, NULL);
}

static struct wlm_call *resources(const struct wlm_caller *by, const char *partition)
{
	assert_string_equal(partition, "debug");
	return begin(by, WLM_RESOURCES, NULL, NULL);
}

static struct wlm_call *partitions(const struct wlm_caller *by)
{
	return begin(by, WLM_PARTITIONS, NULL, NULL);
}

static struct wlm_call *workload(const struct wlm_caller *by)
{
	return begin(by, WLM_WORKLOAD_INFO, NULL, NULL);
}

const struct red_box_calls played_calls = { submit, submit_container, cancel, close_key, job_info,
	resources, partitions, workload, over };

/* ---- Slurm ---- */

static struct slurm_job *job_of(struct vnode_world *w, const struct wlm_call *c)
{
	for (size_t i = 0; i < w->n_jobs; i++)
		if (str_eq(w->jobs[i].key, c->key) && w->jobs[i].box == c->box && !w->jobs[i].lost)
			return &w->jobs[i];
	return NULL;
}

static bool has_closed(const struct vnode_world *w, const char *key)
{
	AUTO(str_free) struct str word = { 0 };
	str_addf(&word, " %s ", key);
	return strstr(str_text(&w->closed), str_text(&word)) != NULL;
}

static struct err close_it(struct vnode_world *w, const struct wlm_call *c)
{
	struct err e = err_new(ERR_INVALID, "there is no such call");
	e.code = GRPC_UNIMPLEMENTED;
	if (w->closes_nothing)
		return e;
	if (w->close_fails)
		return err_new(w->close_fails, "the disk is full");
	str_addf(&w->closed, " %s ", c->key);
	return OK;
}

bool is_closed(const struct vnode_world *w, const char *name)
{
	char key[64];
	snprintf(key, sizeof(key), "uid-%s", name);
	return has_closed(w, key);
}

static struct err sbatch(struct vnode_world *w, const struct wlm_call *c, struct wlm_answer *out)
{
	struct slurm_job *j = job_of(w, c);
	bool image = c->kind == WLM_SUBMIT_JOB_CONTAINER;
	w->submits++;
	if (w->submit_fails)
		return err_new(w->submit_fails, "%s",
			w->submit_says ? w->submit_says : "sbatch says no");
	if (!j && has_closed(w, c->key))
		return err_new(ERR_EXISTS, "this client_id was closed");
	snprintf(image ? w->image : w->script, image ? sizeof(w->image) : sizeof(w->script), "%s",
		c->script);
	if (!j) {
		assert_true(w->n_jobs < WORLD_PODS);
		w->sbatches++;
		j = &w->jobs[w->n_jobs++];
		*j = (struct slurm_job){ .box = c->box,
			.id = 100 + (int64_t)w->n_jobs,
			.state = "PENDING",
			.reason = "Resources",
			.exit_code = "0:0",
			.array_id = "",
			.task = "",
			.nodes = "(null)" };
		snprintf(j->key, sizeof(j->key), "%s", c->key);
	}
	out->job_id = j->id;
	return w->forgets_answers ? err_new(ERR_LOST, "the answer is lost") : OK;
}

static struct err scancel(struct vnode_world *w, const struct wlm_call *c)
{
	struct slurm_job *j = job_of(w, c);
	w->cancels++;
	if (w->cancel_fails)
		return err_new(w->cancel_fails, "scancel says no");
	if (j && (str_eq(j->state, "PENDING") || str_eq(j->state, "RUNNING")))
		j->state = "CANCELLED by 1000";
	return j ? OK : err_new(ERR_NOT_FOUND, "no such job");
}

static struct err show(struct vnode_world *w, const struct wlm_call *c,
	struct slurm_job_shown *records, struct wlm_answer *out)
{
	struct slurm_job *j = job_of(w, c);
	w->infos++;
	if (w->info_fails)
		return err_new(w->info_fails, "scontrol says no");
	if (!j)
		return err_new(ERR_NOT_FOUND, "no such job");
	const int64_t submit_s = 1767225600 + j->id; /* each a second after the one before */
	for (; j; j = j->next_task)
		records[out->n_jobs++] = (struct slurm_job_shown){ .id = j->id,
			.state = j->state,
			.reason = j->reason,
			.exit_code = j->exit_code,
			.array_id = j->array_id,
			.task = j->task ? j->task : "",
			.nodes = j->nodes,
			.name = "",
			.user = "",
			.partition = "debug",
			.node_count = "1",
			.batch_host = "",
			.work_dir = "",
			.std_out = w->std_out ? w->std_out : "/home/a/slurm.out",
			.std_err = "",
			.restarts = j->restarts ? j->restarts : "0",
			.submit_s = j->later_s == NOT_TOLD ? 0 : submit_s + j->later_s,
			.start_s = j->start_s,
			.end_s = j->end_s,
			.run_s = -1 };
	out->jobs = records;
	out->key = c->key;
	return OK;
}

void when_a_submission_comes_late(struct vnode_world *w, const char *name)
{
	char key[64], script[] = "";
	struct wlm_answer out = { 0 };
	snprintf(key, sizeof(key), "uid-%s", name);
	sbatch(w, &(struct wlm_call){ WLM_SUBMIT_JOB, .key = key, .script = script }, &out);
}

/* ---- answers ---- */

static struct err nobody_listens(void)
{
	struct err e = err_new(ERR_RETRY, "nobody listens");
	e.code = GRPC_UNAVAILABLE;
	return e;
}

static struct err answer_of(struct vnode_world *w, const struct wlm_call *c,
	struct slurm_job_shown *records, struct wlm_answer *out)
{
	static const char *const names[] = { "debug" };
	if (c->box ? w->boxes[c->box].down : w->down)
		return nobody_listens();
	switch (c->kind) {
	case WLM_SUBMIT_JOB:
	case WLM_SUBMIT_JOB_CONTAINER:
		return sbatch(w, c, out);
	case WLM_CANCEL_JOB:
		return scancel(w, c);
	case WLM_CLOSE_SUBMISSION:
		return close_it(w, c);
	case WLM_JOB_INFO:
		return show(w, c, records, out);
	case WLM_PARTITIONS:
		out->names = names;
		out->n_names = w->no_partition ? 0 : 1;
		return OK;
	case WLM_RESOURCES:
		out->resources = w->resources;
		return OK;
	default:
		out->version = "24.11.5";
		return OK;
	}
}

static void answer(struct vnode_world *w, struct wlm_call *c)
{
	static const struct wlm_answer nothing = { 0 };
	struct slurm_job_shown records[8]; /* of the tasks of an array */
	struct wlm_answer out = { 0 };
	struct wlm_call taken = *c; /* its place is free for the next call */
	c->open = false;
	struct err e = answer_of(w, &taken, records, &out);
	taken.by.done(taken.by.ctx, e, failed(e) ? &nothing : &out);
	over(&taken);
}

static bool is_held(const struct vnode_world *w, const struct wlm_call *c)
{
	return w->holds || (c->kind == WLM_SUBMIT_JOB && w->boxes[c->box].holds);
}

void play_red_box(struct vnode_world *w)
{
	for (int i = 0; i < WORLD_CALLS; i++)
		if (w->calls[i].open && !is_held(w, &w->calls[i]))
			answer(w, &w->calls[i]);
}
