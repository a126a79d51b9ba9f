/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of a collector, its retries, and its end. */
#include <stdarg.h>
#include <string.h>

#include "base/own.h"
#include "transfer/parts.h"

enum {
	SENTENCE_BYTES = 1000,
	MOST_ANEW = 6, /* then a later collector copies the file */
	ANEW_MS = 1000,
};

/* ---- messages ---- */

void results_say(struct results *r, const char *format, ...)
{
	char text[SENTENCE_BYTES];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	str_make_plain(text);
	r->config.say(r->config.ctx, text);
}

/* ---- the end ---- */

void results_end(struct results *r, int status, const char *sentence)
{
	r->config.done(r->config.ctx, status, sentence);
}

/* A new collector may succeed on a full volume, but a user must remove an obstacle. */
void results_fail(struct results *r, struct err e)
{
	results_end(r, e.kind == ERR_INVALID ? RESULTS_FOR_GOOD : RESULTS_ANEW, e.text);
}

void results_complete(struct results *r)
{
	AUTO(str_free) struct str text = { 0 };
	struct err e = r->tree ? tree_sync(r->tree) : OK;
	if (failed(e)) {
		results_fail(r, e);
		return;
	}
	str_addf(&text, "%lld files with %lld bytes are %s", (long long)r->files,
		(long long)r->bytes, r->walk ? "on the side of Slurm" : "in the volume");
	if (r->kept)
		str_addf(&text, "; %lld of them existed before", (long long)r->kept);
	if (r->left_out)
		str_addf(&text,
			"; %lld entries were skipped, because they are neither files nor folders, or their names are not UTF-8",
			(long long)r->left_out);
	results_end(r, RESULTS_DONE, str_text(&text));
}

/* ---- failures ---- */

static void go_on(void *results)
{
	struct results *r = results;
	r->timer = NULL;
	r->again(r);
}

void results_later(struct results *r, int64_t ms, void (*again)(struct results *r))
{
	r->again = again;
	r->timer = timer_start(r->config.loop, ms, go_on, r);
}

void results_again(struct results *r, const char *what, void (*how)(struct results *r))
{
	AUTO(str_free) struct str sentence = { 0 };
	str_add_foreign(&sentence, r->entry.path, 120);
	str_addf(&sentence, " %s", what);
	if (++r->anew > MOST_ANEW) {
		results_end(r, RESULTS_ANEW, str_text(&sentence));
		return;
	}
	results_say(r, "%s: %s it again", str_text(&sentence), r->walk ? "sending" : "requesting");
	results_later(r, (int64_t)ANEW_MS << r->anew, how);
}

void results_well(struct results *r)
{
	r->answered_ms = loop_now_ms(r->config.loop);
	r->times = 0;
	free(TAKE(r->why));
}

/* "the virtual node answers (403): ..." */
static char *sentence_of(struct err e, int status, const char *text)
{
	struct str s = { 0 };
	if (status) {
		str_addf(&s, "the virtual node answers (%d): ", status);
		str_add_foreign(&s, text, ERR_TEXT_BYTES);
		while (s.len && s.text[s.len - 1] == ' ')
			s.text[--s.len] = '\0';
	} else {
		str_add(&s, e.text);
	}
	return str_take(&s);
}

static void note(struct results *r, int64_t now_ms, int status, char *why)
{
	if (!str_eq(why, r->why))
		r->same_ms = now_ms;
	if (status)
		r->answered_ms = now_ms;
	r->times++;
	free(r->why);
	r->why = why;
}

void results_trouble(struct results *r, struct err e, int status, const char *text,
	void (*again)(struct results *r))
{
	int64_t now_ms = loop_now_ms(r->config.loop);
	note(r, now_ms, status, sentence_of(e, status, text));
	const struct results_trouble_view view = {
		.now_ms = now_ms,
		.status = status,
		.other_key = !status && e.kind == ERR_DENIED,
		.same_ms = r->same_ms,
		.answered_ms = r->answered_ms,
		.times = r->times,
		.inputs = r->walk != NULL,
		.listed = r->whole,
	};
	struct results_trouble_plan plan = results_trouble_plan(&view);
	if (plan.exit >= 0) {
		results_end(r, plan.exit, r->why);
		return;
	}
	results_say(r, "%s; trying again in %lld s", r->why, (long long)(plan.pause_ms / 1000));
	results_later(r, plan.pause_ms, again);
}
