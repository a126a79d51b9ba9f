/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that "red-box check" has collected, before the verdict. Zeros mean: not
 * looked at. Texts are never NULL unless a member says so.
 */
#ifndef REDBOX_CHECK_FACTS_H
#define REDBOX_CHECK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "redbox/submit/journal_look.h"

enum { CHECK_TOOLS = 7, CHECK_PARTITIONS = 16 };

/* The outcome of a question; asked false: it was not asked, or no answer came. */
struct check_answer {
	bool asked;
	struct err err; /* OK: it was answered */
};

struct check_tool {
	const char *name, *path; /* path NULL: it is missing */
	bool needed;
	const char *version; /* NULL: it told none */
	const char *why;     /* what it said instead; NULL: nothing in time */
};

struct check_partition {
	const char *name;
	struct check_answer takes; /* a job of the account */
};

enum check_kind { CHECK_OTHER, CHECK_FOLDER, CHECK_SOCKET };

/* A file or a folder, as the account sees it. */
struct check_place {
	const char *path;
	bool looked;
	int error; /* errno of stat; 0: it is there */
	enum check_kind kind;
	uint32_t mode; /* permissions */
	const char *owner, *group;
	bool may_read, may_write; /* of a folder with the right to enter it */
	bool may_make;            /* it is not there, and its folder can be written */
	int64_t free_mb;          /* for the account */
	bool no_files;            /* the disk takes no more files */
};

struct check_facts {
	/* The configuration: its path, NULL for none; a line for each fault or warning */
	const char *config, *faults, *warnings;
	const char *name_faults; /* users and groups that are not there, a line each */

	int64_t uid; /* as whom all but the socket was looked at */
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
	bool no_accounts; /* this Slurm keeps none */

	const struct check_place *folders;
	size_t n_folders;
	struct check_place state;
	struct check_answer journal;
	struct journal_look in_journal;
	const char *journal_since; /* RFC 3339, of in_journal.since_s */
	bool has_openat2;

	const char *tcp_address; /* NULL: none */
	struct err tcp;          /* of its files */

	struct check_place socket;
	int connect_error; /* errno; 0: something listens there, if box.asked */
	struct check_answer box;
	int64_t box_uid;
	const char *box_user, *box_slurm; /* as whom it runs; the version that it tells */
};

#endif
