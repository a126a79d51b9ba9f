/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated Slurm and kubelet: the life of nodes and jobs, and slurmrestd's answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/own.h"
#include "sim/sim_ask.h"

#define V "/slurm/v0.0.42/"

static struct world *w;
static struct http *h;
static struct answer last;

static int setup(void **state)
{
	(void)state;
	w = world_new(31);
	sim_slurm_version(&w->slurm, false);
	w->slurm.prestop = false;
	struct http_config config = { .base_url = WORLD_SLURM_URL };
	assert_false(failed(sim_http_factory(world_factory_ctx(w), &config, &h)));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	answer_free(&last);
	http_free(h);
	world_free(w);
	return 0;
}

static yyjson_val *ask_as(const char *token, const char *method, const char *path, const char *body,
	int status)
{
	answer_free(&last);
	last = sim_ask(w, h, method, path, NULL, token, body);
	if (last.status != status)
		print_message("%s %s: %s %d %s\n", method, path, last.err.text, last.status,
			last.body);
	assert_int_equal(last.status, status);
	return last.root;
}

static yyjson_val *ask(const char *method, const char *path, const char *body, int status)
{
	return ask_as(w->slurm.token, method, path, body, status);
}

static void add_pod_of(const char *name, const char *image)
{
	char json[300];
	snprintf(json, sizeof(json),
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s'},'spec':{'containers':[{'"
		"name':'c','image':'%s'}]}}",
		name, image);
	world_apply(w, json);
}

static void add_pod(const char *name) { add_pod_of(name, "i"); }

static void three_nodes(void)
{
	add_pod("a-0");
	add_pod("a-1");
	add_pod("a-2");
	world_run(w, 12000);
	assert_non_null(sim_slurm_node(&w->slurm, "a-2"));
}

static int error_number(yyjson_val *root)
{
	return (int)sim_int(yyjson_arr_get_first(sim_get(root, "errors")), "error_number", -9);
}

static bool has_word(yyjson_val *node, const char *word)
{
	yyjson_val *v;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(node, "state"));
	while ((v = yyjson_arr_iter_next(&it)))
		if (yyjson_equals_str(v, word))
			return true;
	return false;
}

static bool node_is(const char *name, const char *word)
{
	char path[80];
	snprintf(path, sizeof(path), V "node/%s", name);
	return has_word(yyjson_arr_get_first(sim_get(ask("GET", path, NULL, 200), "nodes")), word);
}

static void who_may_ask(void **state)
{
	(void)state;
	yyjson_val *o = ask("GET", "/openapi/v3", NULL, 200);
	assert_non_null(sim_at(o, "paths", "/slurm/v0.0.42/ping/"));
	assert_null(sim_at(o, "paths", "/slurm/v0.0.43/ping/"));
	ask_as(NULL, "GET", V "nodes", NULL, 401);
	o = ask_as("wrong", "GET", V "nodes", NULL, 511);
	assert_int_equal(error_number(o), 1007);
	o = ask_as("wrong", "GET", V "ping/", NULL, 200);
	assert_string_equal(sim_str(yyjson_arr_get_first(sim_get(o, "pings")), "pinged"), "DOWN");
	o = ask("GET", V "ping/", NULL, 200);
	assert_string_equal(sim_str(yyjson_arr_get_first(sim_get(o, "pings")), "pinged"), "UP");
	ask("GET", V "diag/", NULL, 200);
	ask("GET", "/slurm/v0.0.44/ping/", NULL, 404);
	sim_slurm_version(&w->slurm, true);
	ask("GET", "/slurm/v0.0.44/ping/", NULL, 200);
	world_rotate_token(w);
	ask_as("token-of-the-operator-1", "GET", V "diag/", NULL, 511);
	ask_as("token-of-the-operator-2", "GET", V "diag/", NULL, 200);
}

static void nodes_come_and_are_read(void **state)
{
	(void)state;
	yyjson_val *o = ask("GET", V "nodes/", NULL, 200);
	assert_int_equal(yyjson_arr_size(sim_get(o, "nodes")), 0);
	three_nodes();
	o = ask("GET", V "nodes/", NULL, 200);
	assert_int_equal(yyjson_arr_size(sim_get(o, "nodes")), 3);
	assert_true(has_word(yyjson_arr_get_first(sim_get(o, "nodes")), "IDLE"));
	assert_true(has_word(yyjson_arr_get_first(sim_get(o, "nodes")), "DYNAMIC_NORM"));
	o = ask("GET", V "node/nosuch", NULL, 200);
	assert_null(sim_get(o, "nodes"));
	assert_int_equal(error_number(o), 0);
}

