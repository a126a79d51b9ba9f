/* SPDX-License-Identifier: Apache-2.0 */
/* Which roughness a seed has, one row each. */
#include "sim/sim_rough.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "sim/sim_world.h"

#define FROM(name) .set_up = rough_##name##_set_up
#define NOW_AND_THEN(name) .act = rough_##name##_act
#define PUT_RIGHT(name) .repair = rough_##name##_repair
#define AND_AGAIN(name) .after = rough_##name##_after

static const struct sim_rough_row rows[] = {
	{ "suspend", 120, NULL, NOW_AND_THEN(suspend), PUT_RIGHT(suspend) },
	{ "preempt", 80, NULL, NOW_AND_THEN(preempt), PUT_RIGHT(suspend) },
	{ "odd-words", 80, NULL, FROM(odd_words), NOW_AND_THEN(suspend), PUT_RIGHT(suspend) },
	{ "long-epilog", 100, NULL, FROM(long_epilog) },
	{ "requeue", 100, NULL, NOW_AND_THEN(requeue) },
	{ "reasons", 120, NULL, FROM(reasons), NOW_AND_THEN(reasons) },
	{ "return-to-service-1", 80, NULL, FROM(return_to_service), PUT_RIGHT(return_to_service),
		AND_AGAIN(return_to_service) },
	{ "invalid-reg", 80, NULL, FROM(invalid_reg), PUT_RIGHT(invalid_reg) },
	{ "slow-lists", 120, NULL, FROM(slow_lists), NOW_AND_THEN(slow_lists),
		PUT_RIGHT(slow_lists) },
	{ "other-names", 80, NULL, NOW_AND_THEN(other_names), PUT_RIGHT(other_names),
		AND_AGAIN(other_names) },
	{ "few-addresses", 150, NULL, FROM(few_addresses) },
	{ "stand-in", 100, NULL, FROM(stand_in), NOW_AND_THEN(stand_in), PUT_RIGHT(stand_in) },
	{ "restored-state", 80, NULL, NOW_AND_THEN(restored_state), AND_AGAIN(restored_state) },
	{ "ctld-clock", 100, NULL, NOW_AND_THEN(ctld_clock) },
	{ "their-pods", 80, NULL, NOW_AND_THEN(their_pods) },
	{ "other-owners", 80, NULL, NOW_AND_THEN(other_owners) },
	{ "two-names", 80, NULL, NOW_AND_THEN(two_names), PUT_RIGHT(two_names),
		AND_AGAIN(two_names) },
	{ "second-set", 120, NULL, FROM(second_set), NOW_AND_THEN(second_set),
		AND_AGAIN(second_set) },
	{ "claims", 150, NULL, FROM(claims), NOW_AND_THEN(claims) },
	{ "foreground", 80, NULL, NOW_AND_THEN(foreground) },
	{ "orphan", 80, NULL, NOW_AND_THEN(orphan) },
	{ "refused-writes", 100, NULL, NOW_AND_THEN(refused_writes), PUT_RIGHT(refused_writes) },
	{ "rejects", 80, NULL, NOW_AND_THEN(rejects), PUT_RIGHT(rejects) },
	{ "quota", 80, NULL, NOW_AND_THEN(quota), PUT_RIGHT(quota) },
	{ "strips", 80, NULL, NOW_AND_THEN(strips), PUT_RIGHT(strips) },
	{ "deaf", 80, NULL, NOW_AND_THEN(deaf), PUT_RIGHT(deaf) },
	{ "many-sets", 120, NULL, FROM(many_sets) },
	{ "two-clusters", 90, NULL, FROM(two_clusters), NOW_AND_THEN(two_clusters),
		PUT_RIGHT(two_clusters), AND_AGAIN(two_clusters) },
	{ "cluster-goes", 40, NULL, FROM(cluster_goes), NOW_AND_THEN(cluster_goes),
		PUT_RIGHT(cluster_goes), AND_AGAIN(cluster_goes) },
	{ "two-spaces", 100, NULL, FROM(two_spaces), NOW_AND_THEN(two_spaces),
		PUT_RIGHT(two_spaces), AND_AGAIN(two_spaces) },
	{ "two-managers", 100, NULL, FROM(two_managers), NOW_AND_THEN(two_managers),
		PUT_RIGHT(two_managers) },
	{ "hostile", 100, NULL, FROM(hostile), NOW_AND_THEN(hostile), PUT_RIGHT(hostile),
		AND_AGAIN(hostile) },
	{ "heap", 150, NULL, NOW_AND_THEN(heap), PUT_RIGHT(heap) },
	{ "rollbacks", 80, NULL, FROM(rollbacks), NOW_AND_THEN(rollbacks), AND_AGAIN(rollbacks) },
	{ "typos", 100, NULL, NOW_AND_THEN(typos), PUT_RIGHT(typos) },
	{ "tokens", 80, NULL, FROM(tokens), NOW_AND_THEN(tokens), PUT_RIGHT(tokens) },
	{ "autoscale", 120, NULL, FROM(autoscale), NOW_AND_THEN(autoscale), PUT_RIGHT(autoscale),
		AND_AGAIN(autoscale) },
};
_Static_assert(LENGTH(rows) <= ROUGH_ROWS, "every row must have its place");

