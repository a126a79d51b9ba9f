/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user at the other end of a connection to this machine, by the tables of the kernel.
 */
#include "lib/test.h"

#include <arpa/inet.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/tcp_table.h"

enum { SELF = 1000, SLURM = 401, STRANGER = 65534, SERVER = 6820, CLIENT = 50000 };

/* Rows as Linux prints them; addresses are words in the order of this machine's bytes. */
#define ROW \
	"   0: %s:%04X %s:%04X %02X 00000000:00000000 00:00000000 00000000  %4d        0 7 1 0\n"
#define HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
enum { ESTABLISHED = 1, TIME_WAIT = 6, LISTENING = 10 };

struct socket {
	int state, user;
	const char *at;
};

static void add_ip(char *out, size_t room, int family, const char *ip)
{
	uint32_t words[4];
	assert_int_equal(inet_pton(family, ip, words), 1);
	for (int i = 0, used = 0; i < (family == AF_INET ? 1 : 4); i++)
		used += snprintf(out + used, room - (size_t)used, "%08X", words[i]);
}

/* A row for it in the table of its family. */
static void add(char tables[2][2000], const struct socket *s, const char *client)
{
	char here[33], there[33];
	int family = strchr(s->at, ':') ? AF_INET6 : AF_INET;
	char *table = tables[family == AF_INET6];
	bool linked = s->state != LISTENING;
	const char *nowhere = family == AF_INET ? "0.0.0.0" : "::";
	add_ip(here, sizeof(here), family, s->at);
	add_ip(there, sizeof(there), family, linked ? client : nowhere);
	size_t n = strlen(table);
	snprintf(table + n, 2000 - n, ROW, here, SERVER, there, linked ? CLIENT : 0, s->state,
		s->user);
}

#define LISTENS(user, at) { LISTENING, user, at }
#define HAS_LINK(user, at) { ESTABLISHED, user, at }

static const struct {
	const char *name, *server, *client;
	struct socket sockets[4];
	int stranger; /* -1: it is trusted */
} rows[] = {
	{ "root", "127.0.0.1", "127.0.0.1", { LISTENS(0, "127.0.0.1") }, -1 },
	{ "ourselves", "127.0.0.1", "127.0.0.1", { LISTENS(SELF, "0.0.0.0") }, -1 },
	{ "a named user", "127.0.0.1", "127.0.0.1", { LISTENS(SLURM, "127.0.0.1") }, -1 },
	{ "a stranger", "127.0.0.1", "127.0.0.1", { LISTENS(STRANGER, "127.0.0.1") }, STRANGER },
	{ "everywhere", "127.0.0.1", "127.0.0.1", { LISTENS(STRANGER, "0.0.0.0") }, STRANGER },
	{ "for both", "127.0.0.1", "127.0.0.1", { LISTENS(STRANGER, "::") }, STRANGER },
	{ "IPv6", "::1", "::1", { LISTENS(STRANGER, "::1") }, STRANGER },
	{ "IPv6, root", "::1", "::1", { LISTENS(0, "::") }, -1 },
	{ "IPv4 beside IPv6", "127.0.0.1", "127.0.0.1",
		{ LISTENS(STRANGER, "::"), LISTENS(0, "0.0.0.0") }, -1 },
	{ "IPv6 beside IPv4", "::1", "::1", { LISTENS(0, "0.0.0.0"), LISTENS(STRANGER, "::") },
		STRANGER },
	{ "an IPv4 address of IPv6", "127.0.0.1", "127.0.0.1",
		{ LISTENS(STRANGER, "::ffff:127.0.0.1") }, STRANGER },
	{ "another address", "127.0.0.1", "127.0.0.1",
		{ LISTENS(STRANGER, "127.0.0.2"), LISTENS(0, "127.0.0.1") }, -1 },
	{ "no address", "0.0.0.0", "127.0.0.1", { LISTENS(STRANGER, "127.0.0.1") }, STRANGER },
	{ "no address of IPv6", "::", "::1", { LISTENS(STRANGER, "::1") }, STRANGER },
	{ "own address", "10.1.2.3", "10.1.2.3", { LISTENS(STRANGER, "10.1.2.3") }, STRANGER },
	/* The kernel says 0 for a connection that is not accepted yet */
	{ "not accepted", "127.0.0.1", "127.0.0.1",
		{ HAS_LINK(0, "127.0.0.1"), LISTENS(STRANGER, "127.0.0.1") }, STRANGER },
	{ "gone, link kept", "127.0.0.1", "127.0.0.1", { HAS_LINK(STRANGER, "127.0.0.1") },
		STRANGER },
	{ "replaced, link kept", "127.0.0.1", "127.0.0.1",
		{ HAS_LINK(STRANGER, "127.0.0.1"), LISTENS(0, "127.0.0.1") }, STRANGER },
	{ "the end of an old one", "127.0.0.1", "127.0.0.1",
		{ { TIME_WAIT, STRANGER, "127.0.0.1" }, LISTENS(SLURM, "127.0.0.1") }, -1 },
	/* Only root leads it elsewhere, by rules of the kernel */
	{ "nobody", "127.0.0.1", "127.0.0.1", { { 0 } }, -1 },
};