static void conditional_reads(void **state)
{
	(void)state;
	char path[80];
	three_nodes();
	world_run(w, 5000);
	yyjson_val *o = ask("GET", V "nodes/", NULL, 200);
	snprintf(path, sizeof(path), V "nodes/?update_time=%lld",
		(long long)sim_int(sim_get(o, "last_update"), "number", 0));
	ask("GET", path, NULL, 304);
	assert_string_equal(last.body, "");
	world_admin_drain(w, "a-0", "disk");
	ask("GET", path, NULL, 500);
	w->slurm.partitions_bug = false;
	o = ask("GET", path, NULL, 200);
	assert_int_equal(yyjson_arr_size(sim_get(o, "nodes")), 3);
}

static void updates_take_lists_and_parts(void **state)
{
	(void)state;
	three_nodes();
	ask("POST", V "nodes/",
		"{'name':['a-[0-1]','a-2'],'state':['DRAIN'],'reason':'slurm-operator: x'}", 200);
	assert_true(node_is("a-0", "DRAIN") && node_is("a-1", "DRAIN") && node_is("a-2", "DRAIN"));
	ask("POST", V "nodes/", "{'name':['a-0','nosuch','a-1'],'state':['UNDRAIN']}", 500);
	assert_int_equal(error_number(last.root), 2018);
	assert_false(node_is("a-0", "DRAIN") || node_is("a-1", "DRAIN"));
	assert_string_equal(sim_slurm_node(&w->slurm, "a-0")->reason, "slurm-operator: x");
	ask("POST", V "node/a-2", "{'comment':'{}'}", 200);
	assert_string_equal(sim_slurm_node(&w->slurm, "a-2")->comment, "{}");
	ask("POST", V "node/nosuch", "{'comment':'{}'}", 500);
	ask("POST", V "nodes/", "{", 400);
	sim_slurm_version(&w->slurm, true);
	ask("POST", V "node/nosuch", "{'comment':'{}'}", 422);
	world_run(w, 6000);
	assert_false(node_is("a-0", "NOT_RESPONDING"));
}

static void jobs_run_and_end(void **state)
{
	(void)state;
	three_nodes();
	world_admin_drain(w, "a-0", "disk");
	int64_t id = world_start_job(w, 2, 60), waits = world_start_job_on(w, "a-0", 5);
	world_run(w, 5000);
	assert_int_equal(sim_slurm_job(&w->slurm, id)->state, JOB_RUNNING);
	assert_int_equal(sim_slurm_job(&w->slurm, waits)->state, JOB_PENDING);
	assert_int_equal(sim_slurm_busy(&w->slurm, "a-1"), id);
	assert_true(node_is("a-1", "ALLOCATED"));
	yyjson_val *o = ask("GET", V "job/1", NULL, 200),
		   *job = yyjson_arr_get_first(sim_get(o, "jobs"));
	assert_string_equal(sim_str(job, "nodes"), "a-[1-2]");
	assert_true(sim_int(sim_get(job, "start_time"), "number", 0) > 1700000000);
	assert_int_equal(yyjson_arr_size(sim_get(ask("GET", V "jobs/state", NULL, 200), "jobs")),
		2);
	assert_int_equal(yyjson_arr_size(sim_get(ask("GET", V "jobs/", NULL, 200), "jobs")), 2);
	assert_int_equal(error_number(ask("GET", V "job/77", NULL, 404)), 2017);
	ask("DELETE", V "node/a-1", NULL, 500);
	assert_int_equal(error_number(last.root), 2016);
	assert_non_null(strstr(world_broken(w), "P1"));
	w->oracle.n_broken = 0;
	world_run(w, 65000);
	assert_int_equal(sim_slurm_job(&w->slurm, id)->state, JOB_COMPLETED);
	assert_int_equal(sim_slurm_busy(&w->slurm, "a-1"), 0);
	world_admin_undrain(w, "a-0");
	world_run(w, 15000);
	assert_int_equal(sim_slurm_job(&w->slurm, waits)->state, JOB_COMPLETED);
	ask("DELETE", V "node/a-1", NULL, 200);
	assert_null(sim_slurm_node(&w->slurm, "a-1"));
	assert_null(world_broken(w));
}

