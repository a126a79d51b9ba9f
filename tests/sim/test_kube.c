/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated API server means what the real one means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/own.h"
#include "sim/sim_ask.h"

#define PODS "/api/v1/namespaces/slurm/pods"
#define SETS "/apis/slinky.slurm.net/v1alpha1/namespaces/slurm/nodesets"
#define SECRETS "/api/v1/namespaces/slurm/secrets"
#define JSON_PATCH "application/json-patch+json"

static struct world *w;
static struct http *h;

static int setup(void **state)
{
	(void)state;
	w = world_new(21);
	h = world_user_http(w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	http_free(h);
	world_free(w);
	return 0;
}

/* Asks, checks status and the Status' reason, and gives the answer for a further look. */
static struct answer last;
static yyjson_val *ask(const char *method, const char *path, const char *type, const char *body,
	int status, const char *reason)
{
	answer_free(&last);
	last = sim_ask(w, h, method, path, type, NULL, body);
	assert_int_equal(last.err.kind, ERR_NONE);
	if (last.status != status)
		print_message("%s %s: %d %s\n", method, path, last.status, last.body);
	assert_int_equal(last.status, status);
	if (reason) {
		assert_string_equal(sim_str(last.root, "reason"), reason);
		assert_string_equal(sim_str(last.root, "kind"), "Status");
		assert_int_equal(sim_int(last.root, "code", 0), status);
	}
	return last.root;
}

static char *format_(const char *format, ...)
{
	static char text[8][1200];
	static int next;
	char *out = text[next++ % 8];
	va_list args;
	va_start(args, format);
	vsnprintf(out, sizeof(text[0]), format, args);
	va_end(args);
	return out;
}

static char *pod(const char *name, const char *more_meta)
{
	return format_("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s'%s},'spec':{'"
		       "containers':[{'name':'c','image':'i'}]}}",
		name, more_meta);
}

static const char *meta(yyjson_val *o, const char *key)
{
	return sim_str(sim_get(o, "metadata"), key);
}

static void create_fills_and_refuses(void **state)
{
	(void)state;
	yyjson_val *o = ask("POST", PODS, NULL,
		pod("a", ",'uid':'mine','creationTimestamp':null,'labels':{}"), 201, NULL);
	assert_string_not_equal(meta(o, "uid"), "mine");
	assert_true(atoi(meta(o, "resourceVersion")) > 0);
	assert_string_equal(meta(o, "namespace"), "slurm");
	assert_non_null(strstr(meta(o, "creationTimestamp"), "2026-01-01T00:00:0"));
	assert_int_equal(sim_int(sim_get(o, "metadata"), "generation", 0), 1);
	assert_null(sim_at(o, "metadata", "labels"));
	assert_string_equal(sim_str(sim_get(o, "status"), "phase"), "Pending");
	ask("POST", PODS, NULL, pod("a", ""), 409, "AlreadyExists");
	ask("POST", PODS, NULL, pod("A_b", ""), 422, "Invalid");
	ask("POST", PODS, NULL, pod("b", ",'namespace':'other'"), 400, "BadRequest");
	ask("POST", PODS, NULL, "{'kind':", 400, "BadRequest");
	ask("POST", PODS, NULL, "{'kind':'Pod'}", 400, "BadRequest");
	ask("POST", "/api/v1/namespaces/none/pods", NULL, pod("b", ""), 404, "NotFound");
	ask("GET", PODS "/nosuch", NULL, NULL, 404, "NotFound");
	ask("GET", "/apis/nosuch.io/v1/things", NULL, NULL, 404, "NotFound");
	ask("GET", PODS "/a", NULL, NULL, 200, NULL);
}

static void a_terminating_namespace_takes_nothing_new(void **state)
{
	(void)state;
	ask("POST", PODS, NULL, pod("a", ",'finalizers':['example.com/hold']"), 201, NULL);
	ask("DELETE", "/api/v1/namespaces/slurm", NULL, NULL, 200, NULL);
	yyjson_val *o = ask("POST", PODS, NULL, pod("b", ""), 403, "Forbidden");
	assert_non_null(strstr(last.body, "NamespaceTerminating"));
	world_run(w, 60000);
	o = ask("GET", PODS "/a", NULL, NULL, 200, NULL);
	assert_non_null(sim_at(o, "metadata", "deletionTimestamp"));
	ask("PATCH", PODS "/a", NULL, "{'metadata':{'finalizers':null}}", 200, NULL);
	world_run(w, 60000);
	ask("GET", "/api/v1/namespaces/slurm", NULL, NULL, 404, "NotFound");
}

static void updates_compare_and_swap(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 1, "img:1", "1");
	yyjson_val *o = ask("GET", SETS "/s", NULL, NULL, 200, NULL);
	char *old = format_("%s", last.body), *rv = format_("%s", meta(o, "resourceVersion"));
	/* the same again changes nothing */
	o = ask("PUT", SETS "/s", NULL, old, 200, NULL);
	assert_string_equal(meta(o, "resourceVersion"), rv);
	/* only a change of spec raises the generation */
	o = ask("PATCH", SETS "/s", NULL, "{'metadata':{'labels':{'x':'y'}}}", 200, NULL);
	assert_int_equal(sim_int(sim_get(o, "metadata"), "generation", 0), 1);
	o = ask("PATCH", SETS "/s", NULL, "{'spec':{'replicas':3}}", 200, NULL);
	assert_int_equal(sim_int(sim_get(o, "metadata"), "generation", 0), 2);
	ask("PUT", SETS "/s", NULL, old, 409, "Conflict");
	ask("PUT", SETS "/nosuch", NULL, old, 404, "NotFound");
	ask("PATCH", SETS "/s", NULL,
		format_("{'metadata':{'resourceVersion':'%s'},'spec':{'replicas':4}}", rv), 409,
		"Conflict");
	ask("PATCH", SETS "/s", NULL, "{'metadata':{'uid':'another'},'spec':{'replicas':4}}", 409,
		"Conflict");
	ask("PUT", SETS "/s", NULL,
		"{'apiVersion':'slinky.slurm.net/"
		"v1alpha1','kind':'NodeSet','metadata':{'name':'s'}}",
		422, "Invalid");
	ask("PATCH", SETS "/s", "text/plain", "{}", 415, "UnsupportedMediaType");
}

