/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client and a name that DNS does not answer: no other request waits for it. */
#include "lib/http_world.h"

#include <errno.h>
#include <netdb.h>
#include <semaphore.h>
#include <time.h>

/* Replaces that of libc in this program: it answers when the test says so, or late. */
static struct dns {
	sem_t asked, go_on, left;
} dns;

int getaddrinfo(const char *name, const char *service, const struct addrinfo *wanted,
	struct addrinfo **found)
{
	enum { LATE_S = 4 };
	struct timespec late;
	(void)name, (void)service, (void)wanted, (void)found;
	clock_gettime(CLOCK_REALTIME, &late);
	late.tv_sec += LATE_S;
	sem_post(&dns.asked);
	while (sem_timedwait(&dns.go_on, &late) != 0 && errno == EINTR)
		continue;
	sem_post(&dns.left);
	return EAI_AGAIN;
}

static int given_a_slow_name(void **state)
{
	const struct http_config config = { .base_url = "http://slow.example:80" };
	given_a_loop(state);
	struct world *w = *state;
	sem_init(&dns.asked, 0, 0);
	sem_init(&dns.go_on, 0, 0);
	sem_init(&dns.left, 0, 0);
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
	return 0;
}

/* then: DNS has not answered yet */
static void dns_is_still_asked(void)
{
	int answers = -1;
	sem_getvalue(&dns.left, &answers);
	assert_int_equal(answers, 0);
}

static void dns_answers(void)
{
	sem_post(&dns.go_on);
	while (sem_wait(&dns.left) != 0)
		continue;
}

static void a_request_ends_in_its_time_while_dns_is_asked(void **state)
{
	struct world *w = *state;
	get(w, (struct http_request){ .timeout_ms = 50 });
	failed_with(w, ERR_RETRY, "slow.example");
	dns_is_still_asked();
	dns_answers();
}

static void stop(void *ctx)
{
	struct world *w = ctx;
	loop_uv_stop(w->loop);
}

static void one_that_is_cancelled_waits_for_no_dns(void **state)
{
	struct world *w = *state;
	struct http_request r = { .method = "GET", .path = "/" };
	struct http_call *call = http_send(w->http, &r, done, w);
	timer_start(w->loop, 20, stop, w);
	loop_uv_run(w->loop);
	sem_wait(&dns.asked);
	http_cancel(w->http, call);
	dns_is_still_asked();
	http_free(TAKE(w->http));
	dns_is_still_asked();
	dns_answers();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_request_ends_in_its_time_while_dns_is_asked,
			given_a_slow_name, free_world),
		cmocka_unit_test_setup_teardown(one_that_is_cancelled_waits_for_no_dns,
			given_a_slow_name, free_world),
	};
	return cmocka_run_group_tests_name("net_slow_names", tests, NULL, NULL);
}
