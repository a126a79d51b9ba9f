/* SPDX-License-Identifier: Apache-2.0 */
/*
* slurm-start before slurmctld   waits until slurmctld can start, and makes its state and the
 *                                accounting database agree
 * slurm-start beside slurmctld   checks whether the cluster is in the accounting database
 * slurm-start beside slurmdbd    checks whether slurmdbd has a connection to its database, and
 *                                whether the database has its tables
 *
 * "beside" exits with 75 when the daemon must restart: slurm-run then ends the daemon and
 * runs the entrypoint of the container again. start_rules.c decides.
 *
 * SLURM_OWN_DATABASE  if set, no other Slurm uses the accounting database
 */
#define _GNU_SOURCE
#define PROGRAM "slurm-start"
#include "program.h"
#include "start_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_S = 2, ASK_EVERY_S = 15, CONNECT_MS = 3000, ANSWER_MAX = 64 << 10 };

#define SLURM_CONF "/etc/slurm/slurm.conf"
#define SLURMDBD_CONF "/etc/slurm/slurmdbd.conf"
#define ASK_CONF "/run/slurmdbd/ask.conf" /* sacctmgr's, in the container of slurmdbd */

/* The text of a file, "" if it cannot be read; valid until the next call. */
static const char *text_of(const char *path)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

static void setting(const char *path, const char *key, const char *otherwise, char *value,
	size_t size)
{
	conf_value(text_of(path), key, value, size);
	if (!*value)
		snprintf(value, size, "%s", otherwise);
}

static bool net(unsigned state, unsigned local, unsigned remote)
{
	return net_has(text_of("/proc/net/tcp"), state, local, remote) ||
		net_has(text_of("/proc/net/tcp6"), state, local, remote);
}

static bool connects(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error = 0;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(error);
	bool done = fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0;

	if (fd >= 0 && !done && errno == EINPROGRESS && poll(&p, 1, CONNECT_MS) == 1 &&
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0)
		done = error == 0;
	if (fd >= 0)
		close(fd);
	return done;
}

static bool answers(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
	bool done = false;

	if (getaddrinfo(host, port, &hints, &all) != 0)
		return false;
	for (struct addrinfo *a = all; a && !done; a = a->ai_next)
		done = connects(a);
	freeaddrinfo(all);
	return done;
}

/* Reads the output of a program; false if the program fails. */
static bool run(char *answer, char *const words[])
{
	int fds[2], status = -1;
	size_t n = 0;
	ssize_t got;
	char rest[4096];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(fds[1], STDOUT_FILENO);
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
		setenv("SLURM_TIME_FORMAT", "%s", 1);
		execvp(words[0], words);
		_exit(127);
	}
	close(fds[1]);
	while (pid > 0 &&
		(got = read(fds[0], n < ANSWER_MAX - 1 ? answer + n : rest,
			 n < ANSWER_MAX - 1 ? ANSWER_MAX - 1 - n : sizeof(rest))) > 0)
		if (n < ANSWER_MAX - 1)
			n += (size_t)got;
	close(fds[0]);
	answer[n] = '\0';
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
#define RUN(answer, ...) run(answer, (char *[]){ "timeout", "20", __VA_ARGS__, NULL })
#define ASK(answer, ...) RUN(answer, "sacctmgr", "-nP", __VA_ARGS__)

/* Logs a wait at once, and then every SAY_S. */
struct wait {
	time_t since, said;
};
static bool is_to_be_said(struct wait *w, bool waits)
{
	time_t t = now();

	if (!waits) {
		*w = (struct wait){ 0 };
		return false;
	}
	if (!w->since)
		w->since = t;
	if (w->said && t - w->said < SAY_S)
		return false;
	w->said = t;
	return true;
}

/* ---------------------------------------------------------------- slurmdbd */

