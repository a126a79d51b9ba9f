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

/* The name of the Lease; the roles name it too. */
#define LEASE_NAME "0033bda7.slinky.slurm.net"

struct options;
struct str;

struct manager_config {
	const char *kubeconfig, *context; /* NULL: see kube/config.h */
	char **namespaces;                /* NULL-terminated; NULL: all */
	char **allowed_servers;           /* likewise; see struct server_rules */
	bool require_consent, allow_local_servers;
	int64_t slurm_memory_mib, objects_memory_mib; /* 0: the default */
	int64_t measured_objects;                     /* 0: the default */
	const char *probe_address, *metrics_address;  /* "0": none */
	const char *metrics_cert_path;                /* has tls.crt and tls.key; NULL: no TLS */
	bool leader_elect;
	bool jobs;                   /* also handle SlurmJobs and WlmJobs */
	const char *lease_namespace; /* NULL: the own namespace */
	/* .image NULL: that of the environment; .volumes: see results_volumes */
	struct job_options results;
	char **results_volumes; /* NULL-terminated; NULL: the default */
};

/*
 * The command "manager": runs until SIGTERM or SIGINT, or until it loses leadership.
 * Returns the process's exit status.
 */
int manager_command(const struct options *o, struct str *print);

#endif
