/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a NodeSet; what can be wrong with one is a table of faults. */
#include "api/nodeset.h"

#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "object/metadata.h"
#include "base/time.h"
#include "object/selector.h"

/* Whatever stands in the object, arithmetic on it stays defined. */
static int64_t within(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}

bool int_or_percent(const struct json *v, int64_t total, int64_t *out)
{
	char digits[16];
	int64_t percent;
	if (json_is_int(v)) {
		*out = json_i64(v, -1);
		return *out >= 0;
	}
	const char *text = json_str(v, "");
	size_t n = strlen(text);
	if (n < 2 || n > sizeof(digits) || text[n - 1] != '%')
		return false;
	memcpy(digits, text, n - 1);
	digits[n - 1] = '\0';
	if (!str_to_i64(digits, 0, INT32_MAX, &percent))
		return false;
	*out = (percent * within(total, 0, INT32_MAX) + 99) / 100;
	return true;
}

static void read_metadata(struct nodeset *n)
{
	const struct json *m = json_get(n->object, "metadata");
	struct metadata who = metadata_of(n->object);
	n->ns = who.ns;
	n->name = who.name;
	n->uid = who.uid;
	n->resource_version = who.resource_version;
	n->generation = who.generation;
	n->deleting = who.deleting;
	n->has_finalizer = has_finalizer(n->object, FINALIZER_DRAIN);
	bool pods_stay = str_eq(json_str(json_at(m, "annotations", ANNOTATION_PODS_STAY), ""),
		"true");
	n->orphaning = n->deleting && (pods_stay || has_finalizer(n->object, FINALIZER_ORPHAN));
	n->foreground = n->deleting && has_finalizer(n->object, FINALIZER_FOREGROUND);
	if (!time_parse(json_str(json_get(m, "deletionTimestamp"), ""), &n->deleting_since_ms))
		n->deleting_since_ms = 0;
	n->release_now = str_eq(json_str(json_at(m, "annotations", ANNOTATION_RELEASE_NOW), ""),
		"true");
}

static void read_strategy(struct nodeset *n, const struct json *strategy)
{
	const char *type = json_str(json_get(strategy, "type"), "");
	const struct json *max = json_at(strategy, "rollingUpdate", "maxUnavailable");
	n->update = str_empty(type) || str_eq(type, "RollingUpdate") ? UPDATE_ROLLING
		: str_eq(type, "OnDelete")                           ? UPDATE_ON_DELETE
								     : UPDATE_UNKNOWN;
	n->max_unavailable = 1;
	if (!json_is_null(max) && !int_or_percent(max, n->replicas, &n->max_unavailable)) {
		n->max_unavailable = 1;
		n->max_unavailable_bad = true;
	}
}

static enum retention read_retention(struct nodeset *n, const struct json *policy, const char *key)
{
	const char *word = json_str(json_get(policy, key), "");
	if (policy && !str_eq(word, "Retain") && !str_eq(word, "Delete"))
		n->retention_bad = true;
	return str_eq(word, "Delete") ? DELETE_CLAIM : RETAIN;
}

void nodeset_read(const struct json *object, struct nodeset *n)
{
	const struct json *spec = json_get(object, "spec");
	*n = (struct nodeset){ .object = object };
	read_metadata(n);
	n->cluster_name = json_str(json_get(spec, "clusterName"), "");
	n->service_name = json_str(json_get(spec, "serviceName"), "");
	n->replicas = within(json_i64(json_get(spec, "replicas"), 0), 0, NODESET_MAX_REPLICAS);
	n->selector = json_get(spec, "selector");
	n->template = json_get(spec, "template");
	n->claim_templates = json_get(spec, "volumeClaimTemplates");
	read_strategy(n, json_get(spec, "updateStrategy"));
	n->history_limit = within(json_i64(json_get(spec, "revisionHistoryLimit"), 0), 0,
		INT32_MAX);
	n->min_ready_s = within(json_i64(json_get(spec, "minReadySeconds"), 0), 0, INT32_MAX);
	const struct json *policy = json_get(spec, "persistentVolumeClaimRetentionPolicy");
	policy = json_is_null(policy) ? NULL : policy;
	n->when_deleted = read_retention(n, policy, "whenDeleted");
	n->when_scaled = read_retention(n, policy, "whenScaled");
	/* One unknown word makes the whole policy unsafe to follow. */
	if (n->retention_bad)
		n->when_deleted = n->when_scaled = RETAIN;
	n->status = json_get(object, "status");
	n->collisions = within(json_i64(json_get(n->status, "collisionCount"), 0), 0, INT32_MAX);
}

/* ---- what can be wrong; each check gives one sentence or OK ---- */

/* At most JSON_OBJECT_DEPTH, of which it is a part. */
static int depth(const struct json *v)
{
	int most = 0;
	if (!json_is_obj(v) && !json_is_arr(v))
		return 0;
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int below = depth(it.value);
		most = below > most ? below : most;
	}
	return most + 1;
}

/*
 * A revision has the template one level deeper than the NodeSet has. One that was made
 * and cannot be read whole would be made again, without end.
 */
static struct err check_whole(const struct nodeset *n)
{
	enum { TEMPLATE_DEPTH = JSON_OBJECT_DEPTH - 3 };
	if (object_is_large(n->object) ||
		(!json_is_cut(n->object) && depth(n->template) <= TEMPLATE_DEPTH))
		return OK;
	return err_new(ERR_INVALID,
		"the NodeSet is nested too deep: all of it may have %d levels, spec.template %d; "
		"nothing is touched until it is flatter",
		JSON_OBJECT_DEPTH, TEMPLATE_DEPTH);
}

