/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of the client: when and how it connects. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "grpc/client_parts.h"

enum {
	FIRST_PAUSE_MS = 100,
	MOST_PAUSE_MS = 10000,
};

/* ---- pauses ---- */

static uint64_t draw(struct grpc_client *c, uint64_t below)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random % below;
}

/* Doubles the pause. The next attempt comes after half of the pause to all of it. */
static void grow_pause(struct grpc_client *c)
{
	int64_t twice = 2 * c->pause_ms < MOST_PAUSE_MS ? 2 * c->pause_ms : MOST_PAUSE_MS;
	c->pause_ms = c->pause_ms ? twice : FIRST_PAUSE_MS;
	c->next_ms = loop_now_ms(c->loop) + c->pause_ms -
		(int64_t)draw(c, (uint64_t)c->pause_ms / 2 + 1);
}

void client_is_well(struct grpc_client *c) { c->pause_ms = c->next_ms = 0; }

/* ---- outcomes ---- */

static void have_end(struct grpc_client *c, struct end end)
{
	str_clear(&c->trouble);
	str_addf(&c->trouble, "the server has not answered yet");
	trunk_new(c, end);
}

/* to: the address of the attempt; NULL: why names it. */
static void have_none(struct grpc_client *c, const char *to, const char *why)
{
	str_clear(&c->trouble);
	if (to)
		str_addf(&c->trouble, "connecting to %s: ", to);
	str_add(&c->trouble, why);
	client_act(c);
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
			errno == EAGAIN ? "its server takes no more" : strerror(errno));
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

/* ---- any kind ---- */

bool client_is_connecting(const struct grpc_client *c) { return c->dial || c->shakes; }

void client_stop_connecting(struct grpc_client *c)
{
	dial_stop(TAKE(c->dial));
	tls_close(TAKE(c->shakes));
}

void client_connect(struct grpc_client *c)
{
	if (client_is_connecting(c))
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
