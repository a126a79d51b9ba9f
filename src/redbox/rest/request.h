/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a request of the REST interface. Pure: the server has parsed HTTP before.
 */
#ifndef REDBOX_REST_REQUEST_H
#define REDBOX_REST_REQUEST_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum rest_what {
	REST_SBATCH,
	REST_SJOB,
	REST_STEPS,
	REST_SCANCEL,
	REST_OPEN,
	REST_TAIL,
	REST_WHATS
};

struct rest_route {
	enum rest_what what;
	int64_t job_id;    /* from 1 on, where the path has one; else 0 */
	const char *allow; /* with 405: the method that is right; a literal */
};

/* The name in the log and in the metrics: "sbatch". */
const char *rest_name(enum rest_what what);
/*
 * path: unescaped, without its query. Returns 200; or 400, 404, 405, and *why has one
 * sentence.
 */
int rest_route(const char *method, const char *path, struct rest_route *out, struct str *why);
/*
 * The script of a body {"command": SCRIPT}, for the caller to free. Other members are
 * left out; of several commands the last one counts. ERR_INVALID, and *script NULL.
 */
struct err rest_read_script(const char *body, size_t n, char **script);
/*
 * The client_id of an Idempotency-Key header, for the caller to free. It may stand in
 * double quotes. header NULL: *key is NULL, and no error. ERR_INVALID: it is no
 * client_id.
 */
struct err rest_read_key(const char *header, char **key);
/* The status of an answer to a request that failed. */
int rest_status(enum err_kind kind, bool has_key);

#endif
