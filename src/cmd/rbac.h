/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the manager may do in the cluster: one row for each rule, from which ClusterRole,
 * Roles and the documentation are printed.
 */
#ifndef CMD_RBAC_H
#define CMD_RBAC_H

#include "base/str.h"

/*
 * YAML of the ServiceAccount, roles and bindings. namespaces NULL: cluster scope;
 * otherwise a Role in each of them. own_ns: where the manager runs.
 */
void rbac_print(struct str *out, const char *own_ns, const char *const *namespaces);

#endif
