/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides how slurmdbd and slurmctld start, from what slurm-start has seen. Pure: no I/O, no clock.
 *
 * Seen with Slurm 24.11: a slurmdbd that loses its database between its first connection
 * and its second logs "Problem getting cache of data" and then neither listens nor ends. It
 * makes its tables at its own start only. slurmctld registers its cluster at its own start
 * only, and ends when the database has another id for the cluster than the file "clustername"
 * of its state; without that file it takes the id of the database, and keeps its jobs.
 */
#ifndef START_RULES_H
#define START_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum {
	STUCK_S = 60,   /* without a connection to a database that answers */
	ABSENT_MAX = 2, /* looks in a row */
	SAY_S = 30,     /* between two lines about the same wait */
	ASK_S = 120,    /* a slurmctld that may come up without an answer waits no longer */
	/* between two attempts of slurmctld to register, twice as long each time */
	REGISTER_S = 60,
	REGISTER_DOUBLINGS = 6, /* no longer than 64 minutes */
	SACK_S = 10,    /* in which sackd is ready to let sacctmgr ask a slurmdbd that is there */
};

/* ---- slurmdbd while it runs */

enum tables { TABLES_UNKNOWN, TABLES_THERE, TABLES_GONE };

struct slurmdbd_facts {
	bool listens;
	bool connected; /* it has a TCP connection to its database: tables may be in conversion */
	bool database_answers; /* the port of its database accepts a connection */
	enum tables tables;
};

struct slurmdbd_watch {
	time_t stuck_since; /* 0: it is not */
	int gone;           /* looks in a row that found no tables */
};

enum watch_verdict {
	WATCH_GO_ON,
	WATCH_STUCK,  /* it neither listens nor talks to its database */
	WATCH_EMPTY,  /* its database has lost its tables */
	WATCH_ABSENT, /* the cluster of this slurmctld is not in the accounts */
};

enum watch_verdict slurmdbd_judge(struct slurmdbd_watch *w, const struct slurmdbd_facts *f,
	time_t now);

/*
 * Is its database to be connected to now? MariaDB and MySQL count a connection that says
 * nothing as an error of its host, and refuse a host after 100 in a row
 * (max_connect_errors) until FLUSH HOSTS. So the database that has answered
 * is tried again only when that decides.
 */
bool slurmdbd_tries_database(const struct slurmdbd_watch *w, time_t now);

/* ---- slurmctld before it starts, and while it runs */

/* The answer of slurmdbd about the cluster. */
enum accounts {
	ACCOUNTS_SILENT, /* it does not answer */
	ACCOUNTS_EMPTY,  /* its database has no tables */
	ACCOUNTS_WITHOUT_US,
	ACCOUNTS_OLDER, /* the cluster was added before the id in our state was written, or at an unknown time */
	ACCOUNTS_NEWER, /* the cluster was added afterwards: the ids differ */
	ACCOUNTS_TAKEN, /* the same, and a slurmctld that runs is registered as the cluster */
};

struct slurmctld_facts {
	bool accounting;       /* slurm.conf names a slurmdbd */
	bool state;            /* slurmctld has run before: its state has TRES */
	bool registered;       /* with this slurmdbd, at some time */
	bool id;               /* the state has an id of the cluster */
	bool failed;           /* slurmctld ended last time before it listened */
	bool own_database;     /* no other Slurm uses it */
	unsigned own, written; /* Slurm as a protocol: 42 is 24.11, 43 is 25.05; 0: unknown */
	bool port_answers;     /* something listens where slurmdbd is to be */
	enum accounts accounts;
};

enum before_verdict {
	BEFORE_START,
	BEFORE_WAIT,
	BEFORE_TOO_NEW, /* a newer Slurm has written the state: wait for another image */
	BEFORE_ADOPT,   /* set the id of the state aside: slurmctld takes that of the database */
};

enum before_verdict slurmctld_judge(const struct slurmctld_facts *f, time_t waited);

/*
 * Whether slurmctld began anew only lately because its cluster was not in the accounts.
 * attempts: since the cluster was last seen there; age: seconds since the newest of them,
 * by a clock that may be set back. slurmctld tries again later, because the database may
 * have been lost a second time before a look saw that the first attempt had helped.
 */
bool slurmctld_tried(int attempts, time_t age);

/*
 * absent: looks in a row. Only a slurmctld that listens is judged, and one that has begun anew
 * for this reason lately does not do so again yet.
 */
enum watch_verdict slurmctld_watch(int *absent, bool listens, bool tried, enum accounts a);

/* ---- reading */

/* The value of a key in a configuration of Slurm, "" if it is not there. Keys have no case. */
void conf_value(const char *text, const char *key, char *value, size_t size);

/* "slurm-wlm 24.11.5" as a protocol; 0: it is none. */
unsigned protocol_of_release(const char *version);

/* "24.11" */
void release_of_protocol(unsigned protocol, char *release, size_t size);

/* A line of /proc/net/tcp with this state (10 listens, 1 is connected) and these ports; 0: any. */
bool net_has(const char *text, unsigned state, unsigned local, unsigned remote);

/*
 * The answers of sacctmgr: types of TRES, "NAME|PORT" of each cluster, and "TIME|NAME" of each
 * addition. A slurmctld that runs and is registered has a port there, also while slurmdbd
 * starts anew; one without is not in the accounts.
 */
enum accounts accounts_of(const char *tres, const char *clusters, const char *added,
	const char *name, time_t id_at, bool runs);

#endif
