/* SPDX-License-Identifier: Apache-2.0 */
/* The command "rbac", and the rights that no kind has in its rows. */
#include "cmd/rbac.h"

#include "base/own.h"
#include "cmd/options.h"
#include "cmd/policy.h"
#include "engine/kind.h"
#include "kind/all.h"

/* Rules for every kind. */
static const struct rule common[] = {
	{ "", "events", "create, patch", "what was done and why" },
};

/* A Role cannot grant these. A manager of some namespaces only works without them. */
static const struct rule cluster_wide[] = {
	{ "", "nodes", "get, list",
		"the URL of results at the virtual node of a job, and what each node lacks for a job that fits no node" },
};

static const struct rule leader[] = {
	{ "coordination.k8s.io", "leases", "get, update, patch", "leader election", LEASE_NAME },
	/* RBAC cannot limit a creation to a name. */
	{ "coordination.k8s.io", "leases", "create", "to create it the first time" },
};

/* secrets: the names of --secrets; NULL: any. */
static void print_names(struct str *out, const struct rule *r, char *const *secrets)
{
	if (r->names)
		str_addf(out, "    resourceNames: [%s]\n", r->names);
	if (!secrets || !str_eq(r->resources, "secrets"))
		return;
	str_add(out, "    resourceNames: [");
	for (size_t i = 0; secrets[i]; i++)
		str_addf(out, "%s\"%s\"", i ? ", " : "", secrets[i]);
	str_add(out, "]\n");
}

static void print_rules(struct str *out, const struct rule *rules, size_t n, char *const *secrets)
{
	for (size_t i = 0; i < n; i++) {
		str_addf(out, "  # %s\n  - apiGroups: [\"%s\"]\n    resources: [%s]\n",
			rules[i].why, rules[i].group, rules[i].resources);
		print_names(out, &rules[i], secrets);
		str_addf(out, "    verbs: [%s]\n", rules[i].verbs);
	}
}

static void print_kinds(struct str *out, char *const *secrets)
{
	for (const struct kind *const *k = kinds_all; *k; k++)
		print_rules(out, (*k)->rules, (*k)->n_rules, secrets);
	print_rules(out, common, LENGTH(common), NULL);
}

static void print_head(struct str *out, const char *kind, const char *name, const char *ns)
{
	str_addf(out,
		"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\n",
		kind, name);
	if (ns)
		str_addf(out, "  namespace: %s\n", ns);
}

static void print_role(struct str *out, const char *kind, const char *ns, char *const *secrets)
{
	print_head(out, kind, "slurm-operator", ns);
	str_add(out, "rules:\n");
	print_kinds(out, secrets);
	if (!ns)
		print_rules(out, cluster_wide, LENGTH(cluster_wide), NULL);
}

static void print_leader_role(struct str *out, const char *ns)
{
	print_head(out, "Role", "slurm-operator-leader", ns);
	str_add(out, "rules:\n");
	print_rules(out, leader, LENGTH(leader), NULL);
}

static void print_binding_of(struct str *out, const char *kind, const char *role_kind,
	const char *name, const char *ns, const char *account, const char *own_ns)
{
	print_head(out, kind, name, ns);
	str_addf(out, "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s, name: %s}\n",
		role_kind, name);
	str_addf(out, "subjects:\n  - {kind: ServiceAccount, name: %s, namespace: %s}\n", account,
		own_ns);
}

static void print_binding(struct str *out, const char *kind, const char *role_kind,
	const char *name, const char *ns, const char *own_ns)
{
	print_binding_of(out, kind, role_kind, name, ns, "slurm-operator", own_ns);
}

static void print_all(struct str *out, const char *own_ns, const char *const *namespaces,
	const struct rbac_config *c)
{
	str_addf(out,
		"# Printed by \"slurm-operator rbac\" from the rules in src/kind. Do not edit.\n"
		"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: slurm-operator\n  "
		"namespace: %s\n",
		own_ns);
	print_leader_role(out, own_ns);
	print_binding(out, "RoleBinding", "Role", "slurm-operator-leader", own_ns, own_ns);
	if (!namespaces) {
		print_role(out, "ClusterRole", NULL, c->secrets);
		print_binding(out, "ClusterRoleBinding", "ClusterRole", "slurm-operator", NULL,
			own_ns);
	}
	for (size_t i = 0; namespaces && namespaces[i]; i++) {
		print_role(out, "Role", namespaces[i], c->secrets);
		print_binding(out, "RoleBinding", "Role", "slurm-operator", namespaces[i], own_ns);
	}
	policy_print(out, own_ns, c);
}

/* ---- the webhook ---- */

