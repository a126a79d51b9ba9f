/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "start_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum watch_verdict slurmdbd_judge(struct slurmdbd_watch *w, const struct slurmdbd_facts *f,
	time_t now)
{
	bool stuck = !f->listens && !f->connected && f->database_answers;

	w->stuck_since = !stuck ? 0 : w->stuck_since ? w->stuck_since : now;
	if (f->tables != TABLES_UNKNOWN)
		w->gone = f->listens && f->tables == TABLES_GONE ? w->gone + 1 : 0;
	if (stuck && now - w->stuck_since >= STUCK_S)
		return WATCH_STUCK;
	return w->gone >= ABSENT_MAX ? WATCH_EMPTY : WATCH_GO_ON;
}

bool slurmdbd_tries_database(const struct slurmdbd_watch *w, time_t now)
{
	return !w->stuck_since || now - w->stuck_since >= STUCK_S;
}

enum before_verdict slurmctld_judge(const struct slurmctld_facts *f, time_t waited)
{
	if (f->own && f->written > f->own)
		return BEFORE_TOO_NEW;
	if (!f->accounting)
		return BEFORE_START;
	switch (f->accounts) {
	case ACCOUNTS_SILENT:
		/* jobs continue without accounting, but slurmctld must have registered before */
		if (f->state && f->registered && !f->failed &&
			(!f->port_answers || waited >= SACK_S))
			return BEFORE_START;
		/* slurmctld may reach a slurmdbd that sacctmgr cannot query */
		if ((f->state || f->port_answers) && waited >= ASK_S)
			return BEFORE_START;
		return BEFORE_WAIT;
	case ACCOUNTS_EMPTY: /* slurmdbd restarts by itself */
		return BEFORE_WAIT;
	case ACCOUNTS_WITHOUT_US:
	case ACCOUNTS_NEWER:
		return f->id ? BEFORE_ADOPT : BEFORE_START;
	case ACCOUNTS_TAKEN:
		/* two slurmctlds of one name would share the accounting; Slurm refuses that */
		return f->id && f->own_database ? BEFORE_ADOPT : BEFORE_START;
	case ACCOUNTS_OLDER:
		/* in its own database no other Slurm can have the name */
		return f->id && f->failed && f->own_database ? BEFORE_ADOPT : BEFORE_START;
	}
	return BEFORE_START;
}

bool slurmctld_tried(int attempts, time_t age)
{
	int doublings = attempts <= REGISTER_DOUBLINGS ? attempts - 1 : REGISTER_DOUBLINGS;

	return attempts > 0 && age >= 0 && age < (time_t)REGISTER_S << doublings;
}

enum watch_verdict slurmctld_watch(int *absent, bool listens, bool tried, enum accounts a)
{
	if (!listens || a == ACCOUNTS_SILENT || a == ACCOUNTS_EMPTY)
		return WATCH_GO_ON;
	*absent = a == ACCOUNTS_WITHOUT_US ? *absent + 1 : 0;
	return *absent >= ABSENT_MAX && !tried ? WATCH_ABSENT : WATCH_GO_ON;
}

/* ---------------------------------------------------------------- reading */

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

void conf_value(const char *text, const char *key, char *value, size_t size)
{
	size_t length = strlen(key), n;

	*value = '\0';
	for (const char *line = text; line; line = next_line(line)) {
		const char *p = line + strspn(line, " \t");

		if (strncasecmp(p, key, length) != 0)
			continue;
		p += length;
		p += strspn(p, " \t");
		if (*p != '=')
			continue;
		p += 1 + strspn(p + 1, " \t\"");
		n = strcspn(p, " \t\r\n#\"");
		snprintf(value, size, "%.*s", (int)n, p);
	}
}

/* Slurm has two releases a year, and each has its own protocol: 24.05 has 41. */
unsigned protocol_of_release(const char *version)
{
	const char *p = strpbrk(version, "0123456789");
	unsigned year, month;

	if (!p || sscanf(p, "%u.%u", &year, &month) != 2 || year < 24 ||
		(month != 5 && month != 11))
		return 0;
	return 41 + 2 * (year - 24) + (month == 11);
}

void release_of_protocol(unsigned protocol, char *release, size_t size)
{
	unsigned since = protocol < 41 ? 0 : protocol - 41;

	snprintf(release, size, "%u.%s", 24 + since / 2, since % 2 ? "11" : "05");
}

bool net_has(const char *text, unsigned state, unsigned local, unsigned remote)
{
	for (const char *line = next_line(text); line; line = next_line(line)) {
		unsigned l, r, s;

		if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%x %x", &l, &r, &s) == 3 &&
			s == state && (!local || l == local) && (!remote || r == remote))
			return true;
	}
	return false;
}

/* Time of the newest addition of the cluster; 0 if unknown. */
static time_t added_at(const char *added, const char *name)
{
	time_t at = 0;

	for (const char *line = added; line; line = next_line(line)) {
		char *where;
		long long t = strtoll(line, &where, 10);
		size_t n = strlen(name);

		if (*where == '|' && strncasecmp(where + 1, name, n) == 0 &&
			strchr("|\n", where[1 + n]) && t > at)
			at = (time_t)t;
	}
	return at;
}

enum accounts accounts_of(const char *tres, const char *clusters, const char *added,
	const char *name, time_t id_at, bool runs)
{
	bool here = false, connected = false;
	size_t n = strlen(name);

	if (!isalpha((unsigned char)*tres))
		return ACCOUNTS_EMPTY;
	for (const char *line = clusters; line; line = next_line(line))
		if (strncasecmp(line, name, n) == 0 && line[n] == '|') {
			connected = atoi(line + n + 1) != 0;
			here = !runs || connected;
		}
	if (!here)
		return ACCOUNTS_WITHOUT_US;
	if (added_at(added, name) <= id_at)
		return ACCOUNTS_OLDER;
	return connected && !runs ? ACCOUNTS_TAKEN : ACCOUNTS_NEWER;
}
