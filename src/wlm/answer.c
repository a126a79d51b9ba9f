/* SPDX-License-Identifier: Apache-2.0 */
/* Responses: parsed by protobuf-c, then checked and copied. */
#include "wlm/answer.h"

#include <protobuf-c/protobuf-c.h>
#include <string.h>

#include "base/own.h"
#include "wlm/texts.h"
#include "wlm/wlm.pb-c.h"

/*
 * The state of a job, from a red-box that sends none in Slurm's words. An unknown status
 * of a later protocol counts as not ended.
 */
static const char *word_of(Api__JobStatus status)
{
	static const char *const known[] = {
		[API__JOB_STATUS__COMPLETED] = "COMPLETED",
		[API__JOB_STATUS__CANCELLED] = "CANCELLED",
		[API__JOB_STATUS__FAILED] = "FAILED",
		[API__JOB_STATUS__TIMEOUT] = "TIMEOUT",
		[API__JOB_STATUS__PENDING] = "PENDING",
	};
	bool is_known = status < LENGTH(known) && known[status];
	return is_known ? known[status] : "RUNNING";
}

static int64_t time_of(const Api__Timestamp *t) { return t ? t->seconds : SLURM_ABSENT; }
static int64_t duration_of(const Api__Duration *d) { return d ? d->seconds : SLURM_ABSENT; }

/* ---- one function for each kind ---- */

static struct err read_nothing(const void *message, struct arena *a, struct wlm_answer *out)
{
	(void)message;
	(void)a;
	(void)out;
	return OK;
}

static struct err read_job_id(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__SubmitJobResponse *m = message;
	(void)a;
	out->job_id = m->job_id;
	return m->job_id > 0
		? OK
		: err_new(ERR_INVALID, "the number of the job should be above 0, and is %lld",
			  (long long)m->job_id);
}

static struct err read_job(const Api__JobInfo *m, struct arena *a, struct slurm_job_shown *out)
{
	if (!str_to_i64(m->id, 1, INT64_MAX, &out->id))
		return err_new(ERR_INVALID, "a job should have a number, and its id is \"%.40s\"",
			m->id);
	out->array_id = wlm_text(a, m->array_id);
	out->name = wlm_text(a, m->name);
	out->user = wlm_text(a, m->user_id);
	out->exit_code = wlm_text(a, m->exit_code);
	out->partition = wlm_text(a, m->partition);
	out->nodes = wlm_text(a, m->node_list);
	out->node_count = wlm_text(a, m->num_nodes);
	out->batch_host = wlm_text(a, m->batch_host);
	out->work_dir = wlm_text(a, m->working_dir);
	out->std_out = wlm_text(a, m->std_out);
	out->std_err = wlm_text(a, m->std_err);
	out->submit_s = time_of(m->submit_time);
	out->start_s = time_of(m->start_time);
	out->run_s = duration_of(m->run_time);
	out->limit_s = duration_of(m->time_limit);
	out->state = str_empty(m->state) ? word_of(m->status) : wlm_text(a, m->state);
	out->reason = wlm_text(a, m->reason);
	out->end_s = time_of(m->end_time);
	out->restarts = wlm_text(a, m->restarts);
	out->task = wlm_text(a, m->array_task);
	return OK;
}

static struct err read_jobs(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__JobInfoResponse *m = message;
	struct slurm_job_shown *jobs = arena_array(a, struct slurm_job_shown, m->n_info);
	struct err e = m->n_info ? OK : err_new(ERR_INVALID, "it contains no job");
	for (size_t i = 0; i < m->n_info && !failed(e); i++)
		e = read_job(m->info[i], a, &jobs[i]);
	out->jobs = jobs;
	out->n_jobs = failed(e) ? 0 : m->n_info;
	out->key = out->n_jobs ? wlm_text(a, m->info[0]->client_id) : "";
	return e;
}

/* Any number below 0 means unknown. */
static int64_t count_of(int64_t n) { return n < 0 ? -1 : n; }

static const struct wlm_partition *partition_of(const Api__PartitionNow *m, struct arena *a)
{
	if (!m)
		return NULL;
	struct wlm_partition *p = arena_array(a, struct wlm_partition, 1);
	*p = (struct wlm_partition){
		.state = wlm_text(a, m->state),
		.nodes = count_of(m->nodes),
		.usable_nodes = count_of(m->usable_nodes),
		.root_only = m->root_only,
		.needs_reservation = m->needs_reservation,
		.allow_accounts = wlm_text(a, m->allow_accounts),
		.deny_accounts = wlm_text(a, m->deny_accounts),
		.allow_groups = wlm_text(a, m->allow_groups),
		.allow_qos = wlm_text(a, m->allow_qos),
		.deny_qos = wlm_text(a, m->deny_qos),
	};
	return p;
}