/* Acceptance: red-box-42 */
static void test_a_stranger_is_told_from_those_who_are_trusted(void **state)
{
	static const uid_t named[] = { 7, SLURM };
	const struct listener_users users = { named, LENGTH(named) };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char tables[2][2000] = { HEAD, HEAD };
		struct tcp_link link;
		uid_t stranger = 0;
		for (const struct socket *s = rows[i].sockets; s->at; s++)
			add(tables, s, rows[i].client);
		assert_true(tcp_link_read(rows[i].client, CLIENT, rows[i].server, SERVER, &link));
		assert_true(tcp_link_is_local(&link));
		bool trusted = listener_is_trusted(tables[0], tables[1], &link, SELF, &users,
			&stranger);
		if (trusted != (rows[i].stranger < 0) ||
			(!trusted && stranger != (uid_t)rows[i].stranger))
			fail_msg("%s: %s, uid %d", rows[i].name, trusted ? "trusted" : "refused",
				(int)stranger);
	}
}

/* A line that is no row is skipped. */
static void test_tables_that_are_no_tables_have_no_stranger(void **state)
{
	static const char *const texts[] = { "", "\n", HEAD, "x", "   0: 0100007F:1AA4",
		"   0: 01:1AA4 00:0000 0A 0:0 0:0 0 65534 0",
		"   0: 0100007F0100007F:1AA4 00000000:0000 0A 0:0 00:0 0 65534 0\n" };
	const struct listener_users none = { 0 };
	struct tcp_link link;
	uid_t stranger;
	(void)state;
	assert_true(tcp_link_read("127.0.0.1", CLIENT, "127.0.0.1", SERVER, &link));
	for (size_t i = 0; i < LENGTH(texts); i++)
		assert_true(listener_is_trusted(texts[i], texts[i], &link, SELF, &none, &stranger));
}

/* Any user may have some ten thousand connections, and each request reads the rows. */
/* Acceptance: red-box-42 */
static void test_a_long_table_is_read_in_no_time(void **state)
{
	enum { ROWS = 50000, MOST_MS = 1500 };
	AUTO(str_free) struct str table = { 0 };
	const struct listener_users none = { 0 };
	struct timespec from, to;
	struct tcp_link link;
	uid_t stranger;
	(void)state;
	for (int i = 0; i < ROWS; i++)
		str_addf(&table, ROW, "0100007F", 1000 + i, "0100007F", CLIENT, ESTABLISHED,
			STRANGER);
	str_addf(&table, ROW, "0100007F", SERVER, "00000000", 0, LISTENING, STRANGER);
	assert_true(tcp_link_read("127.0.0.1", CLIENT, "127.0.0.1", SERVER, &link));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	assert_false(listener_is_trusted(str_text(&table), "", &link, SELF, &none, &stranger));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	int64_t took_ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
	assert_in_range(took_ms, 0, MOST_MS);
}

static void test_a_server_elsewhere_is_not_local(void **state)
{
	static const struct {
		const char *ours, *theirs;
		bool local;
	} pairs[] = {
		{ "10.0.0.1", "10.0.0.2", false },
		{ "10.0.0.1", "10.0.0.1", true },
		{ "127.0.0.1", "127.8.9.1", true },
		{ "fd00::1", "fd00::2", false },
		{ "fd00::1", "fd00::1", true },
		{ "::1", "::1", true },
		{ "::ffff:127.0.0.1", "::ffff:127.0.0.1", true },
		/* The kernel connects to the loopback */
		{ "127.0.0.1", "0.0.0.0", true },
		{ "::1", "::", true },
		{ "::ffff:127.0.0.1", "::ffff:0.0.0.0", true },
	};
	struct tcp_link link;
	(void)state;
	for (size_t i = 0; i < LENGTH(pairs); i++) {
		assert_true(tcp_link_read(pairs[i].ours, 1, pairs[i].theirs, 2, &link));
		assert_int_equal(tcp_link_is_local(&link), pairs[i].local);
	}
	assert_false(tcp_link_read("", 0, "", 0, &link)); /* a unix socket */
	assert_false(tcp_link_read("127.0.0.1", 70000, "127.0.0.1", 1, &link));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stranger_is_told_from_those_who_are_trusted),
		cmocka_unit_test(test_tables_that_are_no_tables_have_no_stranger),
		cmocka_unit_test(test_a_long_table_is_read_in_no_time),
		cmocka_unit_test(test_a_server_elsewhere_is_not_local),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
