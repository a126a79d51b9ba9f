/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for changes of NodeSets: one function for each possible fault. */
#include "api/admission_parts.h"

#include <stdio.h>
#include <string.h>

#include "api/autoscaling.h"
#include "api/host_names.h"
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "object/selector.h"

#define MUTABLE \
	"what can be changed: autoscaling, minReadySeconds, persistentVolumeClaimRetentionPolicy, replicas, revisionHistoryLimit, template, updateStrategy, volumeClaimTemplates"

/* ---- forbidden changes ---- */

static struct err check_cluster_name(const struct nodeset_change *c)
{
	return str_eq(c->old->cluster_name, c->new->cluster_name)
		? OK
		: err_new(ERR_INVALID,
			  "spec.clusterName cannot be changed from \"%.60s\", because the jobs on the pods are of that Cluster; " MUTABLE,
			  c->old->cluster_name);
}

static struct err check_service_name(const struct nodeset_change *c)
{
	return str_eq(c->old->service_name, c->new->service_name)
		? OK
		: err_new(ERR_INVALID,
			  "spec.serviceName cannot be changed from \"%.60s\", because running pods have their names from that Service; " MUTABLE,
			  c->old->service_name);
}

/* True for a selector that must not change; one that matches no or every pod may. */
static bool selects_well(const struct nodeset *n)
{
	return !selector_empty(n->selector) && !failed(selector_check(n->selector)) &&
		selector_matches(n->selector, labels_of_json,
			json_at(n->template, "metadata", "labels"));
}

static bool selects_the_same(const struct nodeset *a, const struct nodeset *b)
{
	struct arena memory AUTO(arena_free) = { 0 };
	return same_value(a->selector, b->selector) ||
		str_eq(selector_text(&memory, a->selector), selector_text(&memory, b->selector));
}

static struct err check_selector(const struct nodeset_change *c)
{
	return c->old->large || c->new->large || selects_the_same(c->old, c->new) ||
			!selects_well(c->old)
		? OK
		: err_new(ERR_INVALID,
			  "spec.selector cannot be changed, because the operator would abandon pods that it no longer selects, with the jobs on them; create another NodeSet; " MUTABLE);
}

/* ---- conflicts with other NodeSets ---- */

static bool is_other(const struct nodeset *n, const struct nodeset *other)
{
	return !str_eq(n->name, other->name) && str_eq(n->cluster_name, other->cluster_name);
}

enum { CALLED_BYTES = 80 };

/* The name of a NodeSet in a sentence. */
static const char *called(const struct nodeset_change *c, const struct nodeset *n,
	char text[static CALLED_BYTES])
{
	if (c->unnamed && !str_eq(n->name, c->new->name))
		return "another NodeSet of the namespace";
	snprintf(text, CALLED_BYTES, "NodeSet %.63s", n->name);
	return text;
}

/* Reports the first other NodeSet of the Cluster that gives one of our host names. */
static struct err check_names_of_others(const struct nodeset_change *c, const struct nodeset *n,
	enum meeting when)
{
	struct host_names ours = host_names_of(n);
	char name[HOST_NAME_BYTES], text[CALLED_BYTES];
	for (size_t i = 0; i < c->n_others; i++) {
		const struct nodeset *o = &c->others[i];
		struct host_names theirs = host_names_of(o);
		enum meeting m = is_other(n, o) ? host_names_meet(&ours, &theirs, name) : APART;
		m = m == NOW && o->deleting ? LATER : m; /* it may be gone by then */
		if (m == when)
			return err_new(ERR_INVALID,
				"its pods %s the host name %s, which is the name of a Slurm node, and so do those of %s%s; set spec.template.spec.hostname to a name that no other NodeSet of Cluster %.63s gives",
				when == NOW ? "get" : "would get", name, called(c, o, text),
				o->deleting ? ", which is being deleted" : "", n->cluster_name);
	}
	return OK;
}

/*
 * NOW only if the host name exists and the feature is the first one, because charts give
 * the line of slurm.conf the name of the first feature. For the other features it is
 * unknown whether such a line exists.
 */
