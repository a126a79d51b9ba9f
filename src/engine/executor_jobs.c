/* SPDX-License-Identifier: Apache-2.0 */
/* An action on its way, from its start to what is told of its end. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/executor_parts.h"
#include "engine/failures.h"
#include "engine/slow_start.h"
#include "engine/undone.h"
#include "engine/waits.h"

static struct metric actions_total = { "slurm_operator_actions_total", METRIC_COUNTER,
	"Actions carried out, by kind and outcome.", "kind,outcome", NULL, NULL, 0 };

enum { UNDONE_TIMES = 4 }; /* in a row, within seconds: that is no accident */
/*
 * While a thousand pods come or go, a status for each of them would cost as much as they
 * do
 */
enum { STATUS_MS = 250 };

void job_free(struct job *j)
{
	struct executor *x = j->x;
	timer_stop(x->config.kube->loop, j->timer);
	if (j->prev)
		j->prev->next = j->next;
	else
		x->jobs = j->next;
	if (j->next)
		j->next->prev = j->prev;
	x->in_flight--;
	x->guarded -= j->guard.node.name != NULL;
	free((char *)(uintptr_t)j->guard.uid);
	free((char *)(uintptr_t)j->guard.resource_version);
	free((char *)(uintptr_t)j->guard.node.name);
	free((char *)(uintptr_t)j->guard.node.address);
	free((char *)(uintptr_t)j->guard.node.second_address);
	free((char *)(uintptr_t)j->guard.node.machine);
	free(j->cluster);
	free(j->ns);
	free(j->name);
	free(j->key);
	while (j->n_nodes)
		free(j->nodes[--j->n_nodes]);
	free(j->nodes);
	free(j->why);
	free(j->event_done);
	free(j->event_failed);
	while (j->n_news) {
		free(j->news[--j->n_news].reason);
		free(j->news[j->n_news].text);
	}
	free(j->news);
	free((char *)(uintptr_t)j->about.ns);
	free((char *)(uintptr_t)j->about.name);
	free((char *)(uintptr_t)j->about.uid);
	free(j);
}

struct job *job_new(struct executor *x, const struct action *a, const struct object_ref *about,
	const char *key)
{
	struct job *j = own_alloc(sizeof(*j));
	*j = (struct job){
		.x = x,
		.next = x->jobs,
		.kind = a->kind,
		.resource = a->resource,
		.ns = own_strdup(a->ns),
		.name = own_strdup(a->name),
		.key = own_strdup(key),
		.why = own_strdup(a->why),
		.event_done = own_strdup(a->event_done),
		.event_failed = own_strdup(a->event_failed),
		.what = undone_what(a),
		.about = { about->resource, own_strdup(about->ns), own_strdup(about->name),
			own_strdup(about->uid) },
	};
	if (x->jobs)
		x->jobs->prev = j;
	x->jobs = j;
	x->in_flight++;
	return j;
}

void job_take_news(struct job *j, const struct plan *plan)
{
	j->news = own_alloc(plan->n * sizeof(*j->news));
	for (size_t i = 0; i < plan->n; i++) {
		const struct action *a = &plan->actions[i];
		if (a->kind == ACT_EMIT_EVENT && a->with_status)
			j->news[j->n_news++] = (struct news){ a->warning, own_strdup(a->reason),
				own_strdup(a->why) };
	}
}

/*
 * Not where the next plan says it again: the status has changed, is gone, or was not
 * reached. A lost answer may mean that it is written: better told twice than never. Where
 * nobody may write it, the Event is all that people hear.
 */
static void tell_news(const struct job *j, struct err err)
{
	bool again = err.kind == ERR_CONFLICT || err.kind == ERR_RETRY ||
		err.kind == ERR_NOT_FOUND || err.kind == ERR_CANCELLED;
	for (size_t i = 0; i < j->n_news && !again && j->x->config.events; i++)
		events_emit(j->x->config.events, &j->about, j->news[i].warning, j->news[i].reason,
			j->news[i].text);
}

/* Those that come in numbers. */
bool creates(enum action_kind kind) { return kind == ACT_CREATE_POD || kind == ACT_CREATE_PVC; }
/*
 * In a namespace that is going nothing can be created, and what is gone has no status:
 * nobody need be told.
 */
static bool in_vain(const struct job *j, struct err err)
{
	bool of_itself = j->kind == ACT_PATCH_STATUS || j->kind == ACT_PATCH_OBJECT;
	return err.kind == ERR_NOT_FOUND && (creates(j->kind) || of_itself);
}

