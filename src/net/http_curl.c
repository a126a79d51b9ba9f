/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP client on libcurl: calls that wait, calls in flight, and callbacks at their
 * end.
 */
#include "net/curl_parts.h"

#include <string.h>
#include <utlist.h>

#include "base/own.h"

static void pump(struct curl_http *h);
static void destroy(struct curl_http *h);

static void call_free(struct http_call *c)
{
	timer_stop(c->http->loop, c->idle_timer);
	curl_slist_free_all(c->headers);
	curl_slist_free_all(c->all_headers);
	if (c->secret)
		str_wipe(&c->answer);
	if (c->secret && c->body)
		explicit_bzero(c->body, c->body_bytes);
	str_free(&c->answer);
	free(c->method);
	free(c->url);
	free(c->body);
	free(c);
}

static void ready_remove(struct curl_mux *m, struct http_call *c)
{
	struct http_call **at = &m->ready;
	while (*at && *at != c)
		at = &(*at)->next_ready;
	if (*at)
		*at = c->next_ready;
	c->has_data = false;
}

/* Removes the call from its list and from libcurl. */
static void call_detach(struct http_call *c)
{
	struct curl_http *h = c->http;
	if (c->place == CALL_ACTIVE) {
		mux_remove(call_mux(c), c);
		ready_remove(call_mux(c), c);
	} else if (c->place == CALL_QUEUED) {
		DL_DELETE(h->queue, c);
	} else {
		DL_DELETE(h->broken, c);
	}
	easy_give_back(h, TAKE(c->easy));
}

static void enter_caller(struct curl_http *h) { h->in_caller++; }

/* False when a callback freed the client, and with it h. */
static bool leave_caller(struct curl_http *h)
{
	h->in_caller--;
	if (!h->dead)
		return true;
	if (h->in_caller == 0)
		destroy(h);
	return false;
}

/*
 * Ends a call with err, or with its answer. All calls that are not cancelled end here.
 * False when the callback freed the client.
 */
static bool call_end(struct http_call *c, struct err err)
{
	struct curl_http *h = c->http;
	struct http_answer answer = { c->status, str_text(&c->answer), c->answer.len, c->asked_ms,
		c->retry_after_ms, c->warning[0] ? c->warning : NULL };
	call_detach(c);
	enter_caller(h);
	c->done(c->ctx, err, failed(err) ? NULL : &answer);
	call_free(c);
	return leave_caller(h);
}

static void end_broken(void *ctx)
{
	struct curl_http *h = ctx;
	h->broken_timer = NULL;
	while (h->broken)
		if (!call_end(h->broken, h->broken->broken))
			return;
	pump(h);
}

/*
 * Ends a call that could not start. This happens on the next turn, never within
 * http_send.
 */
static void call_broken(struct http_call *c, struct err e)
{
	struct curl_http *h = c->http;
	c->broken = call_error(c, e);
	c->place = CALL_BROKEN;
	DL_APPEND(h->broken, c);
	if (!h->broken_timer)
		h->broken_timer = timer_start(h->loop, 0, end_broken, h);
}

static void idle_check(void *ctx)
{
	struct http_call *c = ctx;
	struct curl_http *h = c->http;
	int64_t left = c->last_data_ms + c->idle_timeout_ms - loop_now_ms(h->loop);
	c->idle_timer = NULL;
	if (left > 0) {
		c->idle_timer = timer_start(h->loop, left, idle_check, c);
		return;
	}
	call_end(c,
		call_error(c,
			err_new(ERR_LOST, "no data arrived for %lld ms",
				(long long)c->idle_timeout_ms)));
}

/* Starts a call that is in no list. */
static void call_start(struct http_call *c)
{
	struct curl_http *h = c->http;
	struct err e = easy_prepare(c);
	c->asked_ms = c->last_data_ms = loop_now_ms(h->loop);
	if (!failed(e))
		e = mux_add(call_mux(c), c);
	if (failed(e))
		call_broken(c, e);
	else if (c->stream && c->idle_timeout_ms > 0)
		c->idle_timer = timer_start(h->loop, c->idle_timeout_ms, idle_check, c);
}

