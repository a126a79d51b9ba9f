/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions, node sets and constraints of Slurm, compared with a NodeSet's features. */
#include "plan/autoscale/serves.h"

#include <string.h>

#include "api/host_names.h"
#include "base/str.h"

/* A word in text that ends at one of these. */
static size_t word(const char *text, const char *ends) { return strcspn(text, ends); }

static bool is_word(const char *text, size_t n, const char *other)
{
	return strlen(other) == n && strncasecmp(text, other, n) == 0;
}

static bool has_feature(const struct json *template, const char *name, size_t n)
{
	struct feature_walk w = features_of(template);
	const char *feature;
	size_t length;
	while (features_next(&w, &feature, &length))
		if (length == n && strncasecmp(feature, name, n) == 0)
			return true;
	return false;
}

/* ---- partitions ---- */

/* "a,b;" */
static bool has_sets(const struct json *template, const char *sets)
{
	for (size_t n = word(sets, ",;"); n; n = word(sets, ",;")) {
		if (is_word(sets, n, "ALL") || has_feature(template, sets, n))
			return true;
		sets += n + (sets[n] == ',');
	}
	return false;
}

static bool has_partition(const struct json *template, const char *name, size_t n, const char *all)
{
	while (*all) {
		size_t length = word(all, "=");
		if (!all[length])
			return false;
		const char *sets = all + length + 1;
		if (length == n && strncmp(all, name, n) == 0)
			return has_sets(template, sets);
		all = sets + word(sets, ";");
		all += *all == ';';
	}
	return false;
}

bool serves_partition(const struct json *template, const char *partitions,
	const char *partition_sets)
{
	while (*partitions) {
		size_t n = word(partitions, ",");
		if (n && has_partition(template, partitions, n, partition_sets))
			return true;
		partitions += n + (partitions[n] == ',');
	}
	return false;
}

/* ---- constraints ---- */

enum { DEPTH_MOST = 16 };

/* Behind what has been read of the constraint. */
struct reading {
	const struct json *template;
	const char *at;
	int depth;
	bool counts; /* names have counts of nodes: one of them is enough */
};

static bool read_any(struct reading *r);

static bool read_name(struct reading *r)
{
	size_t n = word(r->at, "&|()[]*:,");
	bool has = n && has_feature(r->template, r->at, n);
	r->at += n;
	if (*r->at == '*' || *r->at == ':')
		r->at += strspn(r->at, "*:0123456789");
	return has;
}

static bool read_one(struct reading *r)
{
	if (*r->at != '(' && *r->at != '[')
		return read_name(r);
	bool yes = false;
	r->at++;
	if (++r->depth <= DEPTH_MOST)
		yes = read_any(r);
	r->depth--;
	r->at += *r->at == ')' || *r->at == ']';
	return yes;
}

/* Slurm, too, takes the operators from left to right. */
static bool read_any(struct reading *r)
{
	bool yes = read_one(r);
	while (*r->at == '&' || *r->at == '|' || *r->at == ',') {
		bool both = *r->at++ == '&' && !r->counts;
		bool next = read_one(r);
		yes = both ? yes && next : yes || next;
	}
	return yes;
}

bool serves_features(const struct json *template, const char *constraint)
{
	struct reading r = {
		.template = template,
		.at = constraint,
		.counts = strpbrk(constraint, "*[") != NULL,
	};
	return str_empty(constraint) || (read_any(&r) && !*r.at);
}
