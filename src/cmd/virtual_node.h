/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of the virtual nodes: red-boxes, leadership, health and metrics endpoints,
 * clean end.
 */
#ifndef CMD_VIRTUAL_NODE_H
#define CMD_VIRTUAL_NODE_H

/* Name of the ServiceAccount; the Lease has it before the names of the Slurms. */
#define VIRTUAL_NODE_NAME "slurm-virtual-node"

#include <stdbool.h>

#include "base/err.h"

struct options;
struct str;

struct virtual_node_config {
	/* "NAME=/path/of/socket" or "NAME=HOST:PORT", NULL-terminated */
	char **red_boxes;
	char **account_boxes; /* "NAME/ACCOUNT=WHERE"; NULL: none */
	char **accounts;      /* "NAME/NAMESPACE=ACCOUNT"; NULL: none */
	bool require_account;
	const char *red_box_cert_dir;    /* has tls.crt, tls.key, ca.crt; for HOST:PORT */
	const char *red_box_server_name; /* NULL: each HOST */
	char **partitions;               /* NULL-terminated; NULL: all */
	const char *node_address;        /* NULL: $POD_IP */
	const char *kubelet_address;     /* "0": no kubelet API */
	const char *kubelet_cert_dir;    /* has tls.crt and tls.key; NULL: makes its own pair */
	const char *kubelet_client_ca;   /* a file; NULL: only tokens count */
};

/* ERR_INVALID: the options do not fit together. */
struct err virtual_node_check(const struct virtual_node_config *c);
/* The command "virtual-node": runs until SIGTERM or SIGINT. Returns the exit status. */
int virtual_node_command(const struct options *o, struct str *print);

#endif
