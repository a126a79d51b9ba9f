/* SPDX-License-Identifier: Apache-2.0 */
/* metav1.LabelSelector: matching, and its string form. */
#ifndef OBJECT_SELECTOR_H
#define OBJECT_SELECTOR_H

#include "json/json.h"

/*
 * Looks up a label, so that a selector can match labels in JSON and in records. Returns
 * NULL if there is no such label.
 */
typedef const char *label_lookup(const void *labels, const char *key);
const char *labels_of_json(const void *json_object, const char *key);

/* ERR_INVALID with a sentence: unknown operator, empty values, ... */
struct err selector_check(const struct json *selector);
bool selector_empty(const struct json *selector); /* {} or absent */
bool selector_matches(const struct json *selector, label_lookup *lookup, const void *labels);
/*
 * The form of metav1.FormatLabelSelector and the scale subresource: "a=b,c in (d,e),!f".
 */
const char *selector_text(struct arena *a, const struct json *selector);

#endif