static void tell(const struct job *j, struct err err)
{
	const char *reason = failed(err) ? j->event_failed : j->event_done;
	metric_add(&actions_total, 1, action_kind_names[j->kind],
		failed(err) ? err_kind_name(err.kind) : "ok");
	if (failed(err) && !in_vain(j, err))
		log_warn("action failed", "action", action_kind_names[j->kind], "namespace", j->ns,
			"name", j->name, "why", j->why, "error", err.text);
	else if (!failed(err))
		log_line(j->kind == ACT_PATCH_STATUS ? LOG_DEBUG : LOG_INFO, "action done",
			"action", action_kind_names[j->kind], "namespace", j->ns, "name", j->name,
			"why", j->why, (char *)0);
	/*
	 * Conflicts and lost answers are the machine's own business: the next plan
	 * settles them.
	 */
	bool for_people = !failed(err) ||
		(err.kind != ERR_CONFLICT && err.kind != ERR_LOST && err.kind != ERR_EXISTS &&
			!in_vain(j, err));
	if (reason && for_people && j->x->config.events) {
		struct str message = { 0 };
		str_addf(&message, failed(err) ? "%s: %s" : "%s", j->why, err.text);
		events_emit(j->x->config.events, &j->about, failed(err), reason,
			str_text(&message));
		str_free(&message);
	}
}

const char *starts_key(char buffer[128], const char *uid)
{
	snprintf(buffer, 128, "creations of %s", uid);
	return buffer;
}

/* That a pod exists says nothing about the others. */
static void creation_ended(struct executor *x, const struct job *j, struct err err)
{
	char key[128];
	enum err_kind why = err.kind == ERR_EXISTS ? ERR_NONE : err.kind,
		      first = slow_start_ended(&x->starts, j->about.uid, why);
	if (first != ERR_NONE)
		waits_longer(&x->waits, starts_key(key, j->about.uid), first, now_ms(x));
	else if (why == ERR_NONE)
		waits_end(&x->waits, starts_key(key, j->about.uid));
}

static void target_waits(const struct job *j, const char *key, struct err err)
{
	struct executor *x = j->x;
	if (failed(err))
		waits_longer(&x->waits, key, err.kind, now_ms(x));
	else if (j->kind == ACT_PATCH_STATUS)
		waits_until(&x->waits, key, now_ms(x) + STATUS_MS);
	else
		waits_end(&x->waits, key);
}

const char *node_key(char buffer[KEY_BYTES], const char *key, const char *node)
{
	snprintf(buffer, KEY_BYTES, "%s%s", key, node);
	return buffer;
}

const char *undone_node(char buffer[KEY_BYTES], enum action_kind kind, const char *ns,
	const char *cluster, const char *node)
{
	snprintf(buffer, KEY_BYTES, "%s/%s %s %s", ns, cluster, node,
		kind == ACT_COMMENT_NODE ? "comment" : "state");
	return buffer;
}

/* OK: nobody undoes it, or nobody can say yet. */
static struct err undone(const struct job *j, const char *key, const char *target)
{
	char of_node[KEY_BYTES];
	const char *what = j->n_nodes ? undone_node(of_node, j->kind, j->ns, j->name, target) : key;
	int times = undone_done(&j->x->undone, what, j->what, now_ms(j->x));
	if (times < UNDONE_TIMES)
		return OK;
	return err_new(ERR_CONFLICT,
		"it was done %d times in a row, and each time somebody undoes it: %s", times,
		j->n_nodes ? "Slurm says that it is done, and the node is as before"
			   : "look for a webhook or a controller that changes the object");
}

/* A status that cannot be written could not tell it either. */
static void note_failure(const struct job *j, const char *key, const char *target, struct err err)
{
	struct executor *x = j->x;
	if (!failed(err))
		err = undone(j, key, target);
	if (!failed(err))
		failures_ended(&x->failures, key);
	else if (j->kind != ACT_PATCH_STATUS && err.kind != ERR_CANCELLED && !in_vain(j, err))
		failures_failed(&x->failures, j->about.uid, key, j->kind, target, err, now_ms(x));
}

static void target_ended(const struct job *j, const char *key, const char *target, struct err err)
{
	target_waits(j, key, err);
	note_failure(j, key, target, err);
}

void job_end(struct job *j, struct err err)
{
	struct executor *x = j->x;
	char key[KEY_BYTES];
	tell(j, err);
	tell_news(j, err);
	if (creates(j->kind))
		creation_ended(x, j, err);
	if (!j->n_nodes)
		target_ended(j, j->key, j->name, err);
	for (size_t i = 0; i < j->n_nodes; i++)
		target_ended(j, node_key(key, j->key, j->nodes[i]), j->nodes[i], err);
	struct object_ref about = { j->about.resource, own_strdup(j->about.ns),
		own_strdup(j->about.name), own_strdup(j->about.uid) };
	job_free(j);
	x->config.outcome(x->config.ctx, &about);
	free((char *)(uintptr_t)about.ns);
	free((char *)(uintptr_t)about.name);
	free((char *)(uintptr_t)about.uid);
}
