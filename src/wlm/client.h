/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of red-box, made by a gRPC client (grpc/client.h): those that a virtual node
 * makes. JobSteps, Zip and Unzip are for other clients.
 *
 *     const struct wlm_caller by = { client, 30000, .done = told, .ctx = job };
 *     wlm_submit(&by, script, "debug", "0c1a7e2e-...");
 *
 * Each call ends with done, once: never from within a function of this header, and at its
 * deadline at the latest. Then, and after wlm_call_cancel, the call is freed. Texts are
 * UTF-8 and are copied; NULL counts as "".
 *
 * The kinds of errors, and what the caller may do:
 *
 *     ERR_RETRY      nothing was done, or the call changes nothing: call again later
 *     ERR_LOST       the call may have taken effect. A submission: call again with the
 *                    same key, which finds the job; without a key a second
 *                    job may start
 *     ERR_EXISTS     the call made no job, and its repetition makes none: the fate of
 *                    the key's job is unknown for good, or the key was closed and has
 *                    no job, or it stands for another script, partition or container
 *     ERR_NOT_FOUND  the server has no such job, partition or file
 *     ERR_DENIED     the user of the server lacks permission
 *     ERR_INVALID    the server or Slurm refuses this call every time
 *     ERR_CONFLICT   another change came in between: call again
 *     ERR_CANCELLED  grpc_client_free ended the call before it was sent
 *
 * code is the status of gRPC. The original red-box has one status for all failures,
 * GRPC_UNKNOWN: there a call that changes something ends with ERR_LOST, and other calls
 * with ERR_RETRY, even when a retry can never succeed. The original ignores the key.
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
	/* The answer is valid until done returns; it is empty when e failed. */
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer);
	/* Receives the next bytes of a file; may cancel the call. NULL for other calls */
	void (*content)(void *ctx, struct wlm_call *c, const void *bytes, size_t n);
	/*
	 * Called when all queued bytes of a created file have been sent. NULL for other
	 * calls
	 */
	void (*writable)(void *ctx, struct wlm_call *c);
	void *ctx;
	/* Receives the next file of a list, valid until it returns; else like content */
	void (*file)(void *ctx, struct wlm_call *c, const struct wlm_file *file);
};

/*
 * done receives job_id. The key is that of the submission: see wlm/plain.h.
 * job_id is the answer of an earlier call with this key, or 0. With a job_id, a
 * red-box that has lost its journal submits again only a job that Slurm has certainly
 * lost.
 */
struct wlm_call *wlm_submit(const struct wlm_caller *by, const char *script, const char *partition,
	const char *key, int64_t job_id);
struct wlm_call *wlm_submit_container(const struct wlm_caller *by,
	const struct wlm_container_ask *container);
/*
 * A key names the job of that submission, and job_id may be 0. A job_id alone may
 * belong to another job by now: a slurmctld that is killed loses the jobs of its last
 * seconds, and assigns their ids again. Without a key only the job_id is known.
 */
/* Succeeds also for a job that has ended. */
struct wlm_call *wlm_cancel(const struct wlm_caller *by, int64_t job_id, const char *key);
/*
 * Closes a key: red-box submits nothing with it any more, not even for a call that
 * is still in flight. An existing job stays: query it afterwards. ERR_INVALID with the
 * code GRPC_UNIMPLEMENTED: an older red-box, which cannot close.
 */
struct wlm_call *wlm_close(const struct wlm_caller *by, const char *key);
/* done receives jobs. */
struct wlm_call *wlm_job_info(const struct wlm_caller *by, int64_t job_id, const char *key);
/* done receives resources. */
struct wlm_call *wlm_resources(const struct wlm_caller *by, const char *partition);
/* done receives names. */
struct wlm_call *wlm_partitions(const struct wlm_caller *by);
/* done receives workload, version and uid. */
struct wlm_call *wlm_workload(const struct wlm_caller *by);

/*
 * Reads a file from offset to its end; the original red-box sends the whole file.
 * ERR_INVALID: the file is shorter than offset.
 */
struct wlm_call *wlm_open(const struct wlm_caller *by, const char *path, int64_t offset);
/*
 * Lists the file, or the folder and everything beneath it: a folder before its contents,
 * in the order of their names. Paths begin with the last segment of path. done receives
 * left_out, and succeeds only when the list is complete. ERR_INVALID: the list is too
 * large.
 */
struct wlm_call *wlm_list_files(const struct wlm_caller *by, const char *path);
/* done receives checksum. ERR_CONFLICT: the file changed meanwhile. */
struct wlm_call *wlm_checksum(const struct wlm_caller *by, const char *path);
/* Reads a file from its beginning, and then what is appended, until wlm_tail_finish. */
struct wlm_call *wlm_tail(const struct wlm_caller *by, const char *path);
/*
 * Reads the last lines of a file: those that it has when red-box opens it. With follow
 * also what is appended, until wlm_tail_finish. content comes with 0 bytes when red-box
 * has taken the call: the search for the lines may last. ERR_INVALID with the code
 * GRPC_UNIMPLEMENTED: an older red-box, which reads files only forwards. ERR_CONFLICT:
 * the file became shorter meanwhile.
 */
struct wlm_call *wlm_tail_lines(const struct wlm_caller *by, const char *path, int64_t lines,
	bool follow);
/* Ends a tail: the rest of the file still arrives, and then done. */
void wlm_tail_finish(struct wlm_call *c);
/* Pauses a file or a list: no more of it is passed on, and little of it is buffered. */
void wlm_pause(struct wlm_call *c);
void wlm_resume(struct wlm_call *c);

/*
 * Creates a file of the bytes from wlm_create_add until wlm_create_finish, as a whole or
 * not at all. ERR_CONFLICT: the checksum differs, and the file is not created.
 */
struct wlm_call *wlm_create(const struct wlm_caller *by, const struct wlm_new_file *file);
/*
 * Appends bytes, which are sent in messages of 64 KiB. Wait for writable before adding
 * more.
 */
void wlm_create_add(struct wlm_call *c, const void *bytes, size_t n);
void wlm_create_finish(struct wlm_call *c);

/*
 * Cancels a call: done is not called any more. The server may finish what it has begun.
 */
void wlm_call_cancel(struct wlm_call *c);

#endif
