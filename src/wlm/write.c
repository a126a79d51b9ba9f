/* SPDX-License-Identifier: Apache-2.0 */
/* Responses: written into protobuf-c's structures, and packed by protobuf-c. */
#include "wlm/wlm.h"

#include <protobuf-c/protobuf-c.h>
#include <string.h>

#include "base/own.h"
#include "wlm/texts.h"
#include "wlm/wlm.pb-c.h"

/*
 * Maps Slurm's states. The protocol has no number for a running job, so it is UNKNOWN. A
 * final state that the old protocol lacks becomes FAILED, because otherwise a client
 * would believe that the job runs for ever.
 */
static const struct {
	const char *word;
	Api__JobStatus status;
} statuses[] = {
	{ "COMPLETED", API__JOB_STATUS__COMPLETED },
	{ "CANCELLED", API__JOB_STATUS__CANCELLED },
	{ "FAILED", API__JOB_STATUS__FAILED },
	{ "NODE_FAIL", API__JOB_STATUS__FAILED },
	{ "OUT_OF_MEMORY", API__JOB_STATUS__FAILED },
	{ "BOOT_FAIL", API__JOB_STATUS__FAILED },
	{ "DEADLINE", API__JOB_STATUS__FAILED },
	{ "PREEMPTED", API__JOB_STATUS__FAILED },
	{ "LAUNCH_FAILED", API__JOB_STATUS__FAILED },
	{ "RECONFIG_FAIL", API__JOB_STATUS__FAILED },
	{ "REVOKED", API__JOB_STATUS__FAILED },
	{ "TIMEOUT", API__JOB_STATUS__TIMEOUT },
	{ "PENDING", API__JOB_STATUS__PENDING },
	{ "CONFIGURING", API__JOB_STATUS__PENDING },
	{ "REQUEUED", API__JOB_STATUS__PENDING },
	{ "REQUEUE_HOLD", API__JOB_STATUS__PENDING },
	{ "REQUEUE_FED", API__JOB_STATUS__PENDING },
	{ "RESV_DEL_HOLD", API__JOB_STATUS__PENDING }, /* held: its reservation was deleted */
	{ "SPECIAL_EXIT", API__JOB_STATUS__PENDING },
};

static Api__JobStatus status_of(const char *word)
{
	for (size_t i = 0; i < LENGTH(statuses); i++)
		if (str_eq(statuses[i].word, word))
			return statuses[i].status;
	return API__JOB_STATUS__UNKNOWN;
}

static bool has_ended(Api__JobStatus status)
{
	return status != API__JOB_STATUS__PENDING && status != API__JOB_STATUS__UNKNOWN;
}

static Api__Timestamp *timestamp(struct arena *a, int64_t seconds)
{
	if (seconds == SLURM_ABSENT)
		return NULL;
	Api__Timestamp *t = arena_alloc(a, sizeof(*t));
	api__timestamp__init(t);
	t->seconds = seconds;
	return t;
}

static Api__Duration *duration(struct arena *a, int64_t seconds)
{
	if (seconds == SLURM_ABSENT)
		return NULL;
	Api__Duration *d = arena_alloc(a, sizeof(*d));
	api__duration__init(d);
	d->seconds = seconds;
	return d;
}

void wlm_add_job_id(struct str *out, int64_t job_id)
{
	Api__SubmitJobResponse m = API__SUBMIT_JOB_RESPONSE__INIT;
	m.job_id = job_id;
	wlm_pack(out, &m.base);
}

static Api__JobInfo *job(struct arena *a, const struct slurm_job_shown *j, const char *key)
{
	Api__JobInfo *m = arena_alloc(a, sizeof(*m));
	api__job_info__init(m);
	m->id = arena_printf(a, "%lld", (long long)j->id);
	m->user_id = wlm_text(a, j->user);
	m->name = wlm_text(a, j->name);
	m->exit_code = wlm_text(a, j->exit_code);
	m->status = status_of(j->state);
	m->submit_time = timestamp(a, j->submit_s);
	m->start_time = timestamp(a, j->start_s);
	m->run_time = duration(a, j->run_s);
	m->time_limit = duration(a, j->limit_s);
	m->working_dir = wlm_text(a, j->work_dir);
	m->std_out = wlm_text(a, j->std_out);
	m->std_err = wlm_text(a, j->std_err);
	m->partition = wlm_text(a, j->partition);
	m->node_list = wlm_text(a, j->nodes);
	m->batch_host = wlm_text(a, j->batch_host);
	m->num_nodes = wlm_text(a, j->node_count);
	m->array_id = wlm_text(a, j->array_id);
	if (key) {
		m->client_id = wlm_text(a, key);
		m->state = wlm_text(a, j->state);
		m->reason = wlm_text(a, j->reason);
		m->restarts = wlm_text(a, j->restarts);
		m->array_task = wlm_text(a, j->task);
		m->end_time = has_ended(m->status) ? timestamp(a, j->end_s) : NULL;
	}
	return m;
}

void wlm_add_jobs(struct str *out, const struct slurm_job_shown *jobs, size_t n, const char *key)
{
	AUTO(arena_free) struct arena a = { 0 };
	Api__JobInfoResponse m = API__JOB_INFO_RESPONSE__INIT;
	m.n_info = n;
	m.info = arena_array(&a, Api__JobInfo *, n);
	for (size_t i = 0; i < n; i++)
		m.info[i] = job(&a, &jobs[i], key);
	wlm_pack(out, &m.base);
}

