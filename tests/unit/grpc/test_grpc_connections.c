/* SPDX-License-Identifier: Apache-2.0 */
/* The gRPC server and connections that are wrong, silent, dead or too many. */
#include <sys/resource.h>
#include <utlist.h>

#include "grpc/server_parts.h"
#include "lib/grpc_scene.h"

/* Acceptance: red-box-30 */
static void bytes_that_are_no_http2_end_the_connection(void **state)
{
	static const char *const rows[] = { "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02",
		"PRI * HTTP/1.1\r\n\r\nSM\r\n\r\n" };
	struct grpc_world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct raw r = connected(w);
		raw_send(&r, rows[i]);
		raw_wait_end(&r);
		raw_close(&r);
	}
	struct raw r = connected(w);
	raw_send_bytes(&r, preface, PREFACE_BYTES);
	raw_send_bytes(&r, "\xff\xff\xff\x01\x05\0\0\0\1", 9); /* a frame of 16 MiB */
	raw_wait_end(&r);
	raw_close(&r);
	then_others_are_served(w);
}

/* Acceptance: red-box-30 */
static void who_says_nothing_is_closed(void **state)
{
	struct grpc_world *w = *state;
	w->config.preface_ms = 30;
	grpc_world_start(w);
	struct raw silent = connected(w), half = connected(w);
	raw_send_bytes(&half, preface, 20);
	raw_wait_end(&silent);
	raw_wait_end(&half);
	raw_close(&silent);
	raw_close(&half);
}

/* A client that answers PING may be silent otherwise, for any time. */
static void a_dead_client_is_closed_and_a_quiet_one_is_not(void **state)
{
	struct grpc_world *w = *state;
	/* A busy machine may stand still for a part of it. */
	w->config.preface_ms = w->config.silence_ms = 500;
	grpc_world_start(w);
	struct grpc_client *quiet = client_open(w->loop, w->path);
	struct reply *r = client_call(quiet, "/test.Echo/Chat", NULL);
	struct raw dead = connected(w);
	raw_send_bytes(&dead, preface, PREFACE_BYTES);
	while (!dead.ended) {
		client_turn(quiet);
		raw_read(&dead);
	}
	client_send(r, "here", 4);
	client_wait_messages(r, 1);
	raw_close(&dead);
	client_close(quiet);
}

/* Such a client could take no answer for long: that is no half of a conversation. */
static void a_client_that_shuts_its_side_is_gone(void **state)
{
	struct grpc_world *w = *state;
	struct grpc_client *g = client_open(w->loop, w->path);
	client_call(g, "/test.Echo/Hang", NULL);
	while (!w->begun)
		client_turn(g);
	shutdown(g->fd, SHUT_WR);
	while (!w->gone)
		raw_turn(w->loop);
	client_wait_end(g);
	client_close(g);
}

/*
 * The output of the server is unread: its socket has an error, behind more bytes of the
 * client than a turn takes.
 */
static void a_client_that_dies_behind_many_bytes_is_gone(void **state)
{
	enum { HEAD = 9, FRAME = HEAD + 16384, FRAMES = 6, TURNS = 100 };
	static const char unknown_frame[FRAME] = { 0, 0x40, 0, (char)0xee };
	struct grpc_world *w = *state;
	struct raw r = connected(w);
	assert_int_equal(send(r.fd, preface, PREFACE_BYTES, 0), PREFACE_BYTES);
	when_passed(w, 20);
	for (int i = 0; i < FRAMES; i++)
		assert_int_equal(send(r.fd, unknown_frame, FRAME, 0), FRAME);
	raw_close(&r);
	for (int i = 0; i < TURNS && w->server->n_connections; i++)
		raw_turn(w->loop);
	assert_int_equal(w->server->n_connections, 0);
}

static void who_is_not_admitted_is_closed(void **state)
{
	struct grpc_world *w = *state;
	w->admits = false;
	struct raw r = connected(w);
	raw_send_bytes(&r, preface, PREFACE_BYTES);
	raw_wait_end(&r);
	assert_int_equal(r.got.len, 0);
	raw_close(&r);
	w->admits = true;
	then_others_are_served(w);
}