static int64_t last_busy(const char *name)
{
	char path[80];
	snprintf(path, sizeof(path), V "node/%s", name);
	yyjson_val *nodes = sim_get(ask("GET", path, NULL, 200), "nodes");
	return sim_int(sim_get(yyjson_arr_get_first(nodes), "last_busy"), "number", -1);
}

/* Seen with 24.11.5, also when the next drain has no reason and keeps the one before. */
static void what_ends_a_drain_leaves_its_mark(void **state)
{
	(void)state;
	three_nodes();
	int64_t first = last_busy("a-1");
	ask("POST", V "node/a-1", "{'state':['DRAIN'],'reason':'slurm-operator: x'}", 200);
	world_run(w, 3000);
	assert_int_equal(last_busy("a-1"), first);

	ask("POST", V "node/a-1", "{'state':['UNDRAIN']}", 200);
	ask("POST", V "node/a-1", "{'state':['DRAIN']}", 200);
	int64_t lifted = last_busy("a-1");
	assert_true(lifted > first);

	ask("POST", V "node/a-1", "{'state':['UNDRAIN']}", 200);
	int64_t id = world_start_job_on(w, "a-1", 60);
	world_run(w, 6000);
	sim_slurm_suspend(&w->slurm, sim_slurm_job(&w->slurm, id));
	assert_true(last_busy("a-1") > lifted);
}

static void a_dead_slurmd_is_noticed_late(void **state)
{
	(void)state;
	three_nodes();
	int64_t id = world_start_job_on(w, "a-0", 600);
	world_run(w, 3000);
	assert_true(sim_kubelet_fail(&w->kubelet, "slurm", "a-0"));
	assert_string_equal(sim_str(sim_get(world_object(w, RES_POD, "slurm", "a-0")->root,
					    "status"),
				    "phase"),
		"Failed");
	world_run(w, 2000);
	assert_true(node_is("a-0", "ALLOCATED"));
	world_run(w, 40000);
	assert_true(node_is("a-0", "DOWN") && node_is("a-0", "NOT_RESPONDING"));
	assert_int_equal(sim_slurm_job(&w->slurm, id)->state, JOB_PENDING);
	assert_int_equal(sim_slurm_job(&w->slurm, id)->requeues, 1);
	/* a new pod of the same name takes the node over */
	world_delete(w, RES_POD, "slurm", "a-0");
	add_pod("a-0");
	world_run(w, 15000);
	assert_false(node_is("a-0", "DOWN"));
	assert_int_equal(sim_slurm_job(&w->slurm, id)->state, JOB_RUNNING);
}

static void a_drain_outlives_the_pod_unless_its_hook_deletes_the_node(void **state)
{
	(void)state;
	three_nodes();
	world_admin_drain(w, "a-0", "disk");
	world_delete(w, RES_POD, "slurm", "a-0");
	world_run(w, 5000);
	assert_non_null(sim_slurm_node(&w->slurm, "a-0"));
	add_pod("a-0");
	world_run(w, 15000);
	assert_true(node_is("a-0", "DRAIN"));
	w->slurm.prestop = true;
	world_delete(w, RES_POD, "slurm", "a-1");
	world_run(w, 5000);
	assert_null(sim_slurm_node(&w->slurm, "a-1"));
}

static void a_killed_slurmctld_forgets_what_it_never_wrote(void **state)
{
	(void)state;
	three_nodes();
	world_slurmctld_restart(w, true);
	world_run(w, 20000);
	assert_null(sim_slurm_node(&w->slurm, "a-0"));
	assert_true(sim_kubelet_crash(&w->kubelet, "slurm", "a-0", 1000));
	world_run(w, 20000);
	assert_non_null(sim_slurm_node(&w->slurm, "a-0"));
	ask("POST", V "node/a-0", "{'comment':'kept'}", 200);
	world_slurmctld_restart(w, true);
	ask("GET", V "nodes/", NULL, 502);
	assert_int_equal(error_number(last.root), 1800);
	world_run(w, 20000);
	assert_non_null(sim_slurm_node(&w->slurm, "a-0"));
	assert_false(node_is("a-0", "NOT_RESPONDING"));
}

