/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of a client: the session of libnghttp2, keepalive, connecting, and
 * sending asks on a connection. An ask (ask.c) uses only the wire of its connection.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "grpc/client_parts.h"
#include "grpc/limits.h"

enum {
	/* Defaults of the configuration */
	CALLS = 1000,
	WAITING = 1000,
	PING_MS = 10000,
	PATIENCE_MS = 10000,
	/*
	 * The most that a paused call may buffer. The window of the connection is updated
	 * at once, so that a paused call blocks no other call.
	 */
	STREAM_WINDOW_BYTES = 128 << 10,
	MOST_CONNS = 4, /* retired connections, and the connection for new asks */
	MOST_PING_MS = 600000,
	FIRST_PAUSE_MS = 100,
	MOST_PAUSE_MS = 10000,
};

static void act(void *client);

/* Connects, or sends waiting asks, when the pause is over. */
static void act_soon(struct grpc_client *c)
{
	int64_t wait_ms = c->conn ? 0 : c->next_ms - loop_now_ms(c->loop);
	bool connecting = c->dial || c->shakes;
	if (!c->act && c->waiting.first && !connecting)
		c->act = timer_start(c->loop, wait_ms > 0 ? wait_ms : 0, act, c);
}

/* Assigns no more asks to the connection. */
static void retire(struct conn *t)
{
	struct grpc_client *c = t->client;
	if (c->conn != t)
		return;
	c->conn = NULL;
	str_clear(&c->trouble);
	str_addf(&c->trouble, "the server has ended the connection");
	act_soon(c);
}

/* Halves the rate of PINGs, after the server refused them as too many. */
static void ping_less(struct conn *t)
{
	struct grpc_client_config *config = &t->client->config;
	if (config->ping_ms < MOST_PING_MS)
		config->ping_ms *= 2;
}

/* ---- the session: what the server sends ---- */

/* The ask of a stream; NULL: the ask has already ended. */
static struct grpc_ask *ask_of(nghttp2_session *s, int32_t stream)
{
	return stream ? nghttp2_session_get_stream_user_data(s, stream) : NULL;
}

static int header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags, void *conn)
{
	struct grpc_ask *a = ask_of(s, frame->hd.stream_id);
	(void)flags;
	(void)conn;
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

static void settings_came(struct conn *t)
{
	t->greeted = true;
	act_soon(t->client);
}

static int frame_came(nghttp2_session *s, const nghttp2_frame *frame, void *conn)
{
	struct conn *t = conn;
	struct grpc_ask *a = ask_of(s, frame->hd.stream_id);
	if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
		settings_came(t);
	if (frame->hd.type == NGHTTP2_GOAWAY) {
		if (frame->goaway.error_code == NGHTTP2_ENHANCE_YOUR_CALM)
			ping_less(t);
		retire(t);
	}
	if (a)
		stream_frame(a, frame);
	return 0;
}

static int data_came(nghttp2_session *s, uint8_t flags, int32_t stream, const uint8_t *bytes,
	size_t n, void *conn)
{
	struct grpc_ask *a = ask_of(s, stream);
	(void)flags;
	(void)conn;
	nghttp2_session_consume_connection(s, n);
	if (a)
		ask_data(a, bytes, n);
	return 0;
}

static int frame_sent(nghttp2_session *s, const nghttp2_frame *frame, void *conn)
{
	struct grpc_ask *a = ask_of(s, frame->hd.stream_id);
	(void)conn;
	if (a && frame->hd.type == NGHTTP2_HEADERS)
		a->sent = true;
	return 0;
}

static int stream_closed(nghttp2_session *s, int32_t stream, uint32_t code, void *conn)
{
	struct grpc_ask *a = ask_of(s, stream);
	(void)conn;
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

static nghttp2_session *session_of(struct conn *t)
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
		abort(); /* out of memory, as in own_alloc */
	queue_settings(s);
	return s;
}

/* ---- the end of a connection ---- */

static void lose(struct grpc_ask *a, const char *why)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "the connection broke: %s", why);
	if (a->ended) {
		a->conn = NULL;
		ask_move(a, &a->client->parked);
	} else {
		ask_over(a, a->sent ? GRPC_EFFECT_UNKNOWN : GRPC_NOT_SENT, GRPC_UNAVAILABLE,
			str_text(&text));
	}
}

/* Closes the connection and ends its asks with the cause why. */
static void conn_free(struct conn *t, const char *why)
{
	struct grpc_client *c = t->client;
	retire(t);
	str_clear(&c->trouble);
	str_addf(&c->trouble, "the connection broke: %s", why);
	t->wire.broken = t->wire.in_turn = true; /* drop what is still queued */
	while (t->asks.first)
		lose(t->asks.first, why);
	DL_DELETE(c->conns, t);
	timer_stop(c->loop, t->tick);
	wire_close(&t->wire);
	free(t);
}

static void break_off(struct conn *t, const char *why)
{
	t->wire.why = t->wire.why ? t->wire.why : why;
	conn_free(t, t->wire.why);
}

/* ---- keepalive ---- */

