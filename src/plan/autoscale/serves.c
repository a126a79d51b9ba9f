/* SPDX-License-Identifier: Apache-2.0 */
/* Compares partitions, node sets and constraints of Slurm with features of a NodeSet. */
#include "plan/autoscale/serves.h"

#include <string.h>

#include "base/str.h"

/* Length of the word at text, which ends at one of these characters. */
static size_t word(const char *text, const char *ends) { return strcspn(text, ends); }

static bool is_word(const char *text, size_t n, const char *other)
{
	return strlen(other) == n && strncasecmp(text, other, n) == 0;
}

struct node_features node_features_of(const struct json *template)
{
	struct node_features f = { .n = 0 };
	struct feature_walk w = features_of(template);
	while (f.n < FEATURES_MOST && features_next(&w, &f.names[f.n], &f.lengths[f.n]))
		f.n++;
	return f;
}

static bool has_feature(const struct node_features *f, const char *name, size_t n)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->lengths[i] == n && strncasecmp(f->names[i], name, n) == 0)
			return true;
	return false;
}

/* ---- partitions ---- */

/* sets: "a,b;" */
static bool has_sets(const struct node_features *f, const char *sets)
{
	for (size_t n = word(sets, ",;"); n; n = word(sets, ",;")) {
		if (is_word(sets, n, "ALL") || has_feature(f, sets, n))
			return true;
		sets += n + (sets[n] == ',');
	}
	return false;
}

bool serves_one(const struct node_features *f, const char *name, size_t n, const char *all)
{
	while (*all) {
		size_t length = word(all, "=");
		if (!all[length])
			return false;
		const char *sets = all + length + 1;
		if (length == n && strncmp(all, name, n) == 0)
			return has_sets(f, sets);
		all = sets + word(sets, ";");
		all += *all == ';';
	}
	return false;
}

bool serves_partition(const struct node_features *f, const char *partitions,
	const char *partition_sets)
{
	while (*partitions) {
		size_t n = word(partitions, ",");
		if (n && serves_one(f, partitions, n, partition_sets))
			return true;
		partitions += n + (partitions[n] == ',');
	}
	return false;
}

/* ---- constraints ---- */

enum { DEPTH_MOST = 16 };

/* A constraint that is being read; at: the rest of it. */
struct reading {
	const struct node_features *features;
	const char *at;
	int depth;
	bool counts; /* names have counts of nodes, so one name is enough */
};

static bool read_any(struct reading *r);

static bool read_name(struct reading *r)
{
	size_t n = word(r->at, "&|()[]*:,");
	bool has = n && has_feature(r->features, r->at, n);
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

/* Evaluates the operators from left to right, as Slurm does. */
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

bool serves_features(const struct node_features *f, const char *constraint)
{
	struct reading r = {
		.features = f,
		.at = constraint,
		.counts = strpbrk(constraint, "*[") != NULL,
	};
	return str_empty(constraint) || (read_any(&r) && !*r.at);
}
