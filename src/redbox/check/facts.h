/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that "red-box check" has collected, before the verdict. A zero means that the
 * fact was not looked at. Texts are never NULL unless a comment says so.
 */
#ifndef REDBOX_CHECK_FACTS_H
#define REDBOX_CHECK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "redbox/submit/journal_look.h"

enum { CHECK_TOOLS = 7, CHECK_PARTITIONS = 16 };

/*
 * The result of a query. asked is false if the query was not made or did not end in time.
 */
struct check_answer {
	bool asked;
	struct err err; /* OK: the query succeeded */
};

struct check_tool {
	const char *name, *path; /* path NULL: it is missing */
	bool needed;
	const char *version; /* NULL: the tool printed none */
	const char *why;     /* the tool's other output; NULL: no output in time */
};

struct check_partition {
	const char *name;
	struct check_answer takes; /* may the account submit a job to it? */
};

enum check_kind { CHECK_OTHER, CHECK_FOLDER, CHECK_SOCKET };

/* A file or a folder, as the account sees it. */
struct check_place {
	const char *path;
	bool looked;
	int error; /* errno of stat; 0: the place exists */
	enum check_kind kind;
	uint32_t mode; /* permissions */
	const char *owner, *group;
	bool may_read, may_write; /* a folder counts only with the right to enter it */
	/* the place does not exist, and its folder can be written */
	bool may_make;
	int64_t free_mb; /* space for the account */
	bool no_files;   /* the file system has no free inodes */
};

struct check_facts {
	/*
	 * Path of the configuration, NULL: none; a line for each error or warning in it
	 */
	const char *config, *faults, *warnings;
	const char *name_faults; /* a line for each user or group that does not exist */

	int64_t uid; /* the user that made all checks except that of the socket */
	const char *user;

	const char *tools_folder; /* NULL: the PATH */
	struct check_tool tools[CHECK_TOOLS];
	size_t n_tools;

	struct check_answer controller;
	const char *controller_since; /* RFC 3339 */
	struct check_answer partitions;
	struct check_partition partition[CHECK_PARTITIONS]; /* the first ones */
	size_t n_partitions;
	struct check_answer accounts;
	bool no_accounts; /* accounting is off in this Slurm */

	const struct check_place *folders;
	size_t n_folders;
	struct check_place state;
	struct check_answer journal;
	struct journal_look in_journal;
	const char *journal_since; /* RFC 3339, of in_journal.since_s */
	bool has_openat2;

	const char *tcp_address; /* NULL: no TCP */
	struct err tcp;          /* result of reading its files */

	struct check_place socket;
	/* errno of connect; 0: a program listens there, if box.asked */
	int connect_error;
	struct check_answer box;
	int64_t box_uid;
	/* the user of red-box; the version that it reports */
	const char *box_user, *box_slurm;
};

#endif
