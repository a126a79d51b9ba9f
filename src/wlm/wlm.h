/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of red-box (wlm.proto, package api, service WorkloadManager). Only this
 * folder uses protobuf-c.
 *
 * Requests are parsed into one struct; fields that a message lacks stay empty. Each
 * function for responses appends one message to a str. A client refuses a message whose
 * texts are not UTF-8, and Slurm's texts need not be, so other bytes are sent as "?".
 */
#ifndef WLM_WLM_H
#define WLM_WLM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "slurm/tools/show.h"
#include "wlm/plain.h"

enum wlm_request_kind {
	WLM_SUBMIT_JOB,           /* script, partition, key, job_id */
	WLM_SUBMIT_JOB_CONTAINER, /* partition, key, container, job_id */
	WLM_CANCEL_JOB,           /* job_id, key */
	WLM_JOB_INFO,             /* job_id, key */
	WLM_JOB_STEPS,            /* job_id */
	WLM_OPEN_FILE,            /* path, offset */
	WLM_TAIL_FILE,            /* read_to_end, path, lines; also TailLines */
	WLM_RESOURCES,            /* partition */
	WLM_PARTITIONS,
	WLM_WORKLOAD_INFO,
	WLM_CREATE_FILE,      /* path, content, mode, sha256 */
	WLM_ZIP,              /* path, target */
	WLM_UNZIP,            /* source, path */
	WLM_LIST_FILES,       /* path */
	WLM_FILE_CHECKSUM,    /* path */
	WLM_CLOSE_SUBMISSION, /* key */
	WLM_REQUEST_KINDS
};

/*
 * The requested options of a container job. Numbers are those of the client; 0: not
 * requested
 */
struct wlm_container {
	char *image, *app, *hostname; /* "" if absent */
	char **binds;
	size_t n_binds;
	int64_t nodes, cpu_per_node, mem_per_node_mb, wall_time_s;
	bool allow_unsigned, clean_env, fake_root, ipc, pid, no_privs, writable;
};

struct wlm_request {
	/* "" if absent */
	char *script, *partition, *key, *path, *source, *target;
	int64_t job_id, offset, mode, lines;
	bool read_to_end;
	struct str content, sha256; /* sha256: empty, or the bytes of the request */
	struct wlm_container container;
};

/*
 * ERR_INVALID: the bytes are not a message of this kind, or a text in it has a NUL byte.
 * Free *out also after an error.
 */
struct err wlm_read(enum wlm_request_kind kind, const void *bytes, size_t n,
	struct wlm_request *out);
void wlm_request_free(struct wlm_request *r); /* fits AUTO */

/* A file or folder of a list. */
struct wlm_file {
	const char *path;    /* "out/a.txt" */
	int64_t size;        /* bytes */
	int64_t modified_ns; /* since 1970 */
	int mode;            /* permissions, up to 0777 */
	bool folder;
};

enum { WLM_SHA256_BYTES = 32 };

struct wlm_checksum {
	uint8_t sha256[WLM_SHA256_BYTES];
	int64_t size, modified_ns; /* of the file with this checksum */
};

/* SubmitJobResponse, SubmitJobContainerResponse */
void wlm_add_job_id(struct str *out, int64_t job_id);
/*
 * JobInfoResponse. key: the key of the submission that created the jobs, for a client
 * that knows the fields which the original protocol lacks. NULL: writes only the original
 * fields.
 */
void wlm_add_jobs(struct str *out, const struct slurm_job_shown *jobs, size_t n, const char *key);
/* JobStepsResponse */
void wlm_add_steps(struct str *out, const struct slurm_step_shown *steps, size_t n);
/* ResourcesResponse */
void wlm_add_resources(struct str *out, const struct wlm_resources *r);
/* PartitionsResponse */
void wlm_add_partitions(struct str *out, const char *const *names, size_t n);
/* WorkloadInfoResponse */
void wlm_add_workload(struct str *out, const char *name, const char *version, int64_t uid);
/* Chunk */
void wlm_add_chunk(struct str *out, const void *bytes, size_t n);
/* FileEntry; and the entry that ends a list, with the number of entries left out. */
void wlm_add_file(struct str *out, const struct wlm_file *file);
void wlm_add_files_end(struct str *out, int64_t left_out);
/* FileChecksumResponse */
void wlm_add_checksum(struct str *out, const struct wlm_checksum *c);

#endif