static void status_and_spec_are_apart(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 1, "img:1", "1");
	yyjson_val *o = ask("PATCH", SETS "/s/status", NULL,
		"{'status':{'replicas':7},'spec':{'replicas':9}}", 200, NULL);
	assert_int_equal(sim_int(sim_get(o, "status"), "replicas", 0), 7);
	assert_int_equal(sim_int(sim_get(o, "spec"), "replicas", 0), 1);
	assert_int_equal(sim_int(sim_get(o, "metadata"), "generation", 0), 1);
	o = ask("PATCH", SETS "/s", NULL, "{'status':{'replicas':8},'spec':{'replicas':2}}", 200,
		NULL);
	assert_int_equal(sim_int(sim_get(o, "status"), "replicas", 0), 7);
	assert_int_equal(sim_int(sim_get(o, "spec"), "replicas", 0), 2);
	ask("GET", SETS "/s/nosuch", NULL, NULL, 404, "NotFound");
}

static void json_patches(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 1, "img:1", "1");
	yyjson_val *o = ask("PATCH", SETS "/s", JSON_PATCH,
		"[{'op':'add','path':'/metadata/finalizers','value':['a/b']},{'op':'add','path':'/"
		"metadata/finalizers/-','value':'c/d'},"
		"{'op':'test','path':'/metadata/finalizers/1','value':'c/"
		"d'},{'op':'replace','path':'/spec/replicas','value':5}]",
		200, NULL);
	assert_int_equal(yyjson_arr_size(sim_at(o, "metadata", "finalizers")), 2);
	assert_int_equal(sim_int(sim_get(o, "spec"), "replicas", 0), 5);
	o = ask("PATCH", SETS "/s", JSON_PATCH,
		"[{'op':'remove','path':'/metadata/finalizers/0'},{'op':'add','path':'/spec/"
		"replicas','value':6}]",
		200, NULL);
	assert_string_equal(yyjson_get_str(yyjson_arr_get(sim_at(o, "metadata", "finalizers"), 0)),
		"c/d");
	assert_int_equal(sim_int(sim_get(o, "spec"), "replicas", 0), 6);
	ask("PATCH", SETS "/s", JSON_PATCH,
		"[{'op':'test','path':'/spec/replicas','value':1},{'op':'replace','path':'/spec/"
		"replicas','value':1}]",
		422, "Invalid");
	ask("PATCH", SETS "/s", JSON_PATCH, "[{'op':'remove','path':'/spec/none'}]", 422,
		"Invalid");
	ask("PATCH", SETS "/s", JSON_PATCH,
		"[{'op':'test','path':'/metadata/resourceVersion','value':'1'}]", 422, "Invalid");
}

