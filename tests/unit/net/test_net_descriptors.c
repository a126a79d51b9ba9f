/* SPDX-License-Identifier: Apache-2.0 */
/* How many descriptors the HTTP client takes, and what it says when there are no more. */
#include "lib/http_world.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "net/server.h"

enum { MOST = 1024 };

static int descriptors(void)
{
	int n = 0;
	for (int fd = 0; fd < MOST; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- at rest ---- */

static void answer(void *ctx, struct exchange *x)
{
	struct str body = { 0 };
	(void)ctx;
	str_add(&body, "ok");
	exchange_reply(x, 200, "text/plain", &body);
}

/* On the same loop: each connection has two ends here. */
static struct http_server *given_a_server(struct world *w)
{
	const struct http_server_config config = { .address = "127.0.0.1:0", .handler = answer };
	struct http_server *server = NULL;
	assert_false(failed(http_server_new(w->loop, &config, &server)));
	return server;
}

/* Acceptance: gate-5 */
static void a_client_without_streams_takes_one_beside_its_connection(void **state)
{
	struct world *w = *state;
	struct http_server *server = given_a_server(w);
	int before = descriptors();
	connect_to(w, http_server_port(server), (struct http_config){ 0 });
	assert_int_equal(descriptors(), before);
	for (int i = 0; i < 3; i++) {
		w->ended = 0;
		get(w, (struct http_request){ 0 });
		assert_int_equal(w->status, 200);
		assert_int_equal(descriptors(), before + 1 + 2);
	}
	http_server_free(server);
}

/* ---- none left ---- */

static void allow(rlim_t n)
{
	struct rlimit files;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

/* The lowest that is free: no other can be had. */
static void given_no_more_descriptors(void)
{
	int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
	close(next);
	allow((rlim_t)next);
}

/* Acceptance: gate-5 */
static void a_lack_of_descriptors_is_not_blamed_on_the_network(void **state)
{
	struct world *w = *state;
	struct http_server *server = given_a_server(w);
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	connect_to(w, http_server_port(server), (struct http_config){ 0 });
	given_no_more_descriptors();
	get(w, (struct http_request){ 0 });
	failed_with(w, ERR_RETRY, "no connection: too many open files");
	allow(files.rlim_cur);
	w->ended = 0;
	get(w, (struct http_request){ 0 });
	assert_int_equal(w->status, 200);
	http_server_free(server);
}

static void a_name_that_cannot_be_looked_up_for_it_is_not_unknown(void **state)
{
	const struct http_config config = { .base_url = "http://some-host.invalid:80" };
	struct world *w = *state;
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
	given_no_more_descriptors();
	get(w, (struct http_request){ 0 });
	allow(files.rlim_cur);
	failed_with(w, ERR_RETRY, "no connection: too many open files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HTTP_TEST(a_client_without_streams_takes_one_beside_its_connection),
		HTTP_TEST(a_lack_of_descriptors_is_not_blamed_on_the_network),
		HTTP_TEST(a_name_that_cannot_be_looked_up_for_it_is_not_unknown),
	};
	return cmocka_run_group_tests_name("net_descriptors", tests, NULL, NULL);
}
