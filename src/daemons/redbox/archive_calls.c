/* SPDX-License-Identifier: Apache-2.0 */
/* Zip and Unzip: the work is done beside the loop, and ends when its client goes. */
#include <malloc.h>
#include <stdio.h>

#include "base/log.h"
#include "base/own.h"
#include "daemons/redbox/archives.h"
#include "daemons/redbox/service_parts.h"
#include "net/work.h"

struct archiving {
	struct service *service;
	struct grpc_call *call; /* NULL: it is over */
	const char *method;
	struct folders *folders;
	struct wlm_request request;
	struct work *work; /* NULL: it has ended */
	struct err result;
	struct zip_told told;
};

static void archiving_free(struct archiving *a)
{
	folders_free(a->folders);
	wlm_request_free(&a->request);
	free(a);
}

/* The list of a large archive has some 50 MiB, which the C library would keep. */
static void pack(void *job, const atomic_bool *stop)
{
	struct archiving *a = job;
	a->result = zip_tree(a->folders, a->request.path, a->request.target, stop, &a->told);
	malloc_trim(0);
}

static void unpack(void *job, const atomic_bool *stop)
{
	struct archiving *a = job;
	a->result = unzip_tree(a->folders, a->request.source, a->request.path, stop);
	malloc_trim(0);
}

static void archived(void *job)
{
	struct archiving *a = job;
	char count[24];
	a->work = NULL;
	if (!a->call) {
		archiving_free(a);
		return;
	}
	if (failed(a->result)) {
		call_fail(a->call, a->method, a->result);
		return;
	}
	snprintf(count, sizeof(count), "%zu", a->told.left_out);
	if (a->told.left_out)
		log_warn("an archive lacks what is neither file nor folder", "count", count,
			"example", a->told.example);
	grpc_send(a->call, "", 0);
	grpc_finish(a->call, GRPC_OK, "");
}

static void begin(struct service *s, struct grpc_call *c, const char *method, work_fn *do_it,
	enum wlm_request_kind kind, const void *bytes, size_t n)
{
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	struct err e = OK;
	if (grpc_call_state(c))
		e = err_new(ERR_INVALID, "a second message came");
	else
		e = wlm_read(kind, bytes, n, &request);
	if (failed(e)) {
		call_fail(c, method, e);
		return;
	}
	if (!call_takes_file(s, c, method))
		return;
	struct archiving *a = own_alloc(sizeof(*a));
	*a = (struct archiving){
		.service = s,
		.call = c,
		.method = method,
		.folders = folders_share(s->config.folders),
		.request = request,
	};
	request = (struct wlm_request){ 0 };
	grpc_call_set(c, a);
	a->work = work_start(s->config.loop, do_it, archived, a);
}

void zip_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	begin(ctx, c, "Zip", pack, WLM_ZIP, bytes, n);
}

void unzip_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	begin(ctx, c, "Unzip", unpack, WLM_UNZIP, bytes, n);
}

void archive_ended(void *ctx, struct grpc_call *c)
{
	(void)ctx;
	if (!grpc_call_state(c))
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "no message came");
}

void archive_gone(void *ctx, struct grpc_call *c)
{
	struct archiving *a = grpc_call_state(c);
	(void)ctx;
	if (!a)
		return;
	a->service->files--;
	a->call = NULL;
	if (a->work)
		work_stop(a->work);
	else
		archiving_free(a);
}