static void write_ask_conf(const char *port)
{
	FILE *f = fopen(ASK_CONF, "we");
	char auth[64];

	if (!f) {
		say("%s cannot be written, so nobody looks whether the database has its tables: %s",
			ASK_CONF, strerror(errno));
		return;
	}
	setting(SLURMDBD_CONF, "AuthType", "auth/slurm", auth, sizeof(auth));
	fprintf(f,
		"ClusterName=accounts\nSlurmctldHost=localhost\nSlurmUser=slurm\nAuthType=%"
		"s\nCredType=cred/%s\n"
		"AuthInfo=use_client_ids\nAccountingStorageType=accounting_storage/slurmdbd\n"
		"AccountingStorageHost=localhost\nAccountingStoragePort=%s\n",
		auth, strchr(auth, '/') ? strchr(auth, '/') + 1 : auth, port);
	fclose(f);
	setenv("SLURM_CONF", ASK_CONF, 1);
}

static enum tables look_for_tables(void)
{
	static char answer[ANSWER_MAX];

	if (!ASK(answer, "show", "tres", "format=Type"))
		return TABLES_UNKNOWN;
	return *answer ? TABLES_THERE : TABLES_GONE;
}

static int beside_slurmdbd(void)
{
	char host[256], database[16], port[16];
	struct slurmdbd_watch w = { 0 };
	struct wait wait = { 0 };
	time_t asked = now();

	setting(SLURMDBD_CONF, "StorageHost", "localhost", host, sizeof(host));
	setting(SLURMDBD_CONF, "StoragePort", "3306", database, sizeof(database));
	setting(SLURMDBD_CONF, "DbdPort", "6819", port, sizeof(port));
	write_ask_conf(port);
	for (;; sleep(LOOK_S)) {
		struct slurmdbd_facts f = {
			.listens = net(10, (unsigned)atoi(port), 0),
			.connected = net(1, 0, (unsigned)atoi(database)),
		};

		/* a connection by a unix socket is not visible here */
		if (!f.listens && !f.connected && strcmp(host, "localhost") != 0)
			f.database_answers = !slurmdbd_tries_database(&w, now()) ||
				answers(host, database);
		if (f.listens && now() - asked >= ASK_EVERY_S) {
			asked = now();
			f.tables = look_for_tables();
		}
		if (is_to_be_said(&wait, !f.listens && !f.connected && !f.database_answers))
			say("slurmdbd waits for its database: %s does not answer on port %s, for "
			    "%ld s now",
				host, database, (long)(now() - wait.since));
		switch (slurmdbd_judge(&w, &f, now())) {
		case WATCH_STUCK:
			say("slurmdbd has had no connection to its database for %d s, although %s "
			    "answers on port %s, and does not listen: it begins anew",
				STUCK_S, host, database);
			return BEGIN_ANEW;
		case WATCH_EMPTY:
			say("the database at %s has lost its tables: slurmdbd begins anew and "
			    "makes them",
				host);
			return BEGIN_ANEW;
		default:
			break;
		}
	}
}

/* ---------------------------------------------------------------- slurmctld */

struct controller {
	char cluster[128], state[512], host[256], port[16], own_port[16];
	bool accounting;
};

static struct controller read_controller(void)
{
	struct controller c;
	char type[64];

	setting(SLURM_CONF, "ClusterName", "", c.cluster, sizeof(c.cluster));
	setting(SLURM_CONF, "StateSaveLocation", "/var/spool", c.state, sizeof(c.state));
	setting(SLURM_CONF, "SlurmctldPort", "6817", c.own_port, sizeof(c.own_port));
	setting(SLURM_CONF, "AccountingStorageHost", "localhost", c.host, sizeof(c.host));
	setting(SLURM_CONF, "AccountingStoragePort", "6819", c.port, sizeof(c.port));
	setting(SLURM_CONF, "AccountingStorageType", "", type, sizeof(type));
	c.accounting = strcasecmp(type, "accounting_storage/slurmdbd") == 0;
	return c;
}

static const char *in_state(const struct controller *c, const char *name)
{
	static char path[2][1024];
	static int n;

	n = !n;
	snprintf(path[n], sizeof(path[n]), "%s/%s", c->state, name);
	return path[n];
}

