/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slurmrestd that a test plays, under a fake clock: each request, in order, with what a
 * real one answered (tests/unit/recorded), with something made up, or with an error. A
 * request that is not the one expected fails the test.
 *
 *     struct fake_slurmrestd *f = fake_slurmrestd_new();
 *     struct slurm *s = rest_client(f);
 *     slurm_nodes(s, ...);
 *     rest_negotiates(f);
 *     rest_replays(f, "GET /slurm/v0.0.42/nodes/", "24.11/v0.0.42/nodes");
 *     ...
 *     slurm_free(s);
 *     fake_slurmrestd_free(f);
 *
 * Recorded answers: the status on the first line, the body behind it, cut to what
 * matters.
 */
#ifndef TESTS_LIB_FAKE_SLURMRESTD_H
#define TESTS_LIB_FAKE_SLURMRESTD_H

#include "lib/fake_http.h"
#include "lib/sim_loop.h"
#include "lib/test.h"

#include "slurm/rest/client.h"

#define FAKE_TOKEN "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

struct fake_slurmrestd {
	struct fake_http http;
	struct sim_loop loop;
	const char *last_body, *last_token; /* of the request that ended last; NULL: none */
};

struct fake_slurmrestd *fake_slurmrestd_new(void);
/* Nothing may be left: no request, no timer */
void fake_slurmrestd_free(struct fake_slurmrestd *f);
struct slurm *rest_client(struct fake_slurmrestd *f); /* with FAKE_TOKEN */

/* ---- which request ---- */

size_t rest_waiting(struct fake_slurmrestd *f);           /* how many */
struct http_call *rest_oldest(struct fake_slurmrestd *f); /* of them; NULL: none waits */

/* ---- how the oldest one ends, which is this line: "GET /slurm/v0.0.42/ping/" ---- */

/* The request came 5 ms ago */
void rest_answers(struct fake_slurmrestd *f, const char *line, int status, const char *body);
void rest_replays(struct fake_slurmrestd *f, const char *line, const char *recorded);
void rest_fails(struct fake_slurmrestd *f, const char *line, struct err e);
/* The question for versions, as 24.11: it speaks v0.0.42 */
void rest_negotiates(struct fake_slurmrestd *f);
/* The question for rights: the token's user may change nodes */
void rest_grants_rights(struct fake_slurmrestd *f, const char *version);

/* A file below tests/unit/recorded; the caller frees. */
char *recorded_answer(const char *name, int *status);

#endif
