/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of red-box: any configuration is read, or refused with sentences; a line of the
 * journal that is taken is one that the journal would write; the last part of a path is a
 * name; the last lines of any text are found by ranges of any size.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redbox/config.h"
#include "redbox/files/folders_parts.h"
#include "redbox/submit/journal_parts.h"
#include "redbox/files/last_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void as_journal(const char *bytes, size_t n)
{
	struct journal_line line = { 0 };
	struct str again = { 0 };
	if (journal_line_read(bytes, n, &line)) {
		journal_line_add(&again, &line);
		if (again.len != n + 1 || memcmp(again.text, bytes, n) != 0)
			abort();
	}
	/* As above, of a line whose checksum is right. */
	line = (struct journal_line){ .step = n % 2 ? JOURNAL_BEGIN : JOURNAL_STANDS,
		.wall_s = (int64_t)n };
	if (line.step == JOURNAL_STANDS && n >= sizeof(line.content))
		memcpy(&line.content, bytes + n - sizeof(line.content), sizeof(line.content));
	const int64_t content = line.content;
	memcpy(line.key, bytes, n < SLURM_KEY_BYTES ? n : SLURM_KEY_BYTES);
	str_clear(&again);
	journal_line_add(&again, &line);
	bool takes = slurm_takes_key(line.key);
	if (journal_line_read(again.text, again.len - 1, &line) != takes ||
		(takes && line.content != content))
		abort();
	str_free(&again);
}

static void as_configuration(const char *bytes, size_t n)
{
	struct redbox_config c;
	struct str faults = { 0 }, warnings = { 0 };
	redbox_config_read("f", bytes, n, &c, &faults, &warnings);
	if (!faults.len)
		for (size_t i = 0; i < c.n_partitions; i++)
			if (c.partitions[i].wall_time_s < 0 || c.partitions[i].nodes < 0)
				abort();
	redbox_config_free(&c);
	str_free(&faults);
	str_free(&warnings);
}

static void as_path(const char *bytes, size_t n)
{
	static const char *const root = "/tmp";
	static struct folders *folders;
	struct str name = { 0 };
	char *path = own_strndup(bytes, n);
	if (!folders && failed(folders_new(&root, 1, &folders)))
		abort();
	struct err e = folders_last_part(folders, path, &name);
	if (failed(e) ? e.kind != ERR_INVALID || name.len
		      : !name.len || strchr(name.text, '/') || str_eq(name.text, "..") ||
				str_eq(name.text, ".") || !strstr(path, name.text))
		if (!str_eq(path, ".") || !str_eq(name.text, "tmp"))
			abort();
	free(path);
	str_free(&name);
}

static size_t lines_from(const char *text, size_t n, int64_t lines)
{
	size_t from = n;
	for (; lines > 0 && from > 0; lines--)
		for (from--; from > 0 && text[from - 1] != '\n';)
			from--;
	return from;
}

/* The first byte says how many lines, the second how much is read at once. */
static void as_lines(const char *bytes, size_t n)
{
	int64_t wanted = (uint8_t)bytes[0];
	size_t most = 1 + (uint8_t)bytes[1];
	bytes += 2;
	n -= 2;
	struct last_lines l = last_lines_begin(wanted, (int64_t)n);
	struct last_lines_step s;
	for (size_t left = n; (s = last_lines_next(&l, (int64_t)n, most)).what == LAST_LINES_READ;
		left = (size_t)s.from) {
		if (s.bytes < 1 || s.bytes > most || (size_t)s.from + s.bytes != left)
			abort();
		last_lines_take(&l, &s, bytes + s.from, s.bytes);
	}
	if (s.what != LAST_LINES_FOUND || (size_t)s.from != lines_from(bytes, n, wanted))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n >= 2)
		as_lines((const char *)bytes, n);
	as_path((const char *)bytes, n);
	as_journal((const char *)bytes, n);
	as_configuration((const char *)bytes, n);
	return 0;
}
