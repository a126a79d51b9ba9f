/* SPDX-License-Identifier: Apache-2.0 */
/* The table of faults of a NodeSet. Each check returns one sentence, or OK. */
#include "api/nodeset.h"

#include <string.h>

#include "api/autoscaling.h"
#include "base/own.h"
#include "base/str.h"
#include "object/dns.h"
#include "object/resource.h"
#include "object/selector.h"

/*
 * In a revision the template is one level deeper than in the NodeSet. A revision that
 * cannot be read whole would be created again and again.
 */
static struct err check_whole(const struct nodeset *n)
{
	enum { TEMPLATE_DEPTH = JSON_OBJECT_DEPTH - 3 };
	if (!n->cut && json_depth(n->template) <= TEMPLATE_DEPTH)
		return OK;
	return err_new(ERR_INVALID,
		"the NodeSet is nested too deep: it may have %d levels, and spec.template %d",
		JSON_OBJECT_DEPTH, TEMPLATE_DEPTH);
}

static struct err check_kept(const struct nodeset *n)
{
	size_t most_kb = resource_rows[RES_NODESET].most_kb;
	if (!n->large)
		return OK;
	return err_new(ERR_INVALID,
		"the NodeSet is too large: it needs more than %zu kB of the manager's memory, which other objects need too",
		most_kb);
}

static struct err check_selecting_all(const struct nodeset *n)
{
	if (!selector_empty(n->selector))
		return OK;
	return err_new(ERR_INVALID,
		"spec.selector is empty and would select every pod of namespace %s; it must name labels of spec.template",
		n->ns);
}

static struct err check_selector(const struct nodeset *n)
{
	struct err e = selector_check(n->selector);
	return failed(e) ? err_wrap(e, "spec.selector") : OK;
}

static struct err check_selector_matches(const struct nodeset *n)
{
	if (selector_empty(n->selector) || failed(selector_check(n->selector)))
		return OK; /* reported by the checks above */
	if (selector_matches(n->selector, labels_of_json,
		    json_at(n->template, "metadata", "labels")))
		return OK;
	return err_new(ERR_INVALID,
		"spec.selector does not match the labels of spec.template: the pods would not be recognised; make them agree");
}

static struct err check_replicas(const struct nodeset *n)
{
	const struct json *v = json_at(n->object, "spec", "replicas");
	if (!json_is_null(v) && !json_is_int(v))
		return err_new(ERR_INVALID, "spec.replicas is not a whole number");
	int64_t asked = json_i64(v, 0);
	return json_is_null(v) || asked == n->replicas
		? OK
		: err_new(ERR_INVALID, "spec.replicas is %lld; it must be from 0 to %d",
			  (long long)asked, NODESET_MAX_REPLICAS);
}

static struct err check_template(const struct nodeset *n)
{
	if (json_count(json_at(n->template, "spec", "containers")))
		return OK;
	return err_new(ERR_INVALID,
		"spec.template.spec.containers is empty; name at least the slurmd container");
}

static struct err check_claim_templates(const struct nodeset *n)
{
	if (json_is_null(n->claim_templates))
		return OK;
	bool good = json_is_arr(n->claim_templates);
	struct json_iter it = json_iter(n->claim_templates);
	while (json_next(&it))
		good &= !str_empty(json_str(json_at(it.value, "metadata", "name"), ""));
	return good
		? OK
		: err_new(ERR_INVALID,
			  "spec.volumeClaimTemplates must be a list of claims, each with a metadata.name");
}

static struct err check_cluster_name(const struct nodeset *n)
{
	if (str_empty(n->cluster_name))
		return err_new(ERR_INVALID,
			"spec.clusterName is empty; name a Cluster of namespace %s", n->ns);
	return is_dns_name(n->cluster_name)
		? OK
		: err_new(ERR_INVALID,
			  "spec.clusterName \"%.80s\" is no name of a Cluster: lower case letters, digits, - and .",
			  n->cluster_name);
}

static struct err check_service_name(const struct nodeset *n)
{
	if (str_empty(n->service_name))
		return err_new(ERR_INVALID,
			"spec.serviceName is empty; name the headless Service of the pods");
	return is_dns_label(n->service_name)
		? OK
		: err_new(ERR_INVALID,
			  "spec.serviceName \"%.80s\" is no name of a Service: at most 63 lower case letters, digits and hyphens",
			  n->service_name);
}

/* The API server refuses pods with any other word. */
static struct err check_restart_policy(const struct nodeset *n)
{
	static const char *const words[] = { "", "Always", "OnFailure", "Never" };
	const struct json *v = json_at(n->template, "spec", "restartPolicy");
	const char *word = json_str(v, json_is_null(v) ? "" : "(no string)");
	for (size_t i = 0; i < LENGTH(words); i++)
		if (str_eq(word, words[i]))
			return OK;
	return err_new(ERR_INVALID,
		"spec.template.spec.restartPolicy is \"%.80s\"; it must be Always, OnFailure or Never",
		word);
}

