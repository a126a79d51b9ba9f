/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of the wire: struct http. */
#include "sim/sim_http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "sim/sim_call.h"

static const char *header(const struct http_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcasecmp(r->headers[i].name, name) == 0)
			return r->headers[i].value;
	return NULL;
}

static struct http_call *http_send_(struct http *h, const struct http_request *r, http_done *done,
	void *ctx)
{
	struct sim_client *client = (struct sim_client *)h;
	struct http_call *c = own_alloc(sizeof(*c));
	*c = (struct http_call){
		.net = client->net,
		.client = client,
		.server = client->server,
		.method = own_strdup(r->method),
		.path = own_strdup(r->path),
		.content_type = own_strdup(header(r, "Content-Type")),
		.slurm_token = own_strdup(header(r, "X-SLURM-USER-TOKEN")),
		.body = r->body ? own_strndup(r->body, r->body_bytes) : NULL,
		.body_bytes = r->body ? r->body_bytes : 0,
		.observed = client->observed,
		.who = client->who,
		.life = client->net->programs[client->who].life,
		.timeout_ms = r->timeout_ms ? r->timeout_ms : 30000,
		.idle_ms = r->idle_timeout_ms,
		.queued_ms = loop_now_ms(&client->net->loop->loop),
		.max_wait_ms = r->max_wait_ms,
		.leave_by_ms = r->leave_by_ms,
		.done = done,
		.on_data = r->on_data,
		.on_body = r->on_body,
		.drop = r->drop,
		.most_bytes = r->max_answer_bytes,
		.ctx = ctx,
		.reply.retry_after_ms = -1,
		.next = client->net->calls,
		.self = &client->net->calls,
	};
	if (c->next)
		c->next->self = &c->next;
	client->net->calls = c;
	if (c->on_data || client->in_flight < client->max_in_flight)
		sim_call_go(c);
	return c;
}

static void http_cancel_(struct http *h, struct http_call *c)
{
	(void)h;
	if (c->client && c->drop)
		c->drop(c->ctx);
	sim_call_detach(c);
	sim_call_close_stream(c);
	/* on its way to the server it still arrives */
	if (c->state != CALL_SENT)
		sim_call_free(c);
}

static void http_set_bearer_(struct http *h, const char *token)
{
	(void)h;
	(void)token;
}

static struct http_call *call_of(const struct sim_client *client, bool queued)
{
	for (struct http_call *c = client->net->calls; c; c = c->next)
		if (c->client == client && (!queued || c->state == CALL_QUEUED))
			return c;
	return NULL;
}

static void http_free_(struct http *h)
{
	struct sim_client *client = (struct sim_client *)h;
	struct http_call *c;
	/* queued ones first, so that none of them goes out */
	while ((c = call_of(client, true)))
		http_cancel_(h, c);
	while ((c = call_of(client, false)))
		http_cancel_(h, c);
	free(client);
}

static const struct http_ops ops = {
	.send = http_send_,
	.cancel = http_cancel_,
	.set_bearer = http_set_bearer_,
	.free = http_free_,
};

static struct sim_server *find_server(const struct sim_net *n, const char *url)
{
	for (struct sim_server *s = n->servers; s; s = s->next)
		if (strcmp(s->base_url, url) == 0)
			return s;
	return NULL;
}

struct http *sim_http_new(struct sim_net *n, const char *base_url, int max_in_flight, bool observed)
{
	struct sim_client *client = own_alloc(sizeof(*client));
	client->http.ops = &ops;
	client->net = n;
	client->server = find_server(n, base_url);
	client->max_in_flight = max_in_flight > 0 ? max_in_flight : 100;
	client->observed = observed;
	return &client->http;
}

struct http *sim_http_new_of(const struct sim_program *p, const char *base_url, int max_in_flight)
{
	struct http *h = sim_http_new(p->net, base_url, max_in_flight, true);
	((struct sim_client *)h)->who = p->who;
	return h;
}

struct err sim_http_factory(void *ctx, const struct http_config *config, struct http **out)
{
	*out = sim_http_new_of(ctx, config->base_url, config->max_in_flight);
	return OK;
}
