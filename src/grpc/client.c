/* SPDX-License-Identifier: Apache-2.0 */
/* The client: who waits, when it connects, and the end of all. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "grpc/client_parts.h"

enum {
	MESSAGE_BYTES = 4 << 20,
	ALL_MESSAGES_BYTES = 64 << 20,
	CALLS = 1000,
	WAITING = 1000,
	PING_MS = 10000,
	PATIENCE_MS = 10000,
	FIRST_PAUSE_MS = 100,
	MOST_PAUSE_MS = 10000,
};

/* ---- connecting ---- */

static uint64_t draw(struct grpc_client *c, uint64_t below)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random % below;
}

/* The next attempt comes after the pause, or after down to half of it. */
static void grow_pause(struct grpc_client *c)
{
	int64_t twice = 2 * c->pause_ms < MOST_PAUSE_MS ? 2 * c->pause_ms : MOST_PAUSE_MS;
	c->pause_ms = c->pause_ms ? twice : FIRST_PAUSE_MS;
	c->next_ms = loop_now_ms(c->loop) + c->pause_ms -
		(int64_t)draw(c, (uint64_t)c->pause_ms / 2 + 1);
}

void client_is_well(struct grpc_client *c) { c->pause_ms = c->next_ms = 0; }

/* On a unix socket it is done or failed at once, and never waits. */
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

static void end_all_waiting(struct grpc_client *c)
{
	while (c->waiting.first)
		ask_over(c->waiting.first, GRPC_NOT_SENT, GRPC_UNAVAILABLE,
			"the connection has ended, and there is no other");
}

static void connect_now(struct grpc_client *c)
{
	int fd = c->config.path ? connect_to(c->config.path) : c->config.fd;
	grow_pause(c);
	str_clear(&c->trouble);
	if (!c->config.path)
		c->config.fd = -1;
	if (fd >= 0) {
		str_addf(&c->trouble, "the server has not answered yet");
		trunk_new(c, fd);
	} else if (!c->config.path) {
		end_all_waiting(c);
	} else {
		str_addf(&c->trouble, "connecting to %s: %s", c->config.path,
			errno == EAGAIN ? "its server takes no more" : strerror(errno));
		client_act(c);
	}
}

static void act(void *client)
{
	struct grpc_client *c = client;
	c->act = NULL;
	if (!c->waiting.first)
		return;
	if (c->trunk)
		trunk_fill(c->trunk);
	else
		connect_now(c);
}

void client_act(struct grpc_client *c)
{
	int64_t wait_ms = c->trunk ? 0 : c->next_ms - loop_now_ms(c->loop);
	if (!c->act && c->waiting.first)
		c->act = timer_start(c->loop, wait_ms > 0 ? wait_ms : 0, act, c);
}

/* ---- its life ---- */

static void fill_in(struct grpc_client_config *c)
{
	c->path = own_strdup(c->path);
	c->authority = own_strdup(c->authority ? c->authority : "localhost");
	c->max_message_bytes = c->max_message_bytes ? c->max_message_bytes : MESSAGE_BYTES;
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
			"the path of a socket should have 1 to %zu bytes, and this has %zu: %s",
			room, strlen(config->path), config->path);
	struct grpc_client *c = own_alloc(sizeof(*c));
	c->loop = uv_loop;
	c->config = *config;
	fill_in(&c->config);
	c->messages.limit = ALL_MESSAGES_BYTES;
	c->messages.least = c->config.max_message_bytes;
	c->purse = purse_of(&c->messages, "server");
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
	while (c->trunks) {
		asks_end(&c->trunks->asks);
		trunk_free(c->trunks, "it was given up");
	}
	timer_stop(c->loop, TAKE(c->tell));
	asks_tell(c);
	timer_stop(c->loop, c->act);
	timer_stop(c->loop, c->tell);
	if (!c->config.path && c->config.fd >= 0)
		close(c->config.fd);
	purse_leave(c->purse);
	free((char *)(uintptr_t)c->config.path);
	free((char *)(uintptr_t)c->config.authority);
	str_free(&c->trouble);
	free(c);
}
