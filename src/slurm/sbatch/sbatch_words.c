/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a line of options into words. The rules of sbatch differ from those of a shell.
 */
#include "slurm/sbatch/sbatch_parts.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"

bool sbatch_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_spaces(struct sbatch_line *line)
{
	while (line->at < line->end && sbatch_is_space(*line->at))
		line->at++;
}

bool sbatch_is_separator(const struct sbatch_line *line)
{
	static const char *const names[] = { "hetjob", "packjob" };
	struct sbatch_line rest = *line;
	skip_spaces(&rest);
	size_t left = (size_t)(rest.end - rest.at);
	for (size_t i = 0; i < LENGTH(names); i++) {
		size_t n = strlen(names[i]);
		if (left >= n && strncasecmp(rest.at, names[i], n) == 0 &&
			(left == n || sbatch_is_space(rest.at[n])))
			return true;
	}
	return false;
}

/*
 * Copies a word, up to the space or comment after it. Returns the quote that is not
 * closed, or '\0'. A backslash keeps a space in the word, but not a tab.
 */
static char copy_word(struct sbatch_line *line, struct str *word)
{
	char quote = '\0';
	bool escaped = false;
	for (; line->at < line->end; line->at++) {
		char c = *line->at;
		bool plain = escaped; /* a backslash is before it */
		if (!quote && sbatch_is_space(c) && !(plain && c == ' '))
			break;
		if (!quote && !plain && c == '#')
			break;
		escaped = !plain && c == '\\';
		if (!plain && (quote ? c == quote : c == '"' || c == '\''))
			quote = quote ? '\0' : c;
		else if (!escaped)
			str_add_bytes(word, &c, 1);
	}
	return quote;
}

struct err sbatch_next_word(struct sbatch_line *line, struct str *word, bool *more)
{
	str_clear(word);
	*more = false;
	/* In the middle of a line "hetjob" ends the options, but begins no component. */
	if (sbatch_is_separator(line))
		return OK;
	skip_spaces(line);
	if (line->at < line->end && *line->at == ':')
		return err_new(ERR_INVALID,
			"a word begins with \":\", which sbatch accepts only in quotes");
	char quote = copy_word(line, word);
	if (quote)
		return err_new(ERR_INVALID, "the quote %c is not closed", quote);
	/* As in sbatch, an empty word ("") ends the line: the rest is ignored. */
	*more = word->len > 0;
	return OK;
}
