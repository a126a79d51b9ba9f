/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that Slurm does not know is lost only when no submission of it can have made one.
 * Each answer is one step from any state in which the invariant holds to one in which it
 * holds: so it holds for every sequence of answers, and there is no loop.
 *
 * MUTATE_n: the same rule with one thing ignored. Each must be refuted.
 */
#include "plan/vnode/missing.h"

enum answer { UNKNOWN_TO_SLURM, KNOWN_TO_SLURM, NUMBERED, ANSWERS };

/* The events, whatever the rule concludes from them. */
struct world {
	/* Submissions of one number in a row that made no job, up to the last answer */
	int voids;
	int64_t since_ms; /* Slurm did not know the job first in this row; 0: no row */
	bool open;        /* since the last submission Slurm was not asked */
	bool made;        /* that one has made a job */
	bool numbered;
	int64_t submitted_ms;
};

static struct vmissing rule(struct vmissing m, enum answer a, bool numbered, bool same,
	int64_t asked_ms, int64_t submitted_ms)
{
#if defined(MUTATE_1) /* a question that came late says as much as one at once */
	submitted_ms = asked_ms;
#elif defined(MUTATE_2) /* another number is as good as the same one */
	same = true;
#elif defined(MUTATE_3) /* a job that was found in between was missing all the time */
	a = a == KNOWN_TO_SLURM ? ANSWERS : a;
#elif defined(MUTATE_4) /* what never had a number is missed as well */
	numbered = true;
#elif defined(MUTATE_5) /* each question is the first one */
	m = a == UNKNOWN_TO_SLURM ? (struct vmissing){ 0 } : m;
#elif defined(MUTATE_6) /* the same number says nothing */
	same = false;
#endif
	if (a == UNKNOWN_TO_SLURM)
		return vmissing_unknown(m, numbered, asked_ms, submitted_ms);
	if (a == NUMBERED)
		return vmissing_numbered(m, same);
	return a == KNOWN_TO_SLURM ? (struct vmissing){ 0 } : m;
}

static bool lost(struct vmissing m, int64_t now_ms)
{
#if defined(MUTATE_7) /* two are as good as three */
	m.times++;
#elif defined(MUTATE_8) /* it is lost as soon as it was asked for often enough */
	now_ms = m.since_ms + VPOD_MISSING_MS;
#elif defined(MUTATE_9) /* it is lost as soon as it was missed long enough */
	m.times = VPOD_MISSING_TIMES;
#endif
	return vmissing_is_lost(m, now_ms);
}

static bool holds(const struct vmissing *m, const struct world *w)
{
	if (m->times < 0 || w->voids < 0)
		return false;
	return !m->since_ms ||
		(w->numbered && w->since_ms && m->since_ms >= w->since_ms &&
			m->times <= w->voids + w->open);
}

/* One answer, in truth. asked_ms: when it was asked for. */
static void happens(struct world *w, enum answer a, bool same, bool makes, int64_t asked_ms)
{
	if (a == KNOWN_TO_SLURM || (a == NUMBERED && !same)) {
		w->voids = 0;
		w->since_ms = 0;
	}
	if (a == UNKNOWN_TO_SLURM) {
		w->voids = w->open ? (w->made ? 0 : w->voids + 1) : w->voids;
		w->since_ms = w->since_ms && !(w->open && w->made) ? w->since_ms : asked_ms;
	}
	if (a == NUMBERED) {
		w->numbered = true;
		w->made = makes;
		w->submitted_ms = asked_ms;
	}
	w->open = a == NUMBERED;
}

int main(void)
{
	struct vmissing m;
	struct world w;
	enum answer a;
	bool same, makes;
	int64_t asked_ms, now_ms;
	__CPROVER_assume(a >= UNKNOWN_TO_SLURM && a < ANSWERS);
	__CPROVER_assume((same == 0 || same == 1) && (makes == 0 || makes == 1));
	__CPROVER_assume((w.open == 0 || w.open == 1) && (w.made == 0 || w.made == 1) &&
		(w.numbered == 0 || w.numbered == 1));
	__CPROVER_assume(m.times < 1000000 && w.voids < 1000000);
	__CPROVER_assume(m.since_ms >= 0 && w.since_ms >= 0 && w.submitted_ms >= 0);
	__CPROVER_assume(asked_ms > 0 && asked_ms >= w.submitted_ms && asked_ms >= w.since_ms &&
		asked_ms >= m.since_ms && asked_ms < INT64_MAX / 4);
	__CPROVER_assume(holds(&m, &w));
	/* A repeated submission comes after a question for the job (decide_vpod). */
	__CPROVER_assume(a != NUMBERED || !w.open || !same);
	__CPROVER_assume(!same || w.numbered);
	/* No slurmctld loses a job and is back so soon. */
	__CPROVER_assume(!(a == UNKNOWN_TO_SLURM && w.open && w.made &&
		asked_ms - w.submitted_ms <= VPOD_SETTLE_MS));
	__CPROVER_assume(!w.open || w.numbered);

	struct vmissing before = m;
	int64_t submitted_ms = w.submitted_ms;
	m = rule(m, a, w.numbered, same, asked_ms, submitted_ms);
	happens(&w, a, same, makes, asked_ms);
	__CPROVER_assert(holds(&m, &w), "what is counted has happened");
	if (a == UNKNOWN_TO_SLURM && asked_ms - submitted_ms <= VPOD_SETTLE_MS && before.since_ms)
		__CPROVER_assert(m.since_ms == before.since_ms && m.times == before.times,
			"what is missed is missed since then");
	if (a == NUMBERED && same)
		__CPROVER_assert(m.times == before.times + 1, "and is given up in the end");

	__CPROVER_assume(now_ms >= asked_ms && now_ms < INT64_MAX / 4);
	if (a == UNKNOWN_TO_SLURM && lost(m, now_ms))
		__CPROVER_assert(w.numbered && w.voids >= 3 && now_ms - w.since_ms >= 60000,
			"lost is only what no submission has made for a minute");
	return 0;
}
