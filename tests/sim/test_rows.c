/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of sim_rough.c, one at a time: each is as on the real thing, and the oracles
 * judge it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/own.h"
#include "sim/sim_ask.h"

#define V "/slurm/v0.0.42/"
#define PODS "/api/v1/namespaces/slurm/pods"
#define DRAINS "'state':['DRAIN'],'reason':'slurm-operator: x'}"

static struct world *w;
static struct http *kube, *slurm;
static struct answer last;

static yyjson_val *ask(const char *method, const char *path, const char *body, int status)
{
	bool to_slurm = strncmp(path, "/slurm", 6) == 0;
	answer_free(&last);
	last = sim_ask(w, to_slurm ? slurm : kube, method, path, NULL,
		to_slurm ? w->slurm.token : NULL, body);
	if (last.status != status)
		print_message("%s %s: %s %d %s\n", method, path, last.err.text, last.status,
			last.body);
	assert_int_equal(last.status, status);
	return last.root;
}

/* Three pods without an owner, each with a slurmd. */
static int setup(void **state)
{
	(void)state;
	w = world_new(51);
	sim_slurm_version(&w->slurm, false);
	w->slurm.prestop = false;
	kube = world_kube_http(w);
	struct http_config config = { .base_url = WORLD_SLURM_URL };
	assert_false(failed(sim_http_factory(world_factory_ctx(w), &config, &slurm)));
	for (int i = 0; i < 3; i++) {
		char json[200];
		snprintf(json, sizeof(json),
			"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a-%d'},'spec':{'"
			"containers':[{'name':'c','image':'i'}]}}",
			i);
		world_apply(w, json);
	}
	world_run(w, 12000);
	assert_non_null(sim_slurm_node(&w->slurm, "a-2"));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	answer_free(&last);
	http_free(kube);
	http_free(slurm);
	world_free(w);
	return 0;
}

static yyjson_val *node(const char *name)
{
	char path[80];
	snprintf(path, sizeof(path), V "node/%s", name);
	return yyjson_arr_get_first(sim_get(ask("GET", path, NULL, 200), "nodes"));
}

static bool is(const char *name, const char *word)
{
	yyjson_val *v;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(node(name), "state"));
	while ((v = yyjson_arr_iter_next(&it)))
		if (yyjson_equals_str(v, word))
			return true;
	return false;
}

static const char *job_state(const char *path)
{
	yyjson_val *job = yyjson_arr_get_first(sim_get(ask("GET", path, NULL, 200), "jobs"));
	yyjson_val *state = sim_get(job, strstr(path, "jobs/state") ? "state" : "job_state");
	return yyjson_get_str(yyjson_arr_get_first(state));
}

/* ---- suspended ---- */

static void a_suspended_job_leaves_its_node_idle(void **state)
{
	(void)state;
	int64_t id = world_start_job_on(w, "a-1", 60);
	world_run(w, 3000);
	struct sim_job *j = sim_slurm_job(&w->slurm, id);
	sim_slurm_suspend(&w->slurm, j);
	ask("POST", V "nodes/", "{'name':['a-1']," DRAINS, 200);
	assert_true(is("a-1", "IDLE") && is("a-1", "DRAIN"));
	assert_int_equal(sim_int(node("a-1"), "alloc_cpus", -1), 0);
	assert_string_equal(job_state(V "jobs/state"), "SUSPENDED");
	assert_string_equal(job_state(V "job/1"), "SUSPENDED");
	assert_string_equal(sim_str(yyjson_arr_get_first(sim_get(last.root, "jobs")), "nodes"),
		"a-1");
	assert_int_equal(sim_slurm_busy(&w->slurm, "a-1"), id);
	/* it goes on where it was, drained or not, for the time that it had left */
	world_run(w, 100000);
	assert_int_equal(j->state, JOB_SUSPENDED);
	sim_slurm_resume(&w->slurm, j);
	world_run(w, 2000);
	assert_true(is("a-1", "ALLOCATED") && is("a-1", "DRAIN"));
	world_run(w, 65000);
	assert_int_equal(j->state, JOB_COMPLETED);
}

