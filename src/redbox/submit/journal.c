/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the journal: appends its lines, and rewrites it when needed. */
#include "redbox/submit/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/submit/journal_parts.h"

enum {
	/* outdated lines that are allowed, besides one for each key */
	SPARE_LINES = 1000,
	/* room after a drop, so that not every new key rewrites the file */
	SPARE_KEYS = JOURNAL_MOST / 10,
	SPARE_S = 3600,
	FILE_BYTES = 256 << 20,
};

static struct err disk(const char *what)
{
	int why = errno;
	struct err e = err_new(why == EACCES || why == EPERM ? ERR_DENIED : ERR_RETRY,
		"%s the journal: %s", what, strerror(why));
	e.code = why;
	return e;
}

static int64_t wall_s(const struct journal *j) { return loop_wall_ms(j->loop) / 1000; }

/* ---- the clock ---- */

/* True if the clock was ahead before: then keys may have been dropped early. */
static bool clock_went_back(const struct journal *j) { return wall_s(j) < j->latest_s - SPARE_S; }

size_t journal_count(const struct journal *j) { return HASH_COUNT(j->keys); }

bool journal_vouches(const struct journal *j)
{
	return wall_s(j) - j->whole_since_s >= JOURNAL_KEEP_S && !clock_went_back(j);
}

int64_t journal_whole_ms(const struct journal *j)
{
	return clock_went_back(j) ? INT64_MAX : j->whole_ms;
}

/* The journal has every key from now on, but may lack earlier keys. */
static void lose(struct journal *j)
{
	j->whole_since_s = wall_s(j);
	j->whole_ms = loop_now_ms(j->loop);
}

static void go_by_the_clock(struct journal *j)
{
	int64_t now = wall_s(j);
	if (clock_went_back(j)) {
		lose(j);
		for (struct journal_key *k = j->keys; k; k = k->hh.next)
			journal_key_take_back(k, now);
		j->latest_s = now;
	}
	j->latest_s = now > j->latest_s ? now : j->latest_s;
}

/* True if Slurm may still lose the key's job, or the result of its sbatch is unknown. */
static bool may_be_lost(const struct journal_key *k)
{
	return k->entry.noted != SUBMISSION_DONE && k->entry.noted != SUBMISSION_ABSENT;
}

/*
 * Drops outdated keys. If there are still too many, drops the oldest until there is room.
 */
static void forget_old(struct journal *j)
{
	int64_t now = wall_s(j);
	int64_t week_ms = INT64_C(1000) * JOURNAL_KEEP_S;
	size_t n = HASH_COUNT(j->keys), most = n > JOURNAL_MOST ? JOURNAL_MOST - SPARE_KEYS : n;
	struct journal_key *k, *next;
	HASH_ITER (hh, j->keys, k, next) {
		bool outdated = now - journal_key_last_s(k) >= JOURNAL_KEEP_S + JOURNAL_AGAIN_S;
		if (!outdated && HASH_COUNT(j->keys) <= most)
			break;
		/*
		 * Known for less than a week by the monotonic clock: the machine's clock
		 * leapt ahead
		 */
		bool early = loop_now_ms(j->loop) - k->entry.quiet_since_ms < week_ms;
		bool may_be_called = !outdated || early || may_be_lost(k);
		if (may_be_called)
			lose(j);
		journal_key_forget(j, k);
	}
}

static bool is_to_be_written_anew(const struct journal *j)
{
	size_t n = HASH_COUNT(j->keys);
	return j->file < 0 || clock_went_back(j) || j->lines > SPARE_LINES + 2 * n ||
		n > JOURNAL_MOST ||
		(j->keys &&
			wall_s(j) - journal_key_last_s(j->keys) >
				JOURNAL_KEEP_S + JOURNAL_AGAIN_S + SPARE_S);
}

/* ---- the file ---- */

static struct err write_all(int fd, const struct str *text)
{
	return journal_lines_write(fd, text) ? OK : disk("writing");
}

static void add_all(const struct journal *j, struct str *text)
{
	struct journal_line line = {
		.step = JOURNAL_WHOLE, .wall_s = j->whole_since_s, .job_id = j->latest_s
	};
	journal_line_add(text, &line);
	for (const struct journal_key *k = j->keys; k; k = k->hh.next)
		journal_key_add(text, k);
}

