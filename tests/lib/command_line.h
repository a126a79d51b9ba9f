/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of slurm-operator, as a user types it.
 *
 *     LINE(l);
 *     when_typed(&l, "manager --leader-elect");
 *     assert_string_equal(l.err.text, "");
 */
#ifndef TESTS_LIB_COMMAND_LINE_H
#define TESTS_LIB_COMMAND_LINE_H

#include "lib/test.h"

#include "cmd/options.h"

struct line {
	struct options options;
	struct str print;
	struct err err;
	char text[600];
};

/* Types "slurm-operator" and these words. */
static inline void when_typed(struct line *l, const char *words)
{
	char *argv[24], *rest = l->text;
	int argc = 0;
	*l = (struct line){ 0 };
	snprintf(l->text, sizeof(l->text), "slurm-operator %s", words);
	for (char *w; (w = strsep(&rest, " "));)
		if (*w)
			argv[argc++] = w;
	l->err = options_read(argc, argv, &l->options, &l->print);
}

static inline void line_end(struct line *l)
{
	options_free(&l->options);
	str_free(&l->print);
}

#define LINE(l) struct line l AUTO(line_end) = { 0 }

struct refused {
	const char *typed, *said;
};

static inline void then_refused(const struct refused *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		LINE(l);
		when_typed(&l, rows[i].typed);
		if (!failed(l.err) || !strstr(l.err.text, rows[i].said))
			fail_msg("\"%s\" said: %s", rows[i].typed, l.err.text);
	}
}

#endif
