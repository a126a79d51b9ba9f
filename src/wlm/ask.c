/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: written into protobuf-c's structures, and packed by protobuf-c. */
#include "wlm/ask.h"

#include <protobuf-c/protobuf-c.h>

#include "base/own.h"
#include "wlm/texts.h"
#include "wlm/wlm.h"
#include "wlm/wlm.pb-c.h"

/* protobuf-c does not change the text while it packs. */
static char *text(const char *s) { return (char *)(uintptr_t)(s ? s : ""); }

void wlm_ask_submit(struct str *out, const char *script, const char *partition, const char *key,
	int64_t job_id)
{
	Api__SubmitJobRequest m = API__SUBMIT_JOB_REQUEST__INIT;
	m.job_id = job_id;
	m.script = text(script);
	m.partition = text(partition);
	m.client_id = text(key);
	wlm_pack(out, &m.base);
}

static Api__SingularityOptions options_of(const struct wlm_container_ask *c)
{
	Api__SingularityOptions o = API__SINGULARITY_OPTIONS__INIT;
	o.app = text(c->app);
	o.hostname = text(c->host_name);
	o.binds = (char **)(uintptr_t)c->binds;
	o.n_binds = c->n_binds;
	o.allowunsigned = c->allow_unsigned;
	o.clearenv = c->clear_env;
	o.fakeroot = c->fake_root;
	o.ipc = c->ipc;
	o.pid = c->pid;
	o.noprivs = c->no_privs;
	o.writable = c->writable;
	return o;
}

void wlm_ask_container(struct str *out, const struct wlm_container_ask *c)
{
	Api__SubmitJobContainerRequest m = API__SUBMIT_JOB_CONTAINER_REQUEST__INIT;
	Api__SingularityOptions options = options_of(c);
	m.imagename = text(c->image);
	m.nodes = c->nodes;
	m.cpupernode = c->cpu_per_node;
	m.mempernode = c->mem_per_node_mb;
	m.walltime = c->wall_time_s;
	m.partition = text(c->partition);
	m.client_id = text(c->key);
	m.job_id = c->job_id;
	m.options = &options;
	wlm_pack(out, &m.base);
}

void wlm_ask_job(struct str *out, int64_t job_id, const char *key)
{
	Api__JobInfoRequest m = API__JOB_INFO_REQUEST__INIT;
	m.job_id = job_id;
	m.client_id = text(key);
	wlm_pack(out, &m.base);
}

void wlm_ask_close(struct str *out, const char *key)
{
	Api__CloseSubmissionRequest m = API__CLOSE_SUBMISSION_REQUEST__INIT;
	m.client_id = text(key);
	wlm_pack(out, &m.base);
}

void wlm_ask_open(struct str *out, const char *path, int64_t offset)
{
	Api__OpenFileRequest m = API__OPEN_FILE_REQUEST__INIT;
	m.path = text(path);
	m.offset = offset;
	wlm_pack(out, &m.base);
}

void wlm_ask_path(struct str *out, const char *path)
{
	Api__ListFilesRequest m = API__LIST_FILES_REQUEST__INIT;
	m.path = text(path);
	wlm_pack(out, &m.base);
}

void wlm_ask_tail(struct str *out, bool read_to_end, const char *path, int64_t lines)
{
	Api__TailFileRequest m = API__TAIL_FILE_REQUEST__INIT;
	m.action = read_to_end ? API__TAIL_ACTION__ReadToEndAndClose : API__TAIL_ACTION__Start;
	m.path = text(path);
	m.lines = lines;
	wlm_pack(out, &m.base);
}

void wlm_ask_resources(struct str *out, const char *partition)
{
	Api__ResourcesRequest m = API__RESOURCES_REQUEST__INIT;
	m.partition = text(partition);
	wlm_pack(out, &m.base);
}

static ProtobufCBinaryData binary(const void *bytes, size_t n)
{
	return (ProtobufCBinaryData){ .len = n, .data = (uint8_t *)(uintptr_t)bytes };
}

void wlm_ask_new_file(struct str *out, const struct wlm_new_file *file)
{
	Api__CreateFileRequest m = API__CREATE_FILE_REQUEST__INIT;
	m.path = text(file->path);
	m.mode = file->mode;
	m.sha256 = binary(file->sha256, file->sha256 ? WLM_SHA256_BYTES : 0);
	wlm_pack(out, &m.base);
}

void wlm_ask_content(struct str *out, const void *content, size_t n)
{
	Api__CreateFileRequest m = API__CREATE_FILE_REQUEST__INIT;
	m.content = binary(content, n);
	wlm_pack(out, &m.base);
}
