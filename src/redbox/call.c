/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by all calls: ends a call with an error, and counts the files that calls hold
 * open.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/service_parts.h"

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

enum grpc_status call_status(enum err_kind kind) { return statuses[kind]; }

void call_fail(struct grpc_call *c, const char *method, struct err e)
{
	char who[WHO_BYTES];
	const char *key = call_who(c, who);
	log_warn("a call failed", "method", method, key, who, "why", e.text);
	grpc_finish(c, call_status(e.kind), e.text);
}

static struct quota *share_of(struct service *s, const struct grpc_call *c)
{
	char who[WHO_BYTES];
	call_who(c, who);
	return quota_of(&s->files, who);
}

bool call_takes_file(struct service *s, struct grpc_call *c, const char *method)
{
	char who[WHO_BYTES];
	call_who(c, who);
	if (place_take(&s->files, who))
		return true;
	s->files_refused++;
	call_fail(c, method,
		err_new(ERR_TOO_LARGE, "too many files are open for you already: try again later"));
	return false;
}

static void give_memory_back(void *ctx)
{
	struct service *s = ctx;
	s->trim = NULL;
	malloc_trim(0);
}

/* Memory is returned later, because the connection frees its part after the call. */
void call_gives_file_back(struct service *s, const struct grpc_call *c)
{
	struct quota *share = share_of(s, c);
	place_give(share);
	quota_leave(share); /* the reference of share_of */
	if (!s->files.used && !s->trim)
		s->trim = timer_start(s->config.loop, TRIM_MS, give_memory_back, s);
}

size_t call_files(struct service *s, const struct grpc_call *c)
{
	struct quota *share = share_of(s, c);
	size_t files = quota_used(share) * budget_quotas(&s->files);
	quota_leave(share);
	return files ? files : 1;
}

size_t call_piece_bytes(struct service *s, const struct grpc_call *c)
{
	size_t share = FILES_BYTES / call_files(s, c);
	return share < PIECE_BYTES ? share : PIECE_BYTES;
}

void call_send_chunk(struct grpc_call *c, const void *bytes, size_t n)
{
	AUTO(str_free) struct str chunk = { 0 };
	wlm_add_chunk(&chunk, bytes, n);
	grpc_send(c, str_text(&chunk), chunk.len);
}
