/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stories as text: the same lines run on the simulator (test_story.c) and on the real
 * cluster (tests/cluster/run).
 *
 *     story a scale-in waits for the busy node
 *     given a manager
 *     given a NodeSet two of 3 nodes
 *     given a job of 12 s on two-2
 *     when NodeSet two is scaled to 0
 *     then within 60 s job 1 has ended by itself
 *     then within 30 s NodeSet two has 0 pods
 *
 * tests/story/phrases lists what may follow given, when and then. "then within N s" waits
 * for it, "then for N s" demands it all that time, a bare "then" demands it now. Jobs are
 * numbered in the order in which a story starts them. Empty lines and lines that begin
 * with # are left out; anything else is an error with file and line.
 */
#ifndef STORY_STORY_H
#define STORY_STORY_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { STORY_ARGS = 3, STORY_ARG_BYTES = 128 };

struct story_phrase {
	bool asks;
	char verb[32];
	regex_t pattern;
	size_t n_args;
	size_t ask_arg; /* which argument is another phrase; STORY_ARGS: none */
};

enum story_word { STORY_GIVEN, STORY_WHEN, STORY_THEN };

struct story_step {
	char *text, *file; /* text: the whole line */
	int line;
	enum story_word word;
	int within_s, for_s; /* 0: at once */
	const struct story_phrase *phrase;
	char args[STORY_ARGS][STORY_ARG_BYTES];
	struct story_step *ask; /* what the {ask} of the phrase says; NULL: it has none */
};

struct story {
	char *name; /* as a test's name: letters, digits and _ */
	struct story_step **steps;
	size_t n_steps;
};

struct stories {
	struct story_phrase *phrases;
	struct story *all;
	size_t n_phrases, n;
};

/*
 * Reads the table of phrases and every *.story of the folder, in the order of their
 * names.
 */
struct err stories_read(const char *folder, struct stories *out);
void stories_free(struct stories *s);

#endif
