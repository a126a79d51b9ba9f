/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of red-box, made by a gRPC client (grpc/client.h).
 *
 *     const struct wlm_caller by = { client, 30000, .done = told, .ctx = job };
 *     wlm_submit(&by, script, "debug", "0c1a7e2e-...");
 *
 * Each call ends with done, once: never from within a function of this header, and at its
 * deadline at the latest. Then, and after wlm_call_cancel, the call is gone. Texts are
 * UTF-8 and are copied; NULL counts as "".
 *
 * What the kind of an error allows:
 *
 *     ERR_RETRY      nothing was done, or the call changes nothing: call again later
 *     ERR_LOST       it may have been done. A submission: call again with the same
 *                    client_id, which finds the job; without one there may be a second
 *     ERR_EXISTS     a submission whose client_id has been used: its job is not known to
 *                    anybody any more, and red-box will never submit it again
 *     ERR_NOT_FOUND  the server knows no such job, partition or file
 *     ERR_DENIED     the server's account may not
 *     ERR_INVALID    the server or Slurm refuses this call whenever it comes
 *     ERR_CONFLICT   something else came in between: call again
 *     ERR_CANCELLED  grpc_client_free, and it was not sent
 *
 * code is the status of gRPC. The original red-box has one status for all that fails,
 * GRPC_UNKNOWN: there a call that changes something ends with ERR_LOST, and others with
 * ERR_RETRY, also where nothing will ever change. It ignores client_id.
 */
#ifndef WLM_CLIENT_H
#define WLM_CLIENT_H

#include "grpc/client.h"
#include "wlm/answer.h"
#include "wlm/ask.h"

struct wlm_call;

struct wlm_caller {
	struct grpc_client *client;
	int64_t timeout_ms;
	/* What the answer points to is there until done returns; empty when e failed. */
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer);
	/* The next bytes of a file that is read; may cancel the call. NULL for others */
	void (*content)(void *ctx, struct wlm_call *c, const void *bytes, size_t n);
	/* What was queued of a file that is written has been sent. NULL for others */
	void (*writable)(void *ctx, struct wlm_call *c);
	void *ctx;
	/* The next one of a list, valid until it returns; as content */
	void (*file)(void *ctx, struct wlm_call *c, const struct wlm_file *file);
};

/*
 * done gets job_id. The client_id is the key of the submission: see docs/red-box.md.
 * job_id: what an earlier call with it told, or 0. A red-box that has lost its journal
 * then submits only what Slurm has surely lost.
 */
struct wlm_call *wlm_submit(const struct wlm_caller *by, const char *script, const char *partition,
	const char *client_id, int64_t job_id);
struct wlm_call *wlm_submit_container(const struct wlm_caller *by,
	const struct wlm_container_ask *container);
/*
 * With a client_id: the job of that submission, and job_id may be 0. A number alone may
 * be another job by now: a slurmctld that is killed loses what it accepted in its last
 * seconds, and gives the number again. NULL: the number is all that is known.
 */
/* OK also for a job that has ended. */
struct wlm_call *wlm_cancel(const struct wlm_caller *by, int64_t job_id, const char *client_id);
/*
 * From now on nothing is submitted with this client_id, also by a call that is on its way
 * still. A job that it has stays: ask for it afterwards. ERR_INVALID with the code
 * GRPC_UNIMPLEMENTED: this red-box is an older one, and closes nothing.
 */
struct wlm_call *wlm_close(const struct wlm_caller *by, const char *client_id);
/* done gets jobs. */
struct wlm_call *wlm_job_info(const struct wlm_caller *by, int64_t job_id, const char *client_id);
/* done gets steps. */
struct wlm_call *wlm_job_steps(const struct wlm_caller *by, int64_t job_id);
/* done gets resources. */
struct wlm_call *wlm_resources(const struct wlm_caller *by, const char *partition);
/* done gets names. */
struct wlm_call *wlm_partitions(const struct wlm_caller *by);
/* done gets workload, version and uid. */
struct wlm_call *wlm_workload(const struct wlm_caller *by);
/* Packs a file or folder of the server into a file, and the other way round. */
struct wlm_call *wlm_zip(const struct wlm_caller *by, const char *path, const char *target);
struct wlm_call *wlm_unzip(const struct wlm_caller *by, const char *source, const char *path);

/*
 * A file to its end, without its first offset bytes; the original red-box sends all of
 * it. ERR_INVALID: it has fewer.
 */
struct wlm_call *wlm_open(const struct wlm_caller *by, const char *path, int64_t offset);
/*
 * The file, or the folder and what is beneath it: folders before what is in them, in the
 * order of their names. Paths begin with the last part of path. done gets left_out; it
 * comes without an error only when the list is whole. ERR_INVALID: it is too large.
 */
struct wlm_call *wlm_list_files(const struct wlm_caller *by, const char *path);
/* done gets checksum. ERR_CONFLICT: the file changed meanwhile. */
struct wlm_call *wlm_checksum(const struct wlm_caller *by, const char *path);
/* A file from its beginning, and what is added to it, until wlm_tail_finish. */
struct wlm_call *wlm_tail(const struct wlm_caller *by, const char *path);
/* What is there still comes, and then done. */
void wlm_tail_finish(struct wlm_call *c);
/* While a file or a list is paused nothing of it comes, and little of it is kept here. */
void wlm_pause(struct wlm_call *c);
void wlm_resume(struct wlm_call *c);

/*
 * A file that is made, whole, of what wlm_create_add gives until wlm_create_finish.
 * ERR_CONFLICT: it has another checksum, and is not made.
 */
struct wlm_call *wlm_create(const struct wlm_caller *by, const struct wlm_new_file *file);
/* Sent in messages of 64 KiB. Whoever adds more than was sent waits for writable. */
void wlm_create_add(struct wlm_call *c, const void *bytes, size_t n);
void wlm_create_finish(struct wlm_call *c);

/* done does not come any more. What the server has begun it may go on with. */
void wlm_call_cancel(struct wlm_call *c);

#endif
