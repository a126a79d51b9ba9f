/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the kubelet API; for the files of this folder only, and the folders below
 * it.
 *
 *     kubelet.c            requests and their paths
 *     gate.c               authentication and authorization
 *     log.c                the log of a job: chooses its file
 *     log_read.c           copies the file from red-box to its reader
 *     tasks.c              the files of the tasks of an array
 *     pods.c               lists of pods, and the start times of their jobs
 *     transfer/request.c   results and inputs of jobs, for the pods that copy them
 */
#ifndef KUBELET_PARTS_H
#define KUBELET_PARTS_H

#include "base/budget.h"
#include "base/str.h"
#include "kubelet/kubelet.h"
#include "kubelet/gate.h"
#include "kubelet/query.h"
#include "net/server.h"

struct transfer;
struct inputs_file;
struct log;
struct cache;
struct api_request;

enum { MOST_LOGS = 64 };

struct kubelet {
	struct kubelet_config config; /* its file names are valid only in kubelet_new */
	struct http_server *server;
	struct gate *gate;
	struct api_request *api_requests; /* requests that wait for authorization */
	struct log *logs;                 /* logs being read */
	struct transfer *transfers;       /* transfer/request.h */
	struct inputs_file *inputs_files;
	/* Limits; a namespace may use half of what other namespaces leave free */
	struct budget log_places, transfer_places, list_places, inputs_places;
	struct cache *results; /* files that the objects of jobs name, by job and client pod */
};

#define KUBELET_TEXT "text/plain; charset=utf-8"

/* The error for a kubelet_pod without a red_box. */
#define KUBELET_NO_RED_BOX \
	"no red-box is known for the account of the job: the account is not recorded in the pod yet, or its red-box is not configured here"

/* Answers with a sentence and a line end. */
static inline void kubelet_say(struct exchange *x, int status, const char *sentence)
{
	struct str body = { 0 };
	str_addf(&body, "%s\n", sentence);
	exchange_reply(x, status, KUBELET_TEXT, &body);
}

/* Answers an authorized exchange with the log of this pod, if red-box has one. */
void log_start(struct kubelet *k, struct exchange *x, const struct kubelet_pod *p,
	const struct log_options *options, const struct gate_answer *by);

/* pods.c: add the text of an answer */
void kubelet_add_pods(const struct kubelet *k, bool running, struct str *out);
void kubelet_add_summary(const struct kubelet *k, struct str *out);
void kubelet_add_metrics(const struct kubelet *k, struct str *out);

#endif
