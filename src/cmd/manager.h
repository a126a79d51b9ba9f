/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manager's process: configuration, leadership, health and metrics endpoints, clean
 * end.
 */
#ifndef CMD_MANAGER_H
#define CMD_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/job_results.h"

/* The name of the Lease; the roles say who may write it. */
#define LEASE_NAME "0033bda7.slinky.slurm.net"

struct options;
struct str;

struct manager_config {
	const char *kubeconfig, *context; /* NULL: see kube/config.h */
	char **namespaces;                /* NULL-terminated; NULL: all */
	char **allowed_servers;           /* the same; see struct server_rules */
	bool require_consent, allow_local_servers;
	int64_t slurm_memory_mib, objects_memory_mib; /* 0: the usual */
	int64_t measured_objects;                     /* 0: the usual */
	const char *probe_address, *metrics_address;  /* "0": none */
	const char *metrics_cert_path;                /* has tls.crt and tls.key; NULL: plain */
	bool leader_elect;
	bool jobs;                   /* SlurmJobs and WlmJobs are served, too */
	const char *lease_namespace; /* NULL: the own namespace */
	/* .image NULL: that of the environment; .volumes are those of below */
	struct job_options results;
	char **results_volumes; /* NULL-terminated; NULL: the usual */
};

/*
 * The command "manager": runs until SIGTERM or SIGINT, or until leadership is lost. The
 * process's exit status.
 */
int manager_command(const struct options *o, struct str *print);

#endif
