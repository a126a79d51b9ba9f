/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rights of the manager in the cluster: one row for each rule, from which
 * ClusterRole, Roles and the documentation are printed.
 */
#ifndef CMD_RBAC_H
#define CMD_RBAC_H

#include "base/str.h"

struct options;

struct rbac_config {
	char **secrets; /* NULL-terminated; NULL: any */
	/* Label of the namespaces in which the manager may write; NULL: in all */
	const char *label_key, *label_value;
	bool webhook;      /* the roles of the webhook instead */
	bool virtual_node; /* those of virtual nodes instead */
};

/*
 * The command "rbac": YAML of the ServiceAccount, roles and bindings. Without namespaces
 * cluster scope, otherwise a Role in each of them. Behind them a policy of admission says
 * what roles cannot (policy.c). The process's exit status.
 */
int rbac_command(const struct options *o, struct str *print);

#endif
