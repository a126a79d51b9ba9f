/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows of the kernel's tables of TCP sockets. */
#include "net/tcp_table.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

enum {
	V4_AT = 12,
	WORD_DIGITS = 8,
	ROW_BYTES = 256, /* a row up to its user id is shorter */
	/* States of include/net/tcp_states.h */
	TIME_WAIT = 6, /* the table shows user 0 */
	LISTENING = 10,
};

static const uint8_t v4_start[V4_AT] = { [10] = 0xff, [11] = 0xff };

static bool is_v4(const struct tcp_end *e) { return memcmp(e->ip, v4_start, V4_AT) == 0; }

/* 0.0.0.0 or "::". A connection to this address reaches the address of our end. */
static bool is_nowhere(const struct tcp_end *e)
{
	static const uint8_t none[LISTENER_IP_BYTES];
	size_t from = is_v4(e) ? V4_AT : 0;
	return memcmp(e->ip + from, none, sizeof(none) - from) == 0;
}

static bool end_read(const char *ip, int port, struct tcp_end *out)
{
	struct in_addr v4;
	struct in6_addr v6;
	if (port < 0 || port > UINT16_MAX)
		return false;
	out->port = (uint16_t)port;
	if (inet_pton(AF_INET, ip, &v4) == 1) {
		memcpy(out->ip, v4_start, V4_AT);
		memcpy(out->ip + V4_AT, &v4, sizeof(v4));
		return true;
	}
	if (inet_pton(AF_INET6, ip, &v6) != 1)
		return false;
	memcpy(out->ip, &v6, sizeof(v6));
	return true;
}

bool tcp_link_read(const char *our_ip, int our_port, const char *their_ip, int their_port,
	struct tcp_link *out)
{
	if (!end_read(our_ip, our_port, &out->ours) ||
		!end_read(their_ip, their_port, &out->theirs))
		return false;
	if (is_nowhere(&out->theirs))
		memcpy(out->theirs.ip, out->ours.ip, sizeof(out->ours.ip));
	return true;
}

/* A connection to another address of this machine has this address at both ends. */
bool tcp_link_is_local(const struct tcp_link *l)
{
	static const uint8_t v6_loopback[LISTENER_IP_BYTES] = { [15] = 1 };
	const struct tcp_end *e = &l->theirs;
	return (is_v4(e) && e->ip[V4_AT] == 127) ||
		memcmp(e->ip, v6_loopback, sizeof(e->ip)) == 0 ||
		memcmp(e->ip, l->ours.ip, sizeof(e->ip)) == 0;
}

/* ---- rows ---- */

struct row {
	struct tcp_end local, remote;
	unsigned state;
	uid_t user;
};

/* Parses an address, which is written as words of 32 bits in the machine's byte order. */
static bool end_parse(const char *hex, unsigned port, struct tcp_end *out)
{
	size_t words = strlen(hex) / WORD_DIGITS;
	*out = (struct tcp_end){ .port = (uint16_t)port };
	if (words == 1)
		memcpy(out->ip, v4_start, V4_AT);
	for (size_t i = 0; i < words; i++) {
		char digits[WORD_DIGITS + 1] = "";
		memcpy(digits, hex + i * WORD_DIGITS, WORD_DIGITS);
		uint32_t word = (uint32_t)strtoul(digits, NULL, 16);
		memcpy(out->ip + (words == 1 ? V4_AT : i * sizeof(word)), &word, sizeof(word));
	}
	return words == 1 || words == 4;
}

/*
 * Parses a copy of the start of the line. sscanf searches for the end of its whole text,
 * which is the rest of a long table.
 */
static bool row_parse(const char *table, size_t n, struct row *r)
{
	char line[ROW_BYTES], here[33], there[33];
	unsigned here_port, there_port, user;
	n = n < sizeof(line) ? n : sizeof(line) - 1;
	memcpy(line, table, n);
	line[n] = '\0';
	if (sscanf(line, " %*u: %32[0-9A-Fa-f]:%4x %32[0-9A-Fa-f]:%4x %2x %*x:%*x %*x:%*x %*x %u",
		    here, &here_port, there, &there_port, &r->state, &user) != 6)
		return false;
	r->user = user;
	return end_parse(here, here_port, &r->local) && end_parse(there, there_port, &r->remote);
}

/* ---- the decision ---- */

static bool is_trusted(uid_t user, uid_t self, const struct listener_users *users)
{
	bool named = user == 0 || user == self;
	for (size_t i = 0; i < users->n && !named; i++)
		named = user == users->ids[i];
	return named;
}

static bool same_end(const struct tcp_end *a, const struct tcp_end *b)
{
	return a->port == b->port && memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

/*
 * How closely a listening socket matches the server's end; 0: no match. A socket for both
 * families receives IPv4 only if no IPv4 socket listens.
 */
static int nearness(const struct row *r, const struct tcp_end *theirs)
{
	static const uint8_t none[LISTENER_IP_BYTES];
	struct tcp_end everywhere = { .port = theirs->port };
	if (r->state != LISTENING || r->local.port != theirs->port)
		return 0;
	memcpy(everywhere.ip, v4_start, V4_AT);
	if (same_end(&r->local, theirs) || (is_v4(theirs) && same_end(&r->local, &everywhere)))
		return 2;
	return memcmp(r->local.ip, none, sizeof(none)) == 0 ? 1 : 0;
}

struct judgement {
	int nearest;  /* best match among the listening sockets */
	bool strange; /* an untrusted user has one of the nearest sockets */
	bool accepted_by_stranger;
	uid_t stranger;
};

static void take_row(struct judgement *j, const struct row *r, const struct tcp_link *l,
	bool trusted)
{
	int near = nearness(r, &l->theirs);
	bool is_link = r->state != TIME_WAIT && same_end(&r->local, &l->theirs) &&
		same_end(&r->remote, &l->ours);
	if (is_link && !trusted) {
		j->accepted_by_stranger = true;
		j->stranger = r->user;
	}
	if (!near || near < j->nearest)
		return;
	j->strange = !trusted || (near == j->nearest && j->strange);
	j->nearest = near;
	if (!trusted && !j->accepted_by_stranger)
		j->stranger = r->user;
}

bool listener_is_trusted(const char *tcp, const char *tcp6, const struct tcp_link *l, uid_t self,
	const struct listener_users *users, uid_t *stranger)
{
	const char *const tables[] = { tcp, tcp6 };
	struct judgement j = { 0 };
	char port[sizeof(":1AA4 ")]; /* of relevant rows; most rows have other ports */
	snprintf(port, sizeof(port), ":%04X ", l->theirs.port);
	for (size_t i = 0; i < LENGTH(tables); i++) {
		for (const char *line = tables[i]; *line;) {
			struct row r;
			size_t n = strcspn(line, "\n");
			if (memmem(line, n, port, sizeof(port) - 1) && row_parse(line, n, &r))
				take_row(&j, &r, l, is_trusted(r.user, self, users));
			line += n;
			line += *line == '\n';
		}
	}
	*stranger = j.stranger;
	return !j.strange && !j.accepted_by_stranger;
}
