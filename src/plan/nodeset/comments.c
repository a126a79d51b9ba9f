/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comment on a Slurm node that names its pod. The comment helps users, and makes
 * slurmctld save a dynamic node that it would otherwise forget in a crash. A comment of
 * another writer stays.
 */
#include <string.h>

#include "base/str.h"
#include "plan/nodeset/worksheet.h"

enum { COMMENT_BYTES = 4096 }; /* a longer one is not ours */

/* A comment of ours is {"namespace":..,"podName":..} without other members. */
static bool read_comment(struct arena *a, const char *comment, const char **ns, const char **pod)
{
	const struct json *root = str_empty(comment)
		? NULL
		: json_parse_in(a, comment, strlen(comment), COMMENT_BYTES);
	const struct json *n = json_get(root, "namespace"), *p = json_get(root, "podName");
	*ns = json_str(n, "");
	*pod = json_str(p, "");
	return json_is_str(n) && json_is_str(p) && json_count(root) == 2;
}

bool comment_names_another(struct arena *a, const char *comment, const char *ns, const char *pod)
{
	const char *its_ns, *its_pod;
	return read_comment(a, comment, &its_ns, &its_pod) &&
		!(str_eq(its_ns, ns) && str_eq(its_pod, pod));
}

const char *comment_pod(struct arena *a, const char *comment)
{
	const char *ns, *pod;
	return read_comment(a, comment, &ns, &pod) ? arena_printf(a, "%s/%s", ns, pod) : "";
}

bool comment_wanted(struct arena *a, const char *comment, const char *wanted, const char *ns,
	const char *pod)
{
	return str_empty(comment) ||
		(!str_eq(comment, wanted) && comment_names_another(a, comment, ns, pod));
}

/*
 * Kubernetes names need no escaping in JSON. The text is on the stack, because each plan
 * makes it for every healthy pod.
 */
struct comment {
	char text[400]; /* a namespace has at most 63 characters, a pod's name 253 */
};

static struct comment comment_of(const char *ns, const char *pod)
{
	struct comment c;
	const char *end = c.text + sizeof(c.text);
	char *at = str_put(c.text, end, "{\"namespace\":\"");
	at = str_put(at, end, ns);
	at = str_put(at, end, "\",\"podName\":\"");
	at = str_put(at, end, pod);
	str_put(at, end, "\"}");
	return c;
}

void step_comments(struct worksheet *w)
{
	size_t ordered = 0;
	for (size_t i = 0; i < w->n_pods && ordered < COMMENTS_PER_PLAN; i++) {
		const struct pod *p = &w->pods[i];
		/*
		 * Two pods with one node would overwrite each other's comment for ever.
		 */
		bool its_own = pod_node_known(w, p) == YES && p->at_its_address && !p->node->shared;
		/*
		 * After the end of the pod, only the comment shows which pod had the
		 * node.
		 */
		bool goes_now = p->leave != STAY && removal_permits(p->removal);
		if (!p->healthy || goes_now || p->node->in_flight || !its_own)
			continue;
		struct comment wanted = comment_of(w->set.ns, p->fact->name);
		if (!comment_wanted(w->arena, p->node->comment, wanted.text, w->set.ns,
			    p->fact->name))
			continue;
		const char **one = arena_array(w->arena, const char *, 1);
		one[0] = p->slurm_name;
		struct action *a = plan_add(w->out, DO(COMMENT, SLURM_NODE),
			arena_printf(w->arena, "Slurm node %s is to name its pod", p->slurm_name));
		a->ns = w->set.ns;
		a->name = w->set.cluster_name;
		a->nodes = one;
		a->n_nodes = 1;
		a->text = arena_strdup(w->arena, wanted.text);
		ordered++;
	}
	if (ordered == COMMENTS_PER_PLAN)
		plan_again(w->out, 100);
}
