/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the manager may do in the cluster: one row for each rule, from which ClusterRole,
 * Roles and the documentation are printed.
 */
#ifndef CMD_RBAC_H
#define CMD_RBAC_H

#include "base/str.h"

struct options;

/*
 * The command "rbac": YAML of the ServiceAccount, roles and bindings. Without namespaces
 * cluster scope, otherwise a Role in each of them. The process's exit status.
 */
int rbac_command(const struct options *o, struct str *print);

#endif
