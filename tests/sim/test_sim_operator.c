/*
 * The operator in the simulated world: random users, random faults, and every promise watched.
 *
 *   SEEDS=n  how many seeds (default 300)      SEED=n  only that one, with a trace
 *   FIRST=n  the first seed (default 1)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/metric.h"
#include "cmd/operator.h"
#include "sim/sim_world.h"

enum { STEPS = 12, QUIET_MS = 90000, SETTLE_MS = 3600000 };

/* The operator's lives in one world. */
struct run {
	struct world *w;
	struct kube kube;
	struct operator_ *operator_;
	struct timer *rebirth;
	uint64_t steps;
	int lives;
};

static void live(void *ctx)
{
	struct run *r = ctx;
	r->rebirth = NULL;
	r->lives++;
	r->kube = (struct kube){ world_kube_http(r->w), world_loop(r->w) };
	struct operator_config config = { &r->kube, world_loop(r->w), sim_http_factory, world_factory_ctx(r->w), NULL };
	r->operator_ = operator_new(&config);
	operator_lead(r->operator_);
}

static void die(struct run *r)
{
	operator_free(r->operator_);
	r->operator_ = NULL;
	http_free(r->kube.http);
	r->kube.http = NULL;
}

static void crashed(void *ctx)
{
	struct run *r = ctx;
	if (!r->operator_)
		return;
	die(r);
	r->rebirth = timer_start(world_loop(r->w), (int64_t)sim_rand_range(&r->w->rand, 100, 5000), live, r);
}

static void run_for(struct run *r, int64_t ms)
{
	int64_t until = loop_now_ms(world_loop(r->w)) + ms;
	while (!world_broken(r->w) && loop_now_ms(world_loop(r->w)) < until && world_step(r->w))
		r->steps++;
}

/* What users, administrators and machines do, one at a time. */
static void something_happens(struct world *w)
{
	char image[32], node[32];
	struct sim_rand *rand = &w->rand;
	snprintf(node, sizeof(node), "foo-%d", (int)sim_rand_range(rand, 0, 5));
	switch (sim_rand_range(rand, 0, 11)) {
	case 0:
	case 1: world_scale(w, WORLD_NS, "foo", (int)sim_rand_range(rand, 0, 6)); break;
	case 2:
		snprintf(image, sizeof(image), "slurmd:%d", (int)sim_rand_range(rand, 1, 1000));
		world_set_template_image(w, WORLD_NS, "foo", image);
		break;
	case 3:
	case 4: world_start_job_on(w, node, (int)sim_rand_range(rand, 5, 200)); break;
	case 5: world_start_job(w, 2, (int)sim_rand_range(rand, 5, 100)); break;
	case 6: world_admin_drain(w, node, "bad disk"); break;
	case 7: world_admin_undrain(w, node); break;
	case 8: world_slurmrestd(w, !sim_rand_range(rand, 0, 1)); break;
	case 9: world_slurmctld_restart(w, sim_rand_range(rand, 0, 1)); break;
	case 10: world_apiserver_restart(w, (int64_t)sim_rand_range(rand, 500, 20000)); break;
	default: world_rotate_token(w); break;
	}
}

static void repair(struct world *w)
{
	char node[32];
	w->net->faults.off = true;
	world_slurmrestd(w, true);
	world_slurmctld(w, true);
	for (int i = 0; i < 7; i++) {
		snprintf(node, sizeof(node), "foo-%d", i);
		world_admin_undrain(w, node);
	}
}

static const char *play(struct run *r)
{
	struct world *w = r->w;
	bool deletes = sim_rand_range(&w->rand, 0, 4) == 0;
	world_on_crash(w, crashed, r);
	world_add_nodeset(w, "foo", (int)sim_rand_range(&w->rand, 1, 5), "slurmd:0", sim_rand_range(&w->rand, 0, 1) ? "1" : "50%");
	sim_faults_rough(&w->net->faults);
	live(r);
	for (int i = 0; i < STEPS && !world_broken(w); i++) {
		run_for(r, (int64_t)sim_rand_range(&w->rand, 50, 40000));
		something_happens(w);
	}
	if (deletes)
		world_delete_nodeset(w, WORLD_NS, "foo");
	repair(w);
	int64_t end = loop_now_ms(world_loop(w)) + SETTLE_MS;
	while (!world_broken(w) && loop_now_ms(world_loop(w)) < end && world_unsettled(w, QUIET_MS))
		run_for(r, 10000);
	return world_broken(w) ? world_broken(w) : world_unsettled(w, QUIET_MS);
}

static bool seed_holds(uint64_t seed, bool trace, uint64_t *steps)
{
	struct run r = { .w = world_new(seed) };
	r.w->oracle.trace = trace;
	const char *trouble = play(&r);
	if (trouble) {
		fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, trouble);
		world_report(r.w);
		fprintf(stderr, "replay with: make test SEED=%llu\n", (unsigned long long)seed);
	}
	*steps += r.steps;
	timer_stop(world_loop(r.w), r.rebirth);
	if (r.operator_)
		die(&r);
	world_free(r.w);
	metric_free_all();
	return !trouble;
}

static uint64_t number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);
	return text && *text ? strtoull(text, NULL, 10) : fallback;
}

static void test_every_promise_holds_for_every_seed(void **state)
{
	(void)state;
	uint64_t one = number("SEED", 0), first = one ? one : number("FIRST", 1), n = one ? 1 : number("SEEDS", 300), steps = 0;
	uint64_t played = 0;
	int broken = 0;
	for (uint64_t seed = first; seed < first + n && broken < 3; seed++, played++)
		broken += !seed_holds(seed, one != 0, &steps);
	fprintf(stderr, "%llu seeds, %llu steps\n", (unsigned long long)played, (unsigned long long)steps);
	assert_int_equal(broken, 0);
	assert_true(steps > played * 100);
}

int main(void)
{
	log_set_level(getenv("SEED") && *getenv("SEED") ? LOG_DEBUG : LOG_ERROR + 1);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_promise_holds_for_every_seed) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
