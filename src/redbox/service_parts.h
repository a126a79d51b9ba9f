/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the calls of the service; for the files of this folder only. */
#ifndef REDBOX_SERVICE_PARTS_H
#define REDBOX_SERVICE_PARTS_H

#include "base/budget.h"
#include "redbox/jobs/status_cache.h"
#include "redbox/service.h"
#include "net/work.h"
#include "wlm/wlm.h"

struct tail;

struct service {
	struct service_config config;
	struct tail *tails;     /* that are not over */
	struct budget files;    /* of calls that are not over, by client */
	struct timer *trim;     /* memory goes back then; NULL: nothing waits for it */
	uint64_t files_refused; /* there were so many */
	struct budget lists;    /* of files, that are made or sent, by client */
	struct work_line *archives, *sums;
	struct status_cache *status_cache;
};

enum { WHO_BYTES = 80 };
/* The caller, for the log: the key is "uid" or "client". */
const char *call_who(const struct grpc_call *c, char who[static WHO_BYTES]);
/* The call ends with the error's kind and sentence, which goes into the log as well. */
void call_fail(struct grpc_call *c, const char *method, struct err e);
/* Counts a file of its client, which the call gives back at its end; false: too many. */
bool call_takes_file(struct service *s, struct grpc_call *c, const char *method);
/* A second after the last one the C library keeps no memory of them. */
void call_gives_file_back(struct service *s, const struct grpc_call *c);
/* The files there would be if each client had as many as that of the call; at least 1. */
size_t call_files(struct service *s, const struct grpc_call *c);
/* How much of a file is sent at once: its share of what may wait, at most PIECE_BYTES. */
size_t call_piece_bytes(struct service *s, const struct grpc_call *c);
/* Sends a piece of a file. */
void call_send_chunk(struct grpc_call *c, const void *bytes, size_t n);

/* ---- the methods, by their files ---- */

typedef void message_fn(void *service, struct grpc_call *c, const void *bytes, size_t n);
typedef void event_fn(void *service, struct grpc_call *c);

/* Methods with one request and one answer (jobs.c). */
message_fn jobs_submit, jobs_submit_container, jobs_cancel, jobs_close, jobs_info, jobs_steps,
	jobs_resources, jobs_partitions, jobs_workload;
event_fn jobs_ended, jobs_gone;
/* Files (file_calls.c). */
message_fn open_file_message, create_file_message;
event_fn open_file_ended, open_file_writable, open_file_gone;
event_fn create_file_ended, create_file_gone;
/* Work beside the loop (work_calls.c). */
message_fn zip_message, unzip_message, list_message, checksum_message;
event_fn work_ended, work_gone, list_writable;
/* tail.c */
message_fn tail_message, tail_lines_message;
event_fn tail_ended, tail_writable, tail_gone;
/* Every tail ends, with a sentence that it can be begun again. */
void tails_finish(struct service *s);

#endif