static struct err check_update_type(const struct nodeset *n)
{
	if (n->update != UPDATE_UNKNOWN)
		return OK;
	return err_new(ERR_INVALID,
		"spec.updateStrategy.type is \"%s\"; it must be RollingUpdate or OnDelete",
		json_str(json_at(n->object, "spec", "updateStrategy", "type"), ""));
}

static struct err check_max_unavailable(const struct nodeset *n)
{
	if (!n->max_unavailable_bad)
		return OK;
	return err_new(ERR_INVALID,
		"spec.updateStrategy.rollingUpdate.maxUnavailable is neither a number of pods nor a percentage such as \"20%%\"");
}

static struct err check_counts(const struct nodeset *n)
{
	static const char *const keys[] = { "minReadySeconds", "revisionHistoryLimit" };
	for (size_t i = 0; i < LENGTH(keys); i++) {
		int64_t value = json_i64(json_at(n->object, "spec", keys[i]), 0);
		if (value < 0)
			return err_new(ERR_INVALID, "spec.%s is %lld; it must not be negative",
				keys[i], (long long)value);
	}
	return OK;
}

static struct err check_retention(const struct nodeset *n)
{
	const struct json *policy = json_at(n->object, "spec",
		"persistentVolumeClaimRetentionPolicy");
	if (!n->retention_bad)
		return OK;
	return err_new(ERR_INVALID,
		"spec.persistentVolumeClaimRetentionPolicy has whenDeleted \"%.80s\" and whenScaled \"%.80s\"; each must be Retain or Delete",
		json_str(json_get(policy, "whenDeleted"), ""),
		json_str(json_get(policy, "whenScaled"), ""));
}

/* The number of digits of the highest ordinal. */
static size_t ordinal_digits(const struct nodeset *n)
{
	size_t digits = 1;
	for (int64_t top = n->replicas - 1; top >= 10; top /= 10)
		digits++;
	return digits;
}

/* True if s and an ordinal can form a DNS label, such as "foo-". */
static bool begins_label(const char *s)
{
	return s[0] != '-' && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* check_name reports a name that is too long. */
static struct err check_host_name(const struct nodeset *n)
{
	const char *prefix = json_str(json_at(n->template, "spec", "hostname"), "");
	bool own = !str_empty(prefix);
	if (begins_label(own ? prefix : n->name) &&
		(!own || strlen(prefix) + ordinal_digits(n) <= 63))
		return OK;
	return err_new(ERR_INVALID,
		"%s%s gives pods host names such as %.80s%s0, which Kubernetes refuses: at most 63 lower-case letters, digits and hyphens, a letter or digit at both ends; set spec.template.spec.hostname",
		own ? "spec.template.spec.hostname" : "the name ", own ? "" : n->name,
		own ? prefix : n->name, own ? "" : "-");
}

static struct err check_name(const struct nodeset *n)
{
	if (strlen(n->name) + 1 + ordinal_digits(n) <= 63)
		return OK;
	return err_new(ERR_INVALID,
		"the name %s is too long: pods are named after it, and their names must fit into 63 characters",
		n->name);
}

static struct err check_autoscaling(const struct nodeset *n)
{
	return autoscaling_check(n->object);
}

static const char untouched[] = "nothing is changed until it is fixed";

static const struct row {
	const char *reason;
	bool fatal;
	struct err (*check)(const struct nodeset *n);
	const char *meanwhile;
} rows[] = {
	{ "TooLarge", true, check_kept, untouched },
	{ "NestedTooDeep", true, check_whole, untouched },
	{ "NameTooLong", true, check_name, untouched },
	{ "SelectingAll", true, check_selecting_all, untouched },
	{ "InvalidSelector", true, check_selector, untouched },
	{ "SelectorMismatch", true, check_selector_matches, untouched },
	{ "InvalidReplicas", true, check_replicas, untouched },
	{ "InvalidTemplate", true, check_template, untouched },
	{ "InvalidClaimTemplates", true, check_claim_templates, untouched },
	{ "InvalidHostName", true, check_host_name, untouched },
	{ "InvalidClusterName", false, check_cluster_name, NULL },
	{ "InvalidServiceName", false, check_service_name, NULL },
	{ "InvalidRestartPolicy", false, check_restart_policy, "no pod can be made" },
	{ "InvalidUpdateStrategy", false, check_update_type, "OnDelete is used" },
	{ "InvalidMaxUnavailable", false, check_max_unavailable, "1 is used" },
	{ "InvalidCount", false, check_counts, "0 is used" },
	{ "InvalidAutoscaling", false, check_autoscaling,
		"spec.replicas stays as it is, whatever jobs wait in Slurm" },
	{ "InvalidRetentionPolicy", false, check_retention, "Retain is used" },
};
_Static_assert(LENGTH(rows) <= NODESET_MAX_FAULTS, "every row must fit into the caller's array");

size_t nodeset_faults(const struct nodeset *n, struct fault out[static NODESET_MAX_FAULTS])
{
	size_t found = 0;
	for (size_t i = 0; i < LENGTH(rows) && !(found && n->large); i++) {
		struct err e = rows[i].check(n);
		if (failed(e))
			out[found++] = (struct fault){ rows[i].reason, rows[i].fatal, e,
				rows[i].meanwhile };
	}
	return found;
}