static void its_pod_may_not_be_ended(void **state)
{
	(void)state;
	int64_t id = world_start_job_on(w, "a-1", 600);
	world_run(w, 3000);
	sim_slurm_suspend(&w->slurm, sim_slurm_job(&w->slurm, id));
	ask("POST", V "nodes/", "{'name':['a-1']," DRAINS, 200);
	world_run(w, 2000);
	ask("GET", PODS, NULL, 200);
	ask("GET", V "nodes/", NULL, 200);
	world_run(w, 2000);
	ask("DELETE", PODS "/a-1", NULL, 200);
	assert_non_null(strstr(world_broken(w), "P1 is broken"));
}

static void a_node_with_a_suspended_job_takes_another(void **state)
{
	(void)state;
	int64_t first = world_start_job_on(w, "a-1", 20);
	world_run(w, 3000);
	sim_slurm_suspend(&w->slurm, sim_slurm_job(&w->slurm, first));
	int64_t second = world_start_job_on(w, "a-1", 30);
	world_run(w, 3000);
	sim_slurm_resume(&w->slurm, sim_slurm_job(&w->slurm, first));
	world_run(w, 3000);
	assert_int_equal(sim_slurm_job(&w->slurm, second)->state, JOB_RUNNING);
	assert_int_equal(sim_slurm_job(&w->slurm, first)->state, JOB_SUSPENDED);
	world_run(w, 80000);
	assert_int_equal(sim_slurm_job(&w->slurm, first)->state, JOB_COMPLETED);
}

static void a_requeued_job_completes_first(void **state)
{
	(void)state;
	struct sim_job *j = sim_slurm_job(&w->slurm, world_start_job_on(w, "a-1", 600));
	world_run(w, 3000);
	w->slurm.epilog_ms = 20000;
	sim_slurm_requeue(&w->slurm, j);
	assert_true(is("a-1", "COMPLETING"));
	world_run(w, 60000);
	assert_int_equal(j->requeues, 1);
	assert_int_equal(j->state, JOB_RUNNING);
}

/* ---- records and reasons ---- */

static void answers_say_who_gives_them(void **state)
{
	(void)state;
	yyjson_val *pod = ask("GET", PODS "/a-1", NULL, 200);
	AUTO(own_free) char *address = own_strdup(sim_str(sim_get(pod, "status"), "podIP"));
	assert_string_equal(sim_str(node("a-1"), "address"), address);
	assert_string_equal(sim_str(node("a-1"), "hostname"), "a-1");
	assert_string_not_equal(sim_str(node("a-2"), "address"), address);
	assert_string_equal(sim_str(sim_at(ask("GET", V "nodes/", NULL, 200), "meta", "slurm"),
				    "cluster"),
		"quartz");
	assert_string_equal(sim_str(sim_at(ask("GET", V "node/nosuch", NULL, 200), "meta", "slurm"),
				    "cluster"),
		"quartz");
	assert_null(sim_get(last.root, "nodes"));
}

#define REASON(name, text) assert_string_equal(sim_slurm_node(&w->slurm, name)->reason, text)

static void a_reason_stays_until_the_next_job(void **state)
{
	(void)state;
	w->slurm.keeps_reasons = true;
	ask("POST", V "nodes/", "{'name':['a-1']," DRAINS, 200);
	ask("POST", V "nodes/", "{'name':['a-1'],'state':['UNDRAIN']}", 200);
	REASON("a-1", "slurm-operator: x");
	ask("POST", V "nodes/", "{'name':['a-1'],'state':['UNDRAIN'],'reason':'back'}", 200);
	REASON("a-1", "back");
	world_admin_drain(w, "a-1", NULL);
	REASON("a-1", "back");
	world_admin_undrain(w, "a-1");
	world_run(w, 5000);
	world_start_job_on(w, "a-1", 5);
	world_run(w, 3000);
	REASON("a-1", "");
	/* 26.05 clears it */
	sim_slurm_version(&w->slurm, true);
	ask("POST", "/slurm/v0.0.44/nodes/", "{'name':['a-2']," DRAINS, 200);
	ask("POST", "/slurm/v0.0.44/nodes/", "{'name':['a-2'],'state':['UNDRAIN'],'reason':'back'}",
		200);
	REASON("a-2", "");
}

