/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The admission policy that limits the writes of the manager's account to pods, claims,
 * revisions and Secrets. A role can only permit all pods; the policy permits those of
 * NodeSets and jobs. So a stolen token of that account cannot create or delete pods of
 * other owners.
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
