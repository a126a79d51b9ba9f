/* SPDX-License-Identifier: Apache-2.0 */
/* A gRPC server whose methods are known to the tests. */
#include "lib/grpc_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"

/* The state of one call. */
struct state {
	struct str kept;
	size_t bytes;
};

static void begin(void *world, struct grpc_call *c)
{
	struct grpc_world *w = world;
	w->begun++;
	w->peer = *grpc_call_peer(c);
	w->deadline_ms = grpc_call_deadline_ms(c);
	grpc_call_set(c, own_alloc(sizeof(struct state)));
}

static void gone(void *world, struct grpc_call *c)
{
	struct grpc_world *w = world;
	struct state *s = grpc_call_state(c);
	w->gone++;
	grpc_send(c, "too late", 8); /* changes nothing */
	str_free(&s->kept);
	free(s);
}

static void count(struct grpc_world *w, size_t n)
{
	w->messages++;
	w->message_most = n > w->message_most ? n : w->message_most;
}

static void keep(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct state *s = grpc_call_state(c);
	count(world, n);
	str_add_bytes(&s->kept, bytes, n);
	s->bytes += n;
}

static void once_ended(void *world, struct grpc_call *c)
{
	const struct state *s = grpc_call_state(c);
	(void)world;
	grpc_send(c, str_text(&s->kept), s->kept.len);
	grpc_finish(c, GRPC_OK, "");
	grpc_finish(c, GRPC_INTERNAL, "the second one counts nothing");
}

static void count_out(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	count(world, n);
	for (size_t i = 0; i < n; i++)
		grpc_send(c, bytes, n);
	grpc_finish(c, GRPC_OK, "");
}

static void add_up(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct state *s = grpc_call_state(c);
	(void)bytes;
	count(world, n);
	s->bytes += n;
}

static void sum_ended(void *world, struct grpc_call *c)
{
	const struct state *s = grpc_call_state(c);
	char text[32];
	(void)world;
	snprintf(text, sizeof(text), "%zu", s->bytes);
	grpc_send(c, text, strlen(text));
	grpc_finish(c, GRPC_OK, "");
}

static void chat(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	count(world, n);
	grpc_send(c, bytes, n);
}

static void chat_ended(void *world, struct grpc_call *c)
{
	(void)world;
	grpc_finish(c, GRPC_OK, "");
}

static void count_writable(void *world, struct grpc_call *c)
{
	struct grpc_world *w = world;
	if (grpc_queued_bytes(c) != 0)
		abort();
	w->writable++;
}

static void fail_as_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	AUTO(own_free) char *text = own_strndup(bytes, n);
	count(world, n);
	grpc_finish(c, (enum grpc_status)(n ? text[0] & 15 : 0), n ? text + 1 : "");
}

static void pour(void *world, struct grpc_call *c)
{
	enum { MOST = 64 << 10, PIECE = 16 << 10 };
	static const char piece[PIECE] = "";
	struct grpc_world *w = world;
	while (grpc_queued_bytes(c) + PIECE < MOST)
		grpc_send(c, piece, sizeof(piece));
	if (grpc_queued_bytes(c) > w->queued_most)
		w->queued_most = grpc_queued_bytes(c);
}

static void begin_pouring(void *world, struct grpc_call *c)
{
	begin(world, c);
	pour(world, c);
}

static const struct grpc_method methods[] = {
	{ "/test.Echo/Once", begin, keep, once_ended, NULL, gone },
	{ "/test.Echo/Count", begin, count_out, NULL, NULL, gone },
	{ "/test.Echo/Sum", begin, add_up, sum_ended, NULL, gone },
	{ "/test.Echo/Chat", begin, chat, chat_ended, count_writable, gone },
	{ "/test.Echo/Fail", begin, fail_as_asked, NULL, NULL, gone },
	{ "/test.Echo/Hang", begin, NULL, NULL, NULL, gone },
	{ "/test.Echo/Flood", begin_pouring, NULL, NULL, pour, gone },
	{ "/other.Service/Once", begin, keep, once_ended, NULL, gone },
	{ NULL },
};

static bool may_connect(void *world, const struct grpc_peer *peer)
{
	const struct grpc_world *w = world;
	return w->admits && peer->uid == (int64_t)getuid();
}

int grpc_world_listen(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, SOMAXCONN) != 0)
		abort();
	return fd;
}

void grpc_world_new(struct grpc_world *w)
{
	memset(w, 0, sizeof(*w));
	snprintf(w->folder, sizeof(w->folder), "/tmp/grpc-world-XXXXXX");
	if (!mkdtemp(w->folder))
		abort();
	snprintf(w->path, sizeof(w->path), "%s/red-box.sock", w->folder);
	w->loop = loop_uv_new();
	w->admits = true;
	w->config = (struct grpc_config){ .methods = methods, .admits = may_connect, .ctx = w };
	w->config.listen_fd = grpc_world_listen(w->path);
}

void grpc_world_start(struct grpc_world *w)
{
	if (failed(grpc_server_start(w->loop, &w->config, &w->server)))
		abort();
}

void grpc_world_free(struct grpc_world *w)
{
	grpc_server_free(w->server);
	loop_uv_free(w->loop);
	unlink(w->path);
	rmdir(w->folder);
	if (w->begun != w->gone)
		abort();
}
