/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticates and authorizes a client by two requests to the API server. */
#include "kubelet/gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/codec.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "kubelet/cache.h"
#include "net/mac.h"
#include "net/secret.h"

enum {
	TOKEN_MS = 120000,
	YES_MS = 300000,
	NO_MS = 30000,
	CALL_MS = 10000,
	WAIT_MS = 5000, /* maximum wait in the queue */
	HASH_KEY_BYTES = 16,
	MOST_CALLS = 32, /* to the API server at a time; other parts share the client */
};

struct gate {
	struct kube *kube;
	struct cache *tokens; /* users by the hash of a token */
	struct budget calls;  /* in flight, limited for each client address */
	struct cache *rights; /* "yes" or "no" by user, verb, subresource and node */
};

struct gate_ask {
	struct gate *gate;
	struct arena arena;
	const char *verb, *subresource, *audience, *node;
	/* the user: beginning of the spec of a SubjectAccessReview, as JSON */
	const char *who;
	const char *code; /* hash of the token; NULL: not cached */
	const char *right;
	bool by_token;
	const char *from;
	struct http_call *call;
	struct quota *turn; /* its place in gate->calls */
	struct timer *timer;
	int status;
	char why[ERR_TEXT_BYTES];
	gate_told *told;
	void *ctx;
};

/* ---- the end ---- */

static void ask_free(struct gate_ask *a)
{
	timer_stop(a->gate->kube->loop, a->timer);
	arena_free(&a->arena);
	free(a);
}

static void tell(void *ask)
{
	struct gate_ask *a = ask;
	const struct gate_answer answer = { a->status, a->why, a->who, a->by_token };
	a->timer = NULL;
	a->told(a->ctx, &answer);
	ask_free(a);
}

__attribute__((format(printf, 3, 4))) static void conclude(struct gate_ask *a, int status,
	const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(a->why, sizeof(a->why), format, args);
	va_end(args);
	str_make_plain(a->why);
	a->status = status;
	a->timer = timer_start(a->gate->kube->loop, 0, tell, a);
}

/*
 * Reserves a request for the client address. False: the share of the address is used up.
 */
static bool take_turn(struct gate_ask *a)
{
	a->turn = place_take(&a->gate->calls, a->from);
	return a->turn != NULL;
}

static void send(struct gate_ask *a, const char *path, const char *body, kube_done *done)
{
	if (!take_turn(a)) {
		conclude(a, 429, "too many requests wait for authorization: try again");
		return;
	}
	const struct kube_request r = {
		.method = "POST",
		.path = path,
		.body = body,
		.timeout_ms = CALL_MS,
		.max_wait_ms = WAIT_MS,
	};
	a->call = kube_send(a->gate->kube, &r, done, a);
}

static void call_ended(struct gate_ask *a)
{
	a->call = NULL;
	place_give(TAKE(a->turn));
}

/* ---- authorization ---- */

static const struct json *who_is(struct gate_ask *a)
{
	return json_parse_in(&a->arena, a->who, strlen(a->who), strlen(a->who));
}

static void judge(struct gate_ask *a, bool may)
{
	const char *node = *a->node ? a->node : "all virtual nodes";
	if (may)
		conclude(a, 200, "%s", "");
	else
		conclude(a, 403, "%.100s may not %s nodes/%s of %s: a ClusterRole should allow it",
			json_str(json_get(who_is(a), "user"), ""), a->verb, a->subresource, node);
}

static void right_reviewed(void *ask, struct err err, const struct json *object,
	int64_t retry_after_ms)
{
	struct gate_ask *a = ask;
	bool may = json_bool(json_at(object, "status", "allowed"), false);
	(void)retry_after_ms;
	call_ended(a);
	if (failed(err)) {
		conclude(a, 500, "the API server did not say whether this is allowed: %s%s",
			err.text, kube_remedy(err));
		return;
	}
	cache_put(a->gate->rights, a->right, may ? "yes" : "no",
		loop_now_ms(a->gate->kube->loop) + (may ? YES_MS : NO_MS));
	judge(a, may);
}

