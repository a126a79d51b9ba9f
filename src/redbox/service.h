/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service WorkloadManager: what each call does. wlm.proto has the messages.
 *
 *     SubmitJob      submit.h: one job for each key. An empty script is refused
 *     SubmitJobContainer  the same with a script that is made here: container.h
 *     CancelJob      OK also for a job that has ended
 *     CloseSubmission  submit.h: nothing is submitted for a key any more
 *     JobInfo        one element or more; of an array job all that slurmctld tells
 *     JobSteps       from the accounts; may be empty
 *     Resources      what Slurm says of a partition, and what the configuration adds
 *     Partitions     in Slurm's order; may be empty
 *     WorkloadInfo   "slurm", its version, the uid of this process
 *     OpenFile       a file from an offset to its end, in pieces of 64 KiB
 *     TailFile, TailLines  tail.c
 *     CreateFile     the first message has the path, any may have content; the file is
 *                    there when the answer comes. At most CREATE_FILE_BYTES
 *     Zip, Unzip     archives.h, beside the loop: two at a time, the others wait
 *     ListFiles, FileChecksum  listing.h, likewise
 *
 * A call that cannot be done ends with a status of its own kind (INVALID_ARGUMENT,
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
	/* Maximum that waits for clients, of all files; pieces get smaller to keep it */
	FILES_BYTES = 2 * 1024 * 1024,
	TRIM_MS = 1000, /* after the last file, memory is given back to the system */
	CREATE_FILE_BYTES = 1 << 30,
	/*
	 * Files of clients at a time: open, or waited for. A client has half of what the
	 * others leave. No more than half as many as we may have descriptors: connections
	 * and Slurm's tools need the others
	 */
	FILES_MOST = 1000,
	/*
	 * Lists that are made or sent, each of some 30 MiB; a client has half of what the
	 * others leave
	 */
	LISTS_MOST = 32,
	/* Shares of four threads: the others are for lists, and for files to finish */
	ARCHIVES_AT_ONCE = 2,
	SUMS_AT_ONCE = 1, /* a part of each in turn */
};

struct service;

struct service_config {
	struct loop *loop;
	const struct redbox_config *config;
	struct slurm_tools *tools;
	struct folders *folders;
	struct submitter *submitter;
	/*
	 * Users and groups that may connect, besides root and our own user; none: all
	 * that may open the socket
	 */
	const uid_t *users;
	size_t n_users;
	const gid_t *groups;
	size_t n_groups;
};

/* All of it stays the caller's, and outlives the service. */
struct service *service_new(const struct service_config *config);
/* After the server. Accepts NULL. */
void service_free(struct service *s);
/* For grpc_config, with the service as ctx. */
extern const struct grpc_method service_methods[];
bool service_admits(void *service, const struct grpc_peer *peer);
/* Counts a call that is over, for grpc_config as well. */
void service_over(void *service, const struct grpc_over *o);
/* Sets the metrics of red-box but for Slurm's tools, before they are written. */
void service_measure(const struct service *s, const struct grpc_server *server,
	const struct journal *journal);
/* Ends the calls that would not end by themselves: tails. */
void service_finish(struct service *s);

#endif
