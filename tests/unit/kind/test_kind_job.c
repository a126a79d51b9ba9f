/* SPDX-License-Identifier: Apache-2.0 */
/* A SlurmJob through the whole operator: each request that it makes, in their order. */
#include "lib/controller_world.h"

#include "api/names.h"
#include "base/metric.h"
#include "engine/facts.h"

#define LIST(items) "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" items "]}"
#define OBJECT(version, metadata, more)                                        \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"b\",\"uid\":\"job\"," \
	"\"resourceVersion\":\"" version "\"" metadata                         \
	"},\"spec\":{\"batch\":\"#!/bin/sh\\n\"}" more "}"
#define KEPT ",\"finalizers\":[\"" FINALIZER_JOB "\"]"
#define POD(version, metadata, phase)                                                           \
	"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"b\",\"uid\":\"pod\","              \
	"\"resourceVersion\":\"" version                                                        \
	"\",\"ownerReferences\":[{\"apiVersion\":\"wlm.sylabs.io/v1alpha1\","                   \
	"\"kind\":\"SlurmJob\",\"name\":\"cow\",\"uid\":\"job\",\"controller\":true}]" metadata \
	"},\"status\":{\"phase\":\"" phase "\"}}"
#define UNREPORTED ",\"finalizers\":[\"" FINALIZER_UNREPORTED "\"]"
#define JOBS "/apis/wlm.sylabs.io/v1alpha1/namespaces/b/slurmjobs/cow"
#define PODS "/api/v1/namespaces/b/pods"

static void given_listed(struct controller_world *w, const char *jobs, const char *pods)
{
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "wlm.sylabs.io/v1alpha1/slurmjobs", 200, jobs },
		{ "/pods", 200, pods },
		{ "GET", 200, LIST("") },
	};
	fake_answer_all(&w->http, script, LENGTH(script));
	sim_loop_pass(&w->loop, 10);
}

/* The request that must be open now is answered so; what it sent. */
static const char *when_answered(struct controller_world *w, const char *request, int status,
	const char *body)
{
	struct http_call *c = fake_open(&w->http, request);
	if (!c)
		fail_msg("nobody asks for %s", request);
	fake_answer(c, status, body);
	sim_loop_pass(&w->loop, 300);
	return c->body;
}

/* The status that it sends is taken as it is: the last member of the patch. */
static void when_status_taken(struct controller_world *w, const char *head, const char *part)
{
	AUTO(str_free) struct str object = { 0 };
	const struct http_call *c = fake_open(&w->http, "PATCH " JOBS "/status");
	assert_non_null(c);
	assert_has(c->body, part);
	str_addf(&object, "%.*s,%s", (int)strlen(head) - 1, head, strstr(c->body, "\"status\":{"));
	when_answered(w, "PATCH " JOBS "/status", 200, str_text(&object));
	assert_null(fake_open(&w->http, "PATCH " JOBS "/status"));
}

static void test_a_slurmjob_gets_its_pod_and_its_status(void **state)
{
	struct controller_world *w = *state;
	given_listed(w, LIST(OBJECT("2", "", "")), LIST(""));
	assert_null(fake_open(&w->http, "POST " PODS));
	when_answered(w, "PATCH " JOBS, 200, OBJECT("6", KEPT, ""));
	when_answered(w, "GET " JOBS, 200, OBJECT("6", KEPT, ""));
	when_answered(w, "POST " PODS, 201, POD("7", UNREPORTED, "Pending"));
	when_status_taken(w, OBJECT("8", KEPT, ""), "\"status\":\"Pending\"");
	const char *let_go = when_answered(w, "PATCH " PODS "/cow-job", 200,
		POD("9", "", "Pending"));
	assert_non_null(strstr(let_go, "\"/metadata/finalizers/0\""));
	assert_null(fake_open(&w->http, "POST " PODS));
}

