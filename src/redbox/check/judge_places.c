/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts about folders and the journal. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "redbox/check/judge_parts.h"

enum {
	/* less is too little: the journal is rewritten beside the old file */
	FREE_MB = 64,
};

/* True if the folder exists and can be used; otherwise the report has a line about it. */
static bool is_usable(struct judge *j, const char *what, const struct check_place *p)
{
	if (!p->looked)
		UNKNOWN(what, "%s did not answer within 10 s: its file system may hang", p->path);
	else if (p->error)
		WRONG(what, "%s cannot be looked at by %s: %s; it should be a folder of %s",
			p->path, j->f->user, strerrordesc_np(p->error), j->f->user);
	else if (p->kind != CHECK_FOLDER)
		WRONG(what, "%s is no folder: it should be one of %s", p->path, j->f->user);
	else if (!p->may_read || !p->may_write)
		WRONG(what,
			"%s (%s:%s, mode %04" PRIo32
			") cannot be %s by %s: chown %s %s gives it to the account",
			p->path, p->owner, p->group, p->mode, p->may_read ? "written" : "read",
			j->f->user, j->f->user, p->path);
	else if (p->no_files)
		WRONG(what, "the file system of %s takes no more files: remove some", p->path);
	else if (p->free_mb < FREE_MB)
		WRONG(what, "%s has %" PRId64 " MiB left: %d MiB should be free", p->path,
			p->free_mb, FREE_MB);
	else
		return true;
	return false;
}

static void judge_folders(struct judge *j)
{
	const struct check_facts *f = j->f;
	if (!f->n_folders)
		WRONG("folder",
			"%s has no home, and the configuration names no folders: name them by folders",
			f->user);
	for (size_t i = 0; i < f->n_folders; i++)
		if (is_usable(j, "folder", &f->folders[i]))
			WELL("folder", "%s can be read and written, %" PRId64 " MiB are free",
				f->folders[i].path, f->folders[i].free_mb);
	if (f->has_openat2)
		WELL("openat2", "the kernel keeps clients within the folders");
	else
		WRONG("openat2",
			"this kernel or its seccomp filter has no openat2, without which red-box opens no file: Linux 5.6 or newer has it");
}

static void judge_state(struct judge *j)
{
	const struct check_place *p = &j->f->state;
	if (p->looked && p->error == ENOENT && p->may_make)
		WELL("state", "%s is not there yet; red-box makes it", p->path);
	else if (p->looked && p->error == ENOENT)
		WRONG("state", "%s is not there, and %s cannot make it: install -d -m 700 -o %s %s",
			p->path, j->f->user, j->f->user, p->path);
	else if (p->looked && !p->error && p->mode & JUDGE_OTHERS_WRITE)
		WRONG("state",
			"everybody on this machine may write in %s (mode %04" PRIo32
			"): its mode should be 0700",
			p->path, p->mode);
	else if (is_usable(j, "state", p))
		WELL("state", "%s can be read and written, %" PRId64 " MiB are free", p->path,
			p->free_mb);
}

static void judge_journal(struct judge *j)
{
	const struct check_facts *f = j->f;
	const struct journal_look *l = &f->in_journal;
	const char *path = f->state.path;
	if (!f->journal.asked)
		UNKNOWN("journal", "%s/journal did not answer within 10 s", path);
	else if (failed(f->journal.err))
		WRONG("journal", "%s/journal: %s; it should be a file of %s", path,
			f->journal.err.text, f->user);
	else if (!l->found && f->box.asked && !failed(f->box.err))
		WRONG("journal",
			"%s has no journal, but a red-box is running: name the state folder of that red-box, by --state-folder or state_folder",
			path);
	else if (!l->found)
		WELL("journal", "there is none yet in %s; red-box makes it", path);
	else if (l->newer)
		WRONG("journal",
			"%s/journal has %" PRId64
			" lines of a newer red-box than this one: run the newer one, or each new key is looked for in Slurm for a week",
			path, l->newer);
	else if (l->damaged || !l->since_s)
		WRONG("journal",
			"line %" PRId64
			" of %s/journal is damaged: the disk should be looked at; red-box goes on without the line, and looks for each new key in Slurm for a week",
			l->damaged ? l->damaged : 1, path);
	else
		WELL("journal", "%" PRId64 " keys, none is missing since %s%s", l->keys,
			f->journal_since,
			l->torn ? "; the last line is not whole, and counts as not written" : "");
}

void judge_places(struct judge *j)
{
	judge_folders(j);
	judge_state(j);
	judge_journal(j);
}
