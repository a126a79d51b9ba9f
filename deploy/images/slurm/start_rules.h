/* SPDX-License-Identifier: Apache-2.0 */
/*
* Decides how slurmdbd and slurmctld start, from the facts of slurm-start. Pure: no I/O, no clock.
 *
 * Seen with Slurm 24.11: a slurmdbd that loses its database between its first connection
* and its second logs "Problem getting cache of data" and then neither listens nor ends. It
 * creates its tables only when it starts. slurmctld registers its cluster only when it starts.
 * It ends if the database and the file "clustername" of its state have different ids for the
 * cluster. Without that file it uses the id of the database, and keeps its jobs.
 */
#ifndef START_RULES_H
#define START_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum {
	STUCK_S = 60,   /* without a connection, although the database answers */
	ABSENT_MAX = 2, /* checks in a row */
	SAY_S = 30,     /* interval of log lines about the same wait */
	ASK_S = 120,    /* maximum wait of a slurmctld that may start without an answer */
	/* pause between two attempts of slurmctld to register; doubles each time */
	REGISTER_S = 60,
	REGISTER_DOUBLINGS = 6, /* at most 64 minutes */
	SACK_S = 10,    /* until sackd is ready, so that sacctmgr can query a running slurmdbd */
};

/* ---- a running slurmdbd */

enum tables { TABLES_UNKNOWN, TABLES_THERE, TABLES_GONE };

struct slurmdbd_facts {
	bool listens;
	bool connected; /* it has a TCP connection to its database, and may be converting tables */
	bool database_answers; /* the port of its database accepts a connection */
	enum tables tables;
};

struct slurmdbd_watch {
	time_t stuck_since; /* 0: not stuck */
	int gone;           /* checks in a row that found no tables */
};

enum watch_verdict {
	WATCH_GO_ON,
	WATCH_STUCK,  /* it neither listens nor has a connection to its database */
	WATCH_EMPTY,  /* its database has lost its tables */
	WATCH_ABSENT, /* the cluster of this slurmctld is not in the accounting database */
};

enum watch_verdict slurmdbd_judge(struct slurmdbd_watch *w, const struct slurmdbd_facts *f,
	time_t now);

/*
* Whether to connect to the database now. MariaDB and MySQL count a connection without data
 * as an error of its host, and refuse a host after 100 errors in a row
 * (max_connect_errors) until FLUSH HOSTS. A database that has answered is therefore
 * tried again only if the result matters.
 */
bool slurmdbd_tries_database(const struct slurmdbd_watch *w, time_t now);

/* ---- slurmctld before its start, and a running one */

/* The answer of slurmdbd about the cluster. */
enum accounts {
	ACCOUNTS_SILENT, /* slurmdbd does not answer */
	ACCOUNTS_EMPTY,  /* its database has no tables */
	ACCOUNTS_WITHOUT_US,
	ACCOUNTS_OLDER, /* the cluster was added before the id in our state was written, or at an unknown time */
	ACCOUNTS_NEWER, /* the cluster was added afterwards: the ids differ */
	ACCOUNTS_TAKEN, /* as NEWER, and a running slurmctld is registered as the cluster */
};

struct slurmctld_facts {
	bool accounting;       /* slurm.conf names a slurmdbd */
	bool state;            /* slurmctld has run before, because its state has TRES */
	bool registered;       /* it was registered with this slurmdbd before */
	bool id;               /* the state has an id of the cluster */
	bool failed;           /* at its last start slurmctld ended before it listened */
	bool own_database;     /* no other Slurm uses it */
	unsigned own, written; /* protocol of Slurm: 42 is 24.11, 43 is 25.05; 0: unknown */
	bool port_answers;     /* the port of slurmdbd has a listener */
	enum accounts accounts;
};

enum before_verdict {
	BEFORE_START,
	BEFORE_WAIT,
	BEFORE_TOO_NEW, /* a newer Slurm wrote the state: wait for another image */
	BEFORE_ADOPT,   /* rename the id of the state: slurmctld uses the id of the database */
};

enum before_verdict slurmctld_judge(const struct slurmctld_facts *f, time_t waited);

/*
* Whether slurmctld restarted recently because its cluster was not in the accounting database.
 * attempts: since the cluster was last seen there; age: seconds since the newest attempt,
 * by a clock that may be set back. slurmctld tries again later, because the database may
 * have been lost a second time before a check saw that the first attempt had worked.
 */
bool slurmctld_tried(int attempts, time_t age);

/*
* absent: checks in a row. Only a slurmctld that listens is checked. If it restarted recently
 * for this reason, it does not restart again yet.
 */
enum watch_verdict slurmctld_watch(int *absent, bool listens, bool tried, enum accounts a);

/* ---- reading */

/* The value of a key in a configuration of Slurm, "" if absent. Case of keys is ignored. */
void conf_value(const char *text, const char *key, char *value, size_t size);

/* The protocol of "slurm-wlm 24.11.5"; 0 if the text is no version. */
unsigned protocol_of_release(const char *version);

/* Writes a release such as "24.11". */
void release_of_protocol(unsigned protocol, char *release, size_t size);

/* A line of /proc/net/tcp with this state (10 listens, 1 is connected) and these ports; 0: any. */
bool net_has(const char *text, unsigned state, unsigned local, unsigned remote);

/*
* Reads the answers of sacctmgr: types of TRES, "NAME|PORT" of each cluster, and "TIME|NAME" of
 * each addition. A running, registered slurmctld has a port there, even while slurmdbd
 * restarts; a slurmctld without a port is not in the accounting database.
 */
enum accounts accounts_of(const char *tres, const char *clusters, const char *added,
	const char *name, time_t id_at, bool runs);

#endif
