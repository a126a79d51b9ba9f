/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC client and our own server by TCP: admission, and clients that do no harm. */
#include "lib/asks.h"
#include "lib/grpc_world.h"
#include "lib/identity.h"
#include "lib/raw_client.h"

#include "net/listen.h"

enum { RELOAD_MS = 20, HANDSHAKE_MS = 300, HANDSHAKES = 4 };

struct tls_world {
	struct grpc_world w;
	struct identity server, client, other;
	struct tls_keys *server_keys, *client_keys;
	struct tls_role role;
	struct grpc_tcp tcp;
	struct grpc_client *c;
	int port;
	char port_text[8];
};

static const char *const clients[] = { "vnode.example", "spiffe://hpc/vnode" };

/* ---- certificates ---- */

static void write_file(const struct tls_world *t, const char *name, const char *text)
{
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "%s/%s", t->w.folder, name);
	text_to_file(str_text(&path), text);
}

/* The certificate of an end, and its trusted authorities: NAME.crt, NAME.key, NAME.ca. */
static void given_files(const struct tls_world *t, const char *name, const struct identity *shown,
	const struct identity *trusted)
{
	char file[32];
	snprintf(file, sizeof(file), "%s.crt", name);
	write_file(t, file, shown->cert_pem);
	snprintf(file, sizeof(file), "%s.key", name);
	write_file(t, file, shown->key_pem);
	snprintf(file, sizeof(file), "%s.ca", name);
	write_file(t, file, trusted->cert_pem);
}