static void fixed_fields_stay(void **state)
{
	(void)state;
	ask("POST", PODS, NULL, pod("a", ""), 201, NULL);
	ask("PATCH", PODS "/a", NULL, "{'spec':{'hostname':'x'}}", 422, "Invalid");
	ask("PATCH", PODS "/a", NULL, "{'spec':{'containers':[{'name':'c','image':'other'}]}}", 200,
		NULL);
	ask("PATCH", PODS "/a", NULL, "{'metadata':{'name':'b'}}", 400, "BadRequest");
}

static void deletion_waits_for_finalizers_and_grace(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 0, "img:1", "1");
	ask("PATCH", SETS "/s", NULL, "{'metadata':{'finalizers':['a/b']}}", 200, NULL);
	ask("DELETE", SETS "/s", NULL, "{'preconditions':{'uid':'another'}}", 409, "Conflict");
	ask("DELETE", SETS "/s", NULL, "{'preconditions':{'resourceVersion':'1'}}", 409,
		"Conflict");
	yyjson_val *o = ask("DELETE", SETS "/s", NULL, NULL, 200, NULL);
	assert_non_null(sim_at(o, "metadata", "deletionTimestamp"));
	ask("PATCH", SETS "/s", NULL, "{'metadata':{'finalizers':['a/b','new/one']}}", 422,
		"Invalid");
	ask("PATCH", SETS "/s", NULL, "{'metadata':{'finalizers':[]}}", 200, NULL);
	ask("GET", SETS "/s", NULL, NULL, 404, "NotFound");

	ask("POST", PODS, NULL, pod("a", ""), 201, NULL);
	world_run(w, 10000);
	o = ask("GET", PODS "/a", NULL, NULL, 200, NULL);
	assert_string_equal(sim_str(sim_get(o, "status"), "phase"), "Running");
	o = ask("DELETE", PODS "/a", NULL, NULL, 200, NULL);
	assert_int_equal(sim_int(sim_get(o, "metadata"), "deletionGracePeriodSeconds", 0), 30);
	ask("POST", PODS, NULL, pod("a", ""), 409, "AlreadyExists");
	world_run(w, 5000);
	ask("GET", PODS "/a", NULL, NULL, 404, "NotFound");
	ask("POST", PODS, NULL, pod("b", ""), 201, NULL);
	world_run(w, 10000);
	ask("DELETE", PODS "/b", NULL, "{'gracePeriodSeconds':0}", 200, NULL);
	ask("GET", PODS "/b", NULL, NULL, 404, "NotFound");
}

static void owners_take_their_own_along(void **state)
{
	(void)state;
	world_add_nodeset(w, "s", 0, "img:1", "1");
	const char *uid = world_object(w, RES_NODESET, "slurm", "s")->uid;
	ask("POST", PODS, NULL,
		pod("a",
			format_(",'ownerReferences':[{'apiVersion':'x/"
				"v1','kind':'NodeSet','name':'s','uid':'%s','controller':true}]",
				uid)),
		201, NULL);
	ask("POST", PODS, NULL,
		pod("b",
			",'ownerReferences':[{'apiVersion':'x/"
			"v1','kind':'NodeSet','name':'s','uid':'none','controller':true}]"),
		201, NULL);
	ask("POST", PODS, NULL, pod("c", ""), 201, NULL);
	world_run(w, 20000);
	ask("GET", PODS "/a", NULL, NULL, 200, NULL);
	ask("GET", PODS "/b", NULL, NULL, 404, "NotFound");
	world_delete_nodeset(w, "slurm", "s");
	world_run(w, 20000);
	ask("GET", PODS "/a", NULL, NULL, 404, "NotFound");
	ask("GET", PODS "/c", NULL, NULL, 200, NULL);
}

