/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: parsed by protobuf-c, then copied by a table of fields. */
#include "wlm/wlm.h"

#include <protobuf-c/protobuf-c.h>

#include "base/own.h"
#include "wlm/texts.h"
#include "wlm/wlm.pb-c.h"

static const ProtobufCMessageDescriptor *const messages[WLM_REQUEST_KINDS] = {
	[WLM_SUBMIT_JOB] = &api__submit_job_request__descriptor,
	[WLM_SUBMIT_JOB_CONTAINER] = &api__submit_job_container_request__descriptor,
	[WLM_CANCEL_JOB] = &api__cancel_job_request__descriptor,
	[WLM_JOB_INFO] = &api__job_info_request__descriptor,
	[WLM_JOB_STEPS] = &api__job_steps_request__descriptor,
	[WLM_OPEN_FILE] = &api__open_file_request__descriptor,
	[WLM_TAIL_FILE] = &api__tail_file_request__descriptor,
	[WLM_RESOURCES] = &api__resources_request__descriptor,
	[WLM_PARTITIONS] = &api__partitions_request__descriptor,
	[WLM_WORKLOAD_INFO] = &api__workload_info_request__descriptor,
	[WLM_CREATE_FILE] = &api__create_file_request__descriptor,
	[WLM_ZIP] = &api__zip_request__descriptor,
	[WLM_UNZIP] = &api__unzip_request__descriptor,
	[WLM_LIST_FILES] = &api__list_files_request__descriptor,
	[WLM_FILE_CHECKSUM] = &api__file_checksum_request__descriptor,
	[WLM_CLOSE_SUBMISSION] = &api__close_submission_request__descriptor,
};

/* Maps a field. The descriptor of its message has its type. */
struct field_row {
	const char *field;
	size_t member;
};

#define OF(member) offsetof(struct wlm_request, member)

static const struct field_row texts[] = {
	{ "script", OF(script) },
	{ "partition", OF(partition) },
	{ "client_id", OF(key) },
	{ "path", OF(path) },
	{ "source", OF(source) },
	{ "target", OF(target) },
	{ "imageName", OF(container.image) },
};

static const struct field_row numbers[] = {
	{ "job_id", OF(job_id) },
	{ "offset", OF(offset) },
	{ "mode", OF(mode) },
	{ "lines", OF(lines) },
	{ "nodes", OF(container.nodes) },
	{ "cpuPerNode", OF(container.cpu_per_node) },
	{ "memPerNode", OF(container.mem_per_node_mb) },
	{ "wallTime", OF(container.wall_time_s) },
};

/* The fields of the message "options". */
static const struct field_row option_texts[] = {
	{ "app", OF(container.app) },
	{ "hostName", OF(container.hostname) },
};

static const struct field_row option_flags[] = {
	{ "allowUnsigned", OF(container.allow_unsigned) },
	{ "clearEnv", OF(container.clean_env) },
	{ "fakeRoot", OF(container.fake_root) },
	{ "ipc", OF(container.ipc) },
	{ "pid", OF(container.pid) },
	{ "noPrivs", OF(container.no_privs) },
	{ "writable", OF(container.writable) },
};

/* ---- the fields ---- */

/*
 * Returns the field's value in the message; NULL: messages of this kind lack the field.
 */
static const void *value_of(const ProtobufCMessage *m, const char *field)
{
	const ProtobufCFieldDescriptor *f =
		protobuf_c_message_descriptor_get_field_by_name(m->descriptor, field);
	return f ? (const char *)m + f->offset : NULL;
}

/* m NULL: the message is absent, so all of its fields are. */
static void take_texts(const ProtobufCMessage *m, const struct field_row *rows, size_t n,
	struct wlm_request *out)
{
	for (size_t i = 0; i < n; i++) {
		char *const *text = m ? value_of(m, rows[i].field) : NULL;
		char **to = (char **)((char *)out + rows[i].member);
		*to = own_strdup(text && *text ? *text : "");
	}
}

static void take_numbers(const ProtobufCMessage *m, struct wlm_request *out)
{
	for (size_t i = 0; i < LENGTH(numbers); i++) {
		const int64_t *number = value_of(m, numbers[i].field);
		if (number)
			*(int64_t *)((char *)out + numbers[i].member) = *number;
	}
}

static void take_options(const Api__SingularityOptions *o, struct wlm_request *out)
{
	struct wlm_container *c = &out->container;
	take_texts(o ? &o->base : NULL, option_texts, LENGTH(option_texts), out);
	if (!o)
		return;
	for (size_t i = 0; i < LENGTH(option_flags); i++) {
		const protobuf_c_boolean *flag = value_of(&o->base, option_flags[i].field);
		*(bool *)((char *)out + option_flags[i].member) = *flag != 0;
	}
	c->binds = own_alloc((o->n_binds + 1) * sizeof(*c->binds));
	for (; c->n_binds < o->n_binds; c->n_binds++)
		c->binds[c->n_binds] = own_strdup(o->binds[c->n_binds]);
}

static void take_fields(const ProtobufCMessage *m, struct wlm_request *out)
{
	const Api__TailAction *action = value_of(m, "action");
	const ProtobufCBinaryData *content = value_of(m, "content"), *sum = value_of(m, "sha256");
	const Api__SingularityOptions *const *options = value_of(m, "options");
	take_texts(m, texts, LENGTH(texts), out);
	take_numbers(m, out);
	take_options(options ? *options : NULL, out);
	if (action)
		out->read_to_end = *action == API__TAIL_ACTION__ReadToEndAndClose;
	if (content)
		str_add_bytes(&out->content, content->data, content->len);
	if (sum)
		str_add_bytes(&out->sha256, sum->data, sum->len);
}

struct err wlm_read(enum wlm_request_kind kind, const void *bytes, size_t n,
	struct wlm_request *out)
{
	const ProtobufCMessageDescriptor *d = messages[kind];
	*out = (struct wlm_request){ 0 };
	if (!wlm_is_small(d, bytes, n))
		return err_new(ERR_INVALID, "the %s has more than %d fields", d->short_name,
			WLM_FIELDS_MOST);
	ProtobufCMessage *m = protobuf_c_message_unpack(d, NULL, n, n ? bytes : (const void *)"");
	if (!m)
		return err_new(ERR_INVALID, "this is no %s", d->short_name);
	struct err e = OK;
	if (wlm_texts_are_whole(d, bytes, n))
		take_fields(m, out);
	else
		e = err_new(ERR_INVALID, "a text of the %s holds a NUL byte", d->short_name);
	protobuf_c_message_free_unpacked(m, NULL);
	return e;
}

static void free_texts(const struct field_row *rows, size_t n, struct wlm_request *r)
{
	for (size_t i = 0; i < n; i++) {
		char **text = (char **)((char *)r + rows[i].member);
		free(TAKE(*text));
	}
}

void wlm_request_free(struct wlm_request *r)
{
	struct wlm_container *c = &r->container;
	free_texts(texts, LENGTH(texts), r);
	free_texts(option_texts, LENGTH(option_texts), r);
	while (c->n_binds)
		free(c->binds[--c->n_binds]);
	free(TAKE(c->binds));
	str_free(&r->content);
	str_free(&r->sha256);
}
