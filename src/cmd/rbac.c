/* SPDX-License-Identifier: Apache-2.0 */
/* The rights that the manager needs, one row each, and "rbac" that prints them. */
#include "cmd/rbac.h"

#include "base/own.h"

enum where { WATCHED, OWN_NAMESPACE };

static const struct rule {
	enum where where;
	const char *group, *resources, *verbs, *why;
} rules[] = {
	{ WATCHED, "slinky.slurm.net", "clusters, nodesets", "get, list, watch, patch",
		"what was asked for, and its finalizers" },
	{ WATCHED, "slinky.slurm.net", "clusters/status, nodesets/status", "patch",
		"what became of it" },
	{ WATCHED, "slinky.slurm.net", "clusters/finalizers, nodesets/finalizers", "update",
		"owner references that block deletion (OwnerReferencesPermissionEnforcement)" },
	{ WATCHED, "", "namespaces", "get",
		"the uid of a namespace of NodeSets: it is the second owner of the pods in it" },
	{ WATCHED, "", "pods", "get, list, watch, create, patch, delete", "the nodes" },
	{ WATCHED, "", "persistentvolumeclaims", "get, list, watch, create, patch",
		"their volumes; deletion is the garbage collector's" },
	{ WATCHED, "apps", "controllerrevisions", "get, list, watch, create, patch, delete",
		"the history of templates" },
	{ WATCHED, "", "secrets", "get", "the token of a Cluster, by its name; never listed" },
	{ WATCHED, "", "events", "create, patch", "what was done and why" },
	{ OWN_NAMESPACE, "coordination.k8s.io", "leases", "get, create, update, patch",
		"leader election" },
};

static void print_role(struct str *out, enum where where, const char *kind, const char *name,
	const char *ns)
{
	str_addf(out,
		"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\n",
		kind, name);
	if (ns)
		str_addf(out, "  namespace: %s\n", ns);
	str_add(out, "rules:\n");
	for (size_t i = 0; i < LENGTH(rules); i++)
		if (rules[i].where == where)
			str_addf(out,
				"  # %s\n  - apiGroups: [\"%s\"]\n    resources: [%s]\n    verbs: "
				"[%s]\n",
				rules[i].why, rules[i].group, rules[i].resources, rules[i].verbs);
}

static void print_binding(struct str *out, const char *kind, const char *role_kind,
	const char *name, const char *ns, const char *own_ns)
{
	str_addf(out,
		"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\n",
		kind, name);
	if (ns)
		str_addf(out, "  namespace: %s\n", ns);
	str_addf(out, "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s, name: %s}\n",
		role_kind, name);
	str_addf(out,
		"subjects:\n  - {kind: ServiceAccount, name: slurm-operator, namespace: %s}\n",
		own_ns);
}

void rbac_print(struct str *out, const char *own_ns, const char *const *namespaces)
{
	str_addf(out,
		"# Printed by \"slurm-operator rbac\" from the rows in src/cmd/rbac.c. Do not "
		"edit.\n"
		"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: slurm-operator\n  "
		"namespace: %s\n",
		own_ns);
	print_role(out, OWN_NAMESPACE, "Role", "slurm-operator-leader", own_ns);
	print_binding(out, "RoleBinding", "Role", "slurm-operator-leader", own_ns, own_ns);
	if (!namespaces) {
		print_role(out, WATCHED, "ClusterRole", "slurm-operator", NULL);
		print_binding(out, "ClusterRoleBinding", "ClusterRole", "slurm-operator", NULL,
			own_ns);
	}
	for (size_t i = 0; namespaces && namespaces[i]; i++) {
		print_role(out, WATCHED, "Role", "slurm-operator", namespaces[i]);
		print_binding(out, "RoleBinding", "Role", "slurm-operator", namespaces[i], own_ns);
	}
}
