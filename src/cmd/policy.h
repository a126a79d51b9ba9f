/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writes to pods, claims and revisions that the manager's account may do. A role says
 * "pods"; this says which: those of a NodeSet. So a stolen token of that account creates
 * or deletes no pod of other owners.
 */
#ifndef CMD_POLICY_H
#define CMD_POLICY_H

#include "base/str.h"

struct rbac_config;

/*
 * Adds a ValidatingAdmissionPolicy and its binding, as YAML, for ServiceAccount
 * slurm-operator of own_ns.
 */
void policy_print(struct str *out, const char *own_ns, const struct rbac_config *config);

#endif
