/* SPDX-License-Identifier: Apache-2.0 */
/* Watches files: polls them with stat, and compares the results. */
#include "net/files.h"

#include <string.h>
#include <sys/stat.h>

#include "base/own.h"

enum { SETTLE_MS = 1000 };

/* The result of stat; all 0 when there is no such file. */
struct print {
	uint64_t device, inode;
	int64_t size, changed_s, changed_ns, written_s, written_ns;
};

struct watched {
	char *path;
	struct print told, seen; /* told: as of the last call of changed */
};

struct file_watch {
	struct loop *loop;
	struct timer *timer;
	int64_t every_ms;
	file_changed_fn *changed;
	bool failed; /* the last call of changed failed */
	void *ctx;
	size_t n;
	struct watched files[];
};

static struct print look_at(const char *path)
{
	struct stat s;
	if (stat(path, &s) != 0)
		return (struct print){ 0 };
	return (struct print){ s.st_dev, s.st_ino, s.st_size, s.st_ctim.tv_sec, s.st_ctim.tv_nsec,
		s.st_mtim.tv_sec, s.st_mtim.tv_nsec };
}

static bool same(const struct print *a, const struct print *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void look(void *ctx)
{
	struct file_watch *w = ctx;
	bool differs = false, at_rest = true;
	for (struct watched *f = w->files; f < w->files + w->n; f++) {
		struct print now = look_at(f->path);

		at_rest = at_rest && same(&now, &f->seen);
		differs = differs || !same(&now, &f->told);
		f->seen = now;
	}
	bool wait = differs && !at_rest;
	w->timer = timer_start(w->loop, wait && w->every_ms > SETTLE_MS ? SETTLE_MS : w->every_ms,
		look, w);
	if (wait || !(differs || w->failed))
		return;
	for (struct watched *f = w->files; f < w->files + w->n; f++)
		f->told = f->seen;
	bool again = !differs;
	w->failed = false;
	if (!w->changed(w->ctx, again)) /* if true, changed may have freed w */
		w->failed = true;
}

struct file_watch *file_watch_start(struct loop *l, const char *const *paths, size_t n,
	int64_t every_ms, file_changed_fn *changed, void *ctx)
{
	struct file_watch *w = own_alloc(sizeof(*w) + n * sizeof(w->files[0]));
	w->loop = l;
	w->every_ms = every_ms;
	w->changed = changed;
	w->ctx = ctx;
	w->n = n;
	for (size_t i = 0; i < n; i++) {
		w->files[i].path = own_strdup(paths[i]);
		w->files[i].told = w->files[i].seen = look_at(paths[i]);
	}
	w->timer = timer_start(l, every_ms, look, w);
	return w;
}

void file_watch_stop(struct file_watch *w)
{
	if (!w)
		return;
	timer_stop(w->loop, w->timer);
	for (size_t i = 0; i < w->n; i++)
		free(w->files[i].path);
	free(w);
}
