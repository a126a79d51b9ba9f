/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits lines into words, words into options, and reads the requests of options. Each
 * word is handled when it is read. An option may wait for its value, even until the next
 * line.
 */
#include "slurm/sbatch/sbatch.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "slurm/sbatch/sbatch_parts.h"

struct reader {
	int64_t line;
	struct str word;
	int64_t asked[SBATCH_ASKS]; /* of this component */
	/* The option that waits for its value, and its line */
	const struct sbatch_option *waiting;
	int64_t waiting_line;
	bool after_unknown; /* the next word may be the value of an unknown option */
	bool ended;         /* "--" has ended the options */
	struct sbatch_wishes *out;
};

static void free_reader(struct reader *r) { str_free(&r->word); }

static struct err in_line(int64_t line, struct err e) { return err_wrap(e, "line %" PRIi64, line); }

/* ---- options ---- */

static struct err take_value(struct reader *r, const struct sbatch_option *option, const char *text)
{
	struct err e = sbatch_value(option->asks, text, &r->asked[option->asks]);
	return failed(e) ? err_wrap(e, "--%s", option->name) : OK;
}

static void wait_for_value(struct reader *r, const struct sbatch_option *option)
{
	r->waiting = option;
	r->waiting_line = r->line;
}

/* "--nodes=2", "--nodes", "--hold" */
static struct err take_long(struct reader *r, const char *name)
{
	const struct sbatch_option *option;
	size_t n = strcspn(name, "=");
	struct err e = sbatch_option_long(name, n, &option);
	if (failed(e))
		return e;
	if (!option)
		r->after_unknown = name[n] == '\0';
	else if (option->has == HAS_NO_VALUE && name[n])
		return err_new(ERR_INVALID, "--%s takes no value, so remove the \"=\"",
			option->name);
	else if (option->has == HAS_VALUE && name[n])
		return take_value(r, option, name + n + 1);
	else if (option->has == HAS_VALUE)
		wait_for_value(r, option);
	return OK;
}

/* "-N2", "-N", "-H", "-HN2"; and "-N=2", which wlm-operator accepted. */
static struct err take_letters(struct reader *r, const char *letters)
{
	for (; *letters; letters++) {
		const struct sbatch_option *option = sbatch_option_short(*letters);
		if (!option)
			r->after_unknown = letters[1] == '\0';
		else if (option->has == HAS_NO_VALUE)
			continue;
		else if (option->has == HAS_VALUE && letters[1])
			return take_value(r, option, letters + 1 + (letters[1] == '='));
		else if (option->has == HAS_VALUE)
			wait_for_value(r, option);
		return OK;
	}
	return OK;
}

static struct err no_option(const char *word)
{
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, word, 60);
	return err_new(ERR_INVALID,
		"\"%s\" is no option: options begin with - or --, comments with #",
		str_text(&shown));
}

static struct err take_word(struct reader *r, const char *word)
{
	bool may_be_value = r->after_unknown;
	r->after_unknown = false;
	if (r->waiting) {
		const struct sbatch_option *option = r->waiting;
		r->waiting = NULL;
		return take_value(r, option, word);
	}
	if (r->ended || word[0] != '-' || word[1] == '\0')
		return may_be_value ? OK : no_option(word);
	if (word[1] != '-')
		return take_letters(r, word + 1);
	r->ended = word[2] == '\0';
	return r->ended ? OK : take_long(r, word + 2);
}

/* ---- lines ---- */

/* A bound of 0 is no bound. */
static int64_t at_most(int64_t n, int64_t bound) { return bound && n > bound ? bound : n; }

static void raise_to(int64_t *wish, int64_t asked)
{
	if (asked > *wish)
		*wish = asked;
}

