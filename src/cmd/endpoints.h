/* SPDX-License-Identifier: Apache-2.0 */
/* The probes and metrics of each of our processes. Also returns free memory. */
#ifndef CMD_ENDPOINTS_H
#define CMD_ENDPOINTS_H

#include "base/err.h"
#include "net/server.h"

/* Texts outlive it. */
struct endpoints_config {
	struct loop *loop;
	const char *probe_address, *metrics_address; /* "0": none */
	const char *metrics_cert_path;               /* has tls.crt and tls.key; NULL: plain */
	/*
	 * "" when it is ready. Every client may ask, so only the log says what is wrong
	 */
	const char *(*why_not_ready)(void *ctx);
	void (*measure)(void *ctx); /* before metrics are told; may be NULL */
	/* Answers /metrics instead of the registry of metrics; may be NULL */
	http_handler *page;
	void *ctx;
};

struct endpoints {
	struct endpoints_config config;
	struct http_server *probes, *metrics;
	struct timer *trim_timer;
};

/* Zeroed before. After an error, too, endpoints_close is the end of it. */
struct err endpoints_open(struct endpoints *e, const struct endpoints_config *config);
void endpoints_close(struct endpoints *e);

/* Before anything is allocated: a burst leaves little with the process. */
void endpoints_tune_memory(void);

#endif
