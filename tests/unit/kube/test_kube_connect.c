/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of one account against a server on 127.0.0.1: what hangs in one holds up
 * nothing in the other, and certificates that change are used from then on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/config_given.h"
#include "lib/identity.h"

#include "base/log.h"
#include "kube/lease.h"

#define PLACE(scheme)                                                                 \
	"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n" \
	"clusters:\n- name: k\n  cluster:\n    server: '" scheme "://127.0.0.1:%d'\n"
#define NOBODY "users: [{name: u, user: {}}]\n"

static struct http *given_a_client(struct world *w, struct loop *loop, const char *text, int port)
{
	AUTO(str_free) struct str whole = { 0 };
	struct http *http = NULL;
	str_addf(&whole, text, port);
	load(w, given_file(w, "a", str_text(&whole)), NULL);
	loaded(w);
	w->config.reload_ms = 2;
	w->err = kube_config_connect(&w->config, loop, &http);
	loaded(w);
	return http;
}

/* ---- a server that answers about leases only ---- */

/* Answers the request of the client with a lease of a version. */
static void answer_lease(int fd, const char *request)
{
	AUTO(str_free) struct str answer = { 0 };
	bool reads = str_has_prefix(request, "GET");
	const char *body = reads ? "{}" : strstr(request, "\r\n\r\n") + 4;
	str_addf(&answer, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s",
		reads ? "404 Not Found" : "200 OK", strlen(body), body);
	if (send(fd, str_text(&answer), answer.len, MSG_NOSIGNAL) < 0)
		return;
}

static void *serve_one(void *end)
{
	int fd = (int)(intptr_t)end;
	char request[8192];
	ssize_t n;
	while ((n = read(fd, request, sizeof(request) - 1)) > 0) {
		request[n] = '\0';
		if (strstr(request, "/leases"))
			answer_lease(fd, request);
		else if (strstr(request, "watch=true"))
			n = send(fd, "HTTP/1.1 200 OK\r\n\r\nfirst", 24, MSG_NOSIGNAL);
	}
	close(fd);
	return NULL;
}

static void *serve(void *listener)
{
	int fd;
	pthread_t thread;
	while ((fd = accept(*(int *)listener, NULL, NULL)) >= 0)
		if (pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
	return NULL;
}

struct slow_server {
	int listener, port;
	pthread_t thread;
};

static void start(struct slow_server *s)
{
	s->listener = peer_listen(&s->port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, &s->listener), 0);
}

static void stop(struct slow_server *s)
{
	shutdown(s->listener, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->listener);
}

/* ---- leadership does not depend on tenants' work ---- */

struct election {
	struct loop *loop;
	int held;
};

static void leading(void *ctx) { (void)ctx; }
static void lost(void *ctx, struct err why)
{
	(void)ctx;
	fail_msg("%s", why.text);
}
static void holds(void *ctx, int64_t until_ms)
{
	struct election *e = ctx;
	(void)until_ms;
	if (++e->held == 2)
		loop_uv_stop(e->loop);
}
static void nothing(void *ctx, struct err e, const struct http_answer *a)
{
	(void)ctx, (void)e, (void)a;
}

static void given_writes_that_hang(struct http *http, int n)
{
	const struct http_request r = {
		.method = "POST", .path = "/pods", .body = "{}", .body_bytes = 2
	};
	for (int i = 0; i < n; i++)
		http_send(http, &r, nothing, NULL);
}

static void test_bad_input_a_thousand_writes_that_hang_do_not_delay_the_lease(void **state)
{
	static const struct lease_handler handler = { leading, lost, holds };
	struct world *w = *state;
	struct slow_server server;
	struct election e = { loop_uv_new(), 0 };
	struct kube kube = { NULL, e.loop };
	start(&server);
	struct http *tenants = given_a_client(w, e.loop, NOBODY PLACE("http"), server.port);
	assert_false(failed(kube_config_connect_beside(tenants, &kube.http)));
	given_writes_that_hang(tenants, 1000);
	struct lease *lease = lease_new(&kube, "ns", "lock", "me", &handler, &e);
	loop_uv_run(e.loop); /* until it is renewed for the first time */
	lease_free(lease);
	http_free(tenants);
	http_free(kube.http);
	loop_uv_free(e.loop);
	stop(&server);
}

/* ---- certificates that change ---- */

struct ask {
	struct loop *loop;
	struct err err;
	int status;
	bool streams;
};

static void asked(void *ctx, struct err e, const struct http_answer *a)
{
	struct ask *ask = ctx;
	ask->err = e;
	ask->status = a ? a->status : 0;
	loop_uv_stop(ask->loop);
}

/* Until this is the answer: 0 for a peer that is not trusted, or does not trust us. */
static void then_answers(struct ask *ask, struct http *http, int status)
{
	ask->status = -1;
	while (ask->status != status) {
		http_send(http, &(struct http_request){ .method = "GET", .path = "/" }, asked, ask);
		loop_uv_run(ask->loop);

		assert_true(!failed(ask->err) || ask->err.kind == ERR_DENIED ||
			ask->err.kind == ERR_INVALID);
	}
}

struct tls_peer {
	SSL_CTX *tls;
	struct peer peer;
	struct identity first, second;
};

