/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "keys": makes the Secrets of a Slurm that are missing, in the namespace of
 * the service account or of the kubeconfig, and ends. The chart slurm runs it in a Job:
 * a template would draw other keys each time that it is rendered without a cluster.
 */
#ifndef CMD_KEYS_H
#define CMD_KEYS_H

struct options;
struct str;

struct keys_config {
	const char *make; /* JSON: plan/keys/keys.h says which */
};

/* The process's exit status: 0 when all Secrets are there with all their keys. */
int keys_command(const struct options *o, struct str *print);

#endif
