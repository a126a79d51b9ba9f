/* SPDX-License-Identifier: Apache-2.0 */
/* Counts requests to slurmrestd. */
#include "slurm/rest/requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"

const double slurm_took_bounds[SLURM_TOOK_BOUNDS] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 30,
	120 };

/* The first row with the method and the beginning of the path matches. */
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

/* The last row matches every status. */
static const struct {
	int status;
	const char *name;
} codes[] = { { 200, "200" }, { 304, "304" }, { 400, "400" }, { 401, "401" }, { 403, "403" },
	{ 404, "404" }, { 429, "429" }, { 500, "500" }, { 502, "502" }, { 503, "503" },
	{ 504, "504" }, { 511, "511" }, { 0, "<error>" }, { -1, "other" } };
static_assert(LENGTH(codes) <= SLURM_CODES, "a column of the counts for each code");

/* The part after "/slurm/v0.0.42". */
static const char *behind_version(const char *path)
{
	const char *end = str_has_prefix(path, "/slurm/") ? strchr(path + 7, '/') : NULL;
	return end ? end : path;
}

size_t slurm_requests_route(const char *method, const char *path)
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
	size_t i = 0;
	while (i + 1 < LENGTH(codes) && codes[i].status != status)
		i++;
	return i;
}

void slurm_requests_add(struct slurm_requests *r, size_t route, int status, int64_t took_ms)
{
	double took_s = (double)took_ms / 1000;
	size_t i = 0;
	r->n[route][code_of(status)]++;
	while (i < SLURM_TOOK_BOUNDS && took_s > slurm_took_bounds[i])
		i++;
	r->took[i]++;
	r->took_s += took_s;
}

void slurm_requests_each(const struct slurm_requests *r,
	void (*each)(void *ctx, const struct slurm_request_count *c), void *ctx)
{
	for (size_t i = 0; i < LENGTH(routes); i++)
		for (size_t k = 0; k < LENGTH(codes); k++) {
			bool any = !*routes[i].method;
			struct slurm_request_count c = { any ? "other" : routes[i].method,
				routes[i].route, codes[k].name, r->n[i][k] };
			if (c.n)
				each(ctx, &c);
		}
}
