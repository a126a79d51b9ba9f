/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the query of a request for a log: the one that the API server makes of a
 * v1.PodLogOptions (kubectl logs). Pure.
 *
 *     tailLines=0..  limitBytes=1..  follow=true  stream=All|Stdout|Stderr
 *     sinceSeconds=1..  or  sinceTime=2026-01-02T03:04:05Z
 *
 * A flag is true, 1 or empty, or false or 0. Other names are ignored.
 */
#ifndef KUBELET_QUERY_H
#define KUBELET_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct log_options {
	bool follow;
	bool standard_error; /* of it alone */
	int64_t tail_lines;  /* the last ones; -1: all */
	int64_t limit_bytes; /* -1: none */
	int64_t since_s;     /* since 1970; -1: from the beginning */
	int64_t task;        /* of an array, this one alone; -1: all (no part of the query) */
};

/*
 * get gives the value of a name, "" without one, NULL when it is absent. ERR_INVALID: a
 * wrong value, or something that no file of a job can give (previous, timestamps).
 */
struct err log_options_read(const char *(*get)(const void *ctx, const char *name), const void *ctx,
	int64_t now_s, struct log_options *out);

#endif
