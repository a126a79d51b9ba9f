/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of the journal: checksum, step, second, job and key, separated by blanks. A line
 * of an accepted job has one more number before the key, the start of its slurmctld. A
 * line of a job that is older than the line has the earliest time of the job there, and a
 * line of a key's content has the digest of the content.
 */
#include "redbox/submit/journal_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUM_DIGITS = 16, LINE_BYTES = 256 };

/*
 * The checksum finds accidental damage. It does not stop a user who may write the file.
 */
static uint64_t sum_of(const char *text, size_t n)
{
	static const uint8_t key[16] = "red-box journal";
	return hash_siphash(key, text, n);
}

static bool has_boot(enum journal_step step)
{
	return step == JOURNAL_ACCEPTED || step == JOURNAL_FOUND;
}

static bool has_since(enum journal_step step)
{
	return step == JOURNAL_FOUND || step == JOURNAL_KEPT;
}

static bool has_content(enum journal_step step) { return step == JOURNAL_STANDS; }

void journal_line_add(struct str *out, const struct journal_line *line)
{
	char text[LINE_BYTES];
	char boot[24] = "", since[24] = "", content[24] = "";
	if (has_boot(line->step))
		snprintf(boot, sizeof(boot), "%" PRId64 " ", line->boot_s);
	if (has_since(line->step))
		snprintf(since, sizeof(since), "%" PRId64 " ", line->since_s);
	if (has_content(line->step))
		snprintf(content, sizeof(content), "%" PRId64 " ", line->content);
	int n = snprintf(text, sizeof(text), "%c %" PRId64 " %" PRId64 " %s%s%s%s", (int)line->step,
		line->wall_s, line->job_id, boot, since, content, line->key);
	str_addf(out, "%016" PRIx64 " %s\n", sum_of(text, (size_t)n), text);
}

bool journal_lines_write(int fd, const struct str *lines)
{
	for (size_t at = 0; at < lines->len;) {
		ssize_t did = write(fd, lines->text + at, lines->len - at);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return false;
		at += (size_t)did;
	}
	return fsync(fd) == 0;
}

static bool is_step(int c)
{
	return c == JOURNAL_WHOLE || c == JOURNAL_BEGIN || c == JOURNAL_ACCEPTED ||
		c == JOURNAL_FOUND || c == JOURNAL_DONE || c == JOURNAL_KEPT ||
		c == JOURNAL_REFUSED || c == JOURNAL_CLOSED || c == JOURNAL_STANDS;
}

/* Reads the next word as a number; *at moves behind the blank after it. */
static bool number(char **at, int64_t *out)
{
	char *blank = strchr(*at, ' ');
	if (!blank)
		return false;
	*blank = '\0';
	bool good = str_to_i64(*at, INT64_MIN, INT64_MAX, out);
	*at = blank + 1;
	return good;
}

bool journal_line_is_whole(const char *bytes, size_t n)
{
	char sum[SUM_DIGITS + 1];
	if (n < SUM_DIGITS + 4 || memchr(bytes, '\0', n))
		return false;
	snprintf(sum, sizeof(sum), "%016" PRIx64,
		sum_of(bytes + SUM_DIGITS + 1, n - SUM_DIGITS - 1));
	return memcmp(sum, bytes, SUM_DIGITS) == 0 && bytes[SUM_DIGITS] == ' ';
}

bool journal_line_read(const char *bytes, size_t n, struct journal_line *out)
{
	char text[LINE_BYTES];
	if (n >= sizeof(text) || !journal_line_is_whole(bytes, n))
		return false;
	memcpy(text, bytes, n);
	text[n] = '\0';
	char *rest = text + SUM_DIGITS + 1, *at = rest + 2;
	if (!is_step(rest[0]) || rest[1] != ' ')
		return false;
	out->step = (enum journal_step)rest[0];
	out->boot_s = out->since_s = out->content = 0;
	if (!number(&at, &out->wall_s) || !number(&at, &out->job_id) ||
		(has_boot(out->step) && !number(&at, &out->boot_s)) ||
		(has_since(out->step) && !number(&at, &out->since_s)) ||
		(has_content(out->step) && !number(&at, &out->content)) ||
		strlen(at) > SLURM_KEY_BYTES)
		return false;
	if (out->step != JOURNAL_WHOLE && !slurm_takes_key(at))
		return false;
	memcpy(out->key, at, strlen(at) + 1);
	return true;
}
