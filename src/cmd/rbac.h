/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rights of the manager in the cluster, one row for each rule. ClusterRole, Roles and
 * the documentation are printed from these rows.
 */
#ifndef CMD_RBAC_H
#define CMD_RBAC_H

#include "base/str.h"

struct options;

struct rbac_config {
	char **secrets; /* NULL-terminated; NULL: any */
	/* Label of the namespaces in which the manager may write; NULL: all namespaces */
	const char *label_key, *label_value;
	bool webhook;      /* print the roles of the webhook instead */
	bool virtual_node; /* print the roles of virtual nodes instead */
};

/*
 * The command "rbac": prints YAML of the ServiceAccount, roles and bindings: a
 * ClusterRole, or with namespaces a Role in each of them. Then prints the admission
 * policy with the limits that roles cannot express (policy.c). Returns the process's exit
 * status.
 */
int rbac_command(const struct options *o, struct str *print);

#endif