static void note(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f) {
		say("%s cannot be written: %s", path, strerror(errno));
		return;
	}
	fputs(text, f);
	fclose(f);
}

/* Time at which the state got the id of the cluster; 0 if it has none. */
static time_t id_at(const struct controller *c)
{
	size_t n = strlen(c->cluster);
	struct stat s;
	const char *path = in_state(c, "clustername");

	if (strncasecmp(text_of(path), c->cluster, n) != 0 || text_of(path)[n] != '|' ||
		stat(path, &s) < 0)
		return 0;
	return s.st_mtime;
}

static enum accounts look_at_accounts(const struct controller *c, bool runs)
{
	static char tres[ANSWER_MAX], clusters[ANSWER_MAX], added[ANSWER_MAX];

	if (!ASK(tres, "show", "tres", "format=Type") ||
		!ASK(clusters, "show", "cluster", "format=Cluster,ControlPort") ||
		!ASK(added, "list", "transactions", "Action=Add Clusters", "format=Time,Where"))
		return ACCOUNTS_SILENT;
	return accounts_of(tres, clusters, added, c->cluster, id_at(c), runs);
}

/* Name of the slurmdbd with this cluster, in the form of the file "registered" of the state. */
static void name_of_slurmdbd(const struct controller *c, char *name, size_t size)
{
	snprintf(name, size, "%s:%s", c->host, c->port);
}

/* Protocol of our Slurm, and of the Slurm that wrote the state (first in its files). */
static unsigned own_protocol(void)
{
	static char answer[ANSWER_MAX];

	return RUN(answer, "slurmctld", "-V") ? protocol_of_release(answer) : 0;
}
static unsigned written_protocol(const struct controller *c)
{
	FILE *f = fopen(in_state(c, "last_tres"), "re");
	int first = f ? fgetc(f) : 0;

	if (f)
		fclose(f);
	return first < 0 ? 0 : (unsigned)first;
}

static struct slurmctld_facts look_before(const struct controller *c)
{
	char name[300];

	name_of_slurmdbd(c, name, sizeof(name));
	return (struct slurmctld_facts){
		.accounting = c->accounting,
		.state = access(in_state(c, "last_tres"), F_OK) == 0,
		.registered = strcmp(text_of(in_state(c, "registered")), name) == 0,
		.id = id_at(c) != 0,
		.failed = access(in_state(c, "starting"), F_OK) == 0,
		.own_database = getenv("SLURM_OWN_DATABASE") != NULL,
		.own = own_protocol(),
		.written = written_protocol(c),
		.port_answers = c->accounting && answers(c->host, c->port),
		.accounts = c->accounting ? look_at_accounts(c, false) : ACCOUNTS_SILENT,
	};
}

static void adopt(const struct controller *c)
{
	if (rename(in_state(c, "clustername"), in_state(c, "clustername.set-aside")) < 0)
		say("%s cannot be set aside: %s", in_state(c, "clustername"), strerror(errno));
	else
		say("the accounting database knows cluster %s anew, under another id than the "
		    "state of slurmctld: slurmctld takes the id of the database and keeps its jobs",
			c->cluster);
}

static void say_why_not(const struct controller *c, const struct slurmctld_facts *f,
	enum before_verdict v, long waited)
{
	char own[16], written[16];

	release_of_protocol(f->own, own, sizeof(own));
	release_of_protocol(f->written, written, sizeof(written));
	if (v == BEFORE_TOO_NEW)
		say("the state in %s is of Slurm %s, which slurmctld %s cannot read: use images of "
		    "Slurm %s or newer, or give slurmctld another volume, without the jobs of this "
		    "one",
			c->state, written, own, written);
	else if (f->accounts == ACCOUNTS_EMPTY)
		say("slurmctld waits for slurmdbd: %s answers on port %s, but its database has no "
		    "tables yet, for %ld s now",
			c->host, c->port, waited);
	else if (f->port_answers)
		say("slurmctld waits for slurmdbd: %s answers on port %s, but sacctmgr has no answer "
		    "yet, for %ld s now",
			c->host, c->port, waited);
	else
		say("slurmctld waits for slurmdbd: %s does not answer on port %s, for %ld s now",
			c->host, c->port, waited);
}

