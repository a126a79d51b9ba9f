/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the client is the pod of the job's object, and reads the place that the
 * object names.
 */
#include <string.h>
#include <utlist.h>

#include "api/job_inputs.h"
#include "api/names.h"
#include "base/own.h"
#include "kubelet/cache.h"
#include "kubelet/transfer/parts.h"
#include "object/metadata.h"

enum {
	KNOWN_MS = 60000,
	CALL_MS = 10000,
	WAIT_MS = 5000,  /* maximum wait in the queue */
	MOST_OF_ONE = 8, /* a collector makes one request at a time */
};

#define EXTRA_POD_NAME "authentication.kubernetes.io/pod-name"
#define EXTRA_POD_UID "authentication.kubernetes.io/pod-uid"

/* Name of the authorized pod. */
static const char *asker_of(struct transfer *h)
{
	return arena_printf(&h->arena, "%s%s", h->pod, h->role->suffix);
}

/* Number of authorized requests of the same job. */
static int same_as(const struct transfer *h)
{
	const struct transfer *o;
	int same = 0;
	DL_FOREACH(h->k->transfers, o)
	same += o->places && str_eq(o->ns, h->ns) && str_eq(o->pod, h->pod);
	return same;
}

static void let_in(struct transfer *h)
{
	bool lists = h->what == TRANSFER_LIST;
	if (same_as(h) < MOST_OF_ONE)
		h->places = place_take(&h->k->transfer_places, h->ns);
	if (h->places && lists)
		h->list_place = place_take(&h->k->list_places, h->ns);
	if (!h->places)
		transfer_refuse(h, 429, "too many files are being copied: try again later");
	else if (lists && !h->list_place)
		transfer_refuse(h, 429, "too many lists are being made: try again later");
	else
		h->let_in(h);
}

/* ---- the object of the job ---- */

static void ask(struct transfer *h, enum resource r, const char *name, kube_done *done)
{
	const struct kube_request request = {
		.method = "GET",
		.path = resource_path(&h->arena, r, h->ns, name, NULL),
		.timeout_ms = CALL_MS,
		.max_wait_ms = WAIT_MS,
	};
	h->call = kube_send(h->k->config.kube, &request, done, h);
}

static void refuse_unread(struct transfer *h, const char *what, const char *name, struct err e)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "%s %s/%s cannot be read: %s%s", what, h->ns, name, e.text, kube_remedy(e));
	transfer_refuse(h, e.kind == ERR_NOT_FOUND ? 404 : 500, str_text(&text));
}

/* The place that the object names; NULL when it names none. */
static const char *place_of(struct transfer *h, const struct json *owner)
{
	const struct json *results = json_at(owner, "spec", "results");
	struct job j;
	if (!h->role->inputs)
		return json_is_obj(results)
			? arena_strdup(&h->arena, json_str(json_get(results, "from"), ""))
			: NULL;
	job_read(h->owner_resource, owner, &j);
	struct job_inputs p = job_inputs_of(&j);
	return p.asked ? job_inputs_folder(&h->arena, &p) : NULL;
}

static void owner_read(void *transfer, struct err e, const struct json *owner,
	int64_t retry_after_ms)
{
	struct transfer *h = transfer;
	const char *place = failed(e) ? NULL : place_of(h, owner);
	(void)retry_after_ms;
	h->call = NULL;
	if (failed(e)) {
		refuse_unread(h, resource_rows[h->owner_resource].kind, h->owner_name, e);
	} else if (!str_eq(metadata_of(owner).uid, h->owner_uid)) {
		transfer_refuse(h, 403, "the object of the job was replaced");
	} else if (!place) {
		transfer_refuse(h, 403,
			h->role->inputs
				? "the object of the job requests no inputs: spec.prepare"
				: "the object of the job requests no results: spec.results");
	} else {
		h->from = place;
		cache_put(h->k->results, h->known_by, h->from,
			loop_now_ms(h->k->config.loop) + KNOWN_MS);
		let_in(h);
	}
}

/* ---- the client pod ---- */

