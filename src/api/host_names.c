/* SPDX-License-Identifier: Apache-2.0 */
/* The host names that a NodeSet gives, and conflicts between two NodeSets. */
#include "api/host_names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/str.h"

struct host_names host_names_of(const struct nodeset *n)
{
	struct host_names out = { .n = n->replicas };
	const char *own = json_str(json_at(n->template, "spec", "hostname"), "");
	const char *stem = str_empty(own) ? n->name : own;
	if (!str_empty(stem) && strlen(stem) < 63)
		snprintf(out.prefix, sizeof(out.prefix), "%s%s", stem, str_empty(own) ? "-" : "");
	return out;
}

/* The ordinal in digits (n bytes), if written without leading zeros; -1: none. */
static int64_t ordinal_of(const char *digits, size_t n)
{
	int64_t value = 0;
	if (n == 0 || n > 5 || strspn(digits, "0123456789") < n || (digits[0] == '0' && n > 1))
		return -1;
	for (size_t i = 0; i < n; i++)
		value = 10 * value + (digits[i] - '0');
	return value < NODESET_MAX_REPLICAS ? value : -1;
}

enum meeting host_names_have(const struct host_names *of, const char *name, size_t n)
{
	size_t prefix = strlen(of->prefix);
	if (!prefix || n <= prefix || memcmp(name, of->prefix, prefix) != 0)
		return APART;
	int64_t ordinal = ordinal_of(name + prefix, n - prefix);
	return ordinal < 0 ? APART : ordinal < of->n ? NOW : LATER;
}

/*
 * The prefix of longer must begin with that of shorter, and go on with digits of an
 * ordinal, for a conflict: "gpu" and "gpu1" both give gpu10.
 */
static enum meeting nested(const struct host_names *shorter, const struct host_names *longer,
	char name[HOST_NAME_BYTES])
{
	char first[HOST_NAME_BYTES + 2];
	snprintf(first, sizeof(first), "%s0", longer->prefix);
	enum meeting m = host_names_have(shorter, first, strlen(first));
	if (m != APART && name)
		snprintf(name, HOST_NAME_BYTES, "%.*s", HOST_NAME_BYTES - 1, first);
	return m == NOW && longer->n == 0 ? LATER : m;
}

enum meeting host_names_meet(const struct host_names *a, const struct host_names *b,
	char name[HOST_NAME_BYTES])
{
	if (!a->prefix[0] || !b->prefix[0])
		return APART;
	if (str_eq(a->prefix, b->prefix)) {
		if (name)
			snprintf(name, HOST_NAME_BYTES, "%.*s0", HOST_NAME_BYTES - 2, a->prefix);
		return NOW;
	}
	return strlen(a->prefix) < strlen(b->prefix) ? nested(a, b, name) : nested(b, a, name);
}

/* ---- features ---- */

struct feature_walk features_of(const struct json *template)
{
	return (struct feature_walk){
		.containers = json_iter(json_at(template, "spec", "containers")),
	};
}

/* The text after "Features=" or "Feature=", which slurmd accepts too; NULL: absent. */
static const char *find_features(const char *text)
{
	static const char *const keys[] = { "Features=", "Feature=" };
	for (size_t i = 0; i < LENGTH(keys); i++)
		for (const char *p = text; *p; p++)
			if (strncasecmp(p, keys[i], strlen(keys[i])) == 0 &&
				(p == text || strchr(" '\"", p[-1])))
				return p + strlen(keys[i]);
	return NULL;
}

static bool next_arg(struct feature_walk *w)
{
	while (!json_next(&w->args)) {
		if (!json_next(&w->containers))
			return false;
		w->args = json_iter(json_get(w->containers.value, "args"));
	}
	return true;
}

bool features_next(struct feature_walk *w, const char **name, size_t *n)
{
	while (w->seen < FEATURES_MOST) {
		if (!w->at && !next_arg(w))
			return false;
		if (!w->at)
			w->at = find_features(json_str(w->args.value, ""));
		if (!w->at)
			continue;
		*name = w->at;
		*n = strcspn(w->at, ", '\"\t\n");
		w->at = w->at[*n] == ',' ? w->at + *n + 1 : NULL;
		w->seen++;
		if (*n)
			return true;
	}
	return false;
}