/* Returns OK while the call may still be sent. */
static struct err too_late(const struct http_call *c)
{
	int64_t now_ms = loop_now_ms(c->http->loop);
	if (c->max_wait_ms && now_ms - c->queued_ms > c->max_wait_ms)
		return err_new(ERR_RETRY,
			"it was not sent: it waited in the queue for more than %lld ms",
			(long long)c->max_wait_ms);
	if (c->leave_by_ms && now_ms >= *c->leave_by_ms)
		return err_new(ERR_RETRY, "it was not sent: its deadline for sending is over");
	return OK;
}

static void pump(struct curl_http *h)
{
	while (h->queue && h->requests.n_active < h->max_in_flight) {
		struct http_call *c = h->queue;
		struct err late = too_late(c);
		DL_DELETE(h->queue, c);
		if (failed(late))
			call_broken(c, late);
		else
			call_start(c);
	}
}

/* ---- passing on what libcurl received ---- */

/* Passes a piece to on_data. False when the callback freed the client. */
static bool piece_hand_out(struct http_call *c)
{
	struct curl_http *h = c->http;
	AUTO(str_free) struct str piece = c->answer;
	bool more;
	c->answer = (struct str){ 0 };
	c->last_data_ms = loop_now_ms(h->loop);
	c->in_caller = true;
	enter_caller(h);
	more = c->on_data(c->ctx, str_text(&piece), piece.len);
	c->in_caller = false;
	bool cancelled = c->cancelled;
	if (!cancelled && !h->dead && c->paused)
		mux_resume(call_mux(c));
	if (cancelled)
		call_free(c);
	if (!leave_caller(h))
		return false;
	if (cancelled || more)
		return true;
	return call_end(c, call_error(c, err_new(ERR_CANCELLED, "it was ended by its reader")));
}

static bool ready_hand_out(struct curl_mux *m)
{
	while (m->ready) {
		struct http_call *c = m->ready;

		ready_remove(m, c);
		if (!piece_hand_out(c))
			return false;
	}
	return true;
}

static void hand_out(struct curl_mux *m)
{
	struct curl_http *h = m->http;
	struct CURLMsg *message;
	int left;
	if (!ready_hand_out(m))
		return;
	while ((message = curl_multi_info_read(m->multi, &left))) {
		struct http_call *c = NULL;

		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&c);
		if (message->msg == CURLMSG_DONE && c &&
			!call_end(c, easy_outcome(c, message->data.result)))
			return;
	}
	pump(h);
}

/* ---- the interface ---- */

static struct err copy_headers(struct http_call *c, const struct http_request *r)
{
	for (size_t i = 0; i < r->n_headers; i++) {
		AUTO(str_wipe) struct str line = { 0 };

		if (!text_clean(r->headers[i].name) || !text_clean(r->headers[i].value))
			return err_new(ERR_INVALID, "the header %s has a control character",
				r->headers[i].name);
		str_addf(&line, str_empty(r->headers[i].value) ? "%s;" : "%s: %s",
			r->headers[i].name, r->headers[i].value);
		struct curl_slist *longer = curl_slist_append(c->headers, str_text(&line));
		if (!longer)
			return err_new(ERR_INTERNAL,
				"libcurl did not take a header: out of memory");
		c->headers = longer;
	}
	return text_clean(r->path) ? OK : err_new(ERR_INVALID, "the path has a control character");
}

static struct http_call *call_new(struct curl_http *h, const struct http_request *r,
	http_done *done, void *ctx)
{
	struct http_call *c = own_alloc(sizeof(*c));
	AUTO(str_free) struct str url = { 0 };
	str_add(&url, h->url_start);
	str_add(&url, r->path);
	c->http = h;
	c->url = str_take(&url);
	c->method = own_strdup(r->method);
	if (r->body)
		c->body = memcpy(own_alloc(r->body_bytes + 1), r->body, r->body_bytes);
	c->body_bytes = r->body ? r->body_bytes : 0;
	c->timeout_ms = r->on_data  ? 0
		: r->timeout_ms > 0 ? r->timeout_ms
				    : CURL_DEFAULT_TIMEOUT_MS;
	c->idle_timeout_ms = r->idle_timeout_ms;
	c->max_wait_ms = r->max_wait_ms;
	c->leave_by_ms = r->leave_by_ms;
	c->queued_ms = loop_now_ms(h->loop);
	c->max_answer_bytes = r->max_answer_bytes ? r->max_answer_bytes : CURL_DEFAULT_ANSWER_BYTES;
	c->secret = r->secret;
	if (c->secret) /* the buffer must never move */
		str_reserve(&c->answer, c->max_answer_bytes);
	c->on_data = r->on_data ? r->on_data : r->on_body;
	c->stream = r->on_data;
	c->drop = r->drop;
	c->done = done;
	c->ctx = ctx;
	c->retry_after_ms = -1;
	return c;
}