static struct err feature_met(const struct nodeset_change *c, const struct nodeset *gives,
	const struct nodeset *has, enum meeting when)
{
	char giver[CALLED_BYTES], owner[CALLED_BYTES];
	struct host_names names = host_names_of(gives);
	struct feature_walk w = features_of(has->template);
	const char *feature;
	size_t n;
	while (features_next(&w, &feature, &n)) {
		enum meeting m = host_names_have(&names, feature, n);
		bool sure = m == NOW && w.seen == 1;
		if (m != APART && sure == (when == NOW))
			return err_new(ERR_INVALID,
				"pods of %s %s the host name %.*s, which is a feature of the slurmds of %s: if slurm.conf has a NodeSet= line of that name, Slurm cannot distinguish the two; choose another spec.template.spec.hostname or feature",
				called(c, gives, giver), m == NOW ? "get" : "would get", (int)n,
				feature, called(c, has, owner));
	}
	return OK;
}

/* Reports a host name of one NodeSet that is a feature of the same or another one. */
static struct err check_features(const struct nodeset_change *c, const struct nodeset *n,
	enum meeting when)
{
	struct err e = feature_met(c, n, n, when);
	for (size_t i = 0; i < c->n_others && !failed(e); i++)
		if (is_other(n, &c->others[i])) {
			e = feature_met(c, n, &c->others[i], when);
			if (!failed(e))
				e = feature_met(c, &c->others[i], n, when);
		}
	return e;
}

/* ---- values that are probably not meant ---- */

static struct err warn_replicas(const struct nodeset_change *c)
{
	bool unset = json_is_null(json_at(c->new->object, "spec", "replicas"));
	return c->old || !unset || autoscaling_read(c->new->object).on
		? OK
		: err_new(ERR_INVALID,
			  "spec.replicas is not set, which means 0: no pod is created until the NodeSet is scaled");
}

static const struct json *max_unavailable(const struct nodeset *n)
{
	return json_at(n->object, "spec", "updateStrategy", "rollingUpdate", "maxUnavailable");
}

static struct err warn_max_unavailable(const struct nodeset_change *c)
{
	if (json_is_null(max_unavailable(c->new)))
		return OK;
	if (c->new->update == UPDATE_ON_DELETE)
		return err_new(ERR_INVALID,
			"spec.updateStrategy.rollingUpdate.maxUnavailable does nothing with the type OnDelete");
	const char *text = json_str(max_unavailable(c->new), "");
	bool none = json_i64(max_unavailable(c->new), 1) == 0 || str_eq(text, "0%");
	return none
		? err_new(ERR_INVALID,
			  "spec.updateStrategy.rollingUpdate.maxUnavailable is 0: no pod gets a new template until it is raised")
		: OK;
}

static struct err warn_ignored(const struct nodeset_change *c)
{
	static const char *const paths[][2] = { { "spec", "nodeName" }, { "spec", "subdomain" },
		{ "metadata", "name" }, { "metadata", "namespace" } };
	for (size_t i = 0; i < LENGTH(paths); i++)
		if (!str_empty(json_str(json_at(c->new->template, paths[i][0], paths[i][1]), "")))
			return err_new(ERR_INVALID,
				"spec.template.%s.%s is not used: pods get theirs from the NodeSet",
				paths[i][0], paths[i][1]);
	return OK;
}

static struct err warn_restart_policy(const struct nodeset_change *c)
{
	const char *word = json_str(json_at(c->new->template, "spec", "restartPolicy"), "Always");
	return str_eq(word, "Never") || str_eq(word, "OnFailure")
		? err_new(ERR_INVALID,
			  "spec.template.spec.restartPolicy is %s: a pod whose slurmd ends is recreated, instead of its container being restarted",
			  word)
		: OK;
}

