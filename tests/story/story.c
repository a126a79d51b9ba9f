/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of a story. */
#include "story/story.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"

/* A place in a file, for errors. */
struct place {
	const char *file;
	int line;
};

#define WRONG(at, format, ...) \
	err_new(ERR_INVALID, "%s:%d: " format, (at).file, (at).line, ##__VA_ARGS__)

typedef struct err line_fn(struct stories *s, struct place at, char *line);

/* Calls fn for every line that says something, without the blanks at its ends. */
static struct err each_line(struct stories *s, const char *file, line_fn *fn)
{
	struct err e = OK;
	char *line = NULL;
	size_t cap = 0;
	struct place at = { file, 0 };
	FILE *f = fopen(file, "re");
	if (!f)
		return err_new(ERR_NOT_FOUND,
			"%s cannot be read: stories are run from the top of the checkout", file);
	while (!failed(e) && getline(&line, &cap, f) >= 0) {
		char *text = line + strspn(line, " \t");
		size_t n = strlen(text);
		while (n && isspace((unsigned char)text[n - 1]))
			text[--n] = '\0';
		at.line++;
		if (n && *text != '#')
			e = fn(s, at, text);
	}
	free(line);
	fclose(f);
	return e;
}

/* ---- the table ---- */

static const struct {
	const char *name, *pattern;
} placeholders[] = {
	{ "{n}", "([0-9]+)" },
	{ "{name}", "([A-Za-z0-9-]+)" },
	{ "{text}", "\"([^\"]*)\"" },
	{ "{ask}", "(.+)" },
};

static void write_pattern(struct story_phrase *p, const char *text, struct str *out)
{
	str_add(out, "^");
	for (size_t i; *text;) {
		for (i = 0; i < LENGTH(placeholders) && !str_has_prefix(text, placeholders[i].name);
			i++)
			;
		if (i == LENGTH(placeholders)) {
			str_add_bytes(out, text++, 1);
			continue;
		}
		if (str_eq(placeholders[i].name, "{ask}"))
			p->ask_arg = p->n_args;
		p->n_args++;
		str_add(out, placeholders[i].pattern);
		text += strlen(placeholders[i].name);
	}
	str_add(out, "$");
}

static struct err read_phrase(struct stories *s, struct place at, char *line)
{
	char kind[8];
	int begin = 0;
	struct story_phrase p = { .ask_arg = STORY_ARGS };
	if (sscanf(line, "%7s %31s %n", kind, p.verb, &begin) < 2 || !begin || !line[begin] ||
		(!str_eq(kind, "do") && !str_eq(kind, "ask")))
		return WRONG(at, "a phrase is: do or ask, the verb, the phrase");
	p.asks = str_eq(kind, "ask");
	struct str pattern AUTO(str_free) = { 0 };
	write_pattern(&p, line + begin, &pattern);
	if (p.n_args > STORY_ARGS || regcomp(&p.pattern, str_text(&pattern), REG_EXTENDED) != 0)
		return WRONG(at, "not a regular expression of at most %d placeholders: %s",
			STORY_ARGS, line + begin);
	s->phrases = own_realloc(s->phrases, (s->n_phrases + 1) * sizeof(*s->phrases));
	s->phrases[s->n_phrases++] = p;
	return OK;
}

/* ---- stories ---- */

static void step_free(struct story_step *step)
{
	if (!step)
		return;
	step_free(step->ask);
	free(step->text);
	free(step->file);
	free(step);
}

static struct err match(const struct stories *s, struct place at, bool asks, const char *text,
	struct story_step *step);

/* The arguments of the phrase that fits. */
static struct err take_args(const struct stories *s, struct place at, const char *text,
	const regmatch_t *found, struct story_step *step)
{
	const struct story_phrase *p = step->phrase;
	for (size_t i = 0; i < p->n_args; i++) {
		size_t n = (size_t)(found[i + 1].rm_eo - found[i + 1].rm_so);
		if (n >= STORY_ARG_BYTES)
			return WRONG(at, "longer than %d bytes: %s", STORY_ARG_BYTES - 1,
				text + found[i + 1].rm_so);
		memcpy(step->args[i], text + found[i + 1].rm_so, n);
	}
	if (p->ask_arg == STORY_ARGS)
		return OK;
	step->ask = own_alloc(sizeof(*step->ask));
	step->ask->text = own_strdup(step->args[p->ask_arg]);
	step->ask->file = own_strdup(at.file);
	step->ask->line = at.line;
	return match(s, at, true, step->args[p->ask_arg], step->ask);
}

static struct err match(const struct stories *s, struct place at, bool asks, const char *text,
	struct story_step *step)
{
	regmatch_t found[STORY_ARGS + 1], one[STORY_ARGS + 1];
	for (size_t i = 0; i < s->n_phrases; i++) {
		if (regexec(&s->phrases[i].pattern, text, STORY_ARGS + 1, one, 0) != 0)
			continue;
		if (step->phrase)
			return WRONG(at, "two phrases fit, %s and %s: %s", step->phrase->verb,
				s->phrases[i].verb, text);
		step->phrase = &s->phrases[i];
		memcpy(found, one, sizeof(found));
	}
	if (!step->phrase)
		return WRONG(at, "no phrase of tests/story/phrases: %s", text);
	if (step->phrase->asks != asks)
		return WRONG(at, "%s: %s",
			asks ? "this does something: write it after given or when"
			     : "this asks: write it after then",
			text);
	return take_args(s, at, text, found, step);
}

static struct err begin_story(struct stories *s, struct place at, const char *title)
{
	struct story story = { .name = own_strdup(title) };
	for (char *c = story.name; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	s->all = own_realloc(s->all, (s->n + 1) * sizeof(*s->all));
	s->all[s->n++] = story;
	for (size_t i = 0; i + 1 < s->n; i++)
		if (str_eq(s->all[i].name, story.name))
			return WRONG(at, "there is another story of this name: %s", title);
	return OK;
}

static bool word_of(const char *line, struct story_step *step, const char **rest)
{
	static const char *const words[] = {
		[STORY_GIVEN] = "given ",
		[STORY_WHEN] = "when ",
		[STORY_THEN] = "then ",
	};
	for (int i = 0; i < (int)LENGTH(words); i++)
		if (str_has_prefix(line, words[i])) {
			step->word = (enum story_word)i;
			*rest = line + strlen(words[i]);
			return true;
		}
	return false;
}

static struct err read_line(struct stories *s, struct place at, char *line)
{
	const char *rest;
	int begin = 0;
	if (str_has_prefix(line, "story "))
		return begin_story(s, at, line + strlen("story "));
	struct story_step *step = own_alloc(sizeof(*step));
	*step = (struct story_step){
		.text = own_strdup(line),
		.file = own_strdup(at.file),
		.line = at.line,
	};
	if (!word_of(line, step, &rest) || !s->n) {
		step_free(step);
		return WRONG(at,
			"a line begins with story, given, when or then, and the first with story: "
			"%s",
			line);
	}
	struct story *story = &s->all[s->n - 1];
	story->steps = own_realloc(story->steps,
		(story->n_steps + 1) * sizeof(struct story_step *));
	story->steps[story->n_steps++] = step;
	if (step->word == STORY_THEN && sscanf(rest, "within %d s %n", &step->within_s, &begin) < 1)
		(void)sscanf(rest, "for %d s %n", &step->for_s, &begin);
	rest += begin;
	return match(s, at, step->word == STORY_THEN, rest, step);
}

struct err stories_read(const char *folder, struct stories *out)
{
	char path[256];
	glob_t files = { 0 };
	*out = (struct stories){ 0 };
	snprintf(path, sizeof(path), "%s/phrases", folder);
	struct err e = each_line(out, path, read_phrase);
	snprintf(path, sizeof(path), "%s/*.story", folder);
	if (!failed(e) && glob(path, 0, NULL, &files) != 0)
		e = err_new(ERR_NOT_FOUND, "there is no %s", path);
	for (size_t i = 0; !failed(e) && i < files.gl_pathc; i++)
		e = each_line(out, files.gl_pathv[i], read_line);
	globfree(&files);
	return e;
}

void stories_free(struct stories *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->all[i].n_steps; k++)
			step_free(s->all[i].steps[k]);
		free(s->all[i].steps);
		free(s->all[i].name);
	}
	for (size_t i = 0; i < s->n_phrases; i++)
		regfree(&s->phrases[i].pattern);
	free(s->phrases);
	free(s->all);
	*s = (struct stories){ 0 };
}
