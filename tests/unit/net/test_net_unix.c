/* SPDX-License-Identifier: Apache-2.0 */
/* Client and server through a unix socket, and who may have its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/http.h"
#include "net/server.h"

struct world {
	struct loop *loop;
	char folder[32], path[64], address[72];
	struct http_server *server;
	struct http *http;
	struct err err;
	int status;
	struct str body;
};

static int given_a_folder(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	snprintf(w->folder, sizeof(w->folder), "/tmp/unix-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	snprintf(w->path, sizeof(w->path), "%s/socket", w->folder);
	snprintf(w->address, sizeof(w->address), "unix:%s", w->path);
	w->loop = loop_uv_new();
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	http_server_free(w->server);
	loop_uv_free(w->loop);
	unlink(w->path);
	assert_int_equal(rmdir(w->folder), 0); /* nothing is left */
	str_free(&w->body);
	free(w);
	return 0;
}

static void handle(void *ctx, struct exchange *x)
{
	struct str body = { 0 };
	size_t n;
	(void)ctx;
	str_addf(&body, "%s %s", exchange_path(x), exchange_body(x, &n));
	exchange_reply(x, 200, "text/plain", &body);
}

static struct err serve(struct world *w, const char *address, unsigned mode,
	struct http_server **out)
{
	const struct http_server_config config = {
		.address = address,
		.socket_mode = mode,
		.max_body_bytes = 1000,
		.handler = handle,
	};
	return http_server_new(w->loop, &config, out);
}

static void given_a_server(struct world *w, unsigned mode)
{
	struct err e = serve(w, w->address, mode, &w->server);
	if (failed(e))
		fail_msg("%s", e.text);
}

static void done(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	w->err = e;
	w->status = a ? a->status : 0;
	str_clear(&w->body);
	str_add(&w->body, a ? a->body : "");
	loop_uv_stop(w->loop);
}

static void ask(struct world *w, const char *address)
{
	const struct http_request r = {
		.method = "POST",
		.path = "/v1/x?a=b",
		.body = "hello",
		.body_bytes = 5,
	};
	http_free(TAKE(w->http));
	assert_false(failed(http_curl_new(w->loop, &(struct http_config){ .base_url = address },
		&w->http)));
	http_send(w->http, &r, done, w);
	loop_uv_run(w->loop);
}

static mode_t mode_of(struct world *w)
{
	struct stat s;
	assert_int_equal(stat(w->path, &s), 0);
	assert_true(S_ISSOCK(s.st_mode));
	return s.st_mode & 07777;
}

static void a_client_finds_its_server(void **state)
{
	struct world *w = *state;
	given_a_server(w, 0);
	assert_int_equal(mode_of(w), 0600);
	assert_int_equal(http_server_port(w->server), 0);
	ask(w, w->address);
	assert_false(failed(w->err));
	assert_int_equal(w->status, 200);
	assert_string_equal(str_text(&w->body), "/v1/x hello");
	http_server_free(TAKE(w->server));
	assert_int_equal(access(w->path, F_OK), -1);
	given_a_server(w, 0660);
	assert_int_equal(mode_of(w), 0660);
}

static void nobody_there_can_be_tried_again(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str begins = { 0 };
	ask(w, w->address);
	assert_string_equal(err_kind_name(w->err.kind), "retry");
	str_addf(&begins, "POST %s /v1/x: no connection", w->address);
	if (!str_has_prefix(w->err.text, str_text(&begins)))
		fail_msg("%s", w->err.text);
}

static void an_address_of_no_use_is_named(void **state)
{
	struct world *w = *state;
	char deep[200] = "unix:/";
	const char *const bad[] = { "unix:", deep, "unix:relative", "unix:/a\nb" };
	memset(deep + 6, 'd', sizeof(deep) - 7);
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct err e = http_curl_new(w->loop, &(struct http_config){ .base_url = bad[i] },
			&w->http);

		assert_int_equal(e.kind, ERR_INVALID);
		assert_non_null(strstr(e.text, "names no unix socket"));
	}
	for (size_t i = 0; i < 3; i++) {
		struct err e = serve(w, bad[i], 0, &w->server);

		assert_int_equal(e.kind, ERR_INVALID);
		assert_non_null(strstr(e.text, "is no address to listen on"));
	}
	struct err e = serve(w, "unix:/no/such/folder/s", 0, &w->server);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "cannot listen on unix:/no/such/folder/s: No such file"));
}

