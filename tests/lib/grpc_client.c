/* SPDX-License-Identifier: Apache-2.0 */
/* A gRPC client that a test plays. */
#include "lib/grpc_client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utlist.h>

#include "lib/raw_client.h"

/* ---- what libnghttp2 tells ---- */

static struct reply *reply_of(nghttp2_session *s, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(s, stream);
}

static int on_header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags, void *ctx)
{
	struct reply *r = reply_of(s, frame->hd.stream_id);
	AUTO(own_free) char *key = own_strndup((const char *)name, name_bytes);
	char *text = own_strndup((const char *)value, value_bytes);
	(void)flags;
	(void)ctx;
	if (strcmp(key, ":status") == 0)
		r->http = atoi(text);
	if (strcmp(key, "grpc-status") == 0)
		r->status = atoi(text);
	if (strcmp(key, "grpc-message") == 0)
		r->message = TAKE(text);
	free(text);
	return 0;
}

static int on_frame(nghttp2_session *s, const nghttp2_frame *frame, void *ctx)
{
	struct grpc_client *g = ctx;
	(void)s;
	if (frame->hd.type == NGHTTP2_GOAWAY)
		g->goaway = frame->goaway.error_code;
	if (frame->hd.type == NGHTTP2_PING)
		g->pongs += frame->hd.flags & NGHTTP2_FLAG_ACK;
	return 0;
}

static int on_data(nghttp2_session *s, uint8_t flags, int32_t stream, const uint8_t *bytes,
	size_t n, void *ctx)
{
	const struct grpc_client *g = ctx;
	(void)flags;
	str_add_bytes(&reply_of(s, stream)->bytes, bytes, n);
	if (!g->reads_nothing)
		nghttp2_session_consume(s, stream, n);
	return 0;
}

static int on_close(nghttp2_session *s, int32_t stream, uint32_t code, void *ctx)
{
	struct reply *r = reply_of(s, stream);
	(void)ctx;
	r->closed = true;
	r->reset = code;
	return 0;
}

static nghttp2_ssize on_read(nghttp2_session *s, int32_t stream, uint8_t *to, size_t most,
	uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
	struct reply *r = source->ptr;
	size_t left = r->out.len - r->sent, n = left < most ? left : most;
	(void)s;
	(void)stream;
	(void)ctx;
	if (n)
		memcpy(to, r->out.text + r->sent, n);
	r->sent += n;
	if (n == left && r->ends)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	else if (n == 0)
		return NGHTTP2_ERR_DEFERRED;
	return (nghttp2_ssize)n;
}

/* ---- its connection ---- */