/* The slurmd dies, and comes back when Slurm has set its node DOWN. */
static void goes_down_and_comes_back(const char *pod)
{
	const char *uid = world_object(w, RES_POD, "slurm", pod)->uid;
	sim_slurmd_stopped(&w->slurm, uid, false);
	world_run(w, 45000);
	assert_true(is(pod, "DOWN"));
	sim_slurmd_started(&w->slurm,
		&(struct sim_slurmd_id){
			.node = pod,
			.uid = uid,
			.address = "10.0.0.9",
			.hostname = pod,
		});
	world_run(w, 10000);
}

static void a_node_with_a_reason_stays_down(void **state)
{
	(void)state;
	w->slurm.keeps_reasons = w->slurm.stays_down = true;
	goes_down_and_comes_back("a-0");
	assert_false(is("a-0", "DOWN"));
	ask("POST", V "nodes/", "{'name':['a-1']," DRAINS, 200);
	ask("POST", V "nodes/", "{'name':['a-1'],'state':['UNDRAIN'],'reason':'back'}", 200);
	goes_down_and_comes_back("a-1");
	assert_true(is("a-1", "DOWN"));
	REASON("a-1", "back : Not responding");
	ask("POST", V "nodes/", "{'name':['a-1'],'state':['RESUME']}", 200);
	assert_false(is("a-1", "DOWN"));
}

static void an_invalid_node_is_not_undrained_but_loses_its_reason(void **state)
{
	(void)state;
	w->slurm.keeps_reasons = true;
	w->slurm.invalid_per_mille = 1000;
	goes_down_and_comes_back("a-1");
	assert_true(is("a-1", "INVALID_REG") && is("a-1", "DRAIN"));
	REASON("a-1", "Low RealMemory");
	ask("POST", V "nodes/", "{'name':['a-0']," DRAINS, 200);
	yyjson_val *o = ask("POST", V "nodes/",
		"{'name':['a-1','a-0'],'state':['UNDRAIN'],'reason':'back'}", 500);
	assert_int_equal(sim_int(yyjson_arr_get_first(sim_get(o, "errors")), "error_number", 0),
		2028);
	assert_false(is("a-0", "DRAIN"));
	assert_true(is("a-1", "DRAIN"));
	REASON("a-1", "back");
}

/* ---- slow lists ---- */

static void on_list(void *ctx, struct err err, const struct http_answer *answer)
{
	struct listener *l = ctx;
	assert_false(failed(err));
	l->done = true;
	str_add_bytes(&l->text, answer->body, answer->body_bytes);
}

static void slow_lists_show_their_beginning_or_their_end(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		w->slurm.list_ms = 8000;
		w->slurm.lists_begin_late = late;
		world_admin_undrain(w, "a-1");
		world_run(w, 5000);
		struct listener l = { 0 };
		struct http_header token = { "X-SLURM-USER-TOKEN", w->slurm.token };
		struct http_request list = {
			.method = "GET",
			.path = V "nodes/",
			.headers = &token,
			.n_headers = 1,
		};
		http_send(slurm, &list, on_list, &l);
		world_run(w, 1000);
		world_admin_drain(w, "a-1", "disk");
		assert_true(is("a-1", "DRAIN")); /* single nodes are as quick as ever */
		assert_false(l.done);
		world_run(w, 9000);
		assert_true(l.done);
		assert_int_equal(strstr(l.text.text, "\"disk\"") != NULL, late);
		str_free(&l.text);
	}
}

static void a_busy_cluster_has_always_changed(void **state)
{
	(void)state;
	char path[80];
	world_run(w, 10000);
	snprintf(path, sizeof(path), V "nodes/?update_time=%lld",
		(long long)sim_loop_server_ms(w->loop) / 1000);
	w->slurm.partitions_bug = false;
	ask("GET", path, NULL, 304);
	w->slurm.busy = true;
	ask("GET", path, NULL, 200);
}

