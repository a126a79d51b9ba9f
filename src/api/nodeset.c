/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a NodeSet. */
#include "api/nodeset.h"

#include <string.h>

#include "api/autoscaling.h"
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "object/metadata.h"
#include "base/time.h"

/* Keeps arithmetic on any value of the object defined. */
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

int64_t nodeset_replicas(const struct json *object)
{
	const struct json *spec = json_at(object, "spec", "replicas"),
			  *status = json_get(object, "status");
	int64_t replicas = json_i64(spec, 0);
	if (json_is_null(spec) && autoscaling_read(object).on)
		replicas = json_i64(json_at(status, "autoscaling", "replicas"),
			json_i64(json_get(status, "replicas"), 0));
	return within(replicas, 0, NODESET_MAX_REPLICAS);
}

void nodeset_read(const struct json *object, struct nodeset *n)
{
	const struct json *spec = json_get(object, "spec");
	*n = (struct nodeset){
		.object = object,
		.cut = json_is_cut(object),
		.large = object_is_large(object),
	};
	read_metadata(n);
	n->cluster_name = json_str(json_get(spec, "clusterName"), "");
	n->service_name = json_str(json_get(spec, "serviceName"), "");
	n->replicas = nodeset_replicas(object);
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
	/* An unknown word makes the whole policy unsafe to follow. */
	if (n->retention_bad)
		n->when_deleted = n->when_scaled = RETAIN;
	n->status = json_get(object, "status");
	n->collisions = within(json_i64(json_get(n->status, "collisionCount"), 0), 0, INT32_MAX);
}
