/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of pods for sentences: "foo-1, foo-4, foo-7 and 12 more". The text is bounded,
 * and has the pods in the order in which they are known. Private to this folder.
 */
#ifndef PLAN_NODESET_GROUPS_H
#define PLAN_NODESET_GROUPS_H

#include "plan/nodeset/worksheet.h"

enum {
	NAMES_SHOWN = 3,  /* for one text; the others are counted */
	GROUPS_SHOWN = 4, /* number of texts */
};

/* A predicate of a pod, and the name of a pod in the text. */
typedef bool pod_is(const struct pod *p);
typedef const char *naming(struct worksheet *w, const struct pod *p);

/* Number of pods for which the predicate is true. */
size_t pods_count(const struct worksheet *w, pod_is *yes);
/* Names of the pods for which the predicate is true; "" if there are none. */
const char *pods_named(struct worksheet *w, pod_is *yes, naming *name);
const char *pods_names(struct worksheet *w, pod_is *yes);
/* "1 pod", "2 pods". */
const char *pods_in_words(struct worksheet *w, int64_t n);

/* Names grouped by their text: "TEXT: foo-1, foo-4; OTHER TEXT: foo-2". */
struct groups {
	struct worksheet *w;
	struct group {
		const char *text, *names;
		size_t n;
	} rows[GROUPS_SHOWN];
	size_t n, rest;
};

/* Both strings must live as long as the plan. */
void groups_add(struct groups *g, const char *text, const char *name);
const char *groups_text(const struct groups *g); /* "" when nothing was added */

#endif