#define ADMISSION "admissionregistration.k8s.io"
#define CONFIGURATIONS "validatingwebhookconfigurations, mutatingwebhookconfigurations"

static void print_webhook(struct str *out, const struct options *o)
{
	const char *ns = o->webhook.ns ? o->webhook.ns : "slurm-operator";
	const struct rule of_all[] = {
		{ "slinky.slurm.net", "nodesets", "list, watch", "host names that two would give" },
		{ ADMISSION, CONFIGURATIONS, "get, patch", "their caBundle",
			o->webhook.configuration },
	};
	const struct rule own[] = {
		{ "", "secrets", "get, patch", "its CA and its certificate", o->webhook.secret },
		/* RBAC cannot limit a creation to a name. */
		{ "", "secrets", "create", "to create it the first time" },
	};
	str_addf(out,
		"# Printed by \"slurm-operator rbac --webhook\". Do not edit.\n"
		"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: " WEBHOOK_NAME
		"\n  namespace: %s\n",
		ns);
	print_head(out, "ClusterRole", WEBHOOK_NAME, NULL);
	str_add(out, "rules:\n");
	print_rules(out, of_all, LENGTH(of_all), NULL);
	print_binding_of(out, "ClusterRoleBinding", "ClusterRole", WEBHOOK_NAME, NULL, WEBHOOK_NAME,
		ns);
	print_head(out, "Role", WEBHOOK_NAME, ns);
	str_add(out, "rules:\n");
	print_rules(out, own, LENGTH(own), NULL);
	print_binding_of(out, "RoleBinding", "Role", WEBHOOK_NAME, ns, WEBHOOK_NAME, ns);
}

/* ---- virtual nodes ---- */

static const struct rule of_virtual_nodes[] = {
	{ "", "pods", "list, watch, delete",
		"the pods on its nodes, which it deletes when their jobs have ended" },
	{ "", "pods", "get",
		"the pod that requests the results of a job, or whose object is deleted" },
	{ "", "pods/status", "patch", "the state of their jobs" },
	{ "wlm.sylabs.io", "slurmjobs, wlmjobs", "get", "the script or the image of a job" },
	{ "slurm.sylabs.io", "slurmjobs", "get", "the script of a job of the older group" },
	{ "", "nodes", "get, list, watch, create, patch", "its nodes, one for each partition" },
	{ "", "nodes/status", "patch", "the conditions of its nodes" },
	{ "", "events", "create, patch", "what was done and why" },
	{ "authentication.k8s.io", "tokenreviews", "create",
		"the user that requests a log or results" },
	{ "authorization.k8s.io", "subjectaccessreviews", "create",
		"and whether this user may read it" },
};

static const struct rule of_node_leases[] = {
	{ "coordination.k8s.io", "leases", "create, patch", "the heartbeat of its nodes" },
};

static const struct rule of_virtual_node_leader[] = {
	{ "coordination.k8s.io", "leases", "get, create, update, patch", "leader election" },
};

static void print_role_of(struct str *out, const char *ns, const char *own_ns,
	const struct rule *rules, size_t n)
{
	const char *kind = ns ? "Role" : "ClusterRole";
	print_head(out, kind, VIRTUAL_NODE_NAME, ns);
	str_add(out, "rules:\n");
	print_rules(out, rules, n, NULL);
	print_binding_of(out, ns ? "RoleBinding" : "ClusterRoleBinding", kind, VIRTUAL_NODE_NAME,
		ns, VIRTUAL_NODE_NAME, own_ns);
}

static void print_virtual_node(struct str *out, const char *own_ns)
{
	str_addf(out,
		"# Printed by \"slurm-operator rbac --virtual-node\". Do not edit.\n"
		"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: " VIRTUAL_NODE_NAME
		"\n  namespace: %s\n",
		own_ns);
	print_role_of(out, NULL, own_ns, of_virtual_nodes, LENGTH(of_virtual_nodes));
	print_role_of(out, "kube-node-lease", own_ns, of_node_leases, LENGTH(of_node_leases));
	print_role_of(out, own_ns, own_ns, of_virtual_node_leader, LENGTH(of_virtual_node_leader));
}

int rbac_command(const struct options *o, struct str *print)
{
	const struct manager_config *c = &o->manager;
	if (o->rbac.webhook) {
		print_webhook(print, o);
		return 0;
	}
	if (o->rbac.virtual_node) {
		print_virtual_node(print,
			c->lease_namespace ? c->lease_namespace : "slurm-operator");
		return 0;
	}
	print_all(print, c->lease_namespace ? c->lease_namespace : "slurm-operator",
		(const char *const *)c->namespaces, &o->rbac);
	return 0;
}
