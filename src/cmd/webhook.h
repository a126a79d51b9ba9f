/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The webhook's process: certificate, HTTPS server, health and metrics endpoints, clean
 * end.
 */
#ifndef CMD_WEBHOOK_H
#define CMD_WEBHOOK_H

#include <stdint.h>

/* The name of the Service, the webhook configurations and the ServiceAccount. */
#define WEBHOOK_NAME "slurm-operator-webhook"
#define WEBHOOK_SECRET "slurm-operator-webhook-ca"

struct options;
struct str;

struct webhook_config {
	const char *address;
	const char *cert_dir; /* has tls.crt and tls.key; NULL: makes its own CA */
	/* PEM of the authorities whose clients are answered; NULL: all clients are */
	const char *client_ca;
	const char *ns; /* NULL: the own namespace */
	const char *secret, *service, *configuration;
	int64_t overlap_s;
};

/* The command "webhook": runs until SIGTERM or SIGINT. Returns the exit status. */
int webhook_command(const struct options *o, struct str *print);

#endif
