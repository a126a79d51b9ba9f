/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the requests that a client has sent to slurmrestd, by route and status code, and
 * their durations. The caller owns the counts, which outlive the client. Routes and codes
 * are fixed tables, so no server can add a row.
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
	uint64_t took[SLURM_TOOK_BOUNDS + 1]; /* by slurm_took_bounds; the last: longer */
	double took_s;                        /* the sum of all */
};

/* Upper ends of the buckets, in seconds. */
extern const double slurm_took_bounds[SLURM_TOOK_BOUNDS];

/* The row of a request, for slurm_requests_add. The path may begin with a version. */
size_t slurm_requests_route(const char *method, const char *path);
/* Counts a request. status 0: no response. */
void slurm_requests_add(struct slurm_requests *r, size_t route, int status, int64_t took_ms);

/* A count that is not 0. code: "200", "other", or "<error>" for no response. */
struct slurm_request_count {
	const char *method, *route, *code;
	uint64_t n;
};
void slurm_requests_each(const struct slurm_requests *r,
	void (*each)(void *ctx, const struct slurm_request_count *c), void *ctx);

#endif
