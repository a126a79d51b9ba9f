/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that a client for the network only does not reach. */
#include "lib/http_world.h"

#include <ifaddrs.h>
#include <netdb.h>

#include "net/peer.h"

/* ---- addresses ---- */

static const char *local(const char *text)
{
	const struct addrinfo want = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	if (getaddrinfo(text, NULL, &want, &found) != 0)
		fail_msg("%s is no address", text);
	const char *what = peer_local(found->ai_addr);
	freeaddrinfo(found);
	return what;
}

/* Acceptance: gate-1 */
static void addresses_of_no_server_on_the_network(void **state)
{
	static const struct {
		const char *address, *what;
	} rows[] = {
		{ "127.0.0.1", "own machine" },
		{ "127.255.255.255", "own machine" },
		{ "0.0.0.0", "own machine" },
		{ "0.1.2.3", "own machine" },
		{ "::1", "own machine" },
		{ "::", "own machine" },
		{ "::ffff:127.0.0.1", "own machine" },
		{ "::ffff:0.0.0.0", "own machine" },
		{ "::127.0.0.1", "own machine" },
		{ "64:ff9b::127.0.0.1", "own machine" },
		{ "2002:7f00:1::", "own machine" },
		{ "169.254.0.1", "link-local" },
		{ "169.254.169.254", "link-local" },
		{ "::ffff:169.254.169.254", "link-local" },
		{ "64:ff9b::a9fe:a9fe", "link-local" },
		{ "2002:a9fe:a9fe::1", "link-local" },
		{ "fe80::1", "link-local" },
		{ "febf:ffff::1", "link-local" },
		{ "fd00:ec2::254", "metadata service" },
		{ "100.100.100.200", "metadata service" },
		{ "::ffff:100.100.100.200", "metadata service" },
		{ "168.63.129.16", "metadata service" },
		{ "64:ff9b::a83f:8110", "metadata service" },
		{ "224.0.0.1", "not that of one machine" },
		{ "239.255.255.255", "not that of one machine" },
		{ "255.255.255.255", "not that of one machine" },
		{ "::ffff:224.0.0.1", "not that of one machine" },
		{ "ff02::1", "not that of one machine" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *what = local(rows[i].address);
		if (!what || !strstr(what, rows[i].what))
			fail_msg("%s is %s", rows[i].address, what ? what : "like any other");
	}
}

static void addresses_like_any_other(void **state)
{
	static const char *const rows[] = { "1.0.0.1", "10.0.0.1", "126.255.255.255", "128.0.0.1",
		"169.253.255.255", "169.255.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",
		"223.255.255.255", "240.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1",
		"2002:a00:1::1", "2001:db8::1", "fd00::1", "fd00:ec2::253", "fe7f::1", "fec0::1",
		"::2:0:0" };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (local(rows[i]))
			fail_msg("%s is %s", rows[i], local(rows[i]));
	assert_non_null(peer_local(&(struct sockaddr){ .sa_family = AF_UNIX }));
}

/* ---- connections ---- */

static void asks_for(struct world *w, const char *host, int port, struct http_config config)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "http://%s:%d", host, port);
	config.base_url = str_text(&url);
	w->ended = 0;
	w->status = 0;
	http_free(TAKE(w->http));
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
	get(w, (struct http_request){ 0 });
}

static bool is_known(const char *host)
{
	struct addrinfo *found = NULL;
	bool known = getaddrinfo(host, NULL, NULL, &found) == 0;
	if (known)
		freeaddrinfo(found);
	return known;
}

