/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many requests a client has sent to slurmrestd, by their route and the code of the
 * answer, and how long these took. The owner of the client keeps the counts, which
 * outlive it. Routes and codes are rows of tables, so a server that answers anything
 * makes no more of them.
 */
#ifndef SLURM_REST_REQUESTS_H
#define SLURM_REST_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

enum {
	SLURM_ROUTES = 16, /* at most */
	SLURM_CODES = 16,
	SLURM_TOOK_BOUNDS = 10,
};

struct slurm_requests {
	uint64_t n[SLURM_ROUTES][SLURM_CODES];
	uint64_t took[SLURM_TOOK_BOUNDS + 1]; /* by slurm_took_bounds, and the longer ones */
	double took_s;                        /* together */
};

/* Upper ends of the buckets, in seconds. */
extern const double slurm_took_bounds[SLURM_TOOK_BOUNDS];

/* The row of a request, for slurm_requests_add. Its path may have a version before it. */
size_t slurm_requests_route(const char *method, const char *path);
/* Counts one. status 0: no answer. */
void slurm_requests_add(struct slurm_requests *r, size_t route, int status, int64_t took_ms);

/* A cell of the table that is not 0. code: "200", "other", "<error>" for no answer. */
struct slurm_request_count {
	const char *method, *route, *code;
	uint64_t n;
};
void slurm_requests_each(const struct slurm_requests *r,
	void (*each)(void *ctx, const struct slurm_request_count *c), void *ctx);

#endif
