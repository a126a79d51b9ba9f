/* SPDX-License-Identifier: Apache-2.0 */
/* Decides between another attempt and the end. */
#include "plan/results/trouble.h"

enum {
	FIRST_PAUSE_MS = 1000,
	LONGEST_PAUSE_MS = 30000,
	SAME_MS = 60000,
	SILENT_MS = 300000,
	DOUBLINGS = 5,
};

static int64_t pause_of(int times)
{
	int doublings = times < 1 ? 0 : times - 1 < DOUBLINGS ? times - 1 : DOUBLINGS;
	int64_t ms = (int64_t)FIRST_PAUSE_MS << doublings;
	return ms < LONGEST_PAUSE_MS ? ms : LONGEST_PAUSE_MS;
}

/* The virtual node refuses the request until a user changes something. */
static bool is_refusal(int status)
{
	return status >= 400 && status < 500 && status != 408 && status != RESULTS_IT_CHANGES &&
		status != 429;
}

static bool may_pass(const struct results_trouble_view *v)
{
	return v->status == 401 || ((v->inputs || v->listed) && v->status == 404);
}

struct results_trouble_plan results_trouble_plan(const struct results_trouble_view *v)
{
	struct results_trouble_plan p = { .exit = -1, .pause_ms = pause_of(v->times) };
	if (v->other_key || (!v->status && v->now_ms - v->answered_ms >= SILENT_MS))
		p.exit = RESULTS_ANEW;
	else if (is_refusal(v->status) && v->now_ms - v->same_ms >= SAME_MS)
		p.exit = may_pass(v) ? RESULTS_ANEW : RESULTS_FOR_GOOD;
	return p;
}