/* The peer listens, and hears of none of them. */
/* Acceptance: gate-1 */
static void no_name_leads_to_the_own_machine(void **state)
{
	static const char *const hosts[] = { "127.0.0.1", "127.1", "2130706433", "0", "[::1]",
		"[::ffff:127.0.0.1]", "localhost" };
	static const char *const of_some_machines[] = { "ip6-localhost", "localhost.localdomain" };
	struct world *w = *state;
	const struct http_config refuse = { .refuse_local = true };
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	for (size_t i = 0; i < LENGTH(hosts); i++) {
		asks_for(w, hosts[i], w->peer.port, refuse);
		failed_with(w, ERR_RETRY,
			"is the manager's own machine, and no connection may go there");
	}
	for (size_t i = 0; i < LENGTH(of_some_machines); i++)
		if (is_known(of_some_machines[i])) {
			asks_for(w, of_some_machines[i], w->peer.port, refuse);
			failed_with(w, ERR_RETRY, "is the manager's own machine");
		}
	asks_for(w, "169.254.169.254", 80, refuse);
	failed_with(w, ERR_RETRY,
		"GET http://169.254.169.254:80/a: the address 169.254.169.254 is link-local");
	assert_int_equal(w->peer.connections, 0);
	asks_for(w, "localhost", w->peer.port, (struct http_config){ 0 });
	assert_int_equal(w->status, 200);
}

/* Acceptance: gate-1 */
static void another_name_to_verify_opens_no_door(void **state)
{
	struct world *w = *state;
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	asks_for(w, "127.0.0.1", w->peer.port,
		(struct http_config){ .refuse_local = true, .server_name = "slurm.example" });
	failed_with(w, ERR_RETRY, "is the manager's own machine");
	assert_int_equal(w->peer.connections, 0);
}

static void a_socket_of_this_machine_is_refused(void **state)
{
	struct world *w = *state;
	struct err e = http_curl_new(w->loop,
		&(struct http_config){ .base_url = "unix:/run/any", .refuse_local = true },
		&w->http);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "\"unix:/run/any\" is on the manager's own machine"));
}

/* An address of this machine that others see, too; false where there is none. */
static bool own_address(struct sockaddr_in *out)
{
	struct ifaddrs *all = NULL;
	bool found = false;
	getifaddrs(&all);
	for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && !peer_local(i->ifa_addr)) {
			memcpy(out, i->ifa_addr, sizeof(*out));
			found = true;
		}
	freeifaddrs(all);
	return found;
}

static void a_server_on_the_network_is_reached(void **state)
{
	struct world *w = *state;
	struct sockaddr_in at;
	char host[INET_ADDRSTRLEN];
	if (!own_address(&at))
		skip();
	inet_ntop(AF_INET, &at.sin_addr, host, sizeof(host));
	peer_start_at(&w->peer, at.sin_addr, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	w->peer_runs = true;
	asks_for(w, host, w->peer.port, (struct http_config){ .refuse_local = true });
	assert_int_equal(w->status, 200);
}

/* ---- proxies ---- */

static void given_a_proxy(struct world *w)
{
	AUTO(str_free) struct str url = { 0 };
	given_a_peer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	str_addf(&url, "http://127.0.0.1:%d", w->peer.port);
	setenv("http_proxy", str_text(&url), 1);
}

/* Acceptance: gate-1 */
static void a_proxy_sees_nothing_where_none_is_wanted(void **state)
{
	struct world *w = *state;
	given_a_proxy(w);
	asks_for(w, "slurm.invalid", 80, (struct http_config){ .no_proxy = true });
	failed_with(w, ERR_RETRY, "the name of the host is not known");
	asks_for(w, "slurm.invalid", 80, (struct http_config){ .refuse_local = true });
	failed_with(w, ERR_RETRY, "the name of the host is not known");
	assert_int_equal(w->peer.connections, 0);
	asks_for(w, "slurm.invalid", 80, (struct http_config){ 0 });
	assert_int_equal(w->status, 200);
	unsetenv("http_proxy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_no_server_on_the_network),
		cmocka_unit_test(addresses_like_any_other),
		HTTP_TEST(no_name_leads_to_the_own_machine),
		HTTP_TEST(another_name_to_verify_opens_no_door),
		HTTP_TEST(a_socket_of_this_machine_is_refused),
		HTTP_TEST(a_server_on_the_network_is_reached),
		HTTP_TEST(a_proxy_sees_nothing_where_none_is_wanted),
	};
	return cmocka_run_group_tests_name("net_peer", tests, NULL, NULL);
}