/* Whether the text has this word, behind its first sign. */
static bool has_word(const char *text, const char *word, size_t n)
{
	for (const char *at = text; *at; at += strcspn(at, " ,"), at += strspn(at, " ,"))
		if (strcspn(at, " ,") == n && strncmp(at, word, n) == 0)
			return true;
	return false;
}

static bool off_by(const char *text, const char *name)
{
	char minus[64];
	int n = snprintf(minus, sizeof(minus), "-%s", name);
	return has_word(text, minus, (size_t)n);
}

static bool has(const struct sim_rough_row *row, struct sim_rand *rand, const char *text)
{
	size_t n = strlen(row->name);
	/* Drawn in any case: what the row does is the same however it came to be on */
	bool drawn = sim_rand_chance(rand, row->per_mille);
	if (*text == '=')
		return has_word(text + 1, row->name, n);
	return drawn && !off_by(text, row->name) &&
		(!row->off || has_word(text, "all", 3) || has_word(text, row->name, n));
}

static void on_turn(void *arg)
{
	struct sim_rough_one *r = arg;
	r->timer = timer_start(world_loop(r->w), sim_rand_range(&r->rand, 100, r->pause_ms),
		on_turn, r);
	sim_oracle_on_act(&r->w->oracle);
	r->row->act(r);
}

void sim_rough_begin(struct world *w, const char *text)
{
	static const int64_t pauses_ms[] = { 3000, 10000, 30000, 60000 };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct sim_rough_one *r = &w->rough.ones[i];
		*r = (struct sim_rough_one){ .w = w };
		r->rand = sim_rand_new(w->seed,
			UINT64_C(0x200000000) +
				fnv1_32(FNV1_START, rows[i].name, strlen(rows[i].name)));
		r->row = has(&rows[i], &r->rand, text ? text : "") ? &rows[i] : NULL;
		r->pause_ms = pauses_ms[sim_rand_range(&r->rand, 0, LENGTH(pauses_ms) - 1)];
	}
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct sim_rough_one *r = &w->rough.ones[i];
		if (r->row && r->row->set_up)
			r->row->set_up(r);
		if (r->row && r->row->act)
			r->timer = timer_start(world_loop(w),
				sim_rand_range(&r->rand, 100, r->pause_ms), on_turn, r);
	}
}

enum { AFTER_MS = 15000, AFTER_TIMES = 20 };

static void on_after(void *arg)
{
	struct sim_rough_one *r = arg;
	r->timer = ++r->repairs < AFTER_TIMES ? timer_start(world_loop(r->w), AFTER_MS, on_after, r)
					      : NULL;
	sim_oracle_on_act(&r->w->oracle);
	r->row->after(r);
}

void sim_rough_repair(struct world *w)
{
	sim_oracle_on_act(&w->oracle);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct sim_rough_one *r = &w->rough.ones[i];
		timer_stop(world_loop(w), r->timer);
		r->timer = NULL;
		if (r->row && r->row->repair)
			r->row->repair(r);
		if (r->row && r->row->after)
			r->timer = timer_start(world_loop(w), AFTER_MS, on_after, r);
	}
}

bool sim_rough_has(const struct world *w, const char *name)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (w->rough.ones[i].row && strcmp(w->rough.ones[i].row->name, name) == 0)
			return true;
	return false;
}

void sim_rough_print(const struct world *w, char out[static ROUGH_TEXT])
{
	size_t n = (size_t)snprintf(out, ROUGH_TEXT, "=");
	for (size_t i = 0; i < LENGTH(rows) && n < ROUGH_TEXT; i++)
		if (w->rough.ones[i].row)
			n += (size_t)snprintf(out + n, ROUGH_TEXT - n, "%s%s", n > 1 ? " " : "",
				rows[i].name);
}
