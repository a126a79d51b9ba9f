/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that stay authenticated. Clients of one account share only its credentials,
 * which config_renew.c renews. A client sends new requests through one destination, which
 * is an HTTP client. When certificates change, the client gets a new destination. The old
 * one is freed after its last request ends.
 */
#include "kube/config_parts.h"

#include <utlist.h>

#include "base/log.h"
#include "base/own.h"

struct destination {
	struct http *http;
	int open; /* number of requests */
	struct destination *prev, *next;
};

struct client {
	struct http base; /* first: a struct http * is this */
	struct account *account;
	struct destination *destinations; /* the first receives new requests */
	struct client *prev, *next;
};

/* The credentials of its clients; freed with the last client. */
struct account {
	struct loop *loop;
	struct kube_config config;
	char *token; /* NULL: none */
	struct renewal *renewal;
	struct client *clients;
};

/* A request in flight. The caller holds it as a struct http_call. */
struct asked {
	struct client *by;
	struct destination *to;
	struct http_call *call;
	http_done *done;
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	void *ctx;
};

static struct client *client(struct http *h) { return (struct client *)h; }

/* ---- destinations ---- */

static void destination_free(struct destination *d)
{
	if (!d)
		return;
	http_free(d->http);
	free(d);
}

/*
 * Takes the destination out of its client, for the caller to free. NULL when it is still
 * needed.
 */
static struct destination *leave(struct client *c, struct destination *d)
{
	if (d->open || d == c->destinations)
		return NULL;
	DL_DELETE(c->destinations, d);
	return d;
}

static struct err open_destination(struct client *c)
{
	static const struct http_listeners own = {
		.remedy =
			"that user would get the token: use https for the API server, or run the listening program as root or as the user of this process",
	};
	const struct account *a = c->account;
	const struct http_config config = {
		.base_url = a->config.server,
		.ca_pem = a->config.ca_pem,
		.cert_pem = a->config.cert_pem,
		.key_pem = a->config.key_pem,
		.server_name = a->config.server_name,
		.insecure = a->config.insecure,
		.listeners = a->token ? &own : NULL,
	};
	struct http *http;
	struct err e = http_curl_new(a->loop, &config, &http);
	if (failed(e))
		return e;
	http_set_bearer(http, a->token);
	struct destination *d = own_alloc(sizeof(*d)), *was = c->destinations;
	d->http = http;
	DL_PREPEND(c->destinations, d);
	destination_free(was ? leave(c, was) : NULL);
	return OK;
}

/* ---- requests ---- */

static void answered(void *asked, struct err err, const struct http_answer *answer)
{
	struct asked q = *(struct asked *)asked;
	free(asked);
	q.to->open--;
	struct destination *last = leave(q.by, q.to);
	if (answer && answer->status == 401)
		renewal_refused(q.by->account->renewal);
	q.done(q.ctx, err, answer); /* done may free the client */
	destination_free(last);
}

static bool data_came(void *asked, const char *bytes, size_t n)
{
	struct asked *q = asked;
	return q->on_data(q->ctx, bytes, n);
}

static void dropped(void *asked)
{
	struct asked q = *(struct asked *)asked;
	free(asked);
	q.to->open--;
	if (q.drop)
		q.drop(q.ctx);
}

static struct http_call *send(struct http *h, const struct http_request *r, http_done *done,
	void *ctx)
{
	struct client *c = client(h);
	struct asked *q = own_alloc(sizeof(*q));
	struct http_request ours = *r;
	*q = (struct asked){ c, c->destinations, NULL, done, r->on_data, r->drop, ctx };
	ours.on_data = r->on_data ? data_came : NULL;
	ours.drop = dropped;
	q->to->open++;
	q->call = http_send(q->to->http, &ours, answered, q);
	return (struct http_call *)q;
}

static void cancel(struct http *h, struct http_call *call)
{
	struct destination *to = ((struct asked *)call)->to;
	http_cancel(to->http, ((struct asked *)call)->call);
	destination_free(leave(client(h), to));
}

static void set_bearer(struct http *h, const char *token)
{
	http_set_bearer(client(h)->destinations->http, token);
}

/* ---- accounts ---- */

static void new_token(void *ctx, const char *token)
{
	struct account *a = ctx;
	own_wipe(a->token);
	a->token = own_strdup(token);
	for (struct client *c = a->clients; c; c = c->next)
		set_bearer(&c->base, token);
}

static void new_certificates(void *ctx)
{
	struct account *a = ctx;
	for (struct client *c = a->clients; c; c = c->next) {
		struct err e = open_destination(c);
		if (failed(e))
			log_warn("the new certificates for the API server are not used", "error",
				e.text);
	}
}

static void account_free(struct account *a)
{
	renewal_stop(a->renewal);
	own_wipe(a->token);
	kube_config_free(&a->config);
	free(a);
}

/* ---- clients ---- */

static void free_client(struct http *h)
{
	struct client *c = client(h);
	while (c->destinations) {
		struct destination *d = c->destinations;
		DL_DELETE(c->destinations, d);
		destination_free(d);
	}
	DL_DELETE(c->account->clients, c);
	if (!c->account->clients)
		account_free(c->account);
	free(c);
}

static const struct http_ops client_ops = { send, cancel, set_bearer, free_client };

static struct err add_client(struct account *a, struct http **out)
{
	struct client *c = own_alloc(sizeof(*c));
	c->base.ops = &client_ops;
	c->account = a;
	struct err e = open_destination(c);
	if (failed(e)) {
		free(c);
		return e;
	}
	DL_APPEND(a->clients, c);
	*out = &c->base;
	return OK;
}

struct err kube_config_connect(struct kube_config *c, struct loop *uv_loop, struct http **out)
{
	static const struct renewal_handler handler = { new_token, new_certificates };
	AUTO(own_wipe_at) char *token = NULL;
	int64_t expires_in_ms;
	struct err e = kube_config_token(c, &token, &expires_in_ms);
	if (failed(e))
		return e;
	struct account *a = own_alloc(sizeof(*a));
	a->loop = uv_loop;
	a->token = TAKE(token);
	config_copy(c, &a->config);
	e = add_client(a, out);
	if (failed(e))
		account_free(a);
	else
		a->renewal = renewal_start(&a->config, uv_loop, expires_in_ms, &handler, a);
	return e;
}

struct err kube_config_connect_beside(struct http *first, struct http **out)
{
	return add_client(client(first)->account, out);
}