static void slurm_down(void **state)
{
	(void)state;
	int64_t before = w->loop->now_ms;
	world_slurmctld(w, false);
	ask("GET", V "diag/", NULL, 502);
	assert_true(w->loop->now_ms - before >= 9000);
	yyjson_val *o = ask("GET", V "ping/", NULL, 200);
	assert_string_equal(sim_str(yyjson_arr_get_first(sim_get(o, "pings")), "pinged"), "DOWN");
	world_slurmctld(w, true);
	ask("GET", V "diag/", NULL, 200);
	world_slurmrestd(w, false);
	ask("GET", V "diag/", NULL, 0);
	assert_int_equal(last.err.kind, ERR_RETRY);
	world_slurmrestd(w, true);
	struct sim_fault fault = { .point = w->net->faults.points, .kind = FAULT_INSIDE };
	w->net->faults.replay = true;
	w->net->faults.given = &fault;
	w->net->faults.n_given = 1;
	o = ask("GET", V "nodes/", NULL, 200);
	assert_int_equal(error_number(o), 1006);
}

static void kubelet_troubles(void **state)
{
	(void)state;
	three_nodes();
	struct sim_version *v = world_object(w, RES_POD, "slurm", "a-0");
	assert_true(sim_condition_true(v, "Ready"));
	world_patch(w, RES_POD, "slurm", "a-0", "status",
		"{'status':{'conditions':[{'type':'example.com/"
		"Mine','status':'True'},{'type':'Ready','status':'True'}]}}");
	assert_true(sim_kubelet_unready(&w->kubelet, "slurm", "a-0", 5000));
	v = world_object(w, RES_POD, "slurm", "a-0");
	assert_false(sim_condition_true(v, "Ready"));
	assert_true(sim_condition_true(v, "example.com/Mine"));
	world_run(w, 6000);
	assert_true(sim_condition_true(world_object(w, RES_POD, "slurm", "a-0"), "Ready"));
	assert_false(sim_kubelet_fail(&w->kubelet, "slurm", "nosuch"));
	world_apply(w,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'bad'},'spec':{'containers':[{'"
		"name':'c','image':'broken:1'}]}}");
	world_run(w, 60000);
	assert_false(sim_condition_true(world_object(w, RES_POD, "slurm", "bad"), "Ready"));
	assert_null(sim_slurm_node(&w->slurm, "bad"));
	/* a claim that is not there yet is waited for */
	world_apply(w,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'claims'},'spec':{'containers':"
		"[{'name':'c','image':'i'}],"
		"'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'v-claims'}}]}}");
	world_run(w, 30000);
	assert_string_equal(sim_str(sim_get(world_object(w, RES_POD, "slurm", "claims")->root,
					    "spec"),
				    "nodeName"),
		"");
	world_apply(w,
		"{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'v-claims'},'"
		"spec':{}}");
	world_run(w, 10000);
	assert_true(sim_condition_true(world_object(w, RES_POD, "slurm", "claims"), "Ready"));
}

static bool a_pod_has_crashed(struct world *world)
{
	return strstr(world_object(world, RES_POD, WORLD_NS, "a-0")->text, "CrashLoopBackOff");
}

/* The first back-off is 10 s long, and told of within two. */
static void no_machine_that_comes_back_cuts_a_back_off_short(void **state)
{
	(void)state;
	add_pod_of("a-0", "crashing");
	assert_true(world_run_until(w, a_pod_has_crashed, 12000));
	int64_t rv = world_object(w, RES_POD, WORLD_NS, "a-0")->rv;
	for (int i = 0; i < SIM_MACHINES; i++)
		sim_kubelet_machine_back(&w->kubelet, i);
	world_run(w, 7000);
	assert_int_equal(world_object(w, RES_POD, WORLD_NS, "a-0")->rv, rv);
	assert_null(sim_slurm_node(&w->slurm, "a-0"));
	world_run(w, 600000);
	assert_non_null(sim_slurm_node(&w->slurm, "a-0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_may_ask, setup, teardown),
		cmocka_unit_test_setup_teardown(nodes_come_and_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(conditional_reads, setup, teardown),
		cmocka_unit_test_setup_teardown(updates_take_lists_and_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(jobs_run_and_end, setup, teardown),
		cmocka_unit_test_setup_teardown(what_ends_a_drain_leaves_its_mark, setup, teardown),
		cmocka_unit_test_setup_teardown(a_dead_slurmd_is_noticed_late, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_drain_outlives_the_pod_unless_its_hook_deletes_the_node, setup, teardown),
		cmocka_unit_test_setup_teardown(a_killed_slurmctld_forgets_what_it_never_wrote,
			setup, teardown),
		cmocka_unit_test_setup_teardown(slurm_down, setup, teardown),
		cmocka_unit_test_setup_teardown(kubelet_troubles, setup, teardown),
		cmocka_unit_test_setup_teardown(no_machine_that_comes_back_cuts_a_back_off_short,
			setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