static struct err warn_host_name(const struct nodeset_change *c)
{
	static const struct {
		const char *key, *besides;
	} rows[] = {
		{ "hostNetwork",
			"; the host name of the Kubernetes node must be the node's name in Kubernetes, or slurmctld must see the address of the pod" },
		{ "setHostnameAsFQDN", "" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (json_bool(json_at(c->new->template, "spec", rows[i].key), false))
			return err_new(ERR_INVALID,
				"with spec.template.spec.%s a slurmd may register under another name than the host name of its pod; such a pod is not drained: give slurmd its name (-N)%s",
				rows[i].key, rows[i].besides);
	return OK;
}

static struct err warn_cordon(const struct nodeset_change *c)
{
	const struct json *v = json_at(c->new->template, "metadata", "annotations",
		ANNOTATION_POD_CORDON);
	return str_eq(json_str(v, ""), "true")
		? err_new(ERR_INVALID,
			  "spec.template has the annotation " ANNOTATION_POD_CORDON
			  ": the Slurm node of each pod is drained from the start")
		: OK;
}

static struct err warn_claims(const struct nodeset_change *c)
{
	return !c->old || same_value(c->old->claim_templates, c->new->claim_templates)
		? OK
		: err_new(ERR_INVALID,
			  "spec.volumeClaimTemplates: existing claims stay as they are; the change applies to claims that are created later");
}

static struct err warn_others(const struct nodeset_change *c)
{
	return c->others_known
		? OK
		: err_new(ERR_INVALID,
			  "the other NodeSets of the namespace are not known at the moment, so it was not checked whether one of them gives the same host names");
}

/*
 * The webhook may not list Clusters. A name that no other NodeSet of the namespace has is
 * probably misspelt.
 */
static struct err warn_cluster_name(const struct nodeset_change *c)
{
	const struct nodeset *other = NULL;
	for (size_t i = 0; !c->old && i < c->n_others; i++) {
		const struct nodeset *n = &c->others[i];
		if (str_eq(n->name, c->new->name))
			continue;
		if (str_eq(n->cluster_name, c->new->cluster_name))
			return OK;
		other = n;
	}
	if (!other)
		return OK;
	char text[2 * CALLED_BYTES] = "";
	if (!c->unnamed)
		snprintf(text, sizeof(text), " (%.60s has \"%.60s\")", other->name,
			other->cluster_name);
	return err_new(ERR_INVALID,
		"spec.clusterName is \"%.60s\", and no other NodeSet of the namespace has that%s: without a Cluster of that name no node is drained, and no pod that may run jobs is deleted",
		c->new->cluster_name, text);
}

static struct err warn_release(const struct nodeset_change *c)
{
	return c->new->release_now && !(c->old && c->old->release_now)
		? err_new(ERR_INVALID,
			  "the annotation " ANNOTATION_RELEASE_NOW
			  " deletes pods without a drain: the jobs on them end")
		: OK;
}

/* ---- all rules ---- */

typedef struct err change_check(const struct nodeset_change *c);
typedef struct err others_check(const struct nodeset_change *c, const struct nodeset *n,
	enum meeting when);

static change_check *const forbidden[] = { check_cluster_name, check_service_name, check_selector };
static others_check *const shared[] = { check_names_of_others, check_features };
static change_check *const doubtful[] = { warn_replicas, warn_max_unavailable, warn_ignored,
	warn_restart_policy, warn_host_name, warn_cordon, warn_claims, warn_others,
	warn_cluster_name };

static void judge_faults(const struct nodeset_change *c, struct admission *out)
{
	struct fault is[NODESET_MAX_FAULTS], was[NODESET_MAX_FAULTS];
	size_t n = nodeset_faults(c->new, is);
	size_t n_was = c->old ? nodeset_faults(c->old, was) : 0;
	for (size_t i = 0; i < n; i++) {
		struct err before = OK;
		for (size_t j = 0; j < n_was; j++)
			if (str_eq(was[j].reason, is[i].reason))
				before = was[j].err;
		admission_judge(out, is[i].err, before);
	}
}

static void judge_shared(const struct nodeset_change *c, struct admission *out)
{
	for (size_t i = 0; i < LENGTH(shared); i++) {
		struct err later = shared[i](c, c->new, LATER);
		admission_judge(out, shared[i](c, c->new, NOW),
			c->old ? shared[i](c, c->old, NOW) : OK);
		if (failed(later))
			admission_warn(out, later.text);
	}
}

static void warn(const struct nodeset_change *c, change_check *check, struct admission *out)
{
	struct err e = check(c);
	if (failed(e))
		admission_warn(out, e.text);
}

void admit_nodeset(const struct nodeset_change *c, struct admission *out)
{
	const struct nodeset *old = c->old, *new = c->new;
	warn(c, warn_release, out);
	if (old && same_value(json_get(old->object, "spec"), json_get(new->object, "spec")))
		return;
	for (size_t i = 0; old && i < LENGTH(forbidden); i++)
		admission_judge(out, forbidden[i](c), OK);
	if (new->deleting)
		return;
	judge_faults(c, out);
	if (new->large)
		return;
	judge_shared(c, out);
	for (size_t i = 0; i < LENGTH(doubtful); i++)
		warn(c, doubtful[i], out);
}
