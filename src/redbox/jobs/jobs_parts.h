/* SPDX-License-Identifier: Apache-2.0 */
/* A call with one request and one answer; for jobs.c and jobs_by_key.c only. */
#ifndef REDBOX_JOBS_JOBS_PARTS_H
#define REDBOX_JOBS_JOBS_PARTS_H

#include "redbox/service_parts.h"

/* A call, until it is over. */
struct asked {
	struct service *service;
	struct grpc_call *call;
	const char *method;
	struct wlm_request request;
	struct slurm_tools_call *tool;
	struct submit_wait *wait;
	struct status_cache_wait *shown;
	int64_t known_id;            /* the job that the client has been told for it; 0: none */
	struct journal_entry known;  /* of the key, as far as the journal says */
	enum submission_doubt doubt; /* whether the number that it has is still its own */
	struct submit_told told;     /* which job the key has, once that was asked */
	bool looked;                 /* which job the key has: Slurm has been asked */
	void (*goes_on)(struct asked *a); /* then, with request.job_id */
};

/* A call that has its request; NULL: it has been ended. */
struct asked *asked_begin(struct service *s, struct grpc_call *c, const char *method,
	enum wlm_request_kind kind, const void *bytes, size_t n);
/* The call ends; with the number of its job, if it has one. */
void asked_fail(struct asked *a, struct err e);
/* An answer of Slurm has come. False: it failed, and the call has ended with e. */
bool asked_heard(struct asked *a, struct err e);
void asked_answer(struct asked *a, const struct str *message);

#endif
