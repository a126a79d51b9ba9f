/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "keys": makes the missing Secrets of a Slurm, in the namespace of the
 * service account or of the kubeconfig, and ends. The chart slurm runs it in a Job,
 * because a template makes new keys each time it is rendered without a cluster.
 */
#ifndef CMD_KEYS_H
#define CMD_KEYS_H

struct options;
struct str;

struct keys_config {
	const char *make; /* JSON, see plan/keys/keys.h */
};

/* Returns the process's exit status: 0 if all Secrets exist with all their keys. */
int keys_command(const struct options *o, struct str *print);

#endif