static void lists_come_in_pages_of_one_moment(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		ask("POST", SECRETS, NULL,
			format_("{'apiVersion':'v1','kind':'Secret','metadata':{'name':'s%d'}}", i),
			201, NULL);
	yyjson_val *o = ask("GET", SECRETS "?limit=3", NULL, NULL, 200, NULL);
	assert_int_equal(yyjson_arr_size(sim_get(o, "items")), 3);
	assert_string_equal(sim_str(o, "kind"), "SecretList");
	char *next = format_("%s", meta(o, "continue")),
	     *rv = format_("%s", meta(o, "resourceVersion"));
	assert_true(*next);
	/* what happens meanwhile is not in the later pages */
	ask("DELETE", SECRETS "/s3", NULL, NULL, 200, NULL);
	ask("POST", SECRETS, NULL, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'s9'}}",
		201, NULL);
	o = ask("GET", format_(SECRETS "?limit=3&continue=%s", next), NULL, NULL, 200, NULL);
	assert_int_equal(yyjson_arr_size(sim_get(o, "items")), 3);
	assert_string_equal(meta(o, "resourceVersion"), rv);
	assert_string_equal(meta(o, "continue"), "");
	assert_non_null(strstr(last.body, "\"s3\""));
	assert_null(strstr(last.body, "\"s9\""));
	sim_store_compact(&w->kube.store);
	ask("GET", format_(SECRETS "?limit=3&continue=%s", next), NULL, NULL, 410, "Expired");
	o = ask("GET", SECRETS "?fieldSelector=metadata.name%3Ds1", NULL, NULL, 200, NULL);
	assert_int_equal(yyjson_arr_size(sim_get(o, "items")), 1);
	o = ask("GET", "/api/v1/secrets", NULL, NULL, 200, NULL);
	assert_int_equal(yyjson_arr_size(sim_get(o, "items")), 6);
}

static void watches_tell_everything_in_order(void **state)
{
	(void)state;
	struct listener l = { 0 };
	ask("POST", SECRETS, NULL, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'a'}}",
		201, NULL);
	yyjson_val *o = ask("GET", SECRETS, NULL, NULL, 200, NULL);
	struct http_call *call = sim_stream_open(&l, h,
		format_(SECRETS "?watch=1&allowWatchBookmarks=true&resourceVersion=%s",
			meta(o, "resourceVersion")));
	ask("PATCH", SECRETS "/a", NULL, "{'data':{'k':'dg=='}}", 200, NULL);
	ask("POST", SECRETS, NULL, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'b'}}",
		201, NULL);
	ask("DELETE", SECRETS "/a", NULL, NULL, 200, NULL);
	ask("POST", PODS, NULL, pod("p", ""), 201, NULL);
	world_run(w, 1000);
	assert_int_equal(sim_lines_with(&l, "\"type\":"), 3);
	const char *modified = strstr(l.text.text, "MODIFIED"),
		   *added = strstr(l.text.text, "ADDED"), *deleted = strstr(l.text.text, "DELETED");
	assert_true(modified && added && deleted && modified < added && added < deleted);
	world_run(w, 130000);
	assert_int_equal(sim_lines_with(&l, "BOOKMARK"), 2);
	http_cancel(h, call);
	ask("DELETE", SECRETS "/b", NULL, NULL, 200, NULL);
	assert_int_equal(sim_lines_with(&l, "\"b\""), 1);
	assert_false(l.done);
	str_free(&l.text);
}

/* The version of the object in the first line from here on; *at: behind that line. */
static int64_t version_in_line(const char **at)
{
	const char *line = *at, *v = strstr(line, "\"resourceVersion\":\"");
	*at = line + strcspn(line, "\n") + 1;
	return v && v < *at ? strtoll(v + strlen("\"resourceVersion\":\""), NULL, 10) : 0;
}

/*
 * Seed 7108767: of more changes than are sent at once, the rest came behind a bookmark of
 * the newest version. A client that went on from there after a broken connection never
 * heard of them.
 */