/* The requests of a component are complete; the next component begins with none. */
static struct err end_component(struct reader *r)
{
	const int64_t *asked = r->asked;
	struct sbatch_wishes *out = r->out;
	if (r->waiting)
		return in_line(r->waiting_line,
			err_new(ERR_INVALID, "--%s needs a value", r->waiting->name));
	int64_t tasks = at_most(asked[ASKS_TASKS_PER_NODE], asked[ASKS_TASKS]);
	raise_to(&out->nodes, at_most(asked[ASKS_NODES], asked[ASKS_TASKS]));
	raise_to(&out->wall_time_s, asked[ASKS_TIME]);
	raise_to(&out->mem_per_node_mib, asked[ASKS_MEMORY]);
	out->partition |= asked[ASKS_PARTITION] > 0;
	raise_to(&out->tasks, asked[ASKS_ARRAY]);
	if (tasks || asked[ASKS_CPUS])
		raise_to(&out->cpus_per_node,
			(tasks ? tasks : 1) * (asked[ASKS_CPUS] ? asked[ASKS_CPUS] : 1));
	memset(r->asked, 0, sizeof(r->asked));
	r->after_unknown = r->ended = false;
	return OK;
}

static struct err read_directive(struct reader *r, struct sbatch_line *line)
{
	if (sbatch_is_separator(line))
		return end_component(r);
	for (;;) {
		bool more;
		struct err e = sbatch_next_word(line, &r->word, &more);
		if (!failed(e) && more)
			e = take_word(r, str_text(&r->word));
		if (failed(e) || !more)
			return failed(e) ? in_line(line->number, e) : OK;
	}
}

/*
 * "#SBATCHX" as well: sbatch then reports that X is not an option. #SLURM is the old
 * name.
 */
static bool is_directive(struct sbatch_line *line)
{
	static const char *const words[] = { "#SBATCH", "#SLURM" };
	for (size_t i = 0; i < LENGTH(words); i++) {
		size_t n = strlen(words[i]);
		if ((size_t)(line->end - line->at) >= n && memcmp(line->at, words[i], n) == 0) {
			line->at += n;
			return true;
		}
	}
	return false;
}

static bool is_command(const struct sbatch_line *line)
{
	const char *at = line->at;
	while (at < line->end && sbatch_is_space(*at))
		at++;
	return at < line->end && *at != '#';
}

static struct err read_lines(struct reader *r, const char *script, const char *end)
{
	for (const char *next; script < end; script = next) {
		const char *newline = memchr(script, '\n', (size_t)(end - script));
		next = newline ? newline + 1 : end;
		struct sbatch_line line = { script, newline ? newline : end, ++r->line };
		if (is_directive(&line)) {
			struct err e = read_directive(r, &line);
			if (failed(e))
				return e;
		} else if (is_command(&line)) {
			break;
		}
	}
	return end_component(r);
}

/* ---- the script as a whole ---- */

static int64_t line_of(const char *script, const char *at)
{
	int64_t line = 1;
	while ((script = memchr(script, '\n', (size_t)(at - script)))) {
		script++;
		line++;
	}
	return line;
}

/* The checks that sbatch makes before it reads options. */
static struct err check_script(const char *script, size_t n)
{
	const char *end = script + n, *at = script;
	while (at < end && sbatch_is_space(*at))
		at++;
	if (at == end)
		return err_new(ERR_INVALID, "line 1: the script is empty");
	if (n >= 3 && memcmp(script, "\xef\xbb\xbf", 3) == 0)
		return err_new(ERR_INVALID,
			"line 1: it begins with a byte order mark, which some editors write and do not show; #! has to come first");
	if (end - at < 2 || memcmp(at, "#!", 2) != 0 || (at > script && at[-1] != '\n'))
		return in_line(line_of(script, at),
			err_new(ERR_INVALID,
				"a batch script begins with #! and an interpreter, as #!/bin/sh"));
	if ((at = memchr(script, '\0', n)))
		return in_line(line_of(script, at),
			err_new(ERR_INVALID, "it has a NUL byte, which no script may have"));
	if ((at = memmem(script, n, "\r\n", 2)))
		return in_line(line_of(script, at),
			err_new(ERR_INVALID,
				"it ends with CR LF as on Windows; use LF alone (dos2unix converts the script)"));
	return OK;
}

struct err sbatch_read(const char *script, size_t n, struct sbatch_wishes *out)
{
	struct reader r AUTO(free_reader) = { .out = out };
	*out = (struct sbatch_wishes){ 0 };
	struct err e = check_script(script, n);
	if (!failed(e))
		e = read_lines(&r, script, script + n);
	if (failed(e))
		*out = (struct sbatch_wishes){ 0 };
	return e;
}