static struct err read_resources(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__ResourcesResponse *m = message;
	struct wlm_feature *features = arena_array(a, struct wlm_feature, m->n_features);
	for (size_t i = 0; i < m->n_features; i++)
		features[i] = (struct wlm_feature){ wlm_text(a, m->features[i]->name),
			wlm_text(a, m->features[i]->version), m->features[i]->quantity };
	out->resources = (struct wlm_resources){ m->nodes, m->cpupernode, m->mempernode,
		m->walltime, features, m->n_features, partition_of(m->now, a) };
	return OK;
}

/* The original red-box sends one empty name if Slurm has no partition. */
static struct err read_names(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__PartitionsResponse *m = message;
	const char **names = arena_array(a, const char *, m->n_partition);
	for (size_t i = 0; i < m->n_partition; i++)
		if (*m->partition[i])
			names[out->n_names++] = wlm_text(a, m->partition[i]);
	out->names = names;
	return OK;
}

static struct err read_workload(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__WorkloadInfoResponse *m = message;
	char *version = arena_strndup(a, m->version, strcspn(m->version, "\n"));
	out->workload = wlm_text(a, m->name);
	out->version = wlm_text(a, version);
	out->uid = m->uid;
	return OK;
}

static struct err read_chunk(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__Chunk *m = message;
	char *copy = arena_alloc(a, m->content.len + 1);
	if (m->content.len)
		memcpy(copy, m->content.data, m->content.len);
	out->content = copy;
	out->content_bytes = m->content.len;
	return OK;
}

/* True for a path like "a/b": no segment is empty, "." or "..". */
static bool is_relative(const char *path)
{
	for (;; path++) {
		size_t n = strcspn(path, "/");
		if (n == 0 || (n <= 2 && memcmp(path, "..", n) == 0))
			return false;
		path += n;
		if (!*path)
			return true;
	}
}

static struct err read_file(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__FileEntry *m = message;
	if (*m->path && !is_relative(m->path))
		return err_new(ERR_INVALID,
			"the path of a file should be like \"a/b\", and is \"%.80s\"", m->path);
	if (m->size < 0 || m->mode < 0 || m->mode > 0777 || m->left_out < 0)
		return err_new(ERR_INVALID,
			"%.80s should have a size and permissions, not %lld and %o", m->path,
			(long long)m->size, (unsigned)m->mode);
	out->file = (struct wlm_file){ wlm_text(a, m->path), m->size, m->modified_ns, m->mode,
		m->folder };
	out->left_out = m->left_out;
	return OK;
}

static struct err read_checksum(const void *message, struct arena *a, struct wlm_answer *out)
{
	const Api__FileChecksumResponse *m = message;
	(void)a;
	if (m->sha256.len != WLM_SHA256_BYTES || m->size < 0)
		return err_new(ERR_INVALID, "a checksum should have %d bytes, and has %zu",
			WLM_SHA256_BYTES, m->sha256.len);
	memcpy(out->checksum.sha256, m->sha256.data, WLM_SHA256_BYTES);
	out->checksum.size = m->size;
	out->checksum.modified_ns = m->modified_ns;
	return OK;
}

static const struct {
	const ProtobufCMessageDescriptor *message;
	struct err (*read)(const void *message, struct arena *a, struct wlm_answer *out);
} rows[WLM_ANSWER_KINDS] = {
	[WLM_ANSWER_EMPTY] = { &api__cancel_job_response__descriptor, read_nothing },
	[WLM_ANSWER_JOB_ID] = { &api__submit_job_response__descriptor, read_job_id },
	[WLM_ANSWER_JOBS] = { &api__job_info_response__descriptor, read_jobs },
	[WLM_ANSWER_RESOURCES] = { &api__resources_response__descriptor, read_resources },
	[WLM_ANSWER_NAMES] = { &api__partitions_response__descriptor, read_names },
	[WLM_ANSWER_WORKLOAD] = { &api__workload_info_response__descriptor, read_workload },
	[WLM_ANSWER_CHUNK] = { &api__chunk__descriptor, read_chunk },
	[WLM_ANSWER_FILE] = { &api__file_entry__descriptor, read_file },
	[WLM_ANSWER_CHECKSUM] = { &api__file_checksum_response__descriptor, read_checksum },
};

struct err wlm_answer_read(enum wlm_answer_kind kind, const void *bytes, size_t n, struct arena *a,
	struct wlm_answer *out)
{
	const ProtobufCMessageDescriptor *d = rows[kind].message;
	*out = (struct wlm_answer){ 0 };
	if (!wlm_is_small(d, bytes, n))
		return err_new(ERR_INVALID, "a %s has more than %d fields", d->short_name,
			WLM_FIELDS_MOST);
	ProtobufCMessage *m = protobuf_c_message_unpack(d, NULL, n, n ? bytes : (const void *)"");
	if (!m)
		return err_new(ERR_INVALID, "this is no %s", d->short_name);
	struct err e = wlm_texts_are_whole(d, bytes, n)
		? rows[kind].read(m, a, out)
		: err_new(ERR_INVALID, "a text of it holds a NUL byte");
	protobuf_c_message_free_unpacked(m, NULL);
	return failed(e) ? err_wrap(e, "reading a %s", d->short_name) : OK;
}
