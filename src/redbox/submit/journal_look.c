/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the contents of a journal, line by line. */
#include "redbox/submit/journal_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "redbox/submit/journal_parts.h"

/* The functions for keys need a clock. This clock always shows 0. */
static int64_t no_time(struct loop *l)
{
	(void)l;
	return 0;
}

static const struct loop_ops standing = { .now_ms = no_time, .wall_ms = no_time };

/* Reads a line of n bytes, without its newline. Only the last line may be incomplete. */
static void look_at_line(struct journal *j, struct journal_look *out, const char *text, size_t n,
	int64_t number)
{
	struct journal_line line;
	if (out->torn && !out->damaged)
		out->damaged = number - 1;
	out->torn = false;
	if (!journal_line_is_whole(text, n))
		out->torn = true;
	else if (!journal_line_read(text, n, &line))
		out->newer++;
	else if (line.step == JOURNAL_WHOLE)
		out->since_s = line.wall_s;
	else
		journal_take(j, &line);
}

static void forget_keys(struct journal *j)
{
	struct journal_key *k, *next;
	HASH_ITER (hh, j->keys, k, next)
		journal_key_forget(j, k);
}

static void look_at_lines(FILE *f, struct journal_look *out)
{
	struct loop l = { &standing };
	struct journal j = { .loop = &l, .folder = -1, .file = -1 };
	char *text = NULL;
	size_t room = 0;
	ssize_t n;
	for (int64_t number = 1; (n = getline(&text, &room, f)) > 0; number++) {
		bool ends = text[n - 1] == '\n';
		look_at_line(&j, out, text, (size_t)n - ends, number);
		out->torn |= !ends;
	}
	out->keys = (int64_t)journal_count(&j);
	forget_keys(&j);
	free(text);
}

static struct err trouble(void)
{
	int why = errno;
	return err_new(why == EACCES || why == EPERM ? ERR_DENIED : ERR_RETRY,
		"it cannot be read: %s", strerror(why));
}

struct err journal_look(const char *folder, struct journal_look *out)
{
	AUTO(str_free) struct str path = { 0 };
	struct stat st;
	*out = (struct journal_look){ 0 };
	str_addf(&path, "%s/journal", folder);
	int fd = open(str_text(&path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? OK : trouble();
	out->found = true;
	FILE *f = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f) {
		close(fd);
		return err_new(ERR_INTERNAL, "it is no regular file");
	}
	look_at_lines(f, out);
	struct err e = ferror(f) ? trouble() : OK;
	fclose(f);
	return e;
}