static void an_idle_connection_makes_room(void **state)
{
	enum { MOST = 4 };
	struct grpc_world *w = *state;
	w->config.max_connections = MOST;
	grpc_world_start(w);
	struct grpc_client *all[MOST];
	for (int i = 0; i < MOST; i++) {
		all[i] = client_open(w->loop, w->path);
		if (i != 2)
			client_call(all[i], "/test.Echo/Hang", NULL);
		client_turn(all[i]);
	}
	while (w->begun < MOST - 1)
		raw_turn(w->loop);
	struct grpc_client *one_more = client_open(w->loop, w->path);
	client_call(one_more, "/test.Echo/Hang", NULL);
	client_wait_end(all[2]);
	while (w->begun < MOST)
		client_turn(one_more);
	struct grpc_client *too_many = client_open(w->loop, w->path);
	client_wait_end(too_many);
	assert_int_equal(w->gone, 0);
	for (int i = 0; i < MOST; i++)
		client_close(all[i]);
	client_close(one_more);
	client_close(too_many);
}

/* Accepting fails for as long as there is no descriptor, and goes on afterwards. */
static void without_descriptors_clients_wait(void **state)
{
	struct grpc_world *w = *state;
	struct rlimit limit, low;
	struct grpc_client *g = client_open(w->loop, w->path);
	client_turn(g);
	struct raw r = { .loop = w->loop, .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	low = limit;
	low.rlim_cur = (rlim_t)next;
	setrlimit(RLIMIT_NOFILE, &low);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", w->path);
	assert_int_equal(connect(r.fd, (struct sockaddr *)&at, sizeof(at)), 0);
	fcntl(r.fd, F_SETFL, O_NONBLOCK);
	raw_send_bytes(&r, preface, PREFACE_BYTES);
	when_passed(w, 20);
	raw_read(&r);
	assert_int_equal(r.got.len, 0);
	assert_false(r.ended);
	setrlimit(RLIMIT_NOFILE, &limit);
	while (!r.got.len) {
		raw_turn(w->loop);
		raw_read(&r);
	}
	raw_close(&r);
	client_close(g);
}

/* Users of whom this machine need not know. */
static int connected_as(struct grpc_world *w, int64_t uid)
{
	const struct grpc_peer peer = { 1, uid, 1 };
	int ends[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends),
		0);
	connection_add(w->server, (struct end){ ends[0], NULL }, &peer);
	raw_turn(w->loop);
	return ends[1];
}

static int how_many(const struct grpc_world *w, int64_t uid)
{
	const struct connection *c;
	int n = 0;
	DL_FOREACH(w->server->connections, c)
	n += c->peer.uid == uid;
	return n;
}

static bool any_user(void *world, const struct grpc_peer *peer)
{
	(void)world;
	(void)peer;
	return true;
}

/* Acceptance: red-box-30 */
static void the_user_with_most_connections_makes_room(void **state)
{
	enum { MOST = 6, GREEDY = 7, MODEST = 8, NEW = 9 };
	struct grpc_world *w = *state;
	int fds[3 * MOST], n = 0;
	w->config.max_connections = MOST;
	w->config.admits = any_user;
	grpc_world_start(w);
	fds[n++] = connected_as(w, MODEST);
	while (n < 2 * MOST)
		fds[n++] = connected_as(w, GREEDY);
	assert_int_equal(how_many(w, GREEDY), MOST - 1);
	assert_int_equal(how_many(w, MODEST), 1);
	fds[n++] = connected_as(w, NEW);
	fds[n++] = connected_as(w, NEW);
	assert_int_equal(how_many(w, GREEDY), MOST - 3);
	assert_int_equal(how_many(w, MODEST), 1);
	assert_int_equal(how_many(w, NEW), 2);
	while (n--)
		close(fds[n]);
}

#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_server, free_world)
#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_world, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(bytes_that_are_no_http2_end_the_connection),
		WORLD_TEST(who_says_nothing_is_closed),
		WORLD_TEST(a_dead_client_is_closed_and_a_quiet_one_is_not),
		SERVER_TEST(a_client_that_shuts_its_side_is_gone),
		SERVER_TEST(a_client_that_dies_behind_many_bytes_is_gone),
		SERVER_TEST(who_is_not_admitted_is_closed),
		WORLD_TEST(an_idle_connection_makes_room),
		SERVER_TEST(without_descriptors_clients_wait),
		WORLD_TEST(the_user_with_most_connections_makes_room),
	};
	return cmocka_run_group_tests_name("grpc_connections", tests, NULL, NULL);
}