static nghttp2_session *new_session(struct grpc_client *g)
{
	nghttp2_session_callbacks *back;
	nghttp2_option *options;
	nghttp2_session *s;
	nghttp2_session_callbacks_new(&back);
	nghttp2_option_new(&options);
	nghttp2_option_set_no_auto_window_update(options, 1);
	nghttp2_option_set_no_http_messaging(options, 1);
	nghttp2_session_callbacks_set_on_header_callback(back, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(back, on_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(back, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(back, on_close);
	assert_int_equal(nghttp2_session_client_new2(&s, back, g, options), 0);
	nghttp2_session_callbacks_del(back);
	nghttp2_option_del(options);
	nghttp2_submit_settings(s, NGHTTP2_FLAG_NONE, NULL, 0);
	return s;
}

struct grpc_client *client_open(struct loop *l, const char *path)
{
	struct grpc_client *g = own_alloc(sizeof(*g));
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	g->loop = l;
	g->goaway = UINT32_MAX;
	g->fd = raw_open(l, AF_UNIX, &at, sizeof(at)).fd;
	g->session = new_session(g);
	return g;
}

void client_close(struct grpc_client *g)
{
	struct reply *r, *next;
	DL_FOREACH_SAFE(g->replies, r, next)
	{
		str_free(&r->bytes);
		str_free(&r->out);
		free(r->message);
		free(r);
	}
	nghttp2_session_del(g->session);
	close(g->fd);
	free(g);
}

static void send_all(struct grpc_client *g)
{
	const uint8_t *bytes;
	for (nghttp2_ssize n; (n = nghttp2_session_mem_send2(g->session, &bytes)) > 0;) {
		struct raw to = { .loop = g->loop, .fd = g->fd };
		while (n > 0 && !g->ended) {
			ssize_t sent = send(g->fd, bytes, (size_t)n, MSG_NOSIGNAL);
			if (sent < 0 && errno != EAGAIN)
				g->ended = true;
			else if (sent < 0)
				raw_turn(to.loop);
			bytes += sent > 0 ? sent : 0;
			n -= sent > 0 ? sent : 0;
		}
	}
}

static void read_all(struct grpc_client *g)
{
	uint8_t bytes[65536];
	ssize_t n;
	while ((n = recv(g->fd, bytes, sizeof(bytes), 0)) > 0)
		assert_true(nghttp2_session_mem_recv2(g->session, bytes, (size_t)n) >= 0);
	g->ended = g->ended || n == 0 || errno != EAGAIN;
}

void client_turn(struct grpc_client *g)
{
	if (!g->ended)
		send_all(g);
	raw_turn(g->loop);
	read_all(g);
}

void client_wait_end(struct grpc_client *g)
{
	while (!g->ended)
		client_turn(g);
}

/* ---- its calls ---- */

static size_t add_header(nghttp2_nv *to, size_t n, const char *name, const char *odd,
	const char *usual)
{
	const char *value = odd ? odd : usual;
	if (!value || (!*value && odd))
		return n;
	to[n] = (nghttp2_nv){ (uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), 0 };
	return n + 1;
}

struct reply *client_call(struct grpc_client *g, const char *path, const struct oddity *odd)
{
	static const struct oddity usual = { 0 };
	struct reply *r = own_alloc(sizeof(*r));
	nghttp2_nv nv[8];
	size_t n = 0;
	const nghttp2_data_provider2 data = { { .ptr = r }, on_read };
	odd = odd ? odd : &usual;
	n = add_header(nv, n, ":method", odd->method, "POST");
	n = add_header(nv, n, ":scheme", NULL, "http");
	n = add_header(nv, n, ":path", NULL, path);
	n = add_header(nv, n, ":authority", odd->authority, "localhost");
	n = add_header(nv, n, "content-type", odd->content_type, "application/grpc");
	n = add_header(nv, n, "te", odd->te, "trailers");
	n = add_header(nv, n, "grpc-timeout", odd->timeout, NULL);
	n = add_header(nv, n, "x-audience", odd->audience, NULL);
	n = add_header(nv, n, "filler", odd->filler, NULL);
	r->client = g;
	r->status = -1;
	r->stream = nghttp2_submit_request2(g->session, NULL, nv, n, &data, r);
	assert_true(r->stream > 0);
	DL_APPEND(g->replies, r);
	return r;
}

void client_send_raw(struct reply *r, const void *bytes, size_t n)
{
	str_add_bytes(&r->out, bytes, n);
	nghttp2_session_resume_data(r->client->session, r->stream);
}

void client_send(struct reply *r, const void *bytes, size_t n)
{
	const uint8_t prefix[] = { 0, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
		(uint8_t)n };
	client_send_raw(r, prefix, sizeof(prefix));
	client_send_raw(r, bytes, n);
}

void client_end(struct reply *r)
{
	r->ends = true;
	nghttp2_session_resume_data(r->client->session, r->stream);
}

void client_cancel(struct reply *r)
{
	nghttp2_submit_rst_stream(r->client->session, NGHTTP2_FLAG_NONE, r->stream, NGHTTP2_CANCEL);
}

static void turn_for(struct reply *r)
{
	if (r->client->ended)
		fail_msg("the server closed the connection before the call was over");
	client_turn(r->client);
}

void client_wait(struct reply *r)
{
	while (!r->closed)
		turn_for(r);
}

void client_wait_messages(struct reply *r, size_t n)
{
	while (reply_messages(r) < n)
		turn_for(r);
}

/* ---- its messages ---- */

/* The place behind the message at a place; 0: it is not whole. */
static size_t message_end(const struct reply *r, size_t at)
{
	if (r->bytes.len < at + 5)
		return 0;
	const uint8_t *p = (const uint8_t *)r->bytes.text + at;
	size_t end = at + 5 + ((size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4]);
	assert_int_equal(p[0], 0);
	return end <= r->bytes.len ? end : 0;
}

size_t reply_messages(const struct reply *r)
{
	size_t n = 0;
	for (size_t at = 0; (at = message_end(r, at)) > 0;)
		n++;
	return n;
}

const void *reply_message(const struct reply *r, size_t number, size_t *n)
{
	size_t at = 0, end;
	while ((end = message_end(r, at)) > 0 && number-- > 0)
		at = end;
	assert_true(end > 0);
	*n = end - at - 5;
	return r->bytes.text + at + 5;
}