/* Writes a new file and renames it over the old one, so a complete file always exists. */
static struct err write_anew(struct journal *j)
{
	AUTO(str_free) struct str text = { 0 };
	go_by_the_clock(j);
	forget_old(j);
	add_all(j, &text);
	int fd = openat(j->folder, "journal.new",
		O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return disk("writing");
	struct err e = write_all(fd, &text);
	if (!failed(e) && renameat(j->folder, "journal.new", j->folder, "journal") != 0)
		e = disk("writing");
	if (failed(e)) {
		close(fd);
		return e;
	}
	if (j->file >= 0)
		close(j->file);
	j->file = fd;
	j->lines = 1 + HASH_COUNT(j->keys);
	if (fsync(j->folder) == 0)
		return OK;
	e = disk("writing");
	close(j->file); /* the old file, which has no name any more */
	j->file = -1;
	return e;
}

/* A failed write may leave a part of a line in the file, so the next step rewrites it. */
static struct err append(struct journal *j, const struct journal_line *lines, size_t n)
{
	AUTO(str_free) struct str text = { 0 };
	if (is_to_be_written_anew(j)) {
		struct err e = write_anew(j);
		if (failed(e) && j->file < 0)
			return e;
	}
	for (size_t i = 0; i < n; i++)
		journal_line_add(&text, &lines[i]);
	struct err e = write_all(j->file, &text);
	j->lines += n;
	if (failed(e)) {
		close(j->file);
		j->file = -1;
	}
	return e;
}

static struct journal_line line_of(struct journal *j, enum journal_step step, const char *key,
	int64_t job_id)
{
	struct journal_line line = { .step = step, .wall_s = wall_s(j), .job_id = job_id };
	memcpy(line.key, key, strnlen(key, SLURM_KEY_BYTES));
	return line;
}

/* Writes two lines for each key whose content is known, all in one write. */
struct err journal_begin(struct journal *j, const struct journal_begun *begun, size_t n)
{
	AUTO(own_free) struct journal_line *lines = own_alloc(2 * n * sizeof(*lines));
	size_t all = 0;
	for (size_t i = 0; i < n; i++) {
		lines[all++] = line_of(j, JOURNAL_BEGIN, begun[i].key, 0);
		if (!begun[i].content)
			continue;
		lines[all] = line_of(j, JOURNAL_STANDS, begun[i].key, 0);
		lines[all++].content = begun[i].content;
	}
	struct err e = append(j, lines, all);
	for (size_t i = 0; !failed(e) && i < all; i++)
		journal_take(j, &lines[i]);
	return e;
}

/* Closing a key repeatedly writes one line an hour. */
struct err journal_close(struct journal *j, const char *const *keys, size_t n)
{
	AUTO(own_free) struct journal_line *lines = own_alloc((n + 1) * sizeof(*lines));
	size_t fresh = 0;
	for (size_t i = 0; i < n; i++)
		if (wall_s(j) - journal_find(j, keys[i]).closed_s >= JOURNAL_AGAIN_S)
			lines[fresh++] = line_of(j, JOURNAL_CLOSED, keys[i], 0);
	struct err e = fresh ? append(j, lines, fresh) : OK;
	for (size_t i = 0; !failed(e) && i < fresh; i++)
		journal_take(j, &lines[i]);
	return e;
}

struct err journal_accepted(struct journal *j, const struct journal_job *jobs, size_t n)
{
	AUTO(own_free) struct journal_line *lines = own_alloc(n * sizeof(*lines));
	for (size_t i = 0; i < n; i++) {
		lines[i] = line_of(j, jobs[i].since_s ? JOURNAL_FOUND : JOURNAL_ACCEPTED,
			jobs[i].key, jobs[i].job_id);
		lines[i].boot_s = jobs[i].boot_s;
		lines[i].since_s = jobs[i].since_s;
		journal_take(j, &lines[i]); /* kept in memory even if the write fails */
	}
	return append(j, lines, n);
}

struct err journal_done(struct journal *j, const char *key, int64_t job_id)
{
	struct journal_line line = line_of(j, JOURNAL_DONE, key, job_id);
	journal_take(j, &line);
	return append(j, &line, 1);
}

/* Writes all jobs at once: a thousand single writes would block the loop. */
size_t journal_settle(struct journal *j, int64_t boot_s)
{
	AUTO(own_free) struct journal_line *lines = own_alloc((j->unsettled + 1) * sizeof(*lines));
	int64_t saved_ms = loop_now_ms(j->loop) - SUBMISSION_SAVED_MS;
	size_t n = 0, young = 0;
	if (!j->unsettled)
		return 0;
	for (const struct journal_key *k = j->keys; k; k = k->hh.next) {
		const struct journal_entry *e = &k->entry;
		if (e->noted != SUBMISSION_ACCEPTED || e->boot_s != boot_s)
			continue;
		if (e->quiet_since_ms <= saved_ms)
			lines[n++] = line_of(j, JOURNAL_DONE, k->name, e->job_id);
		else
			young++;
	}
	for (size_t i = 0; i < n; i++)
		journal_take(j, &lines[i]);
	struct err e = n ? append(j, lines, n) : OK;
	if (failed(e))
		log_warn("cannot note in the journal that Slurm has saved some jobs", "why",
			e.text);
	return young;
}

void journal_unheard(struct journal *j, const char *key)
{
	struct journal_key *k = journal_key_of(j, key);
	if (k)
		k->entry.quiet_since_ms = loop_now_ms(j->loop);
}

struct err journal_refused(struct journal *j, const char *key, int64_t void_id)
{
	struct journal_line line = line_of(j, JOURNAL_REFUSED, key, void_id);
	struct err e = append(j, &line, 1);
	if (!failed(e))
		journal_take(j, &line);
	return e;
}

/* ---- the start ---- */

/* Reads the whole file; *found is false if there is none. */
static struct err read_file(struct journal *j, struct str *text, bool *found)
{
	int fd = openat(j->folder, "journal", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	*found = fd >= 0;
	if (fd < 0)
		return errno == ENOENT ? OK : disk("reading");
	struct err e = OK;
	ssize_t n = 1;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES)
		e = err_new(ERR_INTERNAL,
			"the journal is not a regular file, or it is larger than 256 MiB");
	while (!failed(e) && n > 0 && text->len <= FILE_BYTES) {
		str_reserve(text, 1 << 16);
		n = read(fd, text->text + text->len, 1 << 16);
		if (n < 0)
			e = disk("reading");
		text->len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return e;
}

/*
 * An incomplete last line may be one that was not synced. Any other incomplete line is
 * damage, and so is a missing first line.
 */
static bool take_lines(struct journal *j, const struct str *text)
{
	bool first = false, torn = false, damaged = false;
	for (size_t at = 0, n; at < text->len; at += n + 1) {
		const char *line = text->text + at, *end = memchr(line, '\n', text->len - at);
		struct journal_line read;
		damaged |= torn;
		n = end ? (size_t)(end - line) : text->len - at;
		torn = !end || !journal_line_read(line, n, &read);
		if (!torn && read.step == JOURNAL_WHOLE) {
			first = true;
			j->whole_since_s = read.wall_s;
			j->latest_s = read.job_id > j->latest_s ? read.job_id : j->latest_s;
		} else if (!torn) {
			journal_take(j, &read);
		}
	}
	return first && !damaged;
}

static struct err read_journal(struct journal *j)
{
	AUTO(str_free) struct str text = { 0 };
	bool found = false;
	struct err e = read_file(j, &text, &found);
	if (failed(e))
		return e;
	if (found && take_lines(j, &text))
		return OK;
	lose(j);
	if (found)
		log_warn(
			"the journal is damaged: until it is a week old, each new key is looked for in Slurm");
	return OK;
}

static struct err open_folder(struct journal *j, const char *folder)
{
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return disk("making the folder of");
	j->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->folder < 0)
		return disk("opening the folder of");
	if (!journal_lock(j->folder))
		return errno == EWOULDBLOCK
			? err_new(ERR_EXISTS, "another running red-box uses the journal")
			: disk("locking");
	return OK;
}

struct err journal_open(struct loop *l, const char *folder, struct journal **out)
{
	struct journal *j = own_alloc(sizeof(*j));
	*j = (struct journal){ .loop = l, .folder = -1, .file = -1, .whole_ms = loop_now_ms(l) };
	struct err e = open_folder(j, folder);
	if (!failed(e))
		e = read_journal(j);
	if (!failed(e))
		e = write_anew(j);
	if (failed(e)) {
		journal_free(j);
		return err_wrap(e, "%s", folder);
	}
	*out = j;
	return OK;
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	struct journal_key *k, *next;
	HASH_ITER (hh, j->keys, k, next)
		journal_key_forget(j, k);
	if (j->file >= 0)
		close(j->file);
	if (j->folder >= 0)
		close(j->folder);
	free(j);
}
