/* SPDX-License-Identifier: Apache-2.0 */
/* A call with one request and one response; for jobs.c and jobs_by_key.c only. */
#ifndef REDBOX_JOBS_JOBS_PARTS_H
#define REDBOX_JOBS_JOBS_PARTS_H

#include "redbox/service_parts.h"

/* A call that has not ended. */
struct asked {
	struct service *service;
	struct grpc_call *call;
	const char *method;
	struct wlm_request request;
	struct slurm_tools_call *tool;
	struct submit_wait *wait;
	struct status_cache_wait *shown;
	/* the id that the client sent with the key; 0: none */
	int64_t known_id;
	struct journal_entry known;       /* the journal's entry of the key */
	enum submission_doubt doubt;      /* why the noted id may belong to another job now */
	struct submit_told told;          /* the result of the lookup of the key's job */
	bool looked;                      /* Slurm was searched for the key's job */
	void (*goes_on)(struct asked *a); /* called after that, with request.job_id set */
};

/* Reads the request of a call. NULL: it was not valid, and the call has ended. */
struct asked *asked_begin(struct service *s, struct grpc_call *c, const char *method,
	enum wlm_request_kind kind, const void *bytes, size_t n);
/* Ends the call with the error, and adds the job id to its text if there is one. */
void asked_fail(struct asked *a, struct err e);
/*
 * Call this with the result of a tool. false: it failed, and the call has ended with e.
 */
bool asked_heard(struct asked *a, struct err e);
void asked_answer(struct asked *a, const struct str *message);

#endif
