/* SPDX-License-Identifier: Apache-2.0 */
/* Two managers in one world: who acts, who takes over, and the oracle that judges it. */
#include "lib/test.h"

#include "base/log.h"
#include "base/own.h"
#include "sim/sim_ask.h"
#include "sim/sim_call.h"

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/slurm/leases"
#define SET "/apis/slinky.slurm.net/v1alpha1/namespaces/slurm/nodesets/s"

static struct world *w;

static int setup(void **state)
{
	(void)state;
	w = world_new(7);
	w->oracle.lease.elected = true;
	world_add_nodeset(w, "s", 2, "img:1", "1");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < SIM_PROGRAMS; i++)
		sim_manager_free(&w->managers[i]);
	world_free(w);
	return 0;
}

/* ---- managers ---- */

static int leader(void) { return sim_oracle_leader(&w->oracle); }

static bool somebody_leads(struct world *world)
{
	(void)world;
	return leader() >= 0;
}

static bool first_leads(struct world *world) { return world && leader() == 0; }
static bool second_leads(struct world *world) { return world && leader() == 1; }

static bool pods_are_ready(struct world *world) { return world_ready_pods(world, "s") == 2; }

static int given_two_managers(void)
{
	for (int i = 0; i < SIM_PROGRAMS; i++) {
		sim_manager_init(&w->managers[i], w, i, true);
		sim_manager_live(&w->managers[i]);
	}
	assert_true(world_run_until(w, somebody_leads, 10000));
	assert_true(world_run_until(w, pods_are_ready, 60000));
	return leader();
}

static void one_that_was_frozen_for_long_ends_without_acting(void **state)
{
	(void)state;
	int frozen = given_two_managers();
	struct sim_manager *m = &w->managers[frozen];
	sim_manager_freeze(m, 60000);
	world_set_template_image(w, WORLD_NS, "s", "img:2");
	assert_true(world_run_until(w, frozen ? first_leads : second_leads, 25000));
	world_run(w, 5000);
	assert_int_equal(m->lives, 1);
	sim_manager_thaw(m);
	world_run(w, 6000);
	assert_int_equal(m->lives, 2);
	assert_true(world_settle(w, 30000, 600000));
	assert_null(world_broken(w));
}

static void one_that_was_frozen_for_a_moment_goes_on(void **state)
{
	(void)state;
	int frozen = given_two_managers();
	sim_manager_freeze(&w->managers[frozen], 6000);
	world_set_template_image(w, WORLD_NS, "s", "img:2");
	world_run(w, 20000);
	assert_int_equal(leader(), frozen);
	assert_int_equal(w->managers[frozen].lives, 1);
	assert_true(world_settle(w, 30000, 600000));
	assert_null(world_broken(w));
}

static void one_that_is_told_to_end_hands_over_at_once(void **state)
{
	(void)state;
	int first = given_two_managers();
	sim_manager_end(&w->managers[first]);
	assert_true(world_run_until(w, first ? first_leads : second_leads, 5000));
	assert_null(world_broken(w));
}

/* Two comments of nodes are on their way, and others wait behind them. */
static bool comments_wait(struct world *world)
{
	size_t bare = 0, under_way = 0;
	for (const struct http_call *c = world->net->calls; c; c = c->next)
		under_way += c->body && strstr(c->path, "/nodes/") && strstr(c->body, "comment");
	for (const struct sim_node *n = world->slurm.nodes; n; n = n->next)
		bare += !*n->comment;
	return under_way == 2 && bare > 2;
}

static void what_waits_behind_another_request_is_not_sent_after_a_freeze(void **state)
{
	(void)state;
	int frozen = given_two_managers();
	world_slurmctld(w, false);
	world_scale(w, WORLD_NS, "s", 12);
	world_run(w, 30000);
	world_slurmctld(w, true);
	assert_true(world_run_until(w, comments_wait, 60000));
	sim_manager_freeze(&w->managers[frozen], 60000);
	assert_true(world_run_until(w, frozen ? first_leads : second_leads, 25000));
	sim_manager_thaw(&w->managers[frozen]);
	world_run(w, 6000);
	assert_null(world_broken(w));
}