static int before_slurmctld(void)
{
	struct controller c = read_controller();
	struct wait wait = { 0 };

	for (;; sleep(LOOK_S)) {
		struct slurmctld_facts f = look_before(&c);
		enum before_verdict v = slurmctld_judge(&f, wait.since ? now() - wait.since : 0);
		/* sackd has just started, and answers sacctmgr in a moment */
		bool soon = !wait.since && f.port_answers && f.accounts == ACCOUNTS_SILENT;

		if (v == BEFORE_ADOPT)
			adopt(&c);
		if (v == BEFORE_ADOPT || v == BEFORE_START)
			break;
		if (is_to_be_said(&wait, true) && !soon)
			say_why_not(&c, &f, v, (long)(now() - wait.since));
	}
	if (c.accounting)
		note(in_state(&c, "starting"), "");
	return 0;
}

/* Attempts to register, from the file "registering"; its age is that of the newest. */
static int attempts_of(const struct controller *c, time_t *age)
{
	struct stat s;
	int n = 0;

	*age = 0;
	if (stat(in_state(c, "registering"), &s) < 0)
		return 0;
	*age = time(NULL) - s.st_mtime;
	n = atoi(text_of(in_state(c, "registering")));
	return n > 0 ? n : 1;
}

static void note_attempt(const struct controller *c, int attempts)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", attempts);
	note(in_state(c, "registering"), text);
}

static int beside_slurmctld(void)
{
	char name[300];
	int absent = 0;
	bool listens = false;

	for (;; sleep(listens ? ASK_EVERY_S : LOOK_S)) {
		/* accounting may be switched on while slurmctld runs */
		struct controller c = read_controller();
		enum accounts a;
		int attempts;
		time_t age;

		listens = net(10, (unsigned)atoi(c.own_port), 0);
		if (!listens)
			continue;
		unlink(in_state(&c, "starting"));
		a = c.accounting ? look_at_accounts(&c, true) : ACCOUNTS_SILENT;
		name_of_slurmdbd(&c, name, sizeof(name));
		if (a == ACCOUNTS_OLDER || a == ACCOUNTS_NEWER) {
			unlink(in_state(&c, "registering"));
			if (strcmp(text_of(in_state(&c, "registered")), name) != 0)
				note(in_state(&c, "registered"), name);
		}
		attempts = attempts_of(&c, &age);
		if (slurmctld_watch(&absent, listens, slurmctld_tried(attempts, age), a) !=
			WATCH_ABSENT)
			continue;
		note_attempt(&c, attempts + 1);
		say("the accounting database of %s does not know cluster %s, although slurmctld "
		    "runs: slurmctld begins anew and registers the cluster; jobs go on",
			name, c.cluster);
		return BEGIN_ANEW;
	}
}

int main(int argc, char **argv)
{
	const char *when = argc == 3 ? argv[1] : "", *daemon = argc == 3 ? argv[2] : "";

	/* slurm-run sends these signals to all programs */
	for (size_t i = 0; i < 4; i++)
		signal((int[]){ SIGHUP, SIGUSR1, SIGUSR2, SIGALRM }[i], SIG_IGN);
	if (strcmp(when, "before") == 0 && strcmp(daemon, "slurmctld") == 0)
		return before_slurmctld();
	if (strcmp(when, "beside") == 0 && strcmp(daemon, "slurmctld") == 0)
		return beside_slurmctld();
	if (strcmp(when, "beside") == 0 && strcmp(daemon, "slurmdbd") == 0)
		return beside_slurmdbd();
	say("\"before slurmctld\", \"beside slurmctld\" or \"beside slurmdbd\"");
	return 64;
}
