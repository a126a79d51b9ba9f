/* SPDX-License-Identifier: Apache-2.0 */
/* Counts requests to slurmrestd. */
#include "slurm/requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"

const double slurm_took_bounds[SLURM_TOOK_BOUNDS] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 30,
	120 };

/* The first row fits that has the method and the beginning of the path. */
static const struct {
	const char *method, *begins, *route;
} routes[] = {
	{ "GET", "/nodes", "/nodes/" },
	{ "POST", "/nodes", "/nodes/" },
	{ "GET", "/node/", "/node/{node}" },
	{ "POST", "/node/", "/node/{node}" },
	{ "DELETE", "/node/", "/node/{node}" },
	{ "GET", "/jobs/state", "/jobs/state/" },
	{ "GET", "/jobs", "/jobs/" },
	{ "GET", "/job/", "/job/{job}" },
	{ "GET", "/partitions", "/partitions/" },
	{ "GET", "/ping", "/ping/" },
	{ "GET", "/openapi", "/openapi/" },
	{ "GET", "", "other" },
	{ "", "", "other" },
};
static_assert(LENGTH(routes) <= SLURM_ROUTES, "a row of the counts for each route");

static const int codes[] = { 200, 304, 400, 401, 403, 404, 429, 500, 502, 503, 504, 511 };
static const char *const code_names[] = { "200", "304", "400", "401", "403", "404", "429", "500",
	"502", "503", "504", "511", "<error>", "other" };
enum { NO_ANSWER = LENGTH(codes), OTHER_CODE, N_CODES };
static_assert(LENGTH(code_names) == N_CODES, "each code has a name");
static_assert((int)N_CODES <= (int)SLURM_CODES, "a column of the counts for each code");

/* Behind "/slurm/v0.0.42". */
static const char *behind_version(const char *path)
{
	const char *end = str_has_prefix(path, "/slurm/") ? strchr(path + 7, '/') : NULL;
	return end ? end : path;
}

static size_t route_of(const char *method, const char *path)
{
	size_t i = 0;
	path = behind_version(path);
	while (i + 1 < LENGTH(routes) &&
		!(str_eq(routes[i].method, method) && str_has_prefix(path, routes[i].begins)))
		i++;
	return i;
}

static size_t code_of(int status)
{
	for (size_t i = 0; i < LENGTH(codes); i++)
		if (codes[i] == status)
			return i;
	return status ? OTHER_CODE : NO_ANSWER;
}

void slurm_requests_add(struct slurm_requests *r, const char *method, const char *path, int status,
	int64_t took_ms)
{
	double took_s = (double)took_ms / 1000;
	size_t i = 0;
	r->n[route_of(method, path)][code_of(status)]++;
	while (i < SLURM_TOOK_BOUNDS && took_s > slurm_took_bounds[i])
		i++;
	r->took[i]++;
	r->took_s += took_s;
}

void slurm_requests_each(const struct slurm_requests *r,
	void (*each)(void *ctx, const struct slurm_request_count *c), void *ctx)
{
	for (size_t i = 0; i < LENGTH(routes); i++)
		for (size_t k = 0; k < LENGTH(code_names); k++) {
			bool any = !*routes[i].method;
			struct slurm_request_count c = { any ? "other" : routes[i].method,
				routes[i].route, code_names[k], r->n[i][k] };
			if (c.n)
				each(ctx, &c);
		}
}
