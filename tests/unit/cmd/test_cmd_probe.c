/* SPDX-License-Identifier: Apache-2.0 */
/* The command that checks whether servers answer. */
#include "lib/test.h"

#include <stdio.h>

#include "cmd/options.h"
#include "cmd/probe.h"
#include "lib/fake_peer.h"

#define WELL "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define NOT_WELL "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"

static int asked(struct str *print, const char *first, const char *second)
{
	char *urls[] = { (char *)first, (char *)second, NULL };
	const struct options o = { .probe = { .urls = urls, .seconds = 1 } };
	return probe_command(&o, print);
}

static void url_of(char out[static 64], int port, const char *path)
{
	snprintf(out, 64, "http://127.0.0.1:%d%s", port, path);
}

static void test_each_server_that_is_well_has_a_line(void **state)
{
	AUTO(str_free) struct str print = { 0 };
	struct peer a, b;
	char first[64], second[64];
	(void)state;
	peer_start(&a, NULL, WELL);
	peer_start(&b, NULL, WELL);
	url_of(first, a.port, "/readyz");
	url_of(second, b.port, "");
	assert_int_equal(asked(&print, first, second), 0);
	peer_stop(&a);
	peer_stop(&b);
	assert_non_null(strstr(str_text(&print), "/readyz: ok\n"));
	assert_ptr_equal(strstr(a.request, "GET /readyz HTTP/1.1"), a.request);
	assert_ptr_equal(strstr(b.request, "GET / HTTP/1.1"), b.request);
}

static void test_one_that_is_not_well_is_asked_again_and_told(void **state)
{
	AUTO(str_free) struct str print = { 0 };
	struct peer a;
	char url[64];
	(void)state;
	peer_start(&a, NULL, NOT_WELL);
	url_of(url, a.port, "/readyz");
	assert_int_equal(asked(&print, url, "http://127.0.0.1:1/never"), 1);
	peer_stop(&a);
	assert_true(a.connections > 1);
	assert_non_null(strstr(str_text(&print), "/readyz: HTTP status 503\n"));
	assert_null(strstr(str_text(&print), "never"));
}

static void test_one_that_is_not_there_is_told(void **state)
{
	AUTO(str_free) struct str print = { 0 };
	(void)state;
	assert_int_equal(asked(&print, "http://127.0.0.1:1/", NULL), 1);
	assert_non_null(strstr(str_text(&print), "http://127.0.0.1:1/: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_server_that_is_well_has_a_line),
		cmocka_unit_test(test_one_that_is_not_well_is_asked_again_and_told),
		cmocka_unit_test(test_one_that_is_not_there_is_told),
	};
	return cmocka_run_group_tests_name("cmd_probe", tests, NULL, NULL);
}