/* The store keeps no script of a job whose status knows of its pod. */
static void test_a_job_is_not_judged_by_a_script_that_is_not_kept(void **state)
{
	static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed",
		"Unknown" };
	for (size_t i = 0; i < LENGTH(phases); i++) {
		struct controller_world *w = *state;
		AUTO(str_free) struct str jobs = { 0 };
		str_addf(&jobs, LIST(OBJECT("2", KEPT, ",\"status\":{\"status\":\"%s\"}")),
			phases[i]);
		given_listed(w, str_text(&jobs), LIST(""));
		const struct http_call *c = fake_open(&w->http, "PATCH " JOBS "/status");
		assert_non_null(c);
		assert_non_null(strstr(c->body, "\"type\":\"Accepted\",\"status\":\"True\""));
		assert_null(strstr(c->body, "InvalidScript"));
		assert_null(fake_open(&w->http, "POST " PODS));
		free_controller_world(state);
		given_an_operator(state);
	}
}

static void test_its_pod_wakes_it(void **state)
{
	struct controller_world *w = *state;
	given_listed(w, LIST(OBJECT("2", KEPT, ",\"status\":{\"status\":\"Pending\"}")),
		LIST(POD("3", "", "Pending")));
	when_status_taken(w, OBJECT("6", KEPT, ""), "\"status\":\"Pending\"");
	fake_data(watch_of(w, "/pods"),
		"{\"type\":\"MODIFIED\",\"object\":" POD("9", "", "Running") "}\n");
	sim_loop_pass(&w->loop, 300);
	when_status_taken(w, OBJECT("10", KEPT, ""), "\"status\":\"Running\"");
}

static int plans(void)
{
	AUTO(str_free) struct str text = { 0 };
	metric_render(&text);
	const char *row = strstr(str_text(&text), "slurm_operator_plans_total{kind=\"SlurmJob\"} ");
	return row ? atoi(strchr(row, ' ')) : 0;
}

/* Such a pod is never taken over, and a namespace may have thousands of both. */
static void test_a_pod_of_nobody_wakes_no_job(void **state)
{
	struct controller_world *w = *state;
	given_listed(w, LIST(OBJECT("2", KEPT, ",\"status\":{\"status\":\"Pending\"}")),
		LIST(POD("3", "", "Pending")));
	int before = plans();
	assert_int_not_equal(before, 0);
	fake_data(watch_of(w, "/pods"),
		"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"web\",\"namespace\":"
		"\"b\",\"uid\":\"web\",\"resourceVersion\":\"8\"}}}\n");
	sim_loop_pass(&w->loop, 300);
	assert_int_equal(plans(), before);
}

/* The object has gone while the creation was being prepared. */
static void test_a_pod_that_another_manager_made_meanwhile_is_not_made_again(void **state)
{
	struct controller_world *w = *state;
	given_listed(w, LIST(OBJECT("2", KEPT, "")), LIST(""));
	when_answered(w, "GET " JOBS, 200,
		OBJECT("4", KEPT, ",\"status\":{\"status\":\"Running\"}"));
	assert_null(fake_open(&w->http, "POST " PODS));
}

#define DELETING KEPT ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""

static void test_a_deletion_waits_for_the_pod(void **state)
{
	struct controller_world *w = *state;
	given_listed(w, LIST(OBJECT("2", DELETING, ",\"status\":{\"status\":\"Running\"}")),
		LIST(POD("3", "", "Running")));
	const char *options = when_answered(w, "DELETE " PODS "/cow-job", 200,
		POD("6", ",\"deletionTimestamp\":\"2026-01-01T00:00:30Z\"", "Running"));
	assert_non_null(strstr(options, "\"resourceVersion\":\"3\""));
	assert_null(strstr(options, "gracePeriodSeconds"));
	when_status_taken(w, OBJECT("7", DELETING, ""), "PodLeft");
	fake_data(watch_of(w, "/pods"),
		"{\"type\":\"DELETED\",\"object\":" POD("9", "", "Running") "}\n");
	sim_loop_pass(&w->loop, 300);
	when_answered(w, "GET " PODS "/cow-job", 404, "{\"kind\":\"Status\",\"code\":404}");
	assert_non_null(fake_open(&w->http, "PATCH " JOBS));
}

