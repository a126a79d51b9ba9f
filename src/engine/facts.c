/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the facts about a pod. */
#include "engine/facts.h"

#include <string.h>

#include "base/str.h"

static const char *lookup(const struct kv *pairs, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(pairs[i].key, key))
			return pairs[i].value;
	return NULL;
}

const char *pod_label(const struct pod_fact *p, const char *key)
{
	return lookup(p->labels, p->n_labels, key);
}
const char *pod_annotation(const struct pod_fact *p, const char *key)
{
	return lookup(p->annotations, p->n_annotations, key);
}

bool pod_has_ip(const struct pod_fact *p, const char *address)
{
	return !str_empty(address) && (str_eq(address, p->ip) || str_eq(address, p->second_ip));
}

bool pod_may_be_at(const struct pod_fact *p, const char *address)
{
	const char *a = address ? address : "";
	bool is_ip = a[strspn(a, "0123456789.")] == '\0' || strchr(a, ':');
	return !is_ip || str_empty(a) || pod_has_ip(p, a);
}
