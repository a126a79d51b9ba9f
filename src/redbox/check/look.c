/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a thread for each place. The loop copies the facts of threads that end in time. */
#include "redbox/check/look.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/time.h"
#include "net/work.h"

enum { NAME_BYTES = 256, LOOKUP_BYTES = 16384 };

/* One place. Only the thread uses it until it is done; then the texts are copied. */
struct look {
	struct check_looks *all;
	char *path;
	bool of_journal; /* look at the journal in the folder, not at the folder */
	struct check_place *to;
	struct check_place place;
	char owner[NAME_BYTES], group[NAME_BYTES];
	struct err err;
	struct journal_look in_journal;
};

struct check_looks {
	struct loop *loop;
	struct check_facts *f;
	struct arena *a;
	struct timer *limit;
	size_t left;
	bool over;
	void (*done)(void *ctx);
	void *ctx;
};

/* ---- in a thread ---- */

static void name_owners(struct look *l, const struct stat *st)
{
	AUTO(own_free) char *room = own_alloc(LOOKUP_BYTES);
	struct passwd user, *p = NULL;
	struct group group, *g = NULL;
	if (getpwuid_r(st->st_uid, &user, room, LOOKUP_BYTES, &p) == 0 && p)
		snprintf(l->owner, sizeof(l->owner), "%s", p->pw_name);
	else
		snprintf(l->owner, sizeof(l->owner), "%ju", (uintmax_t)st->st_uid);
	if (getgrgid_r(st->st_gid, &group, room, LOOKUP_BYTES, &g) == 0 && g)
		snprintf(l->group, sizeof(l->group), "%s", g->gr_name);
	else
		snprintf(l->group, sizeof(l->group), "%ju", (uintmax_t)st->st_gid);
}

static bool may_make(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO(own_free) char *parent = own_strndup(path, slash ? (size_t)(slash - path) : 0);
	return faccessat(AT_FDCWD, *parent ? parent : "/", W_OK | X_OK, AT_EACCESS) == 0;
}

static void look_at_disk(struct look *l)
{
	struct statvfs disk;
	struct check_place *p = &l->place;
	if (statvfs(l->path, &disk) != 0) {
		p->error = errno;
		return;
	}
	p->free_mb = (int64_t)((uint64_t)disk.f_bavail * disk.f_frsize >> 20);
	p->no_files = disk.f_files > 0 && disk.f_favail == 0;
}

static void look_at_place(struct look *l)
{
	struct stat st;
	struct check_place *p = &l->place;
	p->error = stat(l->path, &st) == 0 ? 0 : errno;
	if (p->error) {
		p->may_make = may_make(l->path);
		return;
	}
	p->kind = S_ISDIR(st.st_mode)  ? CHECK_FOLDER
		: S_ISSOCK(st.st_mode) ? CHECK_SOCKET
				       : CHECK_OTHER;
	p->mode = st.st_mode & 07777;
	name_owners(l, &st);
	p->may_read = faccessat(AT_FDCWD, l->path, R_OK | X_OK, AT_EACCESS) == 0;
	p->may_write = faccessat(AT_FDCWD, l->path, W_OK | X_OK, AT_EACCESS) == 0;
	look_at_disk(l);
}

static void look(void *job, const atomic_bool *stop)
{
	struct look *l = job;
	(void)stop;
	if (l->of_journal)
		l->err = journal_look(l->path, &l->in_journal);
	else
		look_at_place(l);
}

/* ---- on the loop ---- */

static void take(struct look *l)
{
	struct check_facts *f = l->all->f;
	struct arena *a = l->all->a;
	if (l->of_journal) {
		char since[TIME_RFC3339_BYTES];
		time_format(l->in_journal.since_s * 1000, since);
		f->journal = (struct check_answer){ true, l->err };
		f->in_journal = l->in_journal;
		f->journal_since = arena_strdup(a, since);
		return;
	}
	const char *path = l->to->path;
	*l->to = l->place;
	l->to->path = path;
	l->to->owner = arena_strdup(a, l->owner);
	l->to->group = arena_strdup(a, l->group);
	l->to->looked = true;
}

static void end(struct check_looks *all)
{
	timer_stop(all->loop, TAKE(all->limit));
	all->over = true;
	all->done(all->ctx);
}

static void looked(void *job)
{
	struct look *l = job;
	struct check_looks *all = l->all;
	all->left--;
	if (!all->over)
		take(l);
	free(l->path);
	free(l);
	if (!all->left && !all->over)
		end(all);
}

static void limit_over(void *ctx)
{
	struct check_looks *all = ctx;
	all->limit = NULL;
	end(all);
}

static void begin(struct check_looks *all, struct check_place *to, const char *path,
	bool of_journal)
{
	struct look *l = own_alloc(sizeof(*l));
	*l = (struct look){
		.all = all, .path = own_strdup(path), .of_journal = of_journal, .to = to
	};
	if (to)
		to->path = path;
	all->left++;
	work_start(all->loop, look, looked, l);
}

struct check_looks *check_look(struct loop *uv_loop, const struct check_paths *paths,
	int64_t limit_ms, struct check_facts *f, struct arena *a, void (*done)(void *ctx),
	void *ctx)
{
	struct check_looks *all = own_alloc(sizeof(*all));
	struct check_place *folders = arena_array(a, struct check_place, paths->n_folders + 1);
	*all = (struct check_looks){ .loop = uv_loop, .f = f, .a = a, .done = done, .ctx = ctx };
	hash_key(); /* initialized before threads use it */
	f->has_openat2 = beneath_works();
	f->folders = folders;
	f->n_folders = paths->n_folders;
	begin(all, &f->socket, paths->socket, false);
	begin(all, &f->state, paths->state, false);
	begin(all, NULL, paths->state, true);
	for (size_t i = 0; i < paths->n_folders; i++)
		begin(all, &folders[i], paths->folders[i], false);
	all->limit = timer_start(uv_loop, limit_ms, limit_over, all);
	return all;
}

bool check_looks_free(struct check_looks *l)
{
	if (l && l->left)
		return false;
	free(l);
	return true;
}
