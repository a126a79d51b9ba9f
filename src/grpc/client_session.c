/* SPDX-License-Identifier: Apache-2.0 */
/* The libnghttp2 session of a client connection: its limits and callbacks. */
#include "base/own.h"
#include "grpc/client_parts.h"
#include "grpc/limits.h"

enum {
	/*
	 * The most that a paused call may buffer. The window of the connection is updated
	 * at once, so that a paused call blocks no other call.
	 */
	STREAM_WINDOW_BYTES = 128 << 10,
};

/* NULL: the ask has already ended. */
static struct grpc_ask *ask_of(nghttp2_session *s, int32_t stream)
{
	return stream ? nghttp2_session_get_stream_user_data(s, stream) : NULL;
}

static int header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags, void *trunk)
{
	struct grpc_ask *a = ask_of(s, frame->hd.stream_id);
	(void)flags;
	(void)trunk;
	if (a && frame->hd.type == NGHTTP2_HEADERS)
		head_add(&a->head, name, name_bytes, value, value_bytes);
	return 0;
}

static void stream_frame(struct grpc_ask *a, const nghttp2_frame *frame)
{
	bool last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
	if (frame->hd.type == NGHTTP2_HEADERS)
		ask_headers_came(a, last);
	else if (frame->hd.type == NGHTTP2_DATA && last)
		ask_data_ended(a);
}

static void settings_came(struct trunk *t)
{
	t->greeted = true;
	client_act(t->client);
}

static int frame_came(nghttp2_session *s, const nghttp2_frame *frame, void *trunk)
{
	struct trunk *t = trunk;
	struct grpc_ask *a = ask_of(s, frame->hd.stream_id);
	if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
		settings_came(t);
	if (frame->hd.type == NGHTTP2_GOAWAY) {
		if (frame->goaway.error_code == NGHTTP2_ENHANCE_YOUR_CALM)
			trunk_not_so_often(t);
		trunk_retire(t);
	}
	if (a)
		stream_frame(a, frame);
	return 0;
}

static int data_came(nghttp2_session *s, uint8_t flags, int32_t stream, const uint8_t *bytes,
	size_t n, void *trunk)
{
	struct grpc_ask *a = ask_of(s, stream);
	(void)flags;
	(void)trunk;
	nghttp2_session_consume_connection(s, n);
	if (a)
		ask_data(a, bytes, n);
	return 0;
}

static int frame_sent(nghttp2_session *s, const nghttp2_frame *frame, void *trunk)
{
	struct grpc_ask *a = ask_of(s, frame->hd.stream_id);
	(void)trunk;
	if (a && frame->hd.type == NGHTTP2_HEADERS)
		a->sent = true;
	return 0;
}

static int stream_closed(nghttp2_session *s, int32_t stream, uint32_t code, void *trunk)
{
	struct grpc_ask *a = ask_of(s, stream);
	(void)trunk;
	if (a)
		ask_stream_closed(a, code);
	return 0;
}

static void set_options(nghttp2_option *o)
{
	nghttp2_option_set_no_auto_window_update(o, 1);
	nghttp2_option_set_max_reserved_remote_streams(o, 0);
}

static void queue_settings(nghttp2_session *s)
{
	static const nghttp2_settings_entry ours[] = {
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEAD_MOST_BYTES },
		{ NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1 },
	};
	limits_queue(s, ours, LENGTH(ours));
}

nghttp2_session *trunk_session(struct trunk *t)
{
	AUTO(limits_free_callbacks) nghttp2_session_callbacks *back = limits_callbacks();
	AUTO(limits_free_options) nghttp2_option *options = limits_options();
	nghttp2_session *s = NULL;
	nghttp2_session_callbacks_set_on_header_callback(back, header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(back, frame_came);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(back, data_came);
	nghttp2_session_callbacks_set_on_frame_send_callback(back, frame_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(back, stream_closed);
	set_options(options);
	if (nghttp2_session_client_new2(&s, back, t, options) != 0)
		abort(); /* memory is out, as in own_alloc */
	queue_settings(s);
	return s;
}