static struct http_call *curl_send(struct http *base, const struct http_request *r, http_done *done,
	void *ctx)
{
	struct curl_http *h = (struct curl_http *)base;
	struct http_call *c = call_new(h, r, done, ctx);
	struct err e = copy_headers(c, r);
	if (failed(e)) {
		call_broken(c, e);
	} else if (c->stream) {
		call_start(c);
	} else {
		c->place = CALL_QUEUED;
		DL_APPEND(h->queue, c);
		pump(h);
	}
	return c;
}

static void cancel_quietly(struct http_call *c)
{
	call_detach(c);
	timer_stop(c->http->loop, TAKE(c->idle_timer));
	if (c->drop)
		c->drop(c->ctx);
	if (c->in_caller)
		c->cancelled = true; /* piece_hand_out frees it after on_data */
	else
		call_free(c);
}

static void curl_cancel(struct http *base, struct http_call *c)
{
	cancel_quietly(c);
	pump((struct curl_http *)base);
}

static void curl_set_bearer(struct http *base, const char *token)
{
	struct curl_http *h = (struct curl_http *)base;
	own_wipe(h->bearer);
	h->bearer = text_clean(token) ? own_strdup(token) : NULL;
}

static void curl_free_client(struct http *base)
{
	struct curl_http *h = (struct curl_http *)base;
	if (h->dead)
		return;
	h->dead = true;
	while (h->queue)
		cancel_quietly(h->queue);
	while (h->broken)
		cancel_quietly(h->broken);
	while (h->requests.active)
		cancel_quietly(h->requests.active);
	while (h->streams.active)
		cancel_quietly(h->streams.active);
	if (h->in_caller == 0)
		destroy(h);
}

static void destroy(struct curl_http *h)
{
	mux_close(&h->requests);
	mux_close(&h->streams);
	timer_stop(h->loop, h->broken_timer);
	while (h->n_idle)
		curl_easy_cleanup(h->idle[--h->n_idle]);
	destination_free(h);
	free(h->ca_pem);
	free(h->cert_pem);
	free(h->public_key);
	own_wipe(h->key_pem);
	free(h->user_agent);
	own_wipe(h->bearer);
	free(h);
	curl_global_cleanup();
}

/* ---- a new destination ---- */

static const struct http_ops curl_ops = { curl_send, curl_cancel, curl_set_bearer,
	curl_free_client };

struct err http_curl_new(struct loop *uv_loop, const struct http_config *config, struct http **out)
{
	struct curl_http *h = own_alloc(sizeof(*h));
	struct err e;
	curl_memory_init();
	h->base.ops = &curl_ops;
	h->loop = uv_loop;
	h->max_in_flight = config->max_in_flight > 0 ? config->max_in_flight : CURL_MAX_IN_FLIGHT;
	h->ca_pem = own_strdup(config->ca_pem);
	h->cert_pem = own_strdup(config->cert_pem);
	h->key_pem = own_strdup(config->key_pem);
	h->public_key = own_strdup(config->public_key);
	h->insecure = config->insecure || config->public_key;
	h->no_proxy = config->no_proxy || config->refuse_local;
	h->refuse_local = config->refuse_local;
	h->listeners = config->listeners ? *config->listeners : (struct http_listeners){ 0 };
	h->user_agent = own_strdup(config->user_agent ? config->user_agent : "slurm-operator");
	e = destination_read(h, config);
	if (!failed(e) && !h->tls && h->max_in_flight > CURL_PLAIN_CONNECTIONS)
		/* More requests would wait inside libcurl while their timeout runs */
		h->max_in_flight = CURL_PLAIN_CONNECTIONS;
	mux_init(&h->requests, h, true, hand_out);
	mux_init(&h->streams, h, false, hand_out);
	if (failed(e)) {
		destroy(h);
		return e;
	}
	*out = &h->base;
	return OK;
}
