/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log, and the reading of its file; for log.c and log_read.c only.
 *
 * The head of the answer is sent with the first bytes, or when the file is known to be
 * empty. An error before that gets its own status: 400, 403 or 500, because "kubectl
 * logs" shows the sentence only with these. For other statuses the API server passes on
 * only the number.
 */
#ifndef KUBELET_LOG_PARTS_H
#define KUBELET_LOG_PARTS_H

#include "kubelet/parts.h"
#include "kubelet/relay.h"
#include "kubelet/slice.h"
#include "kubelet/tasks.h"

/* The current call of red-box. */
enum reading {
	READS_FORWARDS, /* from the beginning of the file */
	READS_LAST_LINES,
	COUNTS_LINES, /* counts all lines, for an old red-box that only reads forwards */
};

struct log {
	struct log *prev, *next; /* utlist */
	struct kubelet *k;
	struct relay relay;
	struct log_options options;
	char *ns, *pod, *uid, *node, *who;
	bool by_token;
	struct quota *place; /* its place in the quota of the pod's namespace */
	int64_t job_id;
	struct grpc_client *red_box;
	char *path;          /* of the file; at first the path recorded in the pod, or "" */
	int64_t start_s;     /* start of the job */
	struct timer *timer; /* next check of the job */
	struct timer *first; /* timeout for the first bytes */
	enum reading reading;
	struct slice_count counted;
	struct slice slice;
	struct task_files tasks; /* of an array whose tasks have separate files */
	struct arena tasks_of;
	size_t next_task; /* index of the task whose file is read next */
};

/* Frees the log and cancels its call. The caller ends the exchange. */
void log_free(struct log *l);
/*
 * Ends the log with this sentence. If the status 200 has been sent, the sentence is
 * appended to the log, because clients show no other text.
 */
void log_fail(struct log *l, int status, const char *sentence);
void log_fail_with(struct log *l, struct err e);
/* Ends a complete log. */
void log_finish(struct log *l);
/* The caller of a red-box call for this log. */
struct wlm_caller log_caller(struct log *l, int64_t timeout_ms,
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer));
/* Read l->path, or the files of l->tasks one after the other, and end the log. */
void log_read_file(struct log *l);
void log_read_tasks(struct log *l);

#endif
