/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of red-box that a virtual node makes, by a gRPC client (grpc/client.h).
 * JobSteps, Zip and Unzip are for other clients and not here.
 *
 *     const struct wlm_caller by = { client, 30000, .done = told, .ctx = job };
 *     wlm_submit(&by, script, "debug", "0c1a7e2e-...");
 *
 * Each call ends with one call of done, at its deadline at the latest, and never from
 * within a function of this header. The call is freed then, and after wlm_call_cancel.
 * Texts are UTF-8 and are copied; NULL counts as "".
 *
 * The kinds of errors, and what the caller may do:
 *
 *     ERR_RETRY      nothing was done, or the call changes nothing: call again later
 *     ERR_LOST       the call may have taken effect. Repeat a submission with the same
 *                    key, which finds the job. Without a key a second
 *                    job may start
 *     ERR_EXISTS     the call made no job, and its repetition makes none. The fate of
 *                    the key's job can never be known, or the key was closed and has
 *                    no job, or it stands for another script, partition or container
 *     ERR_NOT_FOUND  the server has no such job, partition or file
 *     ERR_DENIED     the user of the server lacks permission
 *     ERR_INVALID    the server or Slurm refuses this call every time
 *     ERR_CONFLICT   another change came in between: call again
 *     ERR_CANCELLED  grpc_client_free ended the call before it was sent
 *
 * The member code of the error is the gRPC status. The original red-box sends the same
 * status for all failures, GRPC_UNKNOWN. With that red-box a call that changes something
 * ends with ERR_LOST, and other calls end with ERR_RETRY, even if a retry can never
 * succeed. The original also ignores the key.
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
	/* The answer is valid until done returns; it is empty if e failed. */
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer);
	/*
	 * Receives the next bytes of a file, and may cancel the call. NULL for other
	 * calls
	 */
	void (*content)(void *ctx, struct wlm_call *c, const void *bytes, size_t n);
	/*
	 * Called when all queued bytes of a created file have been sent. NULL for other
	 * calls
	 */
	void (*writable)(void *ctx, struct wlm_call *c);
	void *ctx;
	/*
	 * Receives the next file of a list, valid until it returns. May cancel the call.
	 * NULL for other calls
	 */
	void (*file)(void *ctx, struct wlm_call *c, const struct wlm_file *file);
};

/*
 * done receives job_id. key: see wlm/plain.h. job_id: the result of an earlier call with
 * this key, or 0. With a job_id, a red-box that has lost its journal submits again only a
 * job that Slurm has certainly lost.
 */
struct wlm_call *wlm_submit(const struct wlm_caller *by, const char *script, const char *partition,
	const char *key, int64_t job_id);
struct wlm_call *wlm_submit_container(const struct wlm_caller *by,
	const struct wlm_container_ask *container);
/*
 * With a key, these calls are about the job of that submission, and job_id may be 0.
 * Without a key they are about the job_id, which may belong to another job by now: a
 * slurmctld that is killed loses the jobs of its last seconds, and gives their ids again.
 */
/* Also succeeds for a job that has ended. */
struct wlm_call *wlm_cancel(const struct wlm_caller *by, int64_t job_id, const char *key);
/*
 * Closes a key: red-box submits nothing with it any more, not even for a call that is
 * still in flight. An existing job stays: query it after this call. ERR_INVALID with the
 * code GRPC_UNIMPLEMENTED: an older red-box without this call.
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
 * Reads a file from offset to its end; the original red-box ignores offset. ERR_INVALID:
 * the file is shorter than offset.
 */
struct wlm_call *wlm_open(const struct wlm_caller *by, const char *path, int64_t offset);
/*
 * Lists the file, or the folder and everything beneath it: a folder before its contents,
 * sorted by name. Paths start with the last segment of path. done receives left_out, and
 * succeeds only if the list is complete. ERR_INVALID: the list is too large.
 */
struct wlm_call *wlm_list_files(const struct wlm_caller *by, const char *path);
/* done receives checksum. ERR_CONFLICT: the file changed meanwhile. */
struct wlm_call *wlm_checksum(const struct wlm_caller *by, const char *path);
/* Reads a file from its beginning, and then appended bytes, until wlm_tail_finish. */
struct wlm_call *wlm_tail(const struct wlm_caller *by, const char *path);
/*
 * Reads the last lines that the file has when red-box opens it. With follow it then reads
 * appended bytes, until wlm_tail_finish. content is called with 0 bytes first, when
 * red-box has accepted the call, because the search for the lines may take long.
 * ERR_INVALID with the code GRPC_UNIMPLEMENTED: an older red-box without this call.
 * ERR_CONFLICT: the file became shorter meanwhile.
 */
struct wlm_call *wlm_tail_lines(const struct wlm_caller *by, const char *path, int64_t lines,
	bool follow);
/* Ends a tail: the rest of the file still arrives, then done is called. */
void wlm_tail_finish(struct wlm_call *c);
/* Pauses a file or a list: content and file are not called, and little is buffered. */
void wlm_pause(struct wlm_call *c);
void wlm_resume(struct wlm_call *c);

/*
 * Creates a file from the bytes of wlm_create_add until wlm_create_finish, as a whole or
 * not at all. ERR_CONFLICT: the checksum differs, and the file is not created.
 */
struct wlm_call *wlm_create(const struct wlm_caller *by, const struct wlm_new_file *file);
/*
 * Appends bytes, which are sent in messages of 64 KiB. Wait for writable before adding
 * more.
 */
void wlm_create_add(struct wlm_call *c, const void *bytes, size_t n);
void wlm_create_finish(struct wlm_call *c);

/* Cancels a call: done is not called any more. The server may finish the call. */
void wlm_call_cancel(struct wlm_call *c);

#endif
