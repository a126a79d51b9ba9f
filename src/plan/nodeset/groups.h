/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of pods for sentences: "foo-1, foo-4, foo-7 and 12 more". Bounded, and always in
 * the order in which the pods are known. Private to this folder.
 */
#ifndef PLAN_NODESET_GROUPS_H
#define PLAN_NODESET_GROUPS_H

#include "plan/nodeset/worksheet.h"

enum {
	NAMES_SHOWN = 3,  /* of one text; the others are counted */
	GROUPS_SHOWN = 4, /* texts */
};

/* A question about a pod, and how a pod is called in the answer. */
typedef bool pod_is(const struct pod *p);
typedef const char *naming(struct worksheet *w, const struct pod *p);

/* How many pods it is true of. */
size_t pods_count(const struct worksheet *w, pod_is *yes);
/* The names of those for which the answer is yes; "" when there are none. */
const char *pods_named(struct worksheet *w, pod_is *yes, naming *name);
const char *pods_names(struct worksheet *w, pod_is *yes);
/* "1 pod", "2 pods". */
const char *pods_in_words(struct worksheet *w, int64_t n);

/* Names grouped by what is said of them: "TEXT: foo-1, foo-4; OTHER TEXT: foo-2". */
struct groups {
	struct worksheet *w;
	struct group {
		const char *text, *names;
		size_t n;
	} rows[GROUPS_SHOWN];
	size_t n, rest;
};

/* Both texts live as long as the plan. */
void groups_add(struct groups *g, const char *text, const char *name);
const char *groups_text(const struct groups *g); /* "" when nothing was added */

#endif
