/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the query of a request for a log. The API server makes this query from a
 * v1.PodLogOptions (kubectl logs). Pure.
 *
 *     tailLines=0..  limitBytes=1..  follow=true  stream=All|Stdout|Stderr
 *     sinceSeconds=1..  or  sinceTime=2026-01-02T03:04:05Z
 *
 * A flag is set by true, 1 or an empty value, and cleared by false or 0. Other names are
 * ignored.
 */
#ifndef KUBELET_QUERY_H
#define KUBELET_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct log_options {
	bool follow;
	bool standard_error; /* only standard error */
	int64_t tail_lines;  /* number of last lines; -1: all */
	int64_t limit_bytes; /* -1: none */
	int64_t since_s;     /* since 1970; -1: from the beginning */
	int64_t task;        /* number of one task of an array; -1: all (not from the query) */
};

/*
 * get returns the value of a name, "" when it has none, NULL when the name is absent.
 * ERR_INVALID: a wrong value, or an option that a file cannot support (previous,
 * timestamps).
 */
struct err log_options_read(const char *(*get)(const void *ctx, const char *name), const void *ctx,
	int64_t now_s, struct log_options *out);

#endif
