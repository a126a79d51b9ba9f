/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the kubelet API; for the files of this folder only, and of those below it.
 *
 *     kubelet.c            requests: who may, and which answer each path has
 *     gate.c               who asks, and whether he may
 *     log.c                the log of a job: which file it is
 *     log_read.c           the file, from red-box to its reader
 *     tasks.c              the files of the tasks of an array
 *     pods.c               lists of pods and what is measured of them
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
	struct kubelet_config config; /* without its files */
	struct http_server *server;
	struct gate *gate;
	struct api_request *api_requests; /* that wait to be let in */
	struct log *logs;                 /* that are read */
	struct transfer *transfers;       /* transfer/request.h */
	struct inputs_file *inputs_files;
	/* Places, of which a namespace may have half of what the others leave */
	struct budget log_places, transfer_places, list_places, inputs_places;
	struct cache *results; /* what the objects of jobs name, by who asks */
};

#define KUBELET_TEXT "text/plain; charset=utf-8"

/* The error for a kubelet_pod without a red_box. */
#define KUBELET_NO_RED_BOX \
	"no red-box is known for the account of the job: it is not noted in the pod yet, or its red-box is not configured here"

/* A sentence, and a line end. */
static inline void kubelet_say(struct exchange *x, int status, const char *sentence)
{
	struct str body = { 0 };
	str_addf(&body, "%s\n", sentence);
	exchange_reply(x, status, KUBELET_TEXT, &body);
}

/*
 * Answers an authorized exchange with the log of this pod. red-box knows whether there is
 * one.
 */
void log_start(struct kubelet *k, struct exchange *x, const struct kubelet_pod *p,
	const struct log_options *options, const struct gate_answer *by);

/* pods.c: add the text of an answer */
void kubelet_add_pods(const struct kubelet *k, bool running, struct str *out);
void kubelet_add_summary(const struct kubelet *k, struct str *out);
void kubelet_add_metrics(const struct kubelet *k, struct str *out);

#endif
