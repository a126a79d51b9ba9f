/* SPDX-License-Identifier: Apache-2.0 */
/* Answers reviews: finds the rules of the path, and applies them. */
#include "webhook/webhook.h"

#include <string.h>
#include <strings.h>

#include "api/admission.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "engine/store/trim.h"
#include "kube/review.h"

METRIC(reviews, "slurm_operator_webhook_reviews_total", METRIC_COUNTER,
	"Answered reviews: allowed, denied, or bad if a review could not be parsed.",
	"path,kind,outcome", METRIC_OF_WEBHOOK);

struct question;
struct path_row {
	const char *path, *verb;
	enum resource of;
	void (*judge)(struct question *q);
};

struct question {
	const struct path_row *row;
	const struct review *review;
	const struct webhook_known *known;
	enum caller caller;
	struct admission found;
	const char *patch;
};

/* ---- the request ---- */

static void read_nodeset(const struct question *q, const struct json *object, bool cut,
	struct nodeset *out)
{
	nodeset_read(object, out);
	out->cut |= cut;
	out->large |= object_would_be_large(RES_NODESET, object);
	if (str_empty(out->ns))
		out->ns = q->review->ns;
}

static void validate_nodeset(struct question *q)
{
	const struct review *r = q->review;
	struct nodeset old, new;
	struct nodeset_change c = { .new = &new, .unnamed = q->caller == CALLER_UNKNOWN };
	read_nodeset(q, r->object, r->object_cut, &new);
	if (r->old) {
		read_nodeset(q, r->old, r->old_cut, &old);
		c.old = &old;
	}
	c.others = neighbours_of(q->known->neighbours, q->found.arena, r->ns, &c.n_others,
		&c.others_known);
	admit_nodeset(&c, &q->found);
}

static void validate_cluster(struct question *q)
{
	const struct review *r = q->review;
	struct cluster old, new;
	cluster_read(r->object, &new);
	if (str_empty(new.ns))
		new.ns = r->ns;
	if (r->old) {
		cluster_read(r->old, &old);
		if (str_empty(old.ns))
			old.ns = r->ns;
	}
	admit_cluster(r->old ? &old : NULL, &new, &q->found);
}

static void read_job(const struct path_row *row, const struct json *object, bool cut,
	struct job *out)
{
	job_read(row->of, object, out);
	out->cut |= cut;
	out->large |= object_would_be_large(row->of, object);
}

static void validate_job(struct question *q)
{
	const struct review *r = q->review;
	struct job old, new;
	read_job(q->row, r->object, r->object_cut, &new);
	if (r->old)
		read_job(q->row, r->old, r->old_cut, &old);
	admit_job(r->old ? &old : NULL, &new, q->known->volumes, &q->found);
}

static void default_nodeset(struct question *q)
{
	struct nodeset n;
	nodeset_read(q->review->object, &n);
	q->patch = nodeset_defaults(q->found.arena, &n);
}

/* A Cluster has no defaults. */
static void default_cluster(struct question *q) { (void)q; }

#define PATH(verb, kind) "/" verb "-slinky-slurm-net-v1alpha1-" kind
#define JOB_PATH(group, kind) "/validate-" group "-sylabs-io-v1alpha1-" kind

static const struct path_row paths[] = {
	{ PATH("validate", "nodeset"), "validate", RES_NODESET, validate_nodeset },
	{ PATH("validate", "cluster"), "validate", RES_CLUSTER, validate_cluster },
	{ PATH("mutate", "nodeset"), "mutate", RES_NODESET, default_nodeset },
	{ PATH("mutate", "cluster"), "mutate", RES_CLUSTER, default_cluster },
	{ JOB_PATH("wlm", "slurmjob"), "validate", RES_SLURMJOB, validate_job },
	{ JOB_PATH("wlm", "wlmjob"), "validate", RES_WLMJOB, validate_job },
	{ JOB_PATH("slurm", "slurmjob"), "validate", RES_OLDER_SLURMJOB, validate_job },
};