static const char *right_review(struct gate_ask *a)
{
	struct jdoc *d = jdoc_new(&a->arena);
	struct jval *root = j_obj(d), *spec = j_child(d, root, "spec");
	j_set_str(d, root, "apiVersion", "authorization.k8s.io/v1");
	j_set_str(d, root, "kind", "SubjectAccessReview");
	for (struct json_iter it = json_iter(who_is(a)); json_next(&it);)
		j_set(d, spec, it.key, j_copy(d, it.value));
	struct jval *of = j_child(d, spec, "resourceAttributes");
	j_set_str(d, of, "verb", a->verb);
	j_set_str(d, of, "version", "v1");
	j_set_str(d, of, "resource", "nodes");
	j_set_str(d, of, "subresource", a->subresource);
	if (*a->node)
		j_set_str(d, of, "name", a->node);
	return j_text(d, root);
}

static void ask_right(struct gate_ask *a)
{
	if (!a->subresource) {
		conclude(a, 200, "%s", "");
		return;
	}
	a->right = arena_printf(&a->arena, "%s\n%s\n%s\n%s", a->who, a->verb, a->subresource,
		a->node);
	const char *known = cache_get(a->gate->rights, a->right, loop_now_ms(a->gate->kube->loop));
	if (known)
		judge(a, str_eq(known, "yes"));
	else
		send(a, "/apis/authorization.k8s.io/v1/subjectaccessreviews", right_review(a),
			right_reviewed);
}

/* ---- authentication ---- */

static void know_certificate(struct gate_ask *a, const struct x509_subject *s)
{
	struct jdoc *d = jdoc_new(&a->arena);
	struct jval *who = j_obj(d), *groups = j_set(d, who, "groups", j_arr(d));
	j_set_str(d, who, "user", s->name);
	for (size_t i = 0; i < s->n_groups; i++)
		j_push(d, groups, j_str(d, s->groups[i]));
	j_push(d, groups, j_str(d, "system:authenticated"));
	a->who = j_text_sorted(d, who);
}

/*
 * An API server that does not support audiences returns none, and its answer is rejected.
 */
static bool is_for_us(const struct gate_ask *a, const struct json *status)
{
	struct json_iter it = json_iter(json_get(status, "audiences"));
	while (a->audience && json_next(&it))
		if (str_eq(json_str(it.value, ""), a->audience))
			return true;
	return !a->audience;
}

/* False: the API server does not know the user. */
static bool know_user(struct gate_ask *a, const struct json *status)
{
	static const char *const same[] = { "uid", "groups", "extra" };
	const struct json *user = json_get(status, "user");
	const char *name = json_str(json_get(user, "username"), "");
	if (!json_bool(json_get(status, "authenticated"), false) || !*name)
		return false;
	struct jdoc *d = jdoc_new(&a->arena);
	struct jval *who = j_obj(d);
	j_set_str(d, who, "user", name);
	for (size_t i = 0; i < LENGTH(same); i++)
		if (!json_is_null(json_get(user, same[i])))
			j_set(d, who, same[i], j_copy(d, json_get(user, same[i])));
	a->who = j_text_sorted(d, who);
	return true;
}

static void token_reviewed(void *ask, struct err err, const struct json *object,
	int64_t retry_after_ms)
{
	struct gate_ask *a = ask;
	(void)retry_after_ms;
	call_ended(a);
	if (failed(err)) {
		conclude(a, 500, "the API server did not say whose token this is: %s%s", err.text,
			kube_remedy(err));
		return;
	}
	const struct json *status = json_get(object, "status");
	if (!is_for_us(a, status) || !know_user(a, status)) {
		conclude(a, 401, "the API server does not know this token%s%s",
			a->audience ? " as one for " : "", a->audience ? a->audience : "");
		return;
	}
	if (a->code)
		cache_put(a->gate->tokens, a->code, a->who,
			loop_now_ms(a->gate->kube->loop) + TOKEN_MS);
	ask_right(a);
}