/* Only the leader of two managers asks, and no decision waits for the answer. */
static void the_one_that_leads_asks_for_partitions_once_a_minute(void **state)
{
	(void)state;
	given_two_managers();
	int before = w->slurm.partition_reads;
	world_run(w, 180000);
	assert_in_range(w->slurm.partition_reads - before, 2, 4);
	assert_null(world_broken(w));
}

static bool nodes_were_shown(struct world *world)
{
	return sim_oracle_home_ms(&world->oracle, &world->slurm) > 0;
}

static bool another_slurm_answers(struct world *world) { return world->slurm.stand_in; }

static const char *cluster_text(void)
{
	return world_object(w, RES_CLUSTER, WORLD_NS, "slurm")->text;
}

/*
 * Which Slurm is meant is what the first answer says, until the status of the Cluster
 * keeps it. No program can know what a manager knew that could not write it down.
 */
static void no_other_slurm_comes_before_a_frozen_manager_had_time_to_remember(void **state)
{
	(void)state;
	sim_rough_begin(w, "=stand-in");
	for (int i = 0; i < SIM_PROGRAMS; i++) {
		sim_manager_init(&w->managers[i], w, i, true);
		sim_manager_live(&w->managers[i]);
	}
	assert_true(world_run_until(w, nodes_were_shown, 20000));
	for (int i = 0; i < SIM_PROGRAMS; i++)
		sim_manager_freeze(&w->managers[i], 600000);
	assert_null(strstr(cluster_text(), w->slurm.cluster));
	assert_false(world_run_until(w, another_slurm_answers, 300000));
	for (int i = 0; i < SIM_PROGRAMS; i++)
		sim_manager_thaw(&w->managers[i]);
	assert_true(world_run_until(w, another_slurm_answers, 300000));
	assert_non_null(strstr(cluster_text(), w->slurm.cluster));
	sim_rough_repair(w);
	assert_true(world_settle(w, 30000, 600000));
	assert_null(world_broken(w));
}

/* ---- the oracle ---- */

static struct answer ask(struct http *h, const char *method, const char *path, const char *body)
{
	return sim_ask(w, h, method, path, NULL, NULL, body);
}

static void write_as(struct http *h)
{
	struct answer a = ask(h, "PATCH", SET,
		"{'metadata':{'finalizers':['slinky.slurm.net/x']}}");
	assert_int_equal(a.status, 200);
	answer_free(&a);
}

static void given_a_lease_of(struct http *h, const char *identity)
{
	char body[300];
	snprintf(body, sizeof(body),
		"{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':"
		"'manager'},'spec':{'holderIdentity':'%s'}}",
		identity);
	struct answer a = ask(h, "POST", LEASES, body);
	assert_int_equal(a.status, 201);
	answer_free(&a);
}

static void then_broken(const char *why)
{
	assert_non_null(world_broken(w));
	assert_string_equal(w->oracle.promise, "P2");
	assert_has(world_broken(w), why);
}

static void p2_who_does_not_lead(void **state)
{
	(void)state;
	struct http *first = world_kube_http_of(w, 0), *second = world_kube_http_of(w, 1);
	given_a_lease_of(first, "manager-0-1");
	write_as(first);
	assert_null(world_broken(w));
	write_as(second);
	then_broken("manager 1 sent it in life 1, which does not lead");
	http_free(first);
	http_free(second);
}

static void p2_whose_lease_has_run_out(void **state)
{
	(void)state;
	struct http *first = world_kube_http_of(w, 0);
	given_a_lease_of(first, "manager-0-1");
	world_run(w, 9000);
	write_as(first);
	assert_null(world_broken(w));
	world_run(w, 1000);
	write_as(first);
	then_broken("after it last renewed its lease");
	http_free(first);
}

#define RULE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	log_set_level(LOG_ERROR + 1);
	const struct CMUnitTest tests[] = {
		RULE(one_that_was_frozen_for_long_ends_without_acting),
		RULE(one_that_was_frozen_for_a_moment_goes_on),
		RULE(one_that_is_told_to_end_hands_over_at_once),
		RULE(what_waits_behind_another_request_is_not_sent_after_a_freeze),
		RULE(the_one_that_leads_asks_for_partitions_once_a_minute),
		RULE(no_other_slurm_comes_before_a_frozen_manager_had_time_to_remember),
		RULE(p2_who_does_not_lead),
		RULE(p2_whose_lease_has_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