static void given_tls(struct tls_peer *t)
{
	t->tls = SSL_CTX_new(TLS_server_method());
	SSL_CTX_set_num_tickets(t->tls, 0); /* each connection shows its certificate */
	t->first = make_identity("first", "IP:127.0.0.1");
	t->second = make_identity("second", "IP:127.0.0.1");
	SSL_CTX_use_certificate(t->tls, t->first.cert);
	SSL_CTX_use_PrivateKey(t->tls, t->first.key);
	peer_start(&t->peer, t->tls,
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
}

static void end_tls(struct tls_peer *t)
{
	peer_stop(&t->peer);
	SSL_CTX_free(t->tls);
	drop_identity(&t->first);
	drop_identity(&t->second);
}

static void an_authority_that_changes_is_trusted_and_that_of_before_no_more(void **state)
{
	struct world *w = *state;
	struct tls_peer t;
	struct ask ask = { .loop = loop_uv_new() };
	given_tls(&t);
	given_file(w, "ca.pem", t.first.cert_pem);
	struct http *http = given_a_client(w, ask.loop,
		NOBODY PLACE("https") "    certificate-authority: ca.pem\n", t.peer.port);
	then_answers(&ask, http, 200);
	SSL_CTX_use_certificate(t.tls, t.second.cert);
	SSL_CTX_use_PrivateKey(t.tls, t.second.key);
	then_answers(&ask, http, 0);
	given_file(w, "ca.pem", "half a certifi");
	then_answers(&ask, http, 0);
	given_file(w, "ca.pem", t.second.cert_pem);
	then_answers(&ask, http, 200);
	SSL_CTX_use_certificate(t.tls, t.first.cert);
	SSL_CTX_use_PrivateKey(t.tls, t.first.key);
	then_answers(&ask, http, 0);
	http_free(http);
	end_tls(&t);
	loop_uv_free(ask.loop);
}

static void a_client_certificate_that_changes_is_shown(void **state)
{
	struct world *w = *state;
	struct tls_peer t;
	struct ask ask = { .loop = loop_uv_new() };
	given_tls(&t);
	SSL_CTX_set_verify(t.tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	X509_STORE_add_cert(SSL_CTX_get_cert_store(t.tls), t.second.cert);
	given_file(w, "ca.pem", t.first.cert_pem);
	given_file(w, "cert.pem", t.first.cert_pem);
	given_file(w, "key.pem", t.first.key_pem);
	struct http *http = given_a_client(w, ask.loop,
		PLACE("https") "    certificate-authority: ca.pem\nusers:\n- name: u\n  user:\n    "
			       "client-certificate: cert.pem\n    client-key: key.pem\n",
		t.peer.port);
	then_answers(&ask, http, 0);
	given_file(w, "cert.pem", t.second.cert_pem);
	given_file(w, "key.pem", t.second.key_pem);
	then_answers(&ask, http, 200);
	http_free(http);
	end_tls(&t);
	loop_uv_free(ask.loop);
}

static bool first_data(void *ctx, const char *bytes, size_t n)
{
	struct ask *ask = ctx;
	(void)bytes, (void)n;
	ask->streams = true;
	loop_uv_stop(ask->loop);
	return true;
}

static void dropped(void *ctx) { ((struct ask *)ctx)->streams = false; }

static void look_at_the_file(void *ctx) { loop_uv_stop(((struct ask *)ctx)->loop); }

static void given_a_watch(struct ask *ask, struct http *http, struct http_call **call)
{
	const struct http_request r = {
		.method = "GET", .path = "/pods?watch=true", .on_data = first_data, .drop = dropped
	};
	*call = http_send(http, &r, nothing, ask);
	loop_uv_run(ask->loop);
	assert_true(ask->streams);
}

static void when_the_files_were_read(struct ask *ask)
{
	timer_start(ask->loop, 50, look_at_the_file, ask);
	loop_uv_run(ask->loop);
}

static void what_is_under_way_ends_as_it_began(void **state)
{
	struct world *w = *state;
	struct slow_server server;
	struct ask ask = { .loop = loop_uv_new() };
	struct http_call *kept, *cancelled;
	start(&server);
	given_file(w, "ca.pem", "-----BEGIN 1");
	struct http *http = given_a_client(w, ask.loop,
		NOBODY PLACE("http") "    certificate-authority: ca.pem\n", server.port);
	given_a_watch(&ask, http, &cancelled);
	given_file(w, "ca.pem", "-----BEGIN 22");
	when_the_files_were_read(&ask);
	assert_true(ask.streams);
	given_a_watch(&ask, http, &kept);
	http_cancel(http, cancelled);
	assert_false(ask.streams);
	ask.streams = true;
	given_file(w, "ca.pem", "-----BEGIN 333");
	when_the_files_were_read(&ask);
	assert_true(ask.streams);
	http_free(http);
	assert_false(ask.streams);
	loop_uv_free(ask.loop);
	stop(&server);
}

int main(void)
{
	log_set_level(LOG_ERROR);
	const struct CMUnitTest tests[] = {
		CONFIG_TEST(test_bad_input_a_thousand_writes_that_hang_do_not_delay_the_lease),
		CONFIG_TEST(an_authority_that_changes_is_trusted_and_that_of_before_no_more),
		CONFIG_TEST(a_client_certificate_that_changes_is_shown),
		CONFIG_TEST(what_is_under_way_ends_as_it_began),
	};
	return cmocka_run_group_tests_name("kube_connect", tests, NULL, NULL);
}
