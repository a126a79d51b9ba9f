/* SPDX-License-Identifier: Apache-2.0 */
/* Each oracle fires when its promise is broken by hand, and is silent when it is kept. */
#include "lib/test.h"

#include "base/own.h"
#include "sim/sim_ask.h"
#include "sim/sim_call.h"

#define PODS "/api/v1/namespaces/slurm/pods"
#define SETS "/apis/slinky.slurm.net/v1alpha1/namespaces/slurm/nodesets"
#define NODES "/slurm/v0.0.42/nodes/"
#define OURS "{'name':['s-0'],'state':['DRAIN'],'reason':'slurm-operator: scale-in'}"

static struct world *w;
static struct http *kube, *slurm;
static struct answer last;

static yyjson_val *ask(const char *method, const char *path, const char *body)
{
	bool to_slurm = strncmp(path, "/slurm", 6) == 0;
	answer_free(&last);
	last = sim_ask(w, to_slurm ? slurm : kube, method, path, NULL,
		to_slurm ? w->slurm.token : NULL, body);
	return last.root;
}

static void make_pod(int number)
{
	AUTO(str_free) struct str s = { 0 };
	str_addf(&s,
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'s-%d','labels':{'app':'s','"
		"controller.kubernetes.io/hash':'h1'},"
		"'ownerReferences':[{'apiVersion':'slinky.slurm.net/"
		"v1alpha1','kind':'NodeSet','name':'s','uid':'%s','controller':true}]},"
		"'spec':{'containers':[{'name':'slurmd','image':'img:1'}]}}",
		number, world_object(w, RES_NODESET, "slurm", "s")->uid);
	ask("POST", PODS, s.text);
	assert_int_equal(last.status, 201);
}

/* The reads of a program before it may decide anything. */
static void look(void)
{
	world_run(w, 2000);
	ask("GET", PODS, NULL);
	ask("GET", SETS, NULL);
	ask("GET", NODES, NULL);
	world_run(w, 2000);
}

static int setup(void **state)
{
	(void)state;
	w = world_new(41);
	w->slurm.prestop = true;
	sim_slurm_version(&w->slurm, false);
	kube = world_kube_http(w);
	struct http_config config = { .base_url = WORLD_SLURM_URL };
	assert_false(failed(sim_http_factory(world_factory_ctx(w), &config, &slurm)));
	world_add_nodeset(w, "s", 3, "img:1", "1");
	ask("GET", SETS, NULL);
	world_run(w, 2000);
	for (int i = 0; i < 3; i++)
		make_pod(i);
	world_run(w, 15000);
	look();
	assert_null(world_broken(w));
	assert_int_equal(world_ready_pods(w, "s"), 3);
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

static void broken(const char *promise, const char *part)
{
	const char *text = world_broken(w);
	assert_has(text, promise);
	assert_has(text, part);
	assert_has(text, "seed 41");
}

static void kept(void)
{
	if (world_broken(w))
		print_message("%s\n", world_broken(w));
	assert_null(world_broken(w));
}

static void p1_a_pod_with_a_job(void **state)
{
	(void)state;
	int64_t job = world_start_job_on(w, "s-0", 300);
	world_scale(w, "slurm", "s", 2);
	look();
	assert_int_equal(sim_slurm_busy(&w->slurm, "s-0"), job);
	ask("DELETE", PODS "/s-0", NULL);
	broken("P1", "runs job 1");
}

static void p1_unless_the_user_wishes_it(void **state)
{
	(void)state;
	world_start_job_on(w, "s-0", 300);
	world_scale(w, "slurm", "s", 2);
	world_patch(w, RES_NODESET, "slurm", "s", "",
		"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/release-now':'true'}}}");
	look();
	ask("DELETE", PODS "/s-0", NULL);
	kept();
	world_run(w, 10000);
	assert_int_equal(w->killed, 1);
}

static void p1_unless_the_pod_has_failed(void **state)
{
	(void)state;
	world_start_job_on(w, "s-0", 300);
	world_run(w, 2000);
	sim_kubelet_fail(&w->kubelet, "slurm", "s-0");
	look();
	ask("DELETE", PODS "/s-0", NULL);
	kept();
}

static void p1_a_node_that_is_about_to_come(void **state)
{
	(void)state;
	w->kubelet.end_ms = 60000;
	w->kubelet.tell_ms = w->kubelet.ready_ms = 5;
	world_admin_drain(w, "s-1", "x");
	world_admin_drain(w, "s-2", "x");
	ask("DELETE", PODS "/s-0", "{'gracePeriodSeconds':0}");
	w->oracle.n_broken = 0;
	world_run(w, 60000);
	assert_true(sim_slurm_delete_node(&w->slurm, sim_slurm_node(&w->slurm, "s-0")));
	look();
	make_pod(0);
	while (world_ready_pods(w, "s") < 3)
		world_step(w);
	assert_null(sim_slurm_node(&w->slurm, "s-0"));
	world_start_job_on(w, "s-0", 3000);
	ask("DELETE", PODS "/s-0", NULL);
	kept();
	world_run(w, 70000);
	broken("P1", "before Slurm knew it");
}

static void p1_setting_a_node_down(void **state)
{
	(void)state;
	world_start_job_on(w, "s-0", 300);
	look();
	ask("POST", "/slurm/v0.0.42/node/s-0", "{'state':['DOWN'],'reason':'slurm-operator: x'}");
	broken("P1", "set down");
}

static void p2_a_node_that_is_not_drained(void **state)
{
	(void)state;
	world_scale(w, "slurm", "s", 2);
	look();
	ask("DELETE", PODS "/s-0", NULL);
	broken("P2", "not drained");
}

static void a_drained_pod_may_go(void **state)
{
	(void)state;
	world_scale(w, "slurm", "s", 2);
	look();
	ask("POST", NODES, OURS);
	look();
	ask("DELETE", PODS "/s-0", NULL);
	kept();
	world_run(w, 10000);
	kept();
	assert_int_equal(world_pods(w, "s"), 2);
}

static void an_undrain_a_moment_ago_cannot_be_known(void **state)
{
	(void)state;
	world_scale(w, "slurm", "s", 2);
	look();
	ask("POST", NODES, OURS);
	look();
	world_admin_undrain(w, "s-0");
	ask("DELETE", PODS "/s-0", NULL);
	kept();
	world_admin_drain(w, "s-1", "x");
	world_admin_undrain(w, "s-1");
	look();
	ask("DELETE", PODS "/s-1", NULL);
	broken("P2", "s-1");
}

static void on_nodes(void *ctx, struct err err, const struct http_answer *answer)
{
	(void)err;
	*(bool *)ctx = answer != NULL;
}

/*
 * Seeds 1052771, 7051685, 7074801 and 7077649: Slurm had served a slow list when an
 * administrator undrained the node, both in one millisecond. The list was of before.
 */
static void an_answer_of_the_same_millisecond_may_be_older(void **state)
{
	(void)state;
	bool answered = false;
	world_scale(w, "slurm", "s", 2);
	look();
	ask("POST", NODES, OURS);
	look();
	struct http_header token = { "X-SLURM-USER-TOKEN", w->slurm.token };
	struct http_request r = {
		.method = "GET",
		.path = NODES,
		.headers = &token,
		.n_headers = 1,
	};
	http_send(slurm, &r, on_nodes, &answered);
	while (w->net->calls->state == CALL_SENT)
		world_step(w);
	world_admin_undrain(w, "s-0");
	world_run(w, 2000);
	assert_true(answered);
	ask("DELETE", PODS "/s-0", NULL);
	kept();
}

static void p3_the_drain_of_another(void **state)
{
	(void)state;
	world_admin_drain(w, "s-0", "disk broken");
	ask("POST", NODES, OURS); /* the program could not know yet */
	kept();
	world_admin_drain(w, "s-1", "disk broken");
	look();
	ask("POST", NODES, "{'name':['s-1'],'state':['UNDRAIN']}");
	broken("P3", "disk broken");
}

static void p3_the_reason_of_another(void **state)
{
	(void)state;
	world_admin_drain(w, "s-0", "disk broken");
	look();
	ask("POST", NODES, OURS);
	broken("P3", "overwritten");
}

static void p3_own_drains_may_go(void **state)
{
	(void)state;
	ask("POST", NODES, OURS);
	look();
	ask("POST", NODES, "{'name':['s-0'],'state':['UNDRAIN']}");
	kept();
}

static void drain_all(void)
{
	ask("POST", NODES,
		"{'name':['s-[0-2]'],'state':['DRAIN'],'reason':'slurm-operator: update'}");
	look();
}

static void p4_more_than_max_unavailable(void **state)
{
	(void)state;
	world_set_template_image(w, "slurm", "s", "img:2");
	drain_all();
	ask("DELETE", PODS "/s-0", NULL);
	kept();
	ask("DELETE", PODS "/s-1", NULL);
	broken("P4", "2 of 3 were available");
}

static void p4_counts_what_was_broken_before(void **state)
{
	(void)state;
	world_set_template_image(w, "slurm", "s", "img:2");
	drain_all();
	sim_kubelet_unready(&w->kubelet, "slurm", "s-2", 600000);
	look();
	ask("DELETE", PODS "/s-0", NULL);
	broken("P4", "2 of 3");
}

static void p4_does_not_count_what_cannot_be_known(void **state)
{
	(void)state;
	world_set_template_image(w, "slurm", "s", "img:2");
	drain_all();
	sim_kubelet_unready(&w->kubelet, "slurm", "s-2", 600000);
	ask("DELETE", PODS "/s-0", NULL);
	kept();
	/* the broken pod itself may always be replaced */
	ask("DELETE", PODS "/s-2", NULL);
	kept();
}

static void p4_scale_in_is_free(void **state)
{
	(void)state;
	world_scale(w, "slurm", "s", 0);
	drain_all();
	for (int i = 0; i < 3; i++)
		ask("DELETE", i == 0 ? PODS "/s-0" : i == 1 ? PODS "/s-1" : PODS "/s-2", NULL);
	kept();
}

static void p4_on_delete(void **state)
{
	(void)state;
	world_patch(w, RES_NODESET, "slurm", "s", "",
		"{'spec':{'updateStrategy':{'type':'OnDelete','rollingUpdate':{'maxUnavailable':0}}"
		"}}");
	world_set_template_image(w, "slurm", "s", "img:2");
	drain_all();
	ask("DELETE", PODS "/s-0", NULL);
	broken("P4", "OnDelete");
}

static void p6_one_pod_too_many(void **state)
{
	(void)state;
	make_pod(3);
	broken("P6", "number 4");
}

/* A user's own pod, which the program then takes for the NodeSet. */
static void adopt_a_stray(void)
{
	const struct sim_version *set = world_object(w, RES_NODESET, "slurm", "s");
	struct str refs = { 0 };
	str_addf(&refs,
		"{'metadata':{'ownerReferences':[{'apiVersion':'slinky.slurm.net/"
		"v1alpha1','kind':'NodeSet','name':'s',"
		"'uid':'%s','controller':true}]}}",
		set->uid);
	yyjson_doc *doc = sim_json(
		"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'s-7','namespace':'slurm',"
		"'labels':{'app':'s'}},'spec':{'containers':[{'name':'c','image':'busybox'}]}}");
	sim_create(&w->kube, (struct sim_origin){ .actor = ACTOR_USER }, RES_POD, "slurm",
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	world_run(w, 30);
	ask("PATCH", PODS "/s-7", refs.text);
	str_free(&refs);
}

/*
 * Seeds 2093999 and 7108613: the creation was sent 31 ms after a user had made a pod by
 * hand; the watch had not shown it yet.
 */
static void p6_a_stray_a_moment_ago_cannot_be_known(void **state)
{
	(void)state;
	world_scale(w, "slurm", "s", 4);
	look();
	adopt_a_stray();
	make_pod(3);
	kept();
	look();
	make_pod(4);
	broken("P6", "number 6");
}

static void p8_let_go_with_a_job(void **state)
{
	(void)state;
	world_patch(w, RES_NODESET, "slurm", "s", "",
		"{'metadata':{'finalizers':['slinky.slurm.net/drain']}}");
	world_start_job_on(w, "s-0", 300);
	world_run(w, 2000);
	world_delete_nodeset(w, "slurm", "s");
	look();
	ask("PATCH", SETS "/s", "{'metadata':{'finalizers':null}}");
	broken("P8", "job 1");
}

static void p9_what_others_wrote(void **state)
{
	(void)state;
	static const char *const breaks[] = {
		"{'metadata':{'labels':{'mine':null}}}",
		"{'metadata':{'annotations':{'mine':'changed'}}}",
		"{'metadata':{'finalizers':['slinky.slurm.net/drain']}}",
		"{'spec':{'replicas':1}}",
	};
	for (size_t i = 0; i < LENGTH(breaks); i++) {
		world_patch(w, RES_NODESET, "slurm", "s", "",
			"{'metadata':{'labels':{'mine':'1'},'annotations':{'mine':'1'},'finalizers'"
			":['mine.io/hold']}}");
		w->oracle.n_broken = 0;
		ask("PATCH", SETS "/s",
			"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/x':'y'}}}");
		kept();
		ask("PATCH", SETS "/s", breaks[i]);
		broken("P9", "NodeSet");
	}
}

static void p9_conditions(void **state)
{
	(void)state;
	world_patch(w, RES_NODESET, "slurm", "s", "status",
		"{'status':{'conditions':[{'type':'example.com/Checked','status':'True'}]}}");
	ask("PATCH", SETS "/s/status",
		"{'status':{'conditions':[{'type':'example.com/"
		"Checked','status':'True'},{'type':'Ready','status':'True'}]}}");
	kept();
	ask("PATCH", SETS "/s/status",
		"{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
	broken("P9", "example.com/Checked");
	w->oracle.n_broken = 0;
	ask("PATCH", PODS "/s-0/status", "{'status':{'conditions':[]}}");
	broken("P9", "condition");
}

static void p10_a_token_anywhere(void **state)
{
	(void)state;
	ask("PATCH", SETS "/s/status", "{'status':{'message':'it is token-of-the-operator-1'}}");
	broken("P10", "token");
	w->oracle.n_broken = 0;
	sim_oracle_text(&w->oracle, "a log line", "x token-of-the-operator-1 y", 27);
	broken("P10", "a log line");
	w->oracle.n_broken = 0;
	sim_oracle_text(&w->oracle, "a log line", "x dG9rZW4tb2YtdGhlLW9wZXJhdG9yLTE= y", 36);
	broken("P10", "a log line");
}

static void convergence(void **state)
{
	(void)state;
	world_shows_idle(w);
	assert_non_null(strstr(world_unsettled(w, 5000), "observedGeneration"));
	ask("PATCH", SETS "/s/status",
		"{'status':{'observedGeneration':1,'replicas':3,'readyReplicas':3}}");
	assert_non_null(strstr(world_unsettled(w, 5000), "Cluster slurm/slurm"));
	world_patch(w, RES_CLUSTER, WORLD_NS, WORLD_CLUSTER, "status",
		"{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
	assert_non_null(strstr(world_unsettled(w, 5000), "PATCH"));
	world_run(w, 6000);
	assert_null(world_unsettled(w, 5000));
	ask("POST", NODES, OURS);
	world_run(w, 6000);
	assert_non_null(strstr(world_unsettled(w, 5000), "drained by the operator"));
	world_set_template_image(w, "slurm", "s", "img:2");
	assert_non_null(strstr(world_unsettled(w, 5000), "newest template"));
	world_scale(w, "slurm", "s", 4);
	assert_non_null(world_unsettled(w, 5000));
	world_delete_nodeset(w, "slurm", "s");
	world_run(w, 60000);
	assert_null(world_unsettled(w, 5000));
	kept();
}

#define RULE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(p1_a_pod_with_a_job),
		RULE(p1_unless_the_user_wishes_it),
		RULE(p1_unless_the_pod_has_failed),
		RULE(p1_a_node_that_is_about_to_come),
		RULE(p1_setting_a_node_down),
		RULE(p2_a_node_that_is_not_drained),
		RULE(a_drained_pod_may_go),
		RULE(an_undrain_a_moment_ago_cannot_be_known),
		RULE(an_answer_of_the_same_millisecond_may_be_older),
		RULE(p3_the_drain_of_another),
		RULE(p3_the_reason_of_another),
		RULE(p3_own_drains_may_go),
		RULE(p4_more_than_max_unavailable),
		RULE(p4_counts_what_was_broken_before),
		RULE(p4_does_not_count_what_cannot_be_known),
		RULE(p4_scale_in_is_free),
		RULE(p4_on_delete),
		RULE(p6_one_pod_too_many),
		RULE(p6_a_stray_a_moment_ago_cannot_be_known),
		RULE(p8_let_go_with_a_job),
		RULE(p9_what_others_wrote),
		RULE(p9_conditions),
		RULE(p10_a_token_anywhere),
		RULE(convergence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
