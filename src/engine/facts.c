/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of the facts about a pod. */
#include "engine/facts.h"

#include <string.h>

#include "base/fetch.h"
#include "base/str.h"

void pod_fact_fetch(const struct pod_fact *p) { memory_fetch(p, 0, sizeof(*p)); }

void pod_texts_fetch(const struct pod_fact *p)
{
	enum { MOST_BYTES = 2048 }; /* most of a larger fact is text of other clients */
	memory_fetch(p, sizeof(*p), p->bytes < MOST_BYTES ? p->bytes : MOST_BYTES);
}

/* Nearly all keys of a pod differ in length, so few texts are read from memory. */
static const char *lookup(const struct kv *pairs, size_t n, const char *key)
{
	size_t bytes = strlen(key);
	for (size_t i = 0; i < n; i++)
		if ((!pairs[i].key_bytes || pairs[i].key_bytes == bytes) &&
			strcmp(pairs[i].key, key) == 0)
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

bool pod_is_on_machine(const struct pod_fact *p, const char *hostname)
{
	return p->host_network && !str_empty(hostname) && str_eq(hostname, p->node_name);
}

bool pod_may_be_at(const struct pod_fact *p, const char *address)
{
	if (str_empty(address) || pod_has_ip(p, address))
		return true;
	bool is_ip = address[strspn(address, "0123456789.")] == '\0' || strchr(address, ':');
	return !is_ip;
}
