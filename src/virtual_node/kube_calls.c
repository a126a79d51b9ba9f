/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the API server for one pod. */
#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "json/build.h"
#include "virtual_node/parts.h"
#include "object/metadata.h"

static struct http_call *ask(struct vpod *p, struct kube_request *r, kube_done *done)
{
	r->timeout_ms = KUBE_MS;
	return kube_send(p->part->box->all->kube, r, done, p);
}

/* ---- the owner ---- */

/*
 * An API server that does not know the kind, because its CRD is missing, also returns
 * 404, but without the object's name. That proves nothing about the object.
 */
static bool is_said_to_be_gone(const struct vpod *p, struct err e)
{
	AUTO(str_free) struct str quoted = { 0 };
	str_addf(&quoted, "\"%s\"", p->owner_name);
	return e.kind == ERR_NOT_FOUND && strstr(e.text, str_text(&quoted));
}

static void owner_answered(void *pod, struct err e, const struct json *owner,
	int64_t retry_after_ms)
{
	struct vpod *p = pod;
	(void)retry_after_ms;
	p->call = NULL;
	owner_leave_slot(p);
	if (is_said_to_be_gone(p, e))
		e = OK;
	if (!failed(e))
		owner_was_read(p, owner);
	else
		owner_was_not_read(p, e.kind == ERR_NOT_FOUND);
	if (failed(e))
		e = err_wrap(e, "reading %s %s/%s", resource_rows[p->owner_resource].kind, p->ns,
			p->owner_name);
	attempt_over(p, e);
}

void pod_ask_owner(struct vpod *p)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, p->owner_resource, p->ns, p->owner_name, NULL),
	};
	owner_take_slot(p);
	p->call = ask(p, &r, owner_answered);
}

/* ---- the pod ---- */

/* If the pod does not exist, or another pod has its name, the watch will report it. */
static void pod_answered(void *pod, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct vpod *p = pod;
	(void)retry_after_ms;
	p->call = NULL;
	owner_leave_slot(p);
	bool read = !failed(e) && str_eq(metadata_of(object).uid, p->uid);
	if (e.kind == ERR_NOT_FOUND)
		e = OK;
	if (!failed(e))
		owner_pod_was_read(p);
	else
		e = err_wrap(e, "reading pod %s/%s", p->ns, p->name);
	if (read)
		pods_put(p->part, object);
	attempt_over(p, e);
}

void pod_ask_pod(struct vpod *p)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, RES_POD, p->ns, p->name, NULL),
	};
	owner_take_slot(p);
	p->call = ask(p, &r, pod_answered);
}

static void written(void *pod, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct vpod *p = pod;
	(void)retry_after_ms;
	p->call = NULL;
	if (failed(e)) {
		attempt_over(p, err_wrap(e, "writing the status of pod %s/%s", p->ns, p->name));
		return;
	}
	pods_put(p->part, object);
	pod_was_written(p);
	if (p->attempt.doing == VPOD_MARK && !*vpod_begun_key(object))
		e = err_new(ERR_RETRY,
			"the API server does not keep the condition " CONDITION_JOB_KEY
			" of pod %s/%s",
			p->ns, p->name);
	attempt_over(p, e);
}

void pod_write(struct vpod *p, const char *body)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct kube_request r = {
		.method = "PATCH",
		.path = resource_path(&a, RES_POD, p->ns, p->name, "status"),
		.patch = PATCH_MERGE,
		.body = body,
	};
	p->call = ask(p, &r, written);
}

/* A pod that is gone counts as deleted. */
static void let_go(void *pod, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct vpod *p = pod;
	(void)object, (void)retry_after_ms;
	p->call = NULL;
	if (e.kind == ERR_NOT_FOUND || e.kind == ERR_CONFLICT)
		e = OK;
	if (failed(e))
		e = err_wrap(e, "deleting pod %s/%s", p->ns, p->name);
	else
		pod_was_let_go(p);
	attempt_over(p, e);
}

/* Deletes by uid, so that another pod of the same name stays. */
void pod_let_go(struct vpod *p)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *options = j_obj(d);
	j_set_str(d, options, "apiVersion", "v1");
	j_set_str(d, options, "kind", "DeleteOptions");
	j_set_int(d, options, "gracePeriodSeconds", 0);
	j_set_str(d, j_child(d, options, "preconditions"), "uid", p->uid);
	struct kube_request r = {
		.method = "DELETE",
		.path = resource_path(&a, RES_POD, p->ns, p->name, NULL),
		.body = j_text(d, options),
	};
	p->call = ask(p, &r, let_go);
}
