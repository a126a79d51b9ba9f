/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of red-box, a YAML file. Each key of the file is the name of a
 * partition. The key "red-box" has the settings of the program itself.
 *
 *     red-box:
 *       folders: [/home/slurm-bridge, /scratch/bridge]
 *     debug:
 *       nodes: 2
 *       wall_time: 10h
 *
 * The reader is strict: an unknown key or value is an error with its line number. All
 * errors are reported at once.
 */
#ifndef REDBOX_CONFIG_H
#define REDBOX_CONFIG_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/str.h"
#include "wlm/wlm.h"

enum { REDBOX_CONFIG_BYTES = 1 << 20 };

struct redbox_partition {
	const char *name;
	bool auto_nodes, auto_cpu_per_node, auto_mem_per_node, auto_wall_time;
	int64_t nodes, cpu_per_node, mem_per_node_mb, wall_time_s; /* 0: Slurm's limit */
	const struct wlm_feature *features;
	size_t n_features;
};

struct redbox_texts {
	const char **rows;
	size_t n;
};

/* Clients by TCP. Either all members are set or none (tcp.h). */
struct redbox_tcp {
	const char *address; /* NULL: none */
	const char *cert_file, *key_file, *client_ca_file;
	struct redbox_texts clients; /* names of certificates */
};

struct redbox_config {
	struct arena arena; /* owns all members */
	const struct redbox_partition *partitions;
	size_t n_partitions;
	/* that clients may use; none: the home of the account */
	struct redbox_texts folders;
	const char *state_folder;      /* NULL: /var/lib/red-box */
	const char *slurm_folder;      /* has sbatch, scontrol, ...; NULL: the PATH */
	const char *socket_group;      /* NULL: that of the account */
	const char *container_command; /* run on compute nodes; NULL: CONTAINER_COMMAND */
	/*
	 * Users and groups that may connect; both empty: everyone who may open the socket
	 */
	struct redbox_texts allow_users, allow_groups;
	const char *metrics_address;   /* address of /metrics; NULL: none */
	const char *metrics_cert_path; /* folder with tls.crt and tls.key; NULL: no TLS */
	struct redbox_tcp tcp;
};

/*
 * Free *out in any case. faults and warnings: a line for each, "FILE:12: ...". *out is
 * valid only if there are no faults.
 */
void redbox_config_read(const char *file, const char *text, size_t n, struct redbox_config *out,
	struct str *faults, struct str *warnings);
void redbox_config_free(struct redbox_config *c);
/*
 * The resources of a partition for clients: Slurm's limits, replaced by those of the
 * file.
 */
struct wlm_resources redbox_config_resources(const struct redbox_config *c,
	const struct slurm_partition_shown *shown);

#endif
