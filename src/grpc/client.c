/* SPDX-License-Identifier: Apache-2.0 */
/* The client: waiting asks, and the end of all asks. */
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
};

/* ---- waiting asks ---- */

static void act(void *client)
{
	struct grpc_client *c = client;
	c->act = NULL;
	if (!c->waiting.first)
		return;
	if (c->trunk)
		trunk_fill(c->trunk);
	else
		client_connect(c);
}

void client_act(struct grpc_client *c)
{
	int64_t wait_ms = c->trunk ? 0 : c->next_ms - loop_now_ms(c->loop);
	if (!c->act && c->waiting.first && !client_is_connecting(c))
		c->act = timer_start(c->loop, wait_ms > 0 ? wait_ms : 0, act, c);
}

/* ---- lifecycle ---- */

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
	if (config->tcp)
		copy_tcp(c, config->tcp);
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
	client_stop_connecting(c);
	timer_stop(c->loop, TAKE(c->tell));
	asks_tell(c);
	timer_stop(c->loop, c->act);
	timer_stop(c->loop, c->tell);
	if (!c->config.path && !c->config.tcp && c->config.fd >= 0)
		close(c->config.fd);
	purse_leave(c->purse);
	free_text(c->config.path);
	free_text(c->config.authority);
	free_text(c->config.audience);
	free_text(c->tcp.host);
	free_text(c->tcp.port);
	free_text(c->tcp.server_name);
	str_free(&c->trouble);
	free(c);
}
