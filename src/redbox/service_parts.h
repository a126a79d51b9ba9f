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
	struct tail *tails;     /* tails that have not ended */
	struct budget files;    /* of calls that have not ended, by client */
	struct timer *trim;     /* returns free memory to the system; NULL: not started */
	uint64_t files_refused; /* number of calls refused because of FILES_MOST */
	struct budget lists;    /* lists that are being made or sent, by client */
	struct work_line *archives, *sums;
	struct status_cache *status_cache;
};

enum { WHO_BYTES = 80 };
/* The caller for the log, written to who; returns the log key, "uid" or "client". */
const char *call_who(const struct grpc_call *c, char who[static WHO_BYTES]);
/* The gRPC status of an error. */
enum grpc_status call_status(enum err_kind kind);
/* Ends the call with the status and text of the error, and logs the error. */
void call_fail(struct grpc_call *c, const char *method, struct err e);
/*
 * Counts a file for the client of the call. false: the client has too many, and the call
 * has ended. Otherwise call_gives_file_back must follow.
 */
bool call_takes_file(struct service *s, struct grpc_call *c, const char *method);
/* Undoes call_takes_file. A second after the last file, free memory is returned. */
void call_gives_file_back(struct service *s, const struct grpc_call *c);
/* Estimated open files if each client had as many as this one; at least 1. */
size_t call_files(struct service *s, const struct grpc_call *c);
/*
 * Size of the next piece of a file: the file's share of FILES_BYTES, at most PIECE_BYTES.
 */
size_t call_piece_bytes(struct service *s, const struct grpc_call *c);
/* Sends a piece of a file. */
void call_send_chunk(struct grpc_call *c, const void *bytes, size_t n);

struct slurm_tools_told;
/*
 * ERR_NOT_FOUND: Slurm has no record of the job. ERR_RETRY: only accounting shows the
 * job, and no end of it (jobs_by_key.c).
 */
struct err service_check_told(const struct slurm_tools_told *told);

/* ---- the methods, by their files ---- */

typedef void message_fn(void *service, struct grpc_call *c, const void *bytes, size_t n);
typedef void event_fn(void *service, struct grpc_call *c);

/* Methods with one request and one response (jobs.c). */
message_fn jobs_submit, jobs_submit_container, jobs_cancel, jobs_close, jobs_info, jobs_steps,
	jobs_resources, jobs_partitions, jobs_workload;
event_fn jobs_ended, jobs_gone;
/* Files (file_calls.c). */
message_fn open_file_message, create_file_message;
event_fn open_file_ended, open_file_writable, open_file_gone;
event_fn create_file_ended, create_file_gone;
/* Work in threads (work_calls.c). */
message_fn zip_message, unzip_message, list_message, checksum_message;
event_fn work_ended, work_gone, list_writable;
/* tail.c */
message_fn tail_message, tail_lines_message;
event_fn tail_ended, tail_writable, tail_gone;
/* Ends every tail with an error which says that the client can tail the file again. */
void tails_finish(struct service *s);

#endif
