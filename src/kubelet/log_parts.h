/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log, and how its file is read; for log.c and log_read.c only.
 *
 * The head of the answer goes out with the first bytes, or when the file is known to be
 * empty: until then an error still has a status of its own. The status is 400, 403 or
 * 500: "kubectl logs" shows the sentence with these; of others the API server passes on
 * the number only.
 */
#ifndef KUBELET_LOG_PARTS_H
#define KUBELET_LOG_PARTS_H

#include "kubelet/parts.h"
#include "kubelet/relay.h"
#include "kubelet/slice.h"
#include "kubelet/tasks.h"

/* The call of red-box that reads the file. */
enum reading {
	READS_FORWARDS, /* from its beginning */
	READS_LAST_LINES,
	COUNTS_LINES, /* all of them, for a red-box that only reads forwards */
};

struct log {
	struct log *prev, *next; /* utlist */
	struct kubelet *k;
	struct relay relay;
	struct log_options options;
	char *ns, *pod, *uid, *node, *who;
	bool by_token;
	struct quota *place; /* of the namespace of the pod */
	int64_t job_id;
	struct grpc_client *red_box;
	char *path;          /* of the file; at first the one that the pod has, or "" */
	int64_t start_s;     /* the same */
	struct timer *timer; /* to look at the job */
	struct timer *first; /* until something has come */
	enum reading reading;
	struct slice_count counted;
	struct slice slice;
	struct task_files tasks; /* of an array whose tasks have files of their own */
	struct arena tasks_of;
	size_t next_task; /* of them, whose file is read when the one that is read has ended */
};

/* Cancels its call. Its exchange has ended, or is ended next. */
void log_free(struct log *l);
/*
 * The log ends with this sentence. After a status 200 it goes into the log: nothing else
 * is shown.
 */
void log_fail(struct log *l, int status, const char *sentence);
void log_fail_with(struct log *l, struct err e);
/* The log ends, and is whole. */
void log_finish(struct log *l);
/* For a call of red-box about this log. */
struct wlm_caller log_caller(struct log *l, int64_t timeout_ms,
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer));
/* Reads l->path, or the files of l->tasks one after the other, and ends the log. */
void log_read_file(struct log *l);
void log_read_tasks(struct log *l);

#endif
