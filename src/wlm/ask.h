/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to red-box as a client writes them (wlm.proto). Each function appends one
 * message to a str. A NULL text counts as "". PartitionsRequest and WorkloadInfoRequest
 * are empty and need no function.
 */
#ifndef WLM_ASK_H
#define WLM_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A job that runs an image with Singularity; 0, "" and false: not requested. */
struct wlm_container_ask {
	const char *image, *partition, *key;
	int64_t job_id; /* from an earlier call with the key */
	int64_t nodes, cpu_per_node, mem_per_node_mb, wall_time_s;
	const char *app, *host_name;
	const char *const *binds; /* "source[:destination[:options]]" */
	size_t n_binds;
	bool allow_unsigned, clear_env, fake_root, ipc, pid, no_privs, writable;
};

/* SubmitJobRequest; job_id: from an earlier call with the key, or 0 */
void wlm_ask_submit(struct str *out, const char *script, const char *partition, const char *key,
	int64_t job_id);
/*
 * SubmitJobContainerRequest. It always has options, because the original red-box crashes
 * without them.
 */
void wlm_ask_container(struct str *out, const struct wlm_container_ask *c);
/* CancelJobRequest, JobInfoRequest */
void wlm_ask_job(struct str *out, int64_t job_id, const char *key);
/* CloseSubmissionRequest */
void wlm_ask_close(struct str *out, const char *key);
/* OpenFileRequest; offset: bytes to skip */
void wlm_ask_open(struct str *out, const char *path, int64_t offset);
/* ListFilesRequest, FileChecksumRequest */
void wlm_ask_path(struct str *out, const char *path);
/* TailFileRequest; lines: for TailLines, 0 for TailFile */
void wlm_ask_tail(struct str *out, bool read_to_end, const char *path, int64_t lines);
/* ResourcesRequest */
void wlm_ask_resources(struct str *out, const char *partition);
/* A file to create; the original red-box ignores everything but the path. */
struct wlm_new_file {
	const char *path;
	int mode; /* permissions; 0: the default */
	/* WLM_SHA256_BYTES, for the whole content; NULL: unknown */
	const uint8_t *sha256;
};
/* CreateFileRequest: the first message, before the content. */
void wlm_ask_new_file(struct str *out, const struct wlm_new_file *file);
/* CreateFileRequest: the next piece of content. */
void wlm_ask_content(struct str *out, const void *content, size_t n);

#endif