/* The CRD of wlm-operator knows of no conditions, and prunes them. */
static void test_a_status_that_is_pruned_is_written_ever_more_seldom(void **state)
{
	struct controller_world *w = *state;
	int writes = 0;
	given_listed(w, LIST(OBJECT("2", KEPT, ",\"status\":{\"status\":\"Pending\"}")),
		LIST(POD("3", "", "Pending")));
	for (int second = 0; second < 60; second++) {
		struct http_call *c = fake_open(&w->http, "PATCH " JOBS "/status");
		writes += c != NULL;
		if (c)
			fake_answer(c, 200,
				OBJECT("2", KEPT, ",\"status\":{\"status\":\"Pending\"}"));
		sim_loop_pass(&w->loop, 1000);
	}
	assert_in_range(writes, 1, 9);
}

/* The pod garbage collector writes this before it deletes a pod whose node is gone. */
static void test_a_pod_whose_node_is_gone_has_not_been_seen_to_end(void **state)
{
	struct controller_world *w = *state;
	given_listed(w, LIST(OBJECT("2", KEPT, ",\"status\":{\"status\":\"Running\"}")),
		LIST(POD("3", "",
			"Failed\",\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":"
			"\"True\",\"reason\":\"DeletionByPodGC\",\"message\":\"PodGC: node no "
			"longer exists\"}],\"x\":\"")));
	const struct http_call *c = fake_open(&w->http, "PATCH " JOBS "/status");
	assert_non_null(c);
	assert_non_null(strstr(c->body, "PodLost"));
}

/* ---- a job that no virtual node takes ---- */

#define UNSCHEDULABLE(version)                                                           \
	"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"b\",\"uid\":\"pod\","       \
	"\"resourceVersion\":\"" version "\",\"ownerReferences\":[{\"apiVersion\":"      \
	"\"wlm.sylabs.io/v1alpha1\",\"kind\":\"SlurmJob\",\"name\":\"cow\",\"uid\":"     \
	"\"job\",\"controller\":true}]},\"spec\":{\"nodeSelector\":{\"gpu\":\"a100\"}}," \
	"\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\","  \
	"\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":\"0/3 nodes\"}]}}"
#define VIRTUAL(gpu)                                                                           \
	"{\"metadata\":{\"name\":\"slurm-hpc-debug\",\"uid\":\"n\",\"labels\":{\"gpu\":\"" gpu \
	"\"}},\"spec\":{},\"status\":{\"images\":[]}}"
#define NODES "GET /api/v1/nodes?labelSelector=type%3Dvirtual-kubelet&limit=100"

static void given_a_job_that_no_node_takes(struct controller_world *w)
{
	given_listed(w, LIST(OBJECT("2", KEPT, ",\"status\":{\"status\":\"Pending\"}")),
		LIST(UNSCHEDULABLE("3")));
	when_status_taken(w, OBJECT("6", KEPT, ""), "0/3 nodes");
}