/* ---- the file ---- */

/* Each user who can read the folder can lock it, also for ever. */
static void a_lock_of_the_folder_holds_up_no_start(void **state)
{
	struct world *w = *state;
	int locked = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(locked, LOCK_EX), 0);
	alarm(30); /* ends this program */
	given_a_server(w, 0);
	alarm(0);
	close(locked);
}

static void the_socket_of_a_dead_process_is_replaced(void **state)
{
	struct world *w = *state;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strncpy(at.sun_path, w->path, sizeof(at.sun_path) - 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	close(fd); /* the file stays, as after a kill */
	assert_int_equal(access(w->path, F_OK), 0);
	given_a_server(w, 0);
	ask(w, w->address);
	assert_int_equal(w->status, 200);
}

static void that_of_a_living_one_is_left(void **state)
{
	struct world *w = *state;
	struct http_server *second = NULL;
	given_a_server(w, 0);
	struct err e = serve(w, w->address, 0, &second);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "another process listens there"));
	ask(w, w->address);
	assert_int_equal(w->status, 200);
}

static void another_file_is_left(void **state)
{
	struct world *w = *state;
	FILE *f = fopen(w->path, "w");
	fclose(f);
	struct err e = serve(w, w->address, 0, &w->server);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "a file of this name that is no socket"));
	assert_int_equal(access(w->path, F_OK), 0);
}

/* Another process removed ours and listens there now. */
static void what_is_not_ours_is_not_removed(void **state)
{
	struct world *w = *state;
	struct http_server *second = NULL;
	given_a_server(w, 0);
	unlink(w->path);
	assert_false(failed(serve(w, w->address, 0, &second)));
	http_server_free(TAKE(w->server));
	ask(w, w->address);
	assert_int_equal(w->status, 200);
	http_server_free(second);
}

/* Each waits for the start, tells whether it has the socket, and stays until all have. */
static void begin_one(struct world *w, const int start[2], const int told[2], const int end[2])
{
	struct http_server *s = NULL;
	char byte;
	close(start[1]);
	close(end[1]);
	w->loop = loop_uv_new();
	bool ready = read(start[0], &byte, 1) == 0;
	byte = ready && !failed(serve(w, w->address, 0, &s)) ? 'y' : 'n';
	_exit(write(told[1], &byte, 1) == 1 && read(end[0], &byte, 1) == 0 ? 0 : 2);
}

static int begin_many(struct world *w, int n)
{
	int start[2], told[2], end[2], begun = 0;
	char byte;
	assert_int_equal(pipe(start) | pipe(told) | pipe(end), 0);
	for (int i = 0; i < n; i++)
		if (fork() == 0)
			begin_one(w, start, told, end);
	close(start[1]);
	for (int i = 0; i < n; i++) {
		assert_int_equal(read(told[0], &byte, 1), 1);
		begun += byte == 'y';
	}
	close(end[1]);
	for (int i = 0, status; i < n; i++) {
		wait(&status);
		assert_int_equal(status, 0);
	}
	const int left[] = { start[0], told[0], told[1], end[0] };
	for (size_t i = 0; i < LENGTH(left); i++)
		close(left[i]);
	return begun;
}

/* The file that the last ones left is stale each time. */
static void of_many_that_begin_at_a_time_one_has_it(void **state)
{
	for (int round = 0; round < 20; round++)
		assert_int_equal(begin_many(*state, 8), 1);
}

#define UNIX_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_folder, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIX_TEST(a_client_finds_its_server),
		UNIX_TEST(nobody_there_can_be_tried_again),
		UNIX_TEST(an_address_of_no_use_is_named),
		UNIX_TEST(a_lock_of_the_folder_holds_up_no_start),
		UNIX_TEST(the_socket_of_a_dead_process_is_replaced),
		UNIX_TEST(that_of_a_living_one_is_left),
		UNIX_TEST(another_file_is_left),
		UNIX_TEST(what_is_not_ours_is_not_removed),
		UNIX_TEST(of_many_that_begin_at_a_time_one_has_it),
	};
	return cmocka_run_group_tests_name("net_unix", tests, NULL, NULL);
}