static void pod_read(void *transfer, struct err e, const struct json *pod, int64_t retry_after_ms)
{
	struct transfer *h = transfer;
	const char *name = asker_of(h);
	(void)retry_after_ms;
	h->call = NULL;
	if (failed(e))
		refuse_unread(h, "the pod", name, e);
	else if (!str_eq(metadata_of(pod).uid, h->collector_uid))
		transfer_refuse(h, 403, "the pod of the token was replaced");
	else if (str_empty(h->owner_uid) || !str_eq(controller_uid(pod), h->owner_uid))
		transfer_refuse(h, 403, "the client pod and the job belong to different objects");
	else
		ask(h, h->owner_resource, h->owner_name, owner_read);
}

static const char *extra_of(const struct json *who, const char *key)
{
	return json_str(json_item(json_get(json_get(who, "extra"), key), 0), "");
}

/* Describes what is wrong with the token; NULL: it is a token of the right pod. */
static const char *fault_of(struct transfer *h, const struct json *who)
{
	const char *account = arena_printf(&h->arena, "system:serviceaccount:%s:", h->ns);
	const char *pod = asker_of(h);
	if (!str_has_prefix(json_str(json_get(who, "user"), ""), account))
		return "the token does not belong to a service account of the job's namespace";
	if (!str_eq(extra_of(who, EXTRA_POD_NAME), pod))
		return h->role->inputs
			? "the token does not belong to the pod that sends the inputs of the job"
			: "the token does not belong to the pod that copies the results of the job";
	h->collector_uid = arena_strdup(&h->arena, extra_of(who, EXTRA_POD_UID));
	return str_empty(h->collector_uid) ? "the token lacks the uid of its pod" : NULL;
}

/* False: the job does not exist. */
static bool read_job(struct transfer *h)
{
	const struct kubelet_config *c = &h->k->config;
	struct kubelet_pod p;
	if (!c->find(c->ctx, h->ns, h->pod, &p) || !p.is_job)
		return false;
	struct arena *a = &h->arena;
	h->owner_resource = p.owner_resource;
	h->owner_name = arena_strdup(a, p.owner_name);
	h->owner_uid = arena_strdup(a, p.owner_uid);
	h->key = arena_strdup(a, p.key);
	h->std_out = arena_strdup(a, p.std_out);
	h->job_id = p.job_id;
	h->red_box = p.red_box;
	return true;
}

static void told(void *transfer, const struct gate_answer *by)
{
	struct transfer *h = transfer;
	const struct json *who = json_parse_in(&h->arena, by->who, strlen(by->who), SIZE_MAX);
	h->ask = NULL;
	if (by->status != 200) {
		transfer_refuse(h, by->status, by->why);
		return;
	}
	const char *fault = fault_of(h, who);
	if (fault) {
		transfer_refuse(h, 403, fault);
		return;
	}
	if (!read_job(h)) {
		transfer_refuse(h, 404, "no virtual node has this pod, or it represents no job");
		return;
	}
	if (!h->red_box) {
		transfer_refuse(h, 503, KUBELET_NO_RED_BOX);
		return;
	}
	/* A submitted job may already have read its inputs. */
	if (h->role->inputs && !str_empty(h->key)) {
		transfer_refuse(h, 403, "the job is already submitted, and accepts no more inputs");
		return;
	}
	h->known_by = arena_printf(&h->arena, "%s/%s %s %s", h->ns, h->pod, h->owner_uid,
		h->collector_uid);
	const char *from = cache_get(h->k->results, h->known_by, loop_now_ms(h->k->config.loop));
	if (from) {
		h->from = arena_strdup(&h->arena, from);
		let_in(h);
	} else {
		ask(h, RES_POD, asker_of(h), pod_read);
	}
}

void transfer_ask_right(struct transfer *h, const char *authorization,
	void (*go_on)(struct transfer *h))
{
	char from[EXCHANGE_FROM_BYTES];
	const struct gate_wish wish = {
		.authorization = authorization,
		.method = "GET",
		.audience = h->role->audience,
		.node = "",
		.from = exchange_from(h->relay.x, from),
	};
	h->let_in = go_on;
	h->ask = gate_ask(h->k->gate, &wish, told, h);
}
