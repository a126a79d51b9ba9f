/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much may be written for people only. A job that starts on 10,000 nodes changes
 * 10,000 pods: they are written over two minutes, and the API server has nearly all of
 * its time for what matters.
 */
#include "engine/act/executor_parts.h"

enum {
	SHOWS_A_SECOND = 100, /* and as many under way */
	SECOND_MS = 1000,
	/* After a failure that is not about the one pod; after one that says "never" */
	REST_MS = 10000,
	DENIED_MS = 300000,
};

static bool is_new_second(const struct executor *x)
{
	return now_of(x) - x->shows.from_ms >= SECOND_MS;
}

size_t executor_max_shows(const struct executor *x, int64_t *again_ms)
{
	const struct shows *s = &x->shows;
	int64_t now_ms = now_of(x);
	int begun = is_new_second(x) ? 0 : s->begun;
	int left = SHOWS_A_SECOND - (begun > s->under_way ? begun : s->under_way);
	*again_ms = is_new_second(x) ? SECOND_MS : s->from_ms + SECOND_MS - now_ms;
	if (now_ms >= s->not_before_ms)
		return left > 0 ? (size_t)(left + 1) / 2 : 0;
	*again_ms = s->not_before_ms - now_ms;
	return 0;
}

void shows_begun(struct executor *x)
{
	if (is_new_second(x)) {
		x->shows.from_ms = now_of(x);
		x->shows.begun = 0;
	}
	x->shows.begun++;
	x->shows.under_way++;
}

void shows_ended(struct executor *x, struct err err)
{
	bool of_the_pod = err.kind == ERR_CONFLICT || err.kind == ERR_NOT_FOUND;
	if (!failed(err) || of_the_pod)
		return;
	x->shows.not_before_ms = now_of(x) + (err.kind == ERR_DENIED ? DENIED_MS : REST_MS);
}