static const char *token_review(struct gate_ask *a, const char *token)
{
	struct jdoc *d = jdoc_new(&a->arena);
	struct jval *root = j_obj(d);
	j_set_str(d, root, "apiVersion", "authentication.k8s.io/v1");
	j_set_str(d, root, "kind", "TokenReview");
	struct jval *spec = j_child(d, root, "spec");
	j_set_str(d, spec, "token", token);
	if (a->audience)
		j_push(d, j_set(d, spec, "audiences", j_arr(d)), j_str(d, a->audience));
	return j_text(d, root);
}

/*
 * A keyed hash that replaces the token in the cache. No client can craft a token with the
 * hash of another token.
 */
static const char *code_of(struct gate_ask *a, const char *token)
{
	unsigned char mac[MAC_SHA256_BYTES];
	struct err e = mac_sha256(hash_key(), HASH_KEY_BYTES, token, strlen(token), mac);
	AUTO(own_free) char *text = failed(e) ? NULL : base64_encode(mac, sizeof(mac));
	return text ? arena_printf(&a->arena, "%s %s", text, a->audience ? a->audience : "") : NULL;
}

static void ask_token(struct gate_ask *a, const char *token)
{
	int64_t now_ms = loop_now_ms(a->gate->kube->loop);
	a->by_token = true;
	a->code = code_of(a, token);
	const char *known = a->code ? cache_get(a->gate->tokens, a->code, now_ms) : NULL;
	if (known) {
		a->who = arena_strdup(&a->arena, known);
		ask_right(a);
	} else {
		send(a, "/apis/authentication.k8s.io/v1/tokenreviews", token_review(a, token),
			token_reviewed);
	}
}

/* Returns the token of "Bearer TOKEN"; NULL: none. */
static const char *bearer(struct arena *arena, const char *header)
{
	const char *token = bearer_of(header);
	size_t n = token ? strcspn(token, " \t") : 0;
	return n && !token[n + strspn(token + n, " \t")] ? arena_strndup(arena, token, n) : NULL;
}

/* The verb that a kubelet checks for a method. NULL: the method is always refused. */
static const char *verb_of(const char *method)
{
	static const char *const rows[][2] = { { "GET", "get" }, { "HEAD", "get" },
		{ "POST", "create" }, { "PUT", "update" }, { "PATCH", "patch" },
		{ "DELETE", "delete" } };
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (str_eq(rows[i][0], method))
			return rows[i][1];
	return NULL;
}

struct gate_ask *gate_ask(struct gate *g, const struct gate_wish *wish, gate_told *told, void *ctx)
{
	struct gate_ask *a = own_alloc(sizeof(*a));
	*a = (struct gate_ask){ .gate = g, .who = "", .told = told, .ctx = ctx };
	a->verb = verb_of(wish->method);
	a->subresource = wish->subresource;
	a->audience = wish->audience;
	a->node = arena_strdup(&a->arena, wish->node);
	a->from = arena_strdup(&a->arena, wish->from ? wish->from : "");
	const char *token = bearer(&a->arena, wish->authorization);
	if (!a->verb) {
		conclude(a, 403, "method %.20s is not allowed here", wish->method);
	} else if (wish->certificate && !a->audience) {
		know_certificate(a, wish->certificate);
		ask_right(a);
	} else if (token) {
		ask_token(a, token);
	} else {
		conclude(a, 401,
			"the client is not authenticated: it needs a certificate of the API server's client authority, or a token");
	}
	return a;
}

void gate_ask_cancel(struct gate_ask *a)
{
	if (!a)
		return;
	if (a->call) {
		http_cancel(a->gate->kube->http, a->call);
		call_ended(a);
	}
	ask_free(a);
}

/* ---- create and free ---- */

struct gate *gate_new(struct kube *kube)
{
	struct gate *g = own_alloc(sizeof(*g));
	*g = (struct gate){
		.kube = kube,
		.calls = { .limit = MOST_CALLS, .least = 1 },
		.tokens = cache_new(),
		.rights = cache_new(),
	};
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	cache_free(g->tokens);
	cache_free(g->rights);
	free(g);
}
