/* SPDX-License-Identifier: Apache-2.0 */
/* The probes and metrics of each of our processes. Also gives free memory back. */
#ifndef CMD_ENDPOINTS_H
#define CMD_ENDPOINTS_H

#include "base/err.h"
#include "net/server.h"

/* The texts must outlive the endpoints. */
struct endpoints_config {
	struct loop *loop;
	const char *probe_address, *metrics_address; /* "0": none */
	const char *metrics_cert_path;               /* has tls.crt and tls.key; NULL: plain */
	/*
	 * "" when the process is ready. Every client may read the answer, so the details
	 * are only in the log
	 */
	const char *(*why_not_ready)(void *ctx);
	void (*measure)(void *ctx); /* called before a scrape; may be NULL */
	/* Answers /metrics in place of the registry of metrics; may be NULL */
	http_handler *page;
	void *ctx;
};

struct endpoints {
	struct endpoints_config config;
	struct http_server *probes, *metrics;
	struct timer *trim_timer;
};

/* e must be zeroed. Call endpoints_close at the end, also after an error. */
struct err endpoints_open(struct endpoints *e, const struct endpoints_config *config);
void endpoints_close(struct endpoints *e);

/* Makes malloc return memory after a burst; call it before the first allocation. */
void endpoints_tune_memory(void);

#endif
