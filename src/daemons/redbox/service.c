/* SPDX-License-Identifier: Apache-2.0 */
/* The methods, who may call them, and how a call that cannot be done ends. */
#include "daemons/redbox/service.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "daemons/redbox/service_parts.h"

static const enum grpc_status statuses[ERR_KINDS] = {
	[ERR_NONE] = GRPC_OK,
	[ERR_RETRY] = GRPC_UNAVAILABLE,
	[ERR_LOST] = GRPC_UNKNOWN,
	[ERR_CONFLICT] = GRPC_ABORTED,
	[ERR_NOT_FOUND] = GRPC_NOT_FOUND,
	[ERR_EXISTS] = GRPC_FAILED_PRECONDITION,
	[ERR_EXPIRED] = GRPC_OUT_OF_RANGE,
	[ERR_DENIED] = GRPC_PERMISSION_DENIED,
	[ERR_INVALID] = GRPC_INVALID_ARGUMENT,
	[ERR_TOO_LARGE] = GRPC_RESOURCE_EXHAUSTED,
	[ERR_CANCELLED] = GRPC_CANCELLED,
	[ERR_INTERNAL] = GRPC_INTERNAL,
};

const char *call_who(const struct grpc_call *c, char who[static WHO_BYTES])
{
	const struct grpc_peer *peer = grpc_call_peer(c);
	if (peer->name)
		snprintf(who, WHO_BYTES, "%s", peer->name);
	else
		snprintf(who, WHO_BYTES, "%" PRId64, peer->uid);
	return peer->name ? "client" : "uid";
}

void call_fail(struct grpc_call *c, const char *method, struct err e)
{
	char who[WHO_BYTES];
	const char *key = call_who(c, who);
	log_warn("a call failed", "method", method, key, who, "why", e.text);
	grpc_finish(c, statuses[e.kind], e.text);
}

bool call_takes_file(struct service *s, struct grpc_call *c, const char *method)
{
	if (s->files >= s->files_most) {
		s->files_refused++;
		call_fail(c, method,
			err_new(ERR_TOO_LARGE, "%zu files are open for clients already",
				s->files_most));
		return false;
	}
	s->files++;
	return true;
}

static void give_memory_back(void *ctx)
{
	struct service *s = ctx;
	s->trim = NULL;
	malloc_trim(0);
}

/* What its connection had for it goes after the call. */
void call_gives_file_back(struct service *s)
{
	if (--s->files == 0 && !s->trim)
		s->trim = timer_start(s->config.loop, TRIM_MS, give_memory_back, s);
}

size_t call_piece_bytes(const struct service *s)
{
	size_t share = FILES_BYTES / (s->files ? s->files : 1);
	return share < PIECE_BYTES ? share : PIECE_BYTES;
}

void call_send_chunk(struct grpc_call *c, const void *bytes, size_t n)
{
	AUTO(str_free) struct str chunk = { 0 };
	wlm_add_chunk(&chunk, bytes, n);
	grpc_send(c, str_text(&chunk), chunk.len);
}

/* ---- the service ---- */

#define METHOD(name) "/api.WorkloadManager/" name
#define JOBS(name, asked) { METHOD(name), .message = asked, .ended = jobs_ended, .gone = jobs_gone }
#define WORKS(name, asked) \
	{ METHOD(name), .message = asked, .ended = work_ended, .gone = work_gone }

const struct grpc_method service_methods[] = {
	JOBS("SubmitJob", jobs_submit),
	JOBS("SubmitJobContainer", jobs_submit_container),
	JOBS("CancelJob", jobs_cancel),
	JOBS("CloseSubmission", jobs_close),
	JOBS("JobInfo", jobs_info),
	JOBS("JobSteps", jobs_steps),
	JOBS("Resources", jobs_resources),
	JOBS("Partitions", jobs_partitions),
	JOBS("WorkloadInfo", jobs_workload),
	{ METHOD("OpenFile"), NULL, open_file_message, open_file_ended, open_file_writable,
		open_file_gone },
	{ METHOD("TailFile"), NULL, tail_message, tail_ended, tail_writable, tail_gone },
	{ METHOD("CreateFile"), NULL, create_file_message, create_file_ended, NULL,
		create_file_gone },
	WORKS("Zip", zip_message),
	WORKS("Unzip", unzip_message),
	WORKS("FileChecksum", checksum_message),
	{ METHOD("ListFiles"), NULL, list_message, work_ended, list_writable, work_gone },
	{ NULL },
};

bool service_admits(void *service, const struct grpc_peer *peer)
{
	const struct service_config *c = &((struct service *)service)->config;
	bool admitted = (!c->n_users && !c->n_groups) || peer->uid == 0 ||
		peer->uid == (int64_t)geteuid();
	for (size_t i = 0; i < c->n_users; i++)
		admitted |= peer->uid == (int64_t)c->users[i];
	for (size_t i = 0; i < c->n_groups; i++)
		admitted |= peer->gid == (int64_t)c->groups[i];
	if (!admitted) {
		char who[64];
		snprintf(who, sizeof(who), "%" PRId64 ":%" PRId64, peer->uid, peer->gid);
		log_warn("somebody who is not allowed to wanted to connect", "uid:gid", who);
	}
	return admitted;
}

static size_t files_most(void)
{
	struct rlimit descriptors;
	if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0 || descriptors.rlim_cur / 2 > FILES_MOST)
		return FILES_MOST;
	return descriptors.rlim_cur / 2;
}

struct service *service_new(const struct service_config *config)
{
	struct service *s = own_alloc(sizeof(*s));
	s->config = *config;
	s->files_most = files_most();
	s->desk = desk_new(config->loop, config->tools);
	s->archives = work_line_new(config->loop, ARCHIVES_AT_ONCE);
	s->sums = work_line_new(config->loop, SUMS_AT_ONCE);
	return s;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	timer_stop(s->config.loop, TAKE(s->trim));
	desk_free(s->desk);
	work_line_free(s->archives);
	work_line_free(s->sums);
	free(s);
}

void service_finish(struct service *s) { tails_finish(s); }