/* ---- who is who ---- */

static void another_slurm_answers_for_a_while(void **state)
{
	(void)state;
	ask("GET", V "nodes/", NULL, 200);
	sim_rough_begin(w, "=stand-in");
	while (!w->slurm.stand_in)
		world_run(w, 1000);
	yyjson_val *o = ask("GET", V "nodes/", NULL, 200);
	assert_string_equal(sim_str(sim_at(o, "meta", "slurm"), "cluster"), "basalt");
	assert_null(sim_slurm_node(w->other, "a-1"));
	assert_non_null(sim_slurm_node(&w->slurm, "a-1"));
	/* who has been told, leaves its nodes and ours alone */
	world_run(w, 2000);
	w->slurm.stand_in = w->other;
	ask("POST", V "nodes/", "{'name':['foo-1'],'state':['COMMENT']}", 200);
	assert_non_null(strstr(world_broken(w), "P11"));
	sim_rough_repair(w);
	assert_string_equal(sim_str(sim_at(ask("GET", V "nodes/", NULL, 200), "meta", "slurm"),
				    "cluster"),
		"quartz");
}

static void a_slurmd_may_call_itself_otherwise(void **state)
{
	(void)state;
	world_apply(w,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'b-0'},'spec':{'containers':[{'"
		"name':'c','image':'i:alt'}]}}");
	world_run(w, 12000);
	assert_null(sim_slurm_node(&w->slurm, "b-0"));
	assert_string_equal(sim_str(node("alt-b-0"), "hostname"), "b-0");
	assert_string_equal(sim_str(node("alt-b-0"), "address"),
		sim_str(sim_get(world_object(w, RES_POD, "slurm", "b-0")->root, "status"),
			"podIP"));
	ask("GET", V "nodes/", NULL, 200);
	world_run(w, 2000);
	ask("DELETE", PODS "/b-0", NULL, 200);
	assert_non_null(strstr(world_broken(w), "alt-b-0 was idle but not drained"));
}

static void a_restored_state_knows_nothing_newer(void **state)
{
	(void)state;
	world_admin_drain(w, "a-0", "old");
	world_run(w, 60000);
	world_admin_drain(w, "a-1", "new");
	world_apply(w,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'b-0'},'spec':{'containers':[{'"
		"name':'c','image':'i'}]}}");
	world_run(w, 15000);
	assert_non_null(sim_slurm_node(&w->slurm, "b-0"));
	sim_slurmctld_restore(&w->slurm, 30000, 1000);
	world_run(w, 20000);
	assert_true(is("a-0", "DRAIN"));
	assert_false(is("a-1", "DRAIN"));
	assert_null(sim_slurm_node(&w->slurm, "b-0"));
}

/* ---- Kubernetes ---- */

#define OURS(plural) "/apis/slinky.slurm.net/v1alpha1/namespaces/slurm/" plural

/* A manager that is shown all of them can act. */
static void the_program_lists_all(void)
{
	const char *lists[] = { OURS("nodesets"), OURS("clusters"), PODS,
		"/api/v1/persistentvolumeclaims", "/apis/apps/v1/controllerrevisions" };
	for (size_t i = 0; i < LENGTH(lists); i++)
		ask("GET", lists[i], NULL, 200);
}

static void make_owned_pod(const char *name, const char *set, const char *more_owners,
	const char *claim)
{
	struct str s = { 0 };
	str_addf(&s,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','ownerReferences':[{'"
		"apiVersion':'slinky.slurm.net/v1alpha1','kind':'NodeSet',"
		"'name':'%s','uid':'%s','controller':true,'blockOwnerDeletion':true}%s]},'spec':{'"
		"containers':[{'name':'c','image':'i'}],"
		"'volumes':[{'name':'d','persistentVolumeClaim':{'claimName':'%s'}}]}}",
		name, set, world_object(w, RES_NODESET, "slurm", set)->uid, more_owners, claim);
	world_apply(w, s.text);
	str_free(&s);
}

static void make_claim(const char *name, const char *kind, const char *owner_uid)
{
	struct str s = { 0 };
	str_addf(&s,
		"{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'%s','"
		"ownerReferences':[",
		name);
	if (kind)
		str_addf(&s, "{'apiVersion':'v1','kind':'%s','name':'x','uid':'%s'}", kind,
			owner_uid);
	str_add(&s, "]},'spec':{}}");
	world_apply(w, s.text);
	str_free(&s);
}

static void deletion_in_the_foreground_takes_all_that_nothing_else_owns(void **state)
{
	(void)state;
	char second[200];
	snprintf(second, sizeof(second),
		",{'apiVersion':'v1','kind':'Namespace','name':'slurm','uid':'%s'}",
		world_object(w, RES_NAMESPACE, "", "slurm")->uid);
	world_add_nodeset(w, "s", 2, "i", "1");
	make_claim("c", NULL, NULL);
	make_owned_pod("s-0", "s", "", "c");
	make_owned_pod("s-1", "s", second, "c");
	world_patch(w, RES_NODESET, "slurm", "s", "",
		"{'metadata':{'finalizers':['mine.io/hold']}}");
	world_run(w, 12000);
	world_start_job_on(w, "s-0", 600);
	world_run(w, 3000);
	assert_null(world_broken(w));
	the_program_lists_all();
	world_run(w, 6000);
	sim_delete_by(&w->kube, ACTOR_USER, RES_NODESET, "slurm", "s", "Foreground");
	world_run(w, 20000);
	assert_non_null(strstr(world_broken(w), "taken by the garbage collector"));
	w->oracle.n_broken = 0;
	world_run(w, 20000);
	assert_null(world_object(w, RES_POD, "slurm", "s-0"));
	assert_string_equal(sim_owner_uid(world_object(w, RES_POD, "slurm", "s-1")), "");
	const struct sim_version *set = world_object(w, RES_NODESET, "slurm", "s");
	assert_false(sim_has_finalizer(set, "foregroundDeletion"));
	assert_true(sim_has_finalizer(set, "mine.io/hold"));
}

static void orphans_stay(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 1, "i", "1");
	make_claim("c", NULL, NULL);
	make_owned_pod("s-0", "s", "", "c");
	ask("GET", OURS("nodesets"), NULL, 200);
	sim_delete_by(&w->kube, ACTOR_USER, RES_NODESET, "slurm", "s", "Orphan");
	assert_true(sim_has_finalizer(world_object(w, RES_NODESET, "slurm", "s"), "orphan"));
	world_run(w, 20000);
	assert_null(world_object(w, RES_NODESET, "slurm", "s"));
	assert_string_equal(sim_owner_uid(world_object(w, RES_POD, "slurm", "s-0")), "");
}

static void a_claim_stays_while_it_is_used_and_goes_with_its_owner(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 1, "i", "1");
	world_patch(w, RES_NODESET, "slurm", "s", "",
		"{'spec':{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain','"
		"whenScaled':'Delete'},"
		"'volumeClaimTemplates':[{'metadata':{'name':'d'}}]}}");
	make_claim("d-s-0", NULL, NULL);
	make_owned_pod("s-0", "s", "", "d-s-0");
	world_run(w, 12000);
	world_delete(w, RES_PVC, "slurm", "d-s-0");
	world_run(w, 20000);
	assert_true(sim_terminating(world_object(w, RES_PVC, "slurm", "d-s-0")));
	world_delete(w, RES_POD, "slurm", "s-0");
	world_run(w, 20000);
	assert_null(world_object(w, RES_PVC, "slurm", "d-s-0"));
	assert_null(world_broken(w)); /* a user who deletes a claim means it */
	/* a pod that is not one too many takes its claim along */
	make_owned_pod("s-0", "s", "", "d-s-0");
	make_claim("d-s-0", "Pod", world_object(w, RES_POD, "slurm", "s-0")->uid);
	the_program_lists_all();
	world_run(w, 12000);
	world_delete(w, RES_POD, "slurm", "s-0");
	world_run(w, 20000);
	assert_null(world_object(w, RES_PVC, "slurm", "d-s-0"));
	assert_non_null(strstr(world_broken(w), "which was not scaled in"));
}

static void policies_and_quotas_refuse(void **state)
{
	(void)state;
	w->kube.policy = (struct sim_policy){
		.on = true,
		.resource = RES_POD,
		.name = "a-1",
		.methods = "PATCH",
	};
	ask("PATCH", PODS "/a-1", "{'metadata':{'labels':{'x':'1'}}}", 403);
	ask("PATCH", PODS "/a-2", "{'metadata':{'labels':{'x':'1'}}}", 200);
	ask("PATCH", PODS "/a-1/status", "{'status':{'message':'x'}}", 200);
	w->kube.most_pods = 3;
	ask("POST", PODS,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x'},'spec':{'containers':[{'"
		"name':'c','image':'i'}]}}",
		403);
}

static void a_machine_rejects_and_nobody_tries_without_end(void **state)
{
	(void)state;
	static const char pod[] = "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x'},'spec':{"
				  "'containers':[{'name':'c','image':'i'}]}}";
	for (int i = 0; i < SIM_MACHINES; i++)
		w->kubelet.rejects[i] = true;
	w->kubelet.start_ms = 10;
	for (int i = 0; i < ORACLE_SHORT; i++) {
		assert_null(world_broken(w));
		ask("POST", PODS, pod, 201);
		world_run(w, 1000);
		assert_string_equal(sim_str(sim_get(world_object(w, RES_POD, "slurm", "x")->root,
						    "status"),
					    "phase"),
			"Failed");
		assert_null(sim_slurm_node(&w->slurm, "x"));
		world_delete(w, RES_POD, "slurm", "x");
		world_run(w, 500);
	}
	ask("POST", PODS, pod, 201);
	assert_non_null(strstr(world_broken(w), "P6"));
}

static void slurmctld_has_a_clock_of_its_own(void **state)
{
	(void)state;
	char path[80];
	world_run(w, 10000);
	long long now_s = (long long)sim_slurm_clock_s(&w->slurm);
	w->slurm.clock_ms = -600000;
	w->slurm.partitions_bug = false;
	world_admin_drain(w, "a-1", "disk"); /* by a clock that is behind: long ago */
	snprintf(path, sizeof(path), V "nodes/?update_time=%lld", now_s);
	ask("GET", path, NULL, 304);
	assert_true(sim_int(sim_get(ask("GET", V "nodes/", NULL, 200), "last_update"), "number",
			    0) < now_s);
}

/* ---- the table ---- */

static void the_environment_says_which_rows(void **state)
{
	(void)state;
	char text[ROUGH_TEXT];
	sim_rough_begin(w, "=suspend requeue");
	sim_rough_print(w, text);
	assert_string_equal(text, "=suspend requeue");
	assert_true(sim_rough_has(w, "suspend"));
	sim_rough_repair(w);
	sim_rough_begin(w, "=");
	sim_rough_print(w, text);
	assert_string_equal(text, "=");
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(a_suspended_job_leaves_its_node_idle),
		ROW(its_pod_may_not_be_ended),
		ROW(a_node_with_a_suspended_job_takes_another),
		ROW(a_requeued_job_completes_first),
		ROW(answers_say_who_gives_them),
		ROW(a_reason_stays_until_the_next_job),
		ROW(a_node_with_a_reason_stays_down),
		ROW(an_invalid_node_is_not_undrained_but_loses_its_reason),
		ROW(slow_lists_show_their_beginning_or_their_end),
		ROW(a_busy_cluster_has_always_changed),
		ROW(another_slurm_answers_for_a_while),
		ROW(a_slurmd_may_call_itself_otherwise),
		ROW(a_restored_state_knows_nothing_newer),
		ROW(deletion_in_the_foreground_takes_all_that_nothing_else_owns),
		ROW(orphans_stay),
		ROW(a_claim_stays_while_it_is_used_and_goes_with_its_owner),
		ROW(policies_and_quotas_refuse),
		ROW(a_machine_rejects_and_nobody_tries_without_end),
		ROW(slurmctld_has_a_clock_of_its_own),
		ROW(the_environment_says_which_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
