/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses of red-box as a client reads them (wlm.proto).
 *
 * Values are copied into the caller's arena. An absent text is "", never NULL. Bytes that
 * are not UTF-8 become "?". An absent time is SLURM_ABSENT.
 *
 * A response is refused (ERR_INVALID) if it is not a message of its kind, has more than
 * WLM_FIELDS_MOST fields (texts.h), or has a text with a NUL byte. A job without an id is
 * refused, too: COMPLETED is 0, which is not sent, so an empty job would look like a job
 * that has succeeded. A file is refused if its path could lead out of its target folder,
 * or if its size, time or mode is invalid.
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
	WLM_ANSWER_NAMES,     /* Partitions: may be empty */
	WLM_ANSWER_WORKLOAD,  /* WorkloadInfo */
	WLM_ANSWER_CHUNK,     /* OpenFile, TailFile, TailLines: one of several */
	WLM_ANSWER_FILE,      /* ListFiles: one of several; the last one ends the list */
	WLM_ANSWER_CHECKSUM,  /* FileChecksum */
	WLM_ANSWER_KINDS
};

/* A response; only the members of its kind are set. */
struct wlm_answer {
	int64_t job_id; /* above 0 */
	/*
	 * The original red-box sends no state. Its status gives COMPLETED, CANCELLED,
	 * FAILED, TIMEOUT or PENDING; any other number is RUNNING. It also sends no
	 * reason, restarts, end_s and key. Our red-box sends them if the request has a
	 * key
	 */
	const struct slurm_job_shown *jobs;
	size_t n_jobs;
	const char *key; /* key of the submission that created the jobs; "": not sent */
	struct wlm_resources resources;
	const char *const *names; /* never empty names */
	size_t n_names;
	/* the newline that the original red-box sends is removed */
	const char *workload, *version;
	int64_t uid;
	const void *content;
	size_t content_bytes;
	struct wlm_file file; /* path "": the list ends here */
	/* at the end of a list: number of links, sockets, ... that it lacks */
	int64_t left_out;
	struct wlm_checksum checksum;
};

/* Parses a response of this kind, as described above. */
struct err wlm_answer_read(enum wlm_answer_kind kind, const void *bytes, size_t n, struct arena *a,
	struct wlm_answer *out);

#endif
