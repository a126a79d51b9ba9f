/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the outcome of a call from the frames of its server. Only a gRPC status in its
 * place is an answer. After anything else the outcome is unknown, except where HTTP/2 has
 * a way to say that the server did nothing (RFC 9113 8.7).
 */
#include <stdio.h>

#include "base/own.h"
#include "grpc/client_parts.h"

enum { MOST_HTTP = 999, INFORMATIONAL = 200, UNKNOWN_TO_US = -1 };

static void lost(struct grpc_ask *a, enum grpc_status status, const char *text)
{
	ask_over(a, GRPC_FATE_UNKNOWN, status, text);
}

/* https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md */
static enum grpc_status status_of_http(int http)
{
	static const struct {
		int http;
		enum grpc_status status;
	} rows[] = {
		{ 400, GRPC_INTERNAL },
		{ 401, GRPC_UNAUTHENTICATED },
		{ 403, GRPC_PERMISSION_DENIED },
		{ 404, GRPC_UNIMPLEMENTED },
		{ 429, GRPC_UNAVAILABLE },
		{ 502, GRPC_UNAVAILABLE },
		{ 503, GRPC_UNAVAILABLE },
		{ 504, GRPC_UNAVAILABLE },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].http == http)
			return rows[i].status;
	return GRPC_UNKNOWN;
}

/* https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Errors" */
static enum grpc_status status_of_reset(uint32_t code)
{
	static const struct {
		uint32_t code;
		enum grpc_status status;
	} rows[] = {
		{ NGHTTP2_REFUSED_STREAM, GRPC_UNAVAILABLE },
		{ NGHTTP2_CANCEL, GRPC_CANCELLED },
		{ NGHTTP2_ENHANCE_YOUR_CALM, GRPC_RESOURCE_EXHAUSTED },
		{ NGHTTP2_INADEQUATE_SECURITY, GRPC_PERMISSION_DENIED },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].code == code)
			return rows[i].status;
	return GRPC_INTERNAL;
}

/* Handles the headers that end a call, alone or behind messages. */
static void end_by_head(struct grpc_ask *a)
{
	AUTO(str_free) struct str text = { 0 };
	int status = head_number(&a->head.status, GRPC_STATUSES - 1);
	percent_decode(&text, str_text(&a->head.message));
	if (!a->head.status.text)
		lost(a, GRPC_UNKNOWN, "the server ended the call without a status");
	else if (a->head.spoiled || status == UNKNOWN_TO_US)
		lost(a, GRPC_UNKNOWN, "the server ended the call with a status that is none");
	else
		ask_ended(a, GRPC_ANSWERED, (enum grpc_status)status, str_text(&text));
}

/* Ends a call whose answer is not gRPC: from a proxy, or from another program. */
static bool refuse_answer(struct grpc_ask *a, int http)
{
	char text[64];
	snprintf(text, sizeof(text), "the server answered with the status %d of HTTP", http);
	if (http != HTTP_STATUS_OK && !a->head.status.text)
		lost(a, status_of_http(http), text);
	else if (!head_is_grpc(&a->head))
		lost(a, GRPC_UNKNOWN, "the answer is not of the type application/grpc");
	else
		return false;
	return true;
}

void ask_headers_came(struct grpc_ask *a, bool last)
{
	int http = head_number(&a->head.http, MOST_HTTP);
	if (a->head.bytes > HEAD_MOST_BYTES) {
		lost(a, GRPC_INTERNAL, "the headers of the answer have more than 16384 bytes");
		return;
	}
	bool first = !a->responded && http >= INFORMATIONAL;
	a->responded = a->responded || first;
	if (first && refuse_answer(a, http))
		return;
	if (last)
		end_by_head(a);
	head_free(&a->head);
	a->head = (struct head){ 0 };
}

void ask_data_ended(struct grpc_ask *a)
{
	lost(a, GRPC_UNKNOWN, "the server ended the call without a status");
}

/*
 * Whether a reset means the deadline. The server has the deadline, too, and may cancel
 * the call at it. Either the reset or our timer comes first.
 */
static bool ended_by_deadline(const struct grpc_ask *a, uint32_t code)
{
	return code == NGHTTP2_CANCEL && loop_now_ms(a->client->loop) >= a->deadline_ms;
}

void ask_stream_closed(struct grpc_ask *a, uint32_t code)
{
	char text[96];
	bool refused = code == NGHTTP2_REFUSED_STREAM && !a->responded;
	snprintf(text, sizeof(text), "the server reset the call: %s", nghttp2_http2_strerror(code));
	a->closed = true;
	if (a->ended) /* the received messages are still passed on */
		return;
	if (ended_by_deadline(a, code))
		ask_too_late(a);
	else
		ask_over(a, !a->sent || refused ? GRPC_NOT_SENT : GRPC_FATE_UNKNOWN,
			status_of_reset(code), text);
}

void ask_refuse(void *ask, enum inbox_fault fault, const char *text)
{
	static const enum grpc_status statuses[INBOX_FAULTS] = {
		[INBOX_COMPRESSED] = GRPC_INTERNAL,
		[INBOX_MALFORMED] = GRPC_INTERNAL,
		[INBOX_TOO_LARGE] = GRPC_RESOURCE_EXHAUSTED,
		[INBOX_NO_ROOM] = GRPC_UNAVAILABLE,
	};
	lost(ask, statuses[fault], text);
}
