/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service WorkloadManager: what each call does. wlm.proto has the messages.
 *
 *     SubmitJob      submit.h: one job for each key. An empty script is refused
 *     SubmitJobContainer  like SubmitJob, with a script that red-box makes (container.h)
 *     CancelJob      OK also for a job that has ended
 *     CloseSubmission  submit.h: no job is submitted for the key any more
 *     JobInfo        one element or more; for an array job all that slurmctld shows
 *     JobSteps       from accounting; may be empty
 *     Resources      Slurm's limits of a partition, and the values of the configuration
 *     Partitions     in Slurm's order; may be empty
 *     WorkloadInfo   "slurm", its version, the uid of this process
 *     OpenFile       a file from an offset to its end, in pieces of 64 KiB
 *     TailFile, TailLines  tail.c
 *     CreateFile     the first message has the path, each message may have content. The
 *                    file exists when the response comes. At most CREATE_FILE_BYTES
 *     Zip, Unzip     archives.h, in a thread: two at a time, the others wait
 *     ListFiles, FileChecksum  listing.h, in a thread
 *
 * A call that fails ends with the gRPC status for its kind of error (INVALID_ARGUMENT,
 * NOT_FOUND, PERMISSION_DENIED, UNAVAILABLE: try again, ...) and one sentence.
 */
#ifndef REDBOX_SERVICE_H
#define REDBOX_SERVICE_H

#include "redbox/config.h"
#include "redbox/files/folders.h"
#include "redbox/submit/submit.h"
#include "grpc/server.h"
#include "net/loop.h"
#include "slurm/tools/tools.h"

enum {
	PIECE_BYTES = 64 << 10,
	/*
	 * Maximum number of bytes of all files that are queued for clients; pieces get
	 * smaller to stay below it
	 */
	FILES_BYTES = 2 * 1024 * 1024,
	TRIM_MS = 1000, /* after the last file, free memory is returned to the system */
	CREATE_FILE_BYTES = 1 << 30,
	/*
	 * Maximum number of files that clients use at a time, including files that do not
	 * exist yet. A client may use half of the files that the others leave. Never more
	 * than half of our file descriptors, because connections and Slurm's tools need
	 * the rest
	 */
	FILES_MOST = 1000,
	/*
	 * Maximum number of lists that are being made or sent, each about 30 MiB. A
	 * client may use half of the lists that the others leave
	 */
	LISTS_MOST = 32,
	/* Shares of four threads; the other threads make lists and finish files */
	ARCHIVES_AT_ONCE = 2,
	SUMS_AT_ONCE = 1, /* checksums take turns, one part of a file each */
};

struct service;

struct service_config {
	struct loop *loop;
	const struct redbox_config *config;
	struct slurm_tools *tools;
	struct folders *folders;
	struct submitter *submitter;
	/*
	 * Users and groups that may connect, in addition to root and our own user; none:
	 * everyone who may open the socket
	 */
	const uid_t *users;
	size_t n_users;
	const gid_t *groups;
	size_t n_groups;
};

/* The caller keeps all members of config; they must outlive the service. */
struct service *service_new(const struct service_config *config);
/* Call it after the server is freed. Accepts NULL. */
void service_free(struct service *s);
/* For grpc_config; ctx is the service. */
extern const struct grpc_method service_methods[];
bool service_admits(void *service, const struct grpc_peer *peer);
/* Counts a call that has ended; for grpc_config. */
void service_over(void *service, const struct grpc_over *o);
/* Updates the metrics of red-box, except those of Slurm's tools, before a scrape. */
void service_measure(const struct service *s, const struct grpc_server *server,
	const struct journal *journal);
/* Updates those of the REST interface: its connections, and its requests under way. */
void service_measure_rest(size_t n_connections, size_t n_requests);
/* Ends the calls that would not end by themselves (tails). */
void service_finish(struct service *s);

#endif
