/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of red-box as a client reads them (wlm.proto).
 *
 * Values are copied into the caller's arena. An absent text is "", never NULL, and bytes
 * that are no UTF-8 are "?"; an absent time is SLURM_ABSENT.
 *
 * An answer is refused (ERR_INVALID) when it is no such message, when it has more than
 * WLM_FIELDS_MOST fields (texts.h), when a text in it holds a NUL byte, and when a job
 * has no id: COMPLETED is 0, which is not sent, so that an empty job would look like a
 * job that has succeeded. A file is refused when its path
 * could lead out of its target folder, and when its size, time or mode is invalid.
 */
#ifndef WLM_ANSWER_H
#define WLM_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "wlm/wlm.h"

enum wlm_answer_kind {
	WLM_ANSWER_EMPTY,     /* CancelJob, CreateFile, CloseSubmission */
	WLM_ANSWER_JOB_ID,    /* SubmitJob, SubmitJobContainer */
	WLM_ANSWER_JOBS,      /* JobInfo: at least one; the first job of an array is its root */
	WLM_ANSWER_RESOURCES, /* Resources */
	WLM_ANSWER_NAMES,     /* Partitions: may be none */
	WLM_ANSWER_WORKLOAD,  /* WorkloadInfo */
	WLM_ANSWER_CHUNK,     /* OpenFile, TailFile, TailLines: one of several */
	WLM_ANSWER_FILE,      /* ListFiles: one of several; the last one ends the list */
	WLM_ANSWER_CHECKSUM,  /* FileChecksum */
	WLM_ANSWER_KINDS
};

/* An answer; only the members of its kind are set. */
struct wlm_answer {
	int64_t job_id; /* above 0 */
	/*
	 * The original red-box sends no state: it is COMPLETED, CANCELLED, FAILED,
	 * TIMEOUT or PENDING by its number, else RUNNING. Nor does it send reason,
	 * restarts, end_s and the key; red-box does in answers to requests with a key
	 */
	const struct slurm_job_shown *jobs;
	size_t n_jobs;
	const char *key; /* of the submission that created the jobs; "": not sent */
	struct wlm_resources resources;
	const char *const *names; /* without empty ones */
	size_t n_names;
	const char *workload, *version; /* without the newline that the original sends */
	int64_t uid;
	const void *content;
	size_t content_bytes;
	struct wlm_file file; /* path "": this ends the list */
	int64_t left_out;     /* then: the number of links, sockets, ... that are not in it */
	struct wlm_checksum checksum;
};

/* Parses an answer of this kind, as described above. */
struct err wlm_answer_read(enum wlm_answer_kind kind, const void *bytes, size_t n, struct arena *a,
	struct wlm_answer *out);

#endif