/* The nodes are listed while a job waits for one, and not before or after. */
/* Acceptance: job-19 */
static void test_what_each_partition_misses_is_told_while_it_is_so(void **state)
{
	struct controller_world *w = *state;
	given_a_job_that_no_node_takes(w);
	when_answered(w, NODES, 200, LIST(VIRTUAL("v100")));
	when_status_taken(w, OBJECT("7", KEPT, ""),
		"no partition fits: slurm-hpc-debug: label gpu is v100, not a100");
	assert_null(fake_open(&w->http, NODES));
	sim_loop_pass(&w->loop, 31000);
	when_answered(w, NODES, 200, LIST(VIRTUAL("v100")));
	assert_null(fake_open(&w->http, "PATCH " JOBS "/status"));
	sim_loop_pass(&w->loop, 31000);
	when_answered(w, NODES, 200, LIST(VIRTUAL("h100")));
	when_status_taken(w, OBJECT("8", KEPT, ""), "label gpu is h100, not a100");
	fake_data(watch_of(w, "/pods"),
		"{\"type\":\"MODIFIED\",\"object\":" POD("9", "", "Running") "}\n");
	sim_loop_pass(&w->loop, 300);
	when_status_taken(w, OBJECT("10", KEPT, ""), "\"reason\":\"Running\"");
	sim_loop_pass(&w->loop, 100000);
	assert_null(fake_open(&w->http, NODES));
}

/* Acceptance: job-19 */
static void test_where_nodes_may_not_be_listed_the_scheduler_is_quoted(void **state)
{
	struct controller_world *w = *state;
	given_a_job_that_no_node_takes(w);
	when_answered(w, NODES, 403,
		"{\"kind\":\"Status\",\"code\":403,\"message\":\"nodes is forbidden\"}");
	sim_loop_pass(&w->loop, 290000);
	assert_null(fake_open(&w->http, NODES));
	assert_null(fake_open(&w->http, "PATCH " JOBS "/status"));
	sim_loop_pass(&w->loop, 20000);
	when_answered(w, NODES, 200, LIST(VIRTUAL("v100")));
	assert_non_null(fake_open(&w->http, "PATCH " JOBS "/status"));
}