static Api__JobStepInfo *step(struct arena *a, const struct slurm_step_shown *s)
{
	Api__JobStepInfo *m = arena_alloc(a, sizeof(*m));
	api__job_step_info__init(m);
	m->id = wlm_text(a, s->id);
	m->name = wlm_text(a, s->name);
	m->exit_code = s->exit_code;
	m->status = status_of(s->state);
	m->start_time = timestamp(a, s->start_s);
	m->end_time = timestamp(a, s->end_s);
	return m;
}

void wlm_add_steps(struct str *out, const struct slurm_step_shown *steps, size_t n)
{
	AUTO(arena_free) struct arena a = { 0 };
	Api__JobStepsResponse m = API__JOB_STEPS_RESPONSE__INIT;
	m.n_job_steps = n;
	m.job_steps = arena_array(&a, Api__JobStepInfo *, n);
	for (size_t i = 0; i < n; i++)
		m.job_steps[i] = step(&a, &steps[i]);
	wlm_pack(out, &m.base);
}

static Api__PartitionNow *partition(struct arena *a, const struct wlm_partition *p)
{
	Api__PartitionNow *m = arena_alloc(a, sizeof(*m));
	api__partition_now__init(m);
	m->state = wlm_text(a, p->state);
	m->nodes = p->nodes;
	m->usable_nodes = p->usable_nodes;
	m->root_only = p->root_only;
	m->needs_reservation = p->needs_reservation;
	m->allow_accounts = wlm_text(a, p->allow_accounts);
	m->deny_accounts = wlm_text(a, p->deny_accounts);
	m->allow_groups = wlm_text(a, p->allow_groups);
	m->allow_qos = wlm_text(a, p->allow_qos);
	m->deny_qos = wlm_text(a, p->deny_qos);
	return m;
}

void wlm_add_resources(struct str *out, const struct wlm_resources *r)
{
	AUTO(arena_free) struct arena a = { 0 };
	Api__ResourcesResponse m = API__RESOURCES_RESPONSE__INIT;
	m.nodes = r->nodes;
	m.cpupernode = r->cpu_per_node;
	m.mempernode = r->mem_per_node_mb;
	m.walltime = r->wall_time_s;
	m.now = r->now ? partition(&a, r->now) : NULL;
	m.n_features = r->n_features;
	m.features = arena_array(&a, Api__Feature *, r->n_features);
	for (size_t i = 0; i < r->n_features; i++) {
		Api__Feature *f = m.features[i] = arena_alloc(&a, sizeof(*f));
		api__feature__init(f);
		f->name = wlm_text(&a, r->features[i].name);
		f->version = wlm_text(&a, r->features[i].version);
		f->quantity = r->features[i].quantity;
	}
	wlm_pack(out, &m.base);
}

void wlm_add_partitions(struct str *out, const char *const *names, size_t n)
{
	AUTO(arena_free) struct arena a = { 0 };
	Api__PartitionsResponse m = API__PARTITIONS_RESPONSE__INIT;
	m.n_partition = n;
	m.partition = arena_array(&a, char *, n);
	for (size_t i = 0; i < n; i++)
		m.partition[i] = wlm_text(&a, names[i]);
	wlm_pack(out, &m.base);
}

void wlm_add_workload(struct str *out, const char *name, const char *version, int64_t uid)
{
	AUTO(arena_free) struct arena a = { 0 };
	Api__WorkloadInfoResponse m = API__WORKLOAD_INFO_RESPONSE__INIT;
	m.name = wlm_text(&a, name);
	m.version = wlm_text(&a, version);
	m.uid = uid;
	wlm_pack(out, &m.base);
}

void wlm_add_chunk(struct str *out, const void *bytes, size_t n)
{
	Api__Chunk m = API__CHUNK__INIT;
	m.content = (ProtobufCBinaryData){ .len = n, .data = (uint8_t *)(uintptr_t)bytes };
	wlm_pack(out, &m.base);
}

void wlm_add_file(struct str *out, const struct wlm_file *file)
{
	AUTO(arena_free) struct arena a = { 0 };
	Api__FileEntry m = API__FILE_ENTRY__INIT;
	m.path = wlm_text(&a, file->path);
	m.size = file->size;
	m.mode = file->mode;
	m.folder = file->folder;
	m.modified_ns = file->modified_ns;
	wlm_pack(out, &m.base);
}

void wlm_add_files_end(struct str *out, int64_t left_out)
{
	Api__FileEntry m = API__FILE_ENTRY__INIT;
	m.left_out = left_out;
	wlm_pack(out, &m.base);
}

void wlm_add_checksum(struct str *out, const struct wlm_checksum *c)
{
	Api__FileChecksumResponse m = API__FILE_CHECKSUM_RESPONSE__INIT;
	m.sha256 = (ProtobufCBinaryData){ WLM_SHA256_BYTES, (uint8_t *)(uintptr_t)c->sha256 };
	m.size = c->size;
	m.modified_ns = c->modified_ns;
	wlm_pack(out, &m.base);
}
