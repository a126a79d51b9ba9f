/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the manager's account may do to pods, claims and revisions. A role says "pods";
 * this says which: those of a NodeSet. So a token of that account that was stolen makes
 * or ends no pod of anybody else.
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
