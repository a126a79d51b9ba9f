/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the service, and the check which clients may call them. */
#include "redbox/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/service_parts.h"

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
	{ METHOD("TailLines"), NULL, tail_lines_message, tail_ended, tail_writable, tail_gone },
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
		log_warn("refused a client that is not in allow_users or allow_groups", "uid:gid",
			who);
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
	s->files = (struct budget){ .limit = files_most(), .least = 1 };
	s->lists = (struct budget){ .limit = LISTS_MOST, .least = 1 };
	s->status_cache = status_cache_new(config->loop, config->tools);
	s->archives = work_line_new(config->loop, ARCHIVES_AT_ONCE);
	s->sums = work_line_new(config->loop, SUMS_AT_ONCE);
	return s;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	timer_stop(s->config.loop, TAKE(s->trim));
	status_cache_free(s->status_cache);
	work_line_free(s->archives);
	work_line_free(s->sums);
	free(s);
}

void service_finish(struct service *s) { tails_finish(s); }