static struct err check_kept(const struct nodeset *n)
{
	size_t most_kb = resource_rows[RES_NODESET].most_kb;
	if (!object_is_large(n->object))
		return OK;
	return err_new(ERR_INVALID,
		"the NodeSet is too large: it needs more than %zu kB of the manager's memory, "
		"which "
		"the others need, too; nothing is touched until it is smaller",
		most_kb);
}

static struct err check_selecting_all(const struct nodeset *n)
{
	if (!selector_empty(n->selector))
		return OK;
	return err_new(ERR_INVALID,
		"spec.selector is empty and would select every pod of namespace %s; nothing is "
		"touched until it names labels of spec.template",
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
		return OK; /* said already */
	if (selector_matches(n->selector, labels_of_json,
		    json_at(n->template, "metadata", "labels")))
		return OK;
	return err_new(ERR_INVALID,
		"spec.selector does not match the labels of spec.template: the pods would not be "
		"recognised; make them agree");
}

static struct err check_replicas(const struct nodeset *n)
{
	const struct json *v = json_at(n->object, "spec", "replicas");
	if (!json_is_null(v) && !json_is_int(v))
		return err_new(ERR_INVALID, "spec.replicas is not a whole number");
	int64_t asked = json_i64(v, 0);
	return asked == n->replicas
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
	return good ? OK
		    : err_new(ERR_INVALID,
			      "spec.volumeClaimTemplates must be a list of claims, each with a "
			      "metadata.name");
}

static struct err check_cluster_name(const struct nodeset *n)
{
	return str_empty(n->cluster_name)
		? err_new(ERR_INVALID, "spec.clusterName is empty; name a Cluster of namespace %s",
			  n->ns)
		: OK;
}

static struct err check_service_name(const struct nodeset *n)
{
	return str_empty(n->service_name)
		? err_new(ERR_INVALID,
			  "spec.serviceName is empty; name the headless Service of the pods")
		: OK;
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
		"spec.updateStrategy.rollingUpdate.maxUnavailable is neither a number of pods nor "
		"a percentage such as \"20%%\"; 1 is used");
}

static struct err check_counts(const struct nodeset *n)
{
	static const char *const keys[] = { "minReadySeconds", "revisionHistoryLimit" };
	for (size_t i = 0; i < LENGTH(keys); i++) {
		int64_t value = json_i64(json_at(n->object, "spec", keys[i]), 0);
		if (value < 0)
			return err_new(ERR_INVALID,
				"spec.%s is %lld; it must not be negative; 0 is used", keys[i],
				(long long)value);
	}
	return OK;
}

static struct err check_retention(const struct nodeset *n)
{
	if (!n->retention_bad)
		return OK;
	return err_new(ERR_INVALID,
		"spec.persistentVolumeClaimRetentionPolicy needs both whenDeleted and whenScaled, "
		"each Retain or Delete; Retain is used");
}

/* Of the highest ordinal. */
static size_t ordinal_digits(const struct nodeset *n)
{
	size_t digits = 1;
	for (int64_t top = within(n->replicas, 1, NODESET_MAX_REPLICAS) - 1; top >= 10; top /= 10)
		digits++;
	return digits;
}

/* "foo-" may stand before an ordinal in a DNS label. */
static bool begins_label(const char *s)
{
	return s[0] != '-' && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* That the name leaves no room is check_name's to say. */
static struct err check_host_name(const struct nodeset *n)
{
	const char *prefix = json_str(json_at(n->template, "spec", "hostname"), "");
	bool own = !str_empty(prefix);
	if (begins_label(own ? prefix : n->name) &&
		(!own || strlen(prefix) + ordinal_digits(n) <= 63))
		return OK;
	return err_new(ERR_INVALID,
		"%s%s gives pods host names such as %.80s%s0, which Kubernetes refuses: at "
		"most 63 lower-case letters, digits and hyphens, a letter or digit at both ends; "
		"set "
		"spec.template.spec.hostname",
		own ? "spec.template.spec.hostname" : "the name ", own ? "" : n->name,
		own ? prefix : n->name, own ? "" : "-");
}

static struct err check_name(const struct nodeset *n)
{
	if (strlen(n->name) + 1 + ordinal_digits(n) <= 63)
		return OK;
	return err_new(ERR_INVALID,
		"the name %s is too long: pods are called after it and their names must fit into "
		"63 characters",
		n->name);
}

static const struct row {
	const char *reason;
	bool fatal;
	struct err (*check)(const struct nodeset *n);
} rows[] = {
	{ "TooLarge", true, check_kept },
	{ "NestedTooDeep", true, check_whole },
	{ "NameTooLong", true, check_name },
	{ "SelectingAll", true, check_selecting_all },
	{ "InvalidSelector", true, check_selector },
	{ "SelectorMismatch", true, check_selector_matches },
	{ "InvalidReplicas", true, check_replicas },
	{ "InvalidTemplate", true, check_template },
	{ "InvalidClaimTemplates", true, check_claim_templates },
	{ "InvalidHostName", true, check_host_name },
	{ "InvalidClusterName", false, check_cluster_name },
	{ "InvalidServiceName", false, check_service_name },
	{ "InvalidUpdateStrategy", false, check_update_type },
	{ "InvalidMaxUnavailable", false, check_max_unavailable },
	{ "InvalidCount", false, check_counts },
	{ "InvalidRetentionPolicy", false, check_retention },
};
_Static_assert(LENGTH(rows) <= NODESET_MAX_FAULTS, "every row must fit into the caller's array");

size_t nodeset_faults(const struct nodeset *n, struct fault out[static NODESET_MAX_FAULTS])
{
	size_t found = 0;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct err e = rows[i].check(n);
		if (failed(e))
			out[found++] = (struct fault){ rows[i].reason, rows[i].fatal, e };
	}
	return found;
}