static const struct path_row *row_of(const char *path)
{
	for (size_t i = 0; i < LENGTH(paths); i++)
		if (str_eq(paths[i].path, path))
			return &paths[i];
	return NULL;
}

/* ---- the answer ---- */

/* False for a deletion or a subresource such as scale, which have no rules. */
static bool is_ours(const struct review *r)
{
	bool written = str_eq(r->operation, "CREATE") || str_eq(r->operation, "UPDATE");
	return written && str_empty(r->subresource);
}

static struct err check(const struct path_row *row, const struct review *r)
{
	const struct resource_row *of = &resource_rows[row->of];
	if (!str_eq(r->group, of->group) || !str_eq(r->kind, of->kind))
		return err_new(ERR_INVALID,
			"the webhook received a request about a %.80s of \"%.80s\" at %s, which is for a %s of %s: correct the rules of the webhook configuration",
			r->kind, r->group, row->path, of->kind, of->group);
	if (!r->object || (!r->old && str_eq(r->operation, "UPDATE")))
		return err_new(ERR_INVALID, "the request for a %s has no %s", of->kind,
			r->object ? "oldObject" : "object");
	return OK;
}

static void note(const struct path_row *row, const struct review *r, const struct verdict *v)
{
	const char *outcome = v->code == 403 ? "denied" : v->code ? "bad" : "allowed";
	metric_add(&reviews, 1, row->verb, resource_rows[row->of].kind, outcome);
	if (v->code)
		log_info("refused", "kind", r->kind, "namespace", r->ns, "name", r->name,
			"operation", r->operation, "why", v->message);
}

static struct verdict judge(struct question *q)
{
	struct err e = check(q->row, q->review);
	if (!is_ours(q->review))
		return (struct verdict){ 0 };
	if (failed(e))
		return (struct verdict){
			.code = 400,
			.message = arena_strdup(q->found.arena, e.text),
		};
	q->row->judge(q);
	return (struct verdict){
		.code = q->found.n_denials ? 403 : 0,
		.message = admission_message(&q->found),
		.warnings = q->found.warnings,
		.n_warnings = q->found.n_warnings,
		.patch = q->patch,
	};
}

int webhook_review(const struct webhook_known *known, enum caller caller, const char *path,
	const char *body, size_t n, struct str *out)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct json_doc *doc AUTO(json_auto) = NULL;
	struct review r;
	const struct path_row *row = row_of(path);
	struct question q = {
		.row = row,
		.review = &r,
		.known = known,
		.caller = caller,
		.found = { .arena = &a },
	};
	if (!row) {
		str_add(out, "not found: the webhook configurations name its paths\n");
		return 404;
	}
	struct err e = review_read(body, n, &doc, &r);
	if (failed(e)) {
		struct verdict bad = { .code = 400, .message = e.text };
		note(row, &r, &bad);
		str_addf(out, "%s\n", e.text);
		return 400;
	}
	struct verdict v = judge(&q);
	note(row, &r, &v);
	str_add(out, review_answer(&a, &r, &v));
	return 200;
}

static enum caller caller_of(const struct exchange *x)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct x509_subject subject;
	return exchange_client(x, &a, &subject) ? CALLER_AUTHENTICATED : CALLER_UNKNOWN;
}

static bool is_json(const char *type)
{
	static const char json[] = "application/json";
	return type && strncasecmp(type, json, strlen(json)) == 0;
}

void webhook_handle(void *ctx, struct exchange *x)
{
	struct str body = { 0 };
	size_t n;
	const char *sent = exchange_body(x, &n);
	int status = 0;
	if (!row_of(exchange_path(x)))
		status = 404;
	else if (!str_eq(exchange_method(x), "POST"))
		status = 405;
	else if (!is_json(exchange_header(x, "Content-Type")))
		status = 415;
	if (status == 405 || status == 415)
		str_add(&body, "POST an AdmissionReview as application/json here\n");
	else
		status = webhook_review(ctx, caller_of(x), exchange_path(x), sent, n, &body);
	exchange_reply(x, status, status == 200 ? "application/json" : "text/plain", &body);
}