/* A node with many, and a cluster that has too much of them, cost no more than that. */
/* Acceptance: job-19 */
static void test_an_answer_is_bounded_and_a_broken_one_says_nothing(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str nodes = { 0 };
	given_a_job_that_no_node_takes(w);
	when_answered(w, NODES, 500, "{}");
	assert_null(fake_open(&w->http, "PATCH " JOBS "/status"));
	sim_loop_pass(&w->loop, 31000);
	when_answered(w, NODES, 200, "{\"kind\":\"NodeList\"}");
	assert_null(fake_open(&w->http, "PATCH " JOBS "/status"));
	sim_loop_pass(&w->loop, 31000);
	str_add(&nodes, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[");
	for (int i = 0; i < 90; i++)
		str_addf(&nodes,
			"%s{\"metadata\":{\"name\":\"n%d\",\"labels\":{\"a\":\"%08000d\"}}}",
			i ? "," : "", i, 0);
	str_add(&nodes, "]}");
	when_answered(w, NODES, 200, str_text(&nodes));
	when_status_taken(w, OBJECT("7", KEPT, ""), "n4: no label gpu=a100; and more");
}

/* ---- results ---- */

#define RESULTS(version, more)                                                           \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"b\",\"uid\":\"job\","           \
	"\"resourceVersion\":\"" version "\"" KEPT                                       \
	"},\"spec\":{\"batch\":\"#!/bin/sh\\n\",\"results\":{\"mount\":{\"name\":\"d\"," \
	"\"persistentVolumeClaim\":{\"claimName\":\"c\"}}}}" more "}"
#define ENDED                                                                               \
	"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"b\",\"uid\":\"pod\","          \
	"\"resourceVersion\":\"3\",\"ownerReferences\":[{\"apiVersion\":\"wlm.sylabs.io/"   \
	"v1alpha1\",\"kind\":\"SlurmJob\",\"name\":\"cow\",\"uid\":\"job\",\"controller\":" \
	"true}]},\"spec\":{\"nodeName\":\"slurm-hpc-debug\"},\"status\":{\"phase\":"        \
	"\"Succeeded\"}}"
#define SERVER                                                                                \
	"{\"metadata\":{\"name\":\"slurm-hpc-debug\",\"annotations\":{"                       \
	"\"" ANNOTATION_RESULTS_URL "\":\"https://10.0.0.1:10250\",\"" ANNOTATION_RESULTS_KEY \
	"\":\"sha256//abc=\"}}}"

/* The job has ended, and its status says so. */
static void given_an_end(struct controller_world *w)
{
	given_listed(w, LIST(RESULTS("2", ",\"status\":{\"status\":\"Succeeded\"}")), LIST(ENDED));
	when_status_taken(w, RESULTS("6", ""), "\"type\":\"Ended\",\"status\":\"True\"");
	assert_null(fake_open(&w->http, "POST " PODS));
}

/* The Node is read for that, and not before. */
/* Acceptance: job-12 */
static void test_the_results_are_copied_from_where_its_node_says(void **state)
{
	struct controller_world *w = *state;
	given_an_end(w);
	when_answered(w, "GET /api/v1/nodes/slurm-hpc-debug", 200, SERVER);
	const struct http_call *c = fake_open(&w->http, "POST " PODS);
	assert_non_null(c);
	assert_non_null(strstr(c->body, "\"name\":\"cow-job-collect\""));
	assert_non_null(strstr(c->body, "\"--url=https://10.0.0.1:10250\""));
	assert_non_null(strstr(c->body, "\"--public-key=sha256//abc=\""));
}

static void test_a_node_that_may_not_be_read_is_told(void **state)
{
	struct controller_world *w = *state;
	given_an_end(w);
	when_answered(w, "GET /api/v1/nodes/slurm-hpc-debug", 403,
		"{\"kind\":\"Status\",\"code\":403,\"message\":\"nodes is forbidden\"}");
	const struct http_call *c = fake_open(&w->http, "PATCH " JOBS "/status");
	assert_non_null(c);
	assert_non_null(strstr(c->body, "give the manager the right to get nodes"));
	assert_null(fake_open(&w->http, "POST " PODS));
}

/* That an API server is away for a moment says nothing of the Node. */
static void test_a_node_that_was_not_read_is_asked_for_again(void **state)
{
	struct controller_world *w = *state;
	given_an_end(w);
	when_answered(w, "GET /api/v1/nodes/slurm-hpc-debug", 500, "{}");
	assert_null(fake_open(&w->http, "POST " PODS));
	sim_loop_pass(&w->loop, 31000);
	when_answered(w, "GET /api/v1/nodes/slurm-hpc-debug", 200, SERVER);
	assert_non_null(fake_open(&w->http, "POST " PODS));
}

enum { SCRIPTS = 30, SCRIPT_BYTES = 240000 };

/* More than there is room for: they wait for each other, and no other object waits. */
static void test_large_scripts_stop_no_nodeset(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str jobs = { 0 };
	str_add(&jobs, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[");
	for (int i = 0; i < SCRIPTS; i++)
		str_addf(&jobs,
			"%s{\"metadata\":{\"name\":\"large-%d\",\"namespace\":\"b\",\"uid\":\"u%"
			"d\","
			"\"resourceVersion\":\"2\"},\"spec\":{\"batch\":\"#!/bin/sh\\n%0*d\"}}",
			i ? "," : "", i, i, SCRIPT_BYTES, 0);
	str_add(&jobs, "]}");
	const struct fake_row script[] = {
		{ "watch=true", 0, NULL },
		{ "wlm.sylabs.io/v1alpha1/slurmjobs", 200, str_text(&jobs) },
		{ "/nodesets", 200,
			LIST("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\",\"uid\":\"set\","
			     "\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":1}}") },
		{ "GET", 200, LIST("") },
	};
	fake_answer_all(&w->http, script, LENGTH(script));
	sim_loop_pass(&w->loop, 100);
	assert_non_null(fake_open(&w->http,
		"PATCH /apis/slinky.slurm.net/v1alpha1/namespaces/b/"
		"nodesets/a"));
	assert_non_null(fake_open(&w->http,
		"PATCH /apis/wlm.sylabs.io/v1alpha1/namespaces/b/"
		"slurmjobs/large-0"));
	const struct http_call *c = fake_open(&w->http, "slurmjobs/large-29/status");
	assert_non_null(c);
	assert_non_null(strstr(c->body, "NamespaceTooLarge"));
}

enum { REFUSED = 12 };

static void add_refused(struct str *out, int i, const char *version, const char *more)
{
	str_addf(out,
		"{\"metadata\":{\"name\":\"large-%d\",\"namespace\":\"b\",\"uid\":\"u%d\","
		"\"generation\":1,\"resourceVersion\":\"%s\"},\"spec\":{\"batch\":\"%0*d\"}%s}",
		i, i, version, SCRIPT_BYTES, 0, more);
}

/* The status of each says why, and then its room is for others. */
static void test_large_scripts_that_are_refused_hold_up_nobody(void **state)
{
	struct controller_world *w = *state;
	AUTO(str_free) struct str jobs = { 0 };
	str_add(&jobs, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[");
	for (int i = 0; i < REFUSED; i++) {
		str_add(&jobs, i ? "," : "");
		add_refused(&jobs, i, "2", "");
	}
	str_add(&jobs, "]}");
	given_listed(w, str_text(&jobs), LIST(""));
	for (int i = 0; i < REFUSED; i++) {
		AUTO(str_free) struct str object = { 0 }, path = { 0 }, more = { 0 };
		str_addf(&path, "slurmjobs/large-%d/status", i);
		struct http_call *c = fake_open(&w->http, str_text(&path));
		assert_non_null(c);
		assert_non_null(strstr(c->body, "InvalidScript"));
		const char *status = strstr(c->body, "\"status\":{");
		str_addf(&more, ",%.*s", (int)strlen(status) - 1, status);
		add_refused(&object, i, "6", str_text(&more));
		fake_answer(c, 200, str_text(&object));
	}
	sim_loop_pass(&w->loop, 300);
	assert_null(fake_open(&w->http, "/status"));
	AUTO(str_free) struct str event = { 0 };
	for (int i = REFUSED; i < REFUSED + SCRIPTS / 2; i++) {
		str_clear(&event);
		str_add(&event, "{\"type\":\"ADDED\",\"object\":");
		str_addf(&event,
			"{\"metadata\":{\"name\":\"good-%d\",\"namespace\":\"b\",\"uid\":\"u%d\","
			"\"resourceVersion\":\"7\"},\"spec\":{\"batch\":\"#!/bin/sh\\n%0*d\"}}}\n",
			i, i, SCRIPT_BYTES, 0);
		fake_data(watch_of(w, "/wlm.sylabs.io/v1alpha1/slurmjobs"), str_text(&event));
	}
	sim_loop_pass(&w->loop, 300);
	assert_null(fake_open(&w->http, "/status"));
	assert_non_null(fake_open(&w->http, "slurmjobs/good-26"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_operator, free_controller_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_slurmjob_gets_its_pod_and_its_status),
		T(test_a_job_is_not_judged_by_a_script_that_is_not_kept),
		T(test_its_pod_wakes_it),
		T(test_a_pod_of_nobody_wakes_no_job),
		T(test_a_pod_that_another_manager_made_meanwhile_is_not_made_again),
		T(test_a_deletion_waits_for_the_pod),
		T(test_a_status_that_is_pruned_is_written_ever_more_seldom),
		T(test_a_pod_whose_node_is_gone_has_not_been_seen_to_end),
		T(test_what_each_partition_misses_is_told_while_it_is_so),
		T(test_where_nodes_may_not_be_listed_the_scheduler_is_quoted),
		T(test_an_answer_is_bounded_and_a_broken_one_says_nothing),
		T(test_large_scripts_stop_no_nodeset),
		T(test_large_scripts_that_are_refused_hold_up_nobody),
		T(test_the_results_are_copied_from_where_its_node_says),
		T(test_a_node_that_may_not_be_read_is_told),
		T(test_a_node_that_was_not_read_is_asked_for_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