static void a_bookmark_comes_behind_what_it_vouches_for(void **state)
{
	(void)state;
	struct listener l = { 0 };
	ask("POST", SECRETS, NULL, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'a'}}",
		201, NULL);
	yyjson_val *o = ask("GET", SECRETS, NULL, NULL, 200, NULL);
	sim_stream_open(&l, h,
		format_(SECRETS "?watch=1&allowWatchBookmarks=true&resourceVersion=%s",
			meta(o, "resourceVersion")));
	for (int i = 0; i < 4000; i++) {
		world_patch(w, RES_SECRET, "slurm", "a", "", format_("{'data':{'k':'%d'}}", i));
		if (i % 40 == 0)
			world_run(w, 1000);
	}
	world_run(w, 1000);
	assert_true(sim_lines_with(&l, "BOOKMARK") > 5);
	int64_t last_seen = 0;
	for (const char *at = l.text.text; *at;) {
		bool bookmark = strncmp(at, "{\"type\":\"BOOKMARK\"", 18) == 0;
		int64_t rv = version_in_line(&at);
		assert_true(bookmark ? rv >= last_seen : rv > last_seen);
		last_seen = rv;
	}
	str_free(&l.text);
}

static void an_old_version_is_gone(void **state)
{
	(void)state;
	sim_store_compact(&w->kube.store);
	for (int rv = 1; rv <= 2; rv++) {
		struct listener l = { 0 };
		sim_stream_open(&l, h, format_(SECRETS "?watch=1&resourceVersion=%d", rv));
		world_run(w, 1000);
		assert_true(l.done);
		assert_true(l.status == 410 || sim_lines_with(&l, "\"code\":410") == 1);
		str_free(&l.text);
	}
}

static void watch_faults(void **state)
{
	(void)state;
	static const enum sim_fault_kind kinds[] = { FAULT_WATCH_CUT, FAULT_WATCH_EXPIRED,
		FAULT_WATCH_REPEAT, FAULT_WATCH_DELAY };
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		struct listener l = { 0 };
		sim_stream_open(&l, h,
			format_(SECRETS "?watch=1&resourceVersion=%lld",
				(long long)w->kube.store.rv));
		world_run(w, 100);
		struct sim_fault fault = { .point = w->net->faults.points + 1, .kind = kinds[i] };
		w->net->faults.replay = true;
		w->net->faults.given = &fault;
		w->net->faults.n_given = 1;
		ask("POST", SECRETS, NULL,
			format_("{'apiVersion':'v1','kind':'Secret','metadata':{'name':'f%zu'}}",
				i),
			201, NULL);
		world_run(w, 200);
		assert_int_equal(l.done, i < 2);
		assert_int_equal(l.err.kind, i == 0 ? ERR_LOST : ERR_NONE);
		assert_int_equal(sim_lines_with(&l, "\"code\":410"), i == 1);
		assert_int_equal(sim_lines_with(&l, "ADDED"), i == 2 ? 2 : 0);
		world_run(w, 9000);
		assert_int_equal(sim_lines_with(&l, "ADDED"), i == 2 ? 2 : i == 3);
		w->net->faults.n_given = 0;
		http_free(h);
		h = world_user_http(w);
		str_free(&l.text);
	}
}

static void a_reader_may_stop_a_stream(void **state)
{
	(void)state;
	struct listener l = { .stop_after = 1 };
	sim_stream_open(&l, h, SECRETS "?watch=1");
	world_run(w, 1000);
	assert_true(l.done);
	assert_int_equal(l.err.kind, ERR_CANCELLED);
	assert_null(w->kube.watchers);
	str_free(&l.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(create_fills_and_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(a_terminating_namespace_takes_nothing_new, setup,
			teardown),
		cmocka_unit_test_setup_teardown(updates_compare_and_swap, setup, teardown),
		cmocka_unit_test_setup_teardown(status_and_spec_are_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(json_patches, setup, teardown),
		cmocka_unit_test_setup_teardown(fixed_fields_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(deletion_waits_for_finalizers_and_grace, setup,
			teardown),
		cmocka_unit_test_setup_teardown(owners_take_their_own_along, setup, teardown),
		cmocka_unit_test_setup_teardown(lists_come_in_pages_of_one_moment, setup, teardown),
		cmocka_unit_test_setup_teardown(watches_tell_everything_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bookmark_comes_behind_what_it_vouches_for, setup,
			teardown),
		cmocka_unit_test_setup_teardown(an_old_version_is_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(watch_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_may_stop_a_stream, setup, teardown),
	};
	int failed_tests = cmocka_run_group_tests(tests, NULL, NULL);
	answer_free(&last);
	return failed_tests;
}