/*
 * Finds a dead server. libnghttp2 answers PINGs of the server by itself. Our PINGs are
 * sent only while the server owes a response, because a server may treat many PINGs as an
 * attack.
 */
static void tick(void *conn)
{
	struct conn *t = conn;
	const struct grpc_client_config *config = &t->client->config;
	bool silent = !t->wire.heard;
	t->tick = NULL;
	t->wire.heard = false;
	if (!t->greeted) {
		break_off(t, "the server sent no HTTP/2 settings after the connection was made");
	} else if (t->asked && silent) {
		break_off(t, "the server did not answer a PING");
	} else {
		t->asked = silent && t->asks.first;
		t->tick = timer_start(t->wire.loop,
			t->asked ? config->patience_ms : config->ping_ms, tick, t);
		if (!t->asked)
			return;
		nghttp2_submit_ping(t->wire.session, NGHTTP2_FLAG_NONE, NULL);
		wire_changed(&t->wire);
	}
}

/* ---- turns of a connection ---- */

/* Calls writable of drained asks; its callback may remove other asks from the list. */
static void settle(void *conn)
{
	struct conn *t = conn;
	for (struct grpc_ask *a = t->asks.first; a;) {
		bool tell = a->drained && !queue_left(&a->outbox) && !a->finished;
		a->drained = false;
		if (tell && a->events->writable) {
			a->events->writable(a->ctx, a);
			a = t->asks.first;
		} else {
			a = a->next;
		}
	}
}

static void over(void *conn)
{
	struct conn *t = conn;
	break_off(t, "the server violated HTTP/2, or ended the connection");
}

/* ---- the beginning of a connection ---- */

/*
 * Limits the number of connections: if a server repeatedly ends connections gracefully,
 * several may still have asks.
 */
static void count_conns(struct grpc_client *c)
{
	const struct conn *t;
	int n;
	DL_COUNT(c->conns, t, n);
	if (n > MOST_CONNS)
		break_off(c->conns, "the client has too many connections");
}

/* Makes a connection, which owns the end from now on. */
static void conn_new(struct grpc_client *c, struct end end)
{
	static const struct wire_events events = { settle, over };
	struct conn *t = own_alloc(sizeof(*t));
	t->client = c;
	t->wire = (struct wire){ c->loop, end, session_of(t), t, &events };
	t->tick = timer_start(c->loop, c->config.patience_ms, tick, t);
	DL_APPEND(c->conns, t);
	c->conn = t;
	count_conns(c);
	wire_start(&t->wire);
}

/* ---- pauses ---- */

static uint64_t draw(struct grpc_client *c, uint64_t below)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random % below;
}

/*
 * Doubles the pause. The next attempt follows after a random part of the pause, at least
 * half.
 */
static void grow_pause(struct grpc_client *c)
{
	int64_t twice = 2 * c->pause_ms < MOST_PAUSE_MS ? 2 * c->pause_ms : MOST_PAUSE_MS;
	c->pause_ms = c->pause_ms ? twice : FIRST_PAUSE_MS;
	c->next_ms = loop_now_ms(c->loop) + c->pause_ms -
		(int64_t)draw(c, (uint64_t)c->pause_ms / 2 + 1);
}

/* ---- the result of connecting ---- */

static void have_end(struct grpc_client *c, struct end end)
{
	str_clear(&c->trouble);
	str_addf(&c->trouble, "the server has not answered yet");
	conn_new(c, end);
}

/* to: the address of the attempt; NULL: why contains the address. */
static void have_none(struct grpc_client *c, const char *to, const char *why)
{
	str_clear(&c->trouble);
	if (to)
		str_addf(&c->trouble, "connecting to %s: ", to);
	str_add(&c->trouble, why);
	act_soon(c);
}

static void end_all_waiting(struct grpc_client *c)
{
	while (c->waiting.first)
		ask_over(c->waiting.first, GRPC_NOT_SENT, GRPC_UNAVAILABLE,
			"the connection has ended, and there is no other");
}

/* ---- local sockets ---- */

/* Connects to a unix socket, which succeeds or fails at once and never waits. */
static int connect_to(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at)) != 0) {
		int error = errno;
		close(fd);
		errno = error;
		fd = -1;
	}
	return fd;
}

static void connect_unix(struct grpc_client *c)
{
	int fd = connect_to(c->config.path);
	if (fd >= 0)
		have_end(c, (struct end){ fd, NULL });
	else
		have_none(c, c->config.path,
			errno == EAGAIN ? "the server accepts no more connections"
					: strerror(errno));
}

/* Uses the socket of the configuration, which is available only once. */
static void use_given(struct grpc_client *c)
{
	int fd = c->config.fd;
	c->config.fd = -1;
	if (fd >= 0)
		have_end(c, (struct end){ fd, NULL });
	else
		end_all_waiting(c);
}

/* ---- TCP ---- */

static void shaken(void *client, const char *why)
{
	struct grpc_client *c = client;
	struct tls *t = TAKE(c->shakes);
	if (why) {
		AUTO(str_free) struct str to = { 0 };
		str_addf(&to, "%s:%s", c->tcp.host, c->tcp.port);
		have_none(c, str_text(&to), why);
		tls_close(t);
	} else {
		have_end(c, (struct end){ tls_fd(t), t });
	}
}