static struct err keys_of(const struct tls_world *t, const char *name, struct tls_keys **out)
{
	char paths[3][96];
	static const char *const ends[] = { "crt", "key", "ca" };
	for (size_t i = 0; i < LENGTH(ends); i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s.%s", t->w.folder, name, ends[i]);
	const struct tls_files files = { paths[0], paths[1], paths[2], RELOAD_MS };
	return tls_keys_new(t->w.loop, &files, out);
}

/* ---- a server, and clients ---- */

static int given_a_server(void **state)
{
	struct tls_world *t = own_alloc(sizeof(*t));
	grpc_world_new(&t->w);
	t->server = make_identity("server", "DNS:red-box.example,IP:127.0.0.1");
	t->client = make_identity("client", "DNS:vnode.example,URI:spiffe://else");
	t->other = make_identity("somebody", "DNS:else.example");
	given_files(t, "server", &t->server, &t->client);
	given_files(t, "client", &t->client, &t->server);
	assert_false(failed(keys_of(t, "server", &t->server_keys)));
	t->role = (struct tls_role){ "h2", NULL, clients, LENGTH(clients) };
	t->tcp = (struct grpc_tcp){
		.keys = t->server_keys,
		.role = &t->role,
		.handshake_ms = HANDSHAKE_MS,
		.max_handshakes = HANDSHAKES,
	};
	assert_false(failed(listen_tcp("127.0.0.1:0", &t->tcp.listen_fd)));
	struct sockaddr_in at;
	socklen_t n = sizeof(at);
	assert_int_equal(getsockname(t->tcp.listen_fd, (struct sockaddr *)&at, &n), 0);
	t->port = ntohs(at.sin_port);
	snprintf(t->port_text, sizeof(t->port_text), "%d", t->port);
	t->w.config.tcp = &t->tcp;
	grpc_world_start(&t->w);
	*state = t;
	return 0;
}

static int free_world(void **state)
{
	static const char *const files[] = { "server.crt", "server.key", "server.ca", "client.crt",
		"client.key", "client.ca" };
	struct tls_world *t = *state;
	AUTO(str_free) struct str path = { 0 };
	grpc_client_free(t->c);
	tls_keys_free(t->client_keys);
	for (int i = 0; i < 100 && t->w.begun != t->w.gone; i++)
		raw_turn(t->w.loop);
	grpc_server_free(TAKE(t->w.server));
	tls_keys_free(t->server_keys);
	for (size_t i = 0; i < LENGTH(files); i++) {
		str_clear(&path);
		str_addf(&path, "%s/%s", t->w.folder, files[i]);
		unlink(str_text(&path));
	}
	grpc_world_free(&t->w);
	drop_identity(&t->server);
	drop_identity(&t->client);
	drop_identity(&t->other);
	free(t);
	return 0;
}

/* With what is in client.crt and so on. server_name NULL: the address. */
static void given_a_client(struct tls_world *t, const char *server_name)
{
	grpc_client_free(TAKE(t->c));
	tls_keys_free(TAKE(t->client_keys));
	assert_false(failed(keys_of(t, "client", &t->client_keys)));
	const struct grpc_client_tcp tcp = { "127.0.0.1", t->port_text, server_name,
		t->client_keys };
	const struct grpc_client_config config = { .tcp = &tcp };
	assert_false(failed(grpc_client_new(t->w.loop, &config, &t->c)));
}

static void then_it_is_served(struct tls_world *t)
{
	struct told told = { 0 };
	ask_once(t->w.loop, t->c, &told, "/test.Echo/Once", "hello");
	told_wait(&told);
	told_is(&told, GRPC_ANSWERED, GRPC_OK);
	assert_string_equal(str_text(&told.bytes), "hello");
	told_free(&told);
}

/* Nothing of a call was done, and the client knows why, by its tenth try at least. */
static void then_it_is_refused(struct tls_world *t, const char *why)
{
	int begun = t->w.begun;
	for (int tries = 0;; tries++) {
		struct told told = { .timeout_ms = 400 };
		ask_once(t->w.loop, t->c, &told, "/test.Echo/Once", "hello");
		told_wait(&told);
		told_is(&told, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
		assert_int_equal(t->w.begun, begun);
		told_free(&told);
		if (strstr(told.text, why))
			return;
		if (tries == 9)
			fail_msg("\"%s\" is not in: %s", why, told.text);
	}
}

/* ---- who is let in ---- */

/* Acceptance: red-box-31 */
static void a_client_that_is_named_is_let_in(void **state)
{
	struct tls_world *t = *state;
	given_a_client(t, NULL);
	then_it_is_served(t);
	assert_int_equal(t->w.peer.uid, -1);
	assert_ptr_equal(t->w.peer.name, clients[0]);
	given_a_client(t, "red-box.example");
	then_it_is_served(t);
}

static void large_messages_pass(void **state)
{
	enum { BYTES = 3 << 20 };
	struct tls_world *t = *state;
	struct told told = { 0 };
	AUTO(own_free) char *text = own_alloc(BYTES + 1);
	memset(text, 'x', BYTES);
	given_a_client(t, NULL);
	ask_once(t->w.loop, t->c, &told, "/test.Echo/Once", text);
	told_wait(&told);
	told_is(&told, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(told.size, BYTES);
	told_free(&told);
}

/* Acceptance: red-box-31 */
static void a_client_that_is_not_named_is_refused(void **state)
{
	static const char *const others[] = { "vnode.example.org", "*.example", "" };
	struct tls_world *t = *state;
	t->role.clients = others;
	t->role.n_clients = LENGTH(others);
	given_a_client(t, NULL);
	then_it_is_refused(t, "refuses");
}

/* Acceptance: red-box-31 */
static void a_client_of_another_authority_is_refused(void **state)
{
	struct tls_world *t = *state;
	given_files(t, "client", &t->other, &t->server);
	given_a_client(t, NULL);
	then_it_is_refused(t, "refuses: CA is unknown");
}

/* Acceptance: red-box-31 */
static void an_expired_client_is_refused(void **state)
{
	struct tls_world *t = *state;
	X509_gmtime_adj(X509_getm_notAfter(t->client.cert), -10);
	assert_true(X509_sign(t->client.cert, t->client.key, EVP_sha256()) > 0);
	BIO *cert = BIO_new(BIO_s_mem());
	PEM_write_bio_X509(cert, t->client.cert);
	free(t->client.cert_pem);
	t->client.cert_pem = pem_text(cert);
	given_files(t, "client", &t->client, &t->server);
	given_a_client(t, NULL);
	then_it_is_refused(t, "refuses");
}

/* Acceptance: red-box-33 */
static void a_server_with_another_name_is_none(void **state)
{
	struct tls_world *t = *state;
	given_a_client(t, "other.example");
	then_it_is_refused(t, "it is for another name");
}

/* Acceptance: red-box-33 */
static void a_server_of_another_authority_is_none(void **state)
{
	struct tls_world *t = *state;
	given_files(t, "client", &t->client, &t->other);
	given_a_client(t, NULL);
	then_it_is_refused(t, "none of our authorities signed it");
}

/* ---- clients that do no harm ---- */

/* Acceptance: red-box-32 */
static void silent_and_plain_clients_are_closed_in_time(void **state)
{
	struct tls_world *t = *state;
	struct raw silent = raw_connect(t->w.loop, t->port);
	struct raw half = raw_connect(t->w.loop, t->port);
	struct raw plain = raw_connect(t->w.loop, t->port);
	int64_t since_ms = loop_now_ms(t->w.loop);
	raw_send_bytes(&half, "\x16\x03\x01\x02", 4);
	raw_send(&plain, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
	given_a_client(t, NULL);
	then_it_is_served(t);
	while (!silent.ended || !half.ended || !plain.ended) {
		raw_turn(t->w.loop);
		raw_read(&silent);
		raw_read(&half);
		raw_read(&plain);
	}
	assert_true(loop_now_ms(t->w.loop) - since_ms >= HANDSHAKE_MS);
	then_it_is_served(t);
	raw_close(&silent);
	raw_close(&half);
	raw_close(&plain);
}

/* Acceptance: red-box-32 */
static void many_handshakes_of_one_address_keep_no_other_out(void **state)
{
	enum { MANY = 3 * HANDSHAKES };
	struct tls_world *t = *state;
	struct raw many[MANY];
	int closed = 0;
	for (int i = 0; i < MANY; i++) {
		many[i] = raw_connect_as_other(t->w.loop, t->port);
		raw_turn(t->w.loop);
	}
	given_a_client(t, NULL);
	then_it_is_served(t);
	for (int i = 0; i < MANY; i++) {
		raw_read(&many[i]);
		closed += many[i].ended;
		raw_close(&many[i]);
	}
	assert_true(closed >= MANY - HANDSHAKES);
}

/* ---- new certificates ---- */

/* Acceptance: red-box-33 */
static void new_certificates_touch_no_call(void **state)
{
	struct tls_world *t = *state;
	struct told chat = { 0 };
	struct identity new = make_identity("new", "IP:127.0.0.1");
	given_a_client(t, NULL);
	ask_begin(t->w.loop, t->c, &chat, "/test.Echo/Chat");
	grpc_ask_send(chat.ask, "one", 3);
	told_wait_messages(&chat, 1);
	struct grpc_client *before = TAKE(t->c);
	struct tls_keys *keys_before = TAKE(t->client_keys);
	given_files(t, "server", &new, &t->client);
	given_files(t, "client", &t->client, &new);
	bool served = false;
	while (!served) {
		struct told told = { .timeout_ms = 500 };
		given_a_client(t, NULL);
		ask_once(t->w.loop, t->c, &told, "/test.Echo/Once", "x");
		told_wait(&told);
		served = told.effect == GRPC_ANSWERED;
		told_free(&told);
	}
	grpc_ask_send(chat.ask, "two", 3);
	grpc_ask_end(chat.ask);
	told_wait(&chat);
	told_is(&chat, GRPC_ANSWERED, GRPC_OK);
	assert_int_equal(chat.messages, 2);
	told_free(&chat);
	grpc_client_free(before);
	tls_keys_free(keys_before);
	drop_identity(&new);
}

/* Acceptance: red-box-33 */
static void what_is_not_usable_leaves_the_old_pair(void **state)
{
	struct tls_world *t = *state;
	struct tls_keys *none = NULL;
	write_file(t, "server.crt", "no certificate\n");
	for (int i = 0; i < 5 * RELOAD_MS; i++)
		raw_turn(t->w.loop);
	given_a_client(t, NULL);
	then_it_is_served(t);
	struct err e = keys_of(t, "server", &none);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "is not usable"));
	given_files(t, "server", &t->server, &t->client);
	write_file(t, "server.key", t->other.key_pem);
	e = keys_of(t, "server", &none);
	assert_non_null(strstr(e.text, "is not that of the certificate"));
	given_files(t, "server", &t->server, &t->client);
	write_file(t, "server.ca", "");
	e = keys_of(t, "server", &none);
	assert_int_equal(e.kind, ERR_INVALID);
	e = keys_of(t, "absent", &none);
	assert_non_null(strstr(e.text, "absent.crt cannot be read: No such file"));
}

/* ---- names and addresses ---- */

/* Acceptance: red-box-33 */
static void a_name_that_is_not_there_is_told(void **state)
{
	struct tls_world *t = *state;
	struct told told = { .timeout_ms = 1000 };
	assert_false(failed(keys_of(t, "client", &t->client_keys)));
	const struct grpc_client_tcp tcp = { "no-such-host.invalid", "1", NULL, t->client_keys };
	const struct grpc_client_config config = { .tcp = &tcp };
	assert_false(failed(grpc_client_new(t->w.loop, &config, &t->c)));
	ask_once(t->w.loop, t->c, &told, "/test.Echo/Once", "x");
	told_wait(&told);
	told_is(&told, GRPC_NOT_SENT, GRPC_UNAVAILABLE);
	assert_non_null(strstr(told.text, "no-such-host.invalid:1"));
	told_free(&told);
}

#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TLS_TEST(a_client_that_is_named_is_let_in),
		TLS_TEST(large_messages_pass),
		TLS_TEST(a_client_that_is_not_named_is_refused),
		TLS_TEST(a_client_of_another_authority_is_refused),
		TLS_TEST(an_expired_client_is_refused),
		TLS_TEST(a_server_with_another_name_is_none),
		TLS_TEST(a_server_of_another_authority_is_none),
		TLS_TEST(silent_and_plain_clients_are_closed_in_time),
		TLS_TEST(many_handshakes_of_one_address_keep_no_other_out),
		TLS_TEST(new_certificates_touch_no_call),
		TLS_TEST(what_is_not_usable_leaves_the_old_pair),
		TLS_TEST(a_name_that_is_not_there_is_told),
	};
	return cmocka_run_group_tests_name("grpc_tls", tests, NULL, NULL);
}
