/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REST interface of the first generation's red-box: HTTP/1.1 on a unix socket of its
 * own. It shares the submitter, the journal, the folders and Slurm's tools with the gRPC
 * interface.
 *
 *     POST /sbatch {"command": SCRIPT}  submits the script; the body is the job id
 *     GET /sjob/ID                      the job, one JSON object
 *     GET /sjob/steps/ID                its steps, a JSON array
 *     GET /scancel/ID                   cancels it; OK also when the job has ended
 *     GET /open?path=P                  the file as it is
 *     GET /tail?path=P                  the file, and what is added to it, without an end
 *
 * 400: the request is wrong. 404: there is no such path, or no such file. 405: the method
 * is wrong. 500: it could not be done. Each error is one sentence and a newline, except
 * that of a missing file, which is empty. A user who may not connect gets 403, a client
 * with too many requests 503, and a body that is too long 413.
 *
 * Submissions:
 *
 *   - A request makes one job at most. 200 means: Slurm has the job of this id. After an
 *     error nothing was submitted, unless it says that this is unknown. A request that
 *     has not arrived completely submits nothing, and neither does one on a connection
 *     that red-box has closed.
 *   - The protocol has no client_id. A client that loses the answer cannot ask for the
 *     outcome of its request, and each repetition is a job of its own. red-box does not
 *     compare scripts: two equal scripts are two jobs, as with sbatch.
 *   - The header "Idempotency-Key: KEY" is the client_id of gRPC, in the same journal.
 *     All requests and calls with one key and one script, by REST or by gRPC, give one
 *     job and its id, also over a crash of red-box (submit.h). With this header 503
 *     means: send the same request again. 409 means that nothing was or will be
 *     submitted: the key belongs to another script, is closed, or the outcome of its job
 *     can never be known. Go's HTTP client repeats a POST with this header by itself when
 *     a connection breaks.
 *
 * An array or a heterogeneous job has one object here, of the task that rest_job_of
 * chooses.
 */
#ifndef REDBOX_REST_REST_H
#define REDBOX_REST_REST_H

#include "redbox/service.h"

enum {
	REST_BODY_BYTES = 8 << 20,    /* a script of 4 MiB, escaped as JSON */
	REST_BODIES_BYTES = 32 << 20, /* of all requests that have not arrived */
	REST_SMALL_BYTES = 64 << 10,
	REST_CONNECTIONS = 1000, /* at most; no more than a quarter of our descriptors */
	REST_REQUEST_MS = 30000, /* for a body to arrive, and for its answer to be read */
	/* For a head to arrive; Go's client keeps an idle connection for 90 s */
	REST_KEEP_MS = 120000,
};

struct rest;

struct rest_config {
	struct loop *loop;
	struct service *service; /* the caller owns it; outlives struct rest */
	const char *socket;      /* an absolute path, whose folder exists */
	gid_t group;             /* its members may open the socket; -1: ours */
	int max_connections;     /* 0: REST_CONNECTIONS */
};

/* The errors are those of http_server_new. */
struct err rest_new(const struct rest_config *config, struct rest **out);
/* Updates the metrics; call this before the metrics are written. Accepts NULL. */
void rest_measure(const struct rest *r);
/*
 * Closes each connection after its next answer. Breaks off tails, so that their clients
 * see that the end is missing. Accepts NULL.
 */
void rest_finish(struct rest *r);
/* Requests that have arrived, and whose answers are not sent yet. Accepts NULL. */
size_t rest_under_way(const struct rest *r);
/* Call this before the service is freed; accepts NULL. */
void rest_free(struct rest *r);

#endif