static void dialled(void *client, int fd, const char *why)
{
	struct grpc_client *c = client;
	c->dial = NULL;
	if (fd >= 0)
		c->shakes = tls_start(c->loop, c->tcp.keys, fd, &c->role, c->config.patience_ms,
			shaken, c);
	else
		have_none(c, NULL, why);
}

/* ---- connecting ---- */

static void stop_connecting(struct grpc_client *c)
{
	dial_stop(TAKE(c->dial));
	tls_close(TAKE(c->shakes));
}

/* Starts to connect, and lengthens the pause before the next attempt. */
static void connect_any(struct grpc_client *c)
{
	if (c->dial || c->shakes)
		return;
	grow_pause(c);
	str_clear(&c->trouble);
	if (c->config.path) {
		connect_unix(c);
	} else if (c->config.tcp) {
		str_addf(&c->trouble, "connecting to %s:%s has not ended yet", c->tcp.host,
			c->tcp.port);
		c->dial = dial_start(c->loop, c->tcp.host, c->tcp.port, c->config.patience_ms,
			dialled, c);
	} else {
		use_given(c);
	}
}

/* ---- waiting asks ---- */

/* Sends waiting asks, as many as the connection allows. */
static void fill(struct conn *t)
{
	struct grpc_client *c = t->client;
	uint32_t theirs = nghttp2_session_get_remote_settings(t->wire.session,
		NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
	int most = theirs < (uint32_t)c->config.max_calls ? (int)theirs : c->config.max_calls;
	while (t->greeted && c->conn == t && c->waiting.first && t->asks.n < most)
		if (!ask_submit(c->waiting.first, t))
			retire(t);
	wire_changed(&t->wire);
}

static void act(void *client)
{
	struct grpc_client *c = client;
	c->act = NULL;
	if (!c->waiting.first)
		return;
	if (c->conn)
		fill(c->conn);
	else
		connect_any(c);
}

/* ---- the client ---- */

static void copy_tcp(struct grpc_client *c, const struct grpc_client_tcp *given)
{
	c->tcp = *given;
	c->tcp.host = own_strdup(given->host);
	c->tcp.port = own_strdup(given->port);
	c->tcp.server_name = own_strdup(given->server_name ? given->server_name : given->host);
	c->role = (struct tls_role){ .protocol = "h2", .server_name = c->tcp.server_name };
	c->config.tcp = &c->tcp;
}

static void free_text(const char *text) { free((char *)(uintptr_t)text); }

static void fill_in(struct grpc_client_config *c)
{
	c->path = own_strdup(c->path);
	c->authority = own_strdup(c->authority ? c->authority : "localhost");
	c->audience = own_strdup(c->audience);
	c->max_message_bytes = c->max_message_bytes ? c->max_message_bytes
						    : GRPC_CLIENT_MESSAGE_BYTES;
	c->max_calls = c->max_calls ? c->max_calls : CALLS;
	c->max_waiting = c->max_waiting ? c->max_waiting : WAITING;
	c->ping_ms = c->ping_ms ? c->ping_ms : PING_MS;
	c->patience_ms = c->patience_ms ? c->patience_ms : PATIENCE_MS;
}

struct err grpc_client_new(struct loop *uv_loop, const struct grpc_client_config *config,
	struct grpc_client **out)
{
	const size_t room = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	if (config->path && (!*config->path || strlen(config->path) > room))
		return err_new(ERR_INVALID,
			"the path of a socket must have 1 to %zu bytes, but this path has %zu: %s",
			room, strlen(config->path), config->path);
	struct grpc_client *c = own_alloc(sizeof(*c));
	c->loop = uv_loop;
	c->asks_changed = act_soon;
	c->config = *config;
	fill_in(&c->config);
	if (config->tcp)
		copy_tcp(c, config->tcp);
	c->messages.limit = GRPC_CLIENT_MESSAGES_BYTES;
	c->messages.least = c->config.max_message_bytes;
	c->quota = config->messages ? quota_of(config->messages, config->share)
				    : quota_of(&c->messages, "server");
	c->random = config->seed ? config->seed : 1;
	*out = c;
	return OK;
}

void grpc_client_free(struct grpc_client *c)
{
	if (!c)
		return;
	asks_end(&c->waiting);
	asks_end(&c->parked);
	while (c->conns) {
		asks_end(&c->conns->asks);
		conn_free(c->conns, "the client was closed");
	}
	stop_connecting(c);
	timer_stop(c->loop, TAKE(c->tell));
	asks_tell(c);
	timer_stop(c->loop, c->act);
	timer_stop(c->loop, c->tell);
	if (!c->config.path && !c->config.tcp && c->config.fd >= 0)
		close(c->config.fd);
	quota_leave(c->quota);
	free_text(c->config.path);
	free_text(c->config.authority);
	free_text(c->config.audience);
	free_text(c->tcp.host);
	free_text(c->tcp.port);
	free_text(c->tcp.server_name);
	str_free(&c->trouble);
	free(c);
}
