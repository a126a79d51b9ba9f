/* SPDX-License-Identifier: Apache-2.0 */
/* Finds nodes of Slurm whose pod is missing, and how long it has been missing. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

enum { COMMENT_BYTES = 4096 };

/* Reads our own comments: {"namespace":..,"podName":..} and nothing else. */
static char *pod_of(const char *comment)
{
	struct json_doc *doc AUTO(json_auto) = NULL;
	if (str_empty(comment) || failed(json_parse(comment, strlen(comment), COMMENT_BYTES, &doc)))
		return own_strdup("");
	const struct json *root = json_root(doc), *ns = json_get(root, "namespace"),
			  *pod = json_get(root, "podName");
	if (!json_is_str(ns) || !json_is_str(pod) || json_count(root) != 2)
		return own_strdup("");
	struct str text = { 0 };
	str_addf(&text, "%s/%s", json_str(ns, ""), json_str(pod, ""));
	char *of_pod = own_strdup(str_text(&text));
	str_free(&text);
	return of_pod;
}

/*
 * The pod of this namespace that belongs to the node; NULL: none. Without a comment, it
 * may be the pod of the node's name.
 */
static const char *pod_in(struct slurm_link *l, struct node *n, const char *ns)
{
	size_t len = strlen(ns);
	if (str_empty(n->comment))
		return n->name;
	if (!n->of_pod) {
		n->of_pod = pod_of(n->comment);
		link_node_pay(l, n);
	}
	return strncmp(n->of_pod, ns, len) == 0 && n->of_pod[len] == '/' ? n->of_pod + len + 1
									 : NULL;
}

/* The plan has seen the node's pod in this round, so no lookup is needed. */
static bool has_kept_pod(const struct node *n, uint64_t round)
{
	return round && n->expected_in == round && !n->podless_since_ms;
}

/* Prefetches the next node: ten thousand nodes are spread over the memory. */
static void fetch_next(const struct node *n)
{
	const struct node *next = n->hh.next;
	__builtin_prefetch(next ? next->hh.next : NULL);
}

void slurm_link_each_record(struct slurm_link *l, const char *ns, uint64_t round,
	bool (*has_pod)(void *ctx, const char *node, const char *pod),
	void (*each)(void *ctx, const struct slurm_record *r), void *ctx)
{
	int64_t now = loop_now_ms(l->config.loop);
	for (struct node *n = l->nodes; n; n = n->hh.next) {
		const char *pod;
		fetch_next(n);
		if (n->known != YES || !(n->state & NODE_DRAIN) || has_kept_pod(n, round) ||
			!(pod = pod_in(l, n, ns)))
			continue;
		if (has_pod(ctx, n->name, pod)) {
			n->podless_since_ms = 0;
			continue;
		}
		if (!n->podless_since_ms)
			n->podless_since_ms = now;
		each(ctx, &(struct slurm_record){ n->name, pod, n->podless_since_ms });
	}
}
