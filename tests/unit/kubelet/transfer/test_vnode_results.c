/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a job, as the pod that copies them gets them of a virtual node. */
#include "lib/kubelet_world.h"
#include "lib/metrics_page.h"

#include "base/metric.h"

#define USER(ns, name, uid)                                                              \
	"{\"status\":{\"authenticated\":true,\"audiences\":[\"wlm.sylabs.io/results\"]," \
	"\"user\":{\"username\":\"system:serviceaccount:" ns ":default\",\"extra\":{"    \
	"\"authentication.kubernetes.io/pod-name\":[\"" name "\"],"                      \
	"\"authentication.kubernetes.io/pod-uid\":[\"" uid "\"]}}}}"
#define POD(uid, owner)                                                                        \
	"{\"metadata\":{\"name\":\"cow-job-collect\",\"namespace\":\"ns\",\"uid\":\"" uid      \
	"\",\"ownerReferences\":[{\"controller\":true,\"kind\":\"SlurmJob\",\"name\":\"cow\"," \
	"\"uid\":\"" owner "\"}]}}"
#define OWNER(uid, results)                                                          \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"ns\",\"uid\":\"" uid "\"}," \
	"\"spec\":{" results "}}"
#define OUT "\"results\":{\"from\":\"/home/a/out/\"}"

static const struct wlm_file tree[] = {
	{ "out", 0, 1795270000000000001, 0755, true },
	{ "out/a\"b.txt", 5, 1795270000123456789, 0640, false },
};

static struct world *given_a_collector(void **state)
{
	struct world *w = *state;
	w->review = USER("ns", "cow-job-collect", "c1");
	w->collector = POD("c1", "k1");
	w->owner = OWNER("k1", OUT);
	w->box.files = tree;
	w->box.n_files = LENGTH(tree);
	w->box.left_out = 3;
	return w;
}

static struct client *ask(struct world *w, const char *path)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "GET %s", path);
	return ask_as(w, NULL, str_text(&line), "Authorization: Bearer t0ken\r\n");
}

#define LIST "/results/ns/cow-job"
#define FILE_OF "/results/ns/cow-job/file?path="

/* Acceptance: result-2 */
static void the_list_has_a_line_for_each_entry_and_an_end(void **state)
{
	struct world *w = given_a_collector(state);
	struct client *c = ask(w, LIST);
	until_ended(w, c);
	is_answer(c, 200,
		"{\"path\":\"out\",\"size\":0,\"mode\":493,\"folder\":true,\"modifiedNs\":"
		"1795270000000000001}\n"
		"{\"path\":\"out/a\\\"b.txt\",\"size\":5,\"mode\":416,\"folder\":false,"
		"\"modifiedNs\":1795270000123456789}\n"
		"{\"end\":true,\"leftOut\":3}\n");
	assert_string_equal(w->box.path, "/home/a/out/");
	assert_int_equal(w->box.asked, 0); /* it is named: the job is not asked about */
}

/* The other one has its name and its uid, and names something else. */
/* Acceptance: job-17 */
static void what_is_copied_says_the_object_of_the_owners_group(void **state)
{
	struct world *w = given_a_collector(state);
	w->pod.owner_resource = RES_OLDER_SLURMJOB;
	w->older = OWNER("k1", "\"results\":{\"from\":\"/home/a/older/\"}");
	struct client *c = ask(w, LIST);
	until_ended(w, c);
	assert_non_null(strstr(str_text(&c->got), "200 OK"));
	assert_string_equal(w->box.path, "/home/a/older/");
}

/* Acceptance: result-1 */
static void a_token_is_asked_about_with_its_audience(void **state)
{
	struct world *w = given_a_collector(state);
	struct client *c = ask(w, LIST);
	until_ended(w, c);
	assert_non_null(strstr(w->api.calls[0].body, "\"audiences\":[\"wlm.sylabs.io/results\"]"));
	assert_int_equal(w->api.n, 3); /* the token, the pod, the object */

	/* when it goes on, within a minute */
	until_ended(w, ask(w, FILE_OF "out/a.txt"));
	assert_int_equal(w->api.n, 3);
}

static void a_file_is_read_beneath_what_is_asked_for(void **state)
{
	struct world *w = given_a_collector(state);
	struct client *c = ask(w, FILE_OF "out/a%20b/c.txt");
	until_ended(w, c);
	is_answer(c, 200, "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/home/a/out/a b/c.txt");

	/* and from a place on */
	c = ask(w, FILE_OF "out/a.txt&offset=8");
	until_ended(w, c);
	is_answer(c, 200, "three\n");
	assert_int_equal(w->box.offset, 8);
}

static void a_checksum_is_told_with_what_it_is_of(void **state)
{
	struct world *w = given_a_collector(state);
	w->box.sum = (struct wlm_checksum){
		.sha256 = { 0xab, 1 }, .size = 5, .modified_ns = 1795270000123456789
	};
	struct client *c = ask(w, LIST "/checksum?path=out/a.txt");
	until_ended(w, c);
	is_answer(c, 200,
		"{\"sha256\":\"ab01000000000000000000000000000000000000000000000000000000000000\","
		"\"size\":5,\"modifiedNs\":1795270000123456789}\n");
	assert_string_equal(w->box.path, "/home/a/out/a.txt");
}

static void without_a_name_it_is_the_standard_output(void **state)
{
	struct world *w = given_a_collector(state);
	w->owner = OWNER("k1", "\"results\":{\"mount\":{\"name\":\"v\"}}");
	struct client *c = ask(w, FILE_OF "slurm-53.out");
	until_ended(w, c);
	is_answer(c, 200, "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/home/a/slurm-53.out");

	/* also when Slurm has forgotten the job, and it was noted */
	w->box.job_status = GRPC_NOT_FOUND;
	w->pod.std_out = "/home/a/noted.out";
	c = ask(w, FILE_OF "noted.out");
	until_ended(w, c);
	is_answer(c, 200, "one\ntwo\nthree\n");

	/* and not when there is none */
	w->pod.std_out = "";
	refuses(w, ask(w, LIST), 404, "the path of its output file was not recorded");
	w->box.job_status = GRPC_OK;
	w->box.jobs[0].state = "PENDING";
	refuses(w, ask(w, LIST), 400, "job 53 waits in Slurm");
}

/* Acceptance: result-1 */
static void a_path_does_not_lead_out(void **state)
{
	static const struct {
		const char *path, *says;
	} rows[] = {
		{ "", "path is missing" },
		{ "/etc/passwd", "has an empty part" },
		{ "out/../../b", "has \".\" or \"..\"" },
		{ "out/", "has an empty part" },
		{ "other/a.txt", "is not beneath what the object asks for" },
		{ "output", "is not beneath" },
		{ "out/a&offset=-1", "offset should be a whole number" },
	};
	struct world *w = given_a_collector(state);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str path = { 0 };
		str_addf(&path, FILE_OF "%s", rows[i].path);
		refuses(w, ask(w, str_text(&path)), 400, rows[i].says);
	}
	assert_int_equal(w->box.opened, 0);
	w->owner = OWNER("k1", "\"results\":{\"from\":\"/home/a/..\"}");
	w->review = USER("ns", "cow-job-collect", "c2");
	w->collector = POD("c2", "k1");
	refuses(w, ask_as(w, NULL, "GET " FILE_OF "../a", "Authorization: Bearer other\r\n"), 400,
		"has \".\" or \"..\"");
}

/* Acceptance: result-1 */
static void who_is_not_that_pod_gets_nothing(void **state)
{
	struct world *w = given_a_collector(state);
	static const struct {
		const char *review, *collector, *owner;
		int status;
		const char *says;
	} rows[] = {
		{ "{\"status\":{\"authenticated\":false}}", NULL, NULL, 401, "does not know" },
		/* an API server that looks at no audience; a token of its own */
		{ "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"a\"}}}", NULL, NULL,
			401, "as one for wlm.sylabs.io/results" },
		{ USER("other", "cow-job-collect", "c1"), NULL, NULL, 403,
			"does not belong to a service account of the job's namespace" },
		{ USER("ns", "cow-job", "c1"), NULL, NULL, 403,
			"not belong to the pod that copies" },
		{ USER("ns", "cow-job-collect", ""), NULL, NULL, 403, "lacks the uid" },
		{ NULL, "", NULL, 404, "the pod ns/cow-job-collect cannot be read" },
		{ NULL, POD("c9", "k1"), NULL, 403, "the pod of the token was replaced" },
		{ NULL, POD("c1", "k9"), NULL, 403, "belong to different objects" },
		{ NULL, NULL, "", 404, "SlurmJob ns/cow cannot be read" },
		{ NULL, NULL, OWNER("k9", OUT), 403, "the object of the job was replaced" },
		{ NULL, NULL, OWNER("k1", ""), 403, "requests no results" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str header = { 0 };
		given_a_collector(state);
		w->review = rows[i].review ? rows[i].review : w->review;
		w->collector = rows[i].collector ? rows[i].collector : w->collector;
		w->owner = rows[i].owner ? rows[i].owner : w->owner;
		w->collector = *w->collector ? w->collector : NULL;
		w->owner = *w->owner ? w->owner : NULL;
		str_addf(&header, "Authorization: Bearer t%zu\r\n", i);
		refuses(w, ask_as(w, NULL, "GET " LIST, str_text(&header)), rows[i].status,
			rows[i].says);
	}
	assert_string_equal(w->box.path, ""); /* red-box heard of none of them */
}

/* The certificate of an API server, which may read logs. */
/* Acceptance: result-1 */
static void a_certificate_is_no_token(void **state)
{
	struct world *w = given_a_collector(state);
	refuses(w, get(w, LIST), 401, "the client is not authenticated");
}

static void what_is_not_there_is_not_found(void **state)
{
	struct world *w = given_a_collector(state);
	refuses(w, ask(w, "/results/ns"), 404, "results are below");
	refuses(w, ask(w, LIST "/other?path=out"), 404, "results are below");
	refuses(w, ask_as(w, NULL, "POST " LIST, "Content-Length: 0\r\n"), 405, "GET");
	w->pod.is_job = false;
	refuses(w, ask(w, LIST), 404, "or it represents no job");
}

static void what_red_box_refuses_has_a_status(void **state)
{
	static const struct {
		enum grpc_status status;
		int http;
	} rows[] = { { GRPC_NOT_FOUND, 404 }, { GRPC_PERMISSION_DENIED, 403 },
		{ GRPC_INVALID_ARGUMENT, 400 }, { GRPC_ABORTED, 409 }, { GRPC_UNAVAILABLE, 503 } };
	struct world *w = given_a_collector(state);
	w->box.n_files = 0;
	w->box.sentence = "no, because";
	for (size_t i = 0; i < LENGTH(rows); i++) {
		w->box.file_status = rows[i].status;
		refuses(w, ask(w, LIST), rows[i].http, "no, because");
		refuses(w, ask(w, FILE_OF "out/a"), rows[i].http, "no, because");
		refuses(w, ask(w, LIST "/checksum?path=out/a"), rows[i].http, "no, because");
	}
}

/* Over HTTP/1.1 its end is seen to be missing. */
static bool has_end(const struct client *c) { return strstr(str_text(&c->got), "\r\n0\r\n\r\n"); }

/* Acceptance: result-3 */
static void a_list_or_file_that_breaks_has_no_end(void **state)
{
	struct world *w = given_a_collector(state);
	w->box.file_status = GRPC_UNAVAILABLE;
	struct client *c = send_as(w, NULL,
		"GET " LIST " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n\r\n");
	until_ended(w, c);
	assert_int_equal(status_of(c), 200);
	assert_false(has_end(c));
	assert_null(strstr(str_text(&c->got), "\"end\""));

	w->box.file_status = GRPC_OK;
	w->box.breaks_at = 4;
	c = send_as(w, NULL,
		"GET " FILE_OF "out/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n\r\n");
	until_ended(w, c);
	assert_int_equal(status_of(c), 200);
	assert_non_null(strstr(str_text(&c->got), "one\n"));
	assert_false(has_end(c));
}

/* Acceptance: result-7 */
static void a_slow_collector_slows_the_reading(void **state)
{
	struct world *w = given_a_collector(state);
	w->box.text = NULL;
	w->box.lines = 1 << 20;
	struct client *c = ask(w, FILE_OF "out/large");
	c->reads_nothing = true;
	for (int i = 0; i < 400; i++)
		turn(w);
	size_t before = w->box.sent;
	assert_true(before > 0 && before < 8 << 20);
	for (int i = 0; i < 100; i++)
		turn(w);
	assert_int_equal(w->box.sent, before);

	/* and gets all of it */
	c->reads_nothing = false;
	until_ended(w, c);
	assert_int_equal(strlen(body_of(c)), (size_t)w->box.lines * 16);
}

static void one_pod_reads_eight_at_a_time(void **state)
{
	struct world *w = given_a_collector(state);
	metric_free_all();
	struct client *held[8];
	w->box.hangs = true;
	for (int i = 0; i < 8; i++)
		held[i] = ask(w, FILE_OF "out/a");
	while (w->box.opened < 8)
		turn(w);
	refuses(w, ask(w, LIST), 429, "too many files are being copied");
	AUTO(str_free) struct str page = { 0 };
	kubelet_measure(w->kubelet);
	metric_render(&page);
	page_has(&page, "slurm_operator_virtual_node_transfer_requests{of=\"results\"} 8");
	page_has(&page, "slurm_operator_virtual_node_transfer_requests{of=\"inputs\"} 0");
	page_has(&page,
		"slurm_operator_virtual_node_transfer_refused_total{of=\"results\",code=\"429\"} "
		"1");

	/* when one goes away there is room, and red-box hears of it */
	client_drop(held[0]);
	while (w->box.gone < 1)
		turn(w);
	w->box.hangs = false;
	until_ended(w, ask(w, LIST));
}

/* A collector of this namespace, with a token of its own. */
static struct client *ask_in(struct world *w, const char *ns, const char *review)
{
	AUTO(str_free) struct str line = { 0 }, token = { 0 };
	w->review = review;
	str_addf(&line, "GET /results/%s/cow-job", ns);
	str_addf(&token, "Authorization: Bearer of-%s\r\n", ns);
	return ask_as(w, NULL, str_text(&line), str_text(&token));
}

/* red-box makes so many of them at a time. */
/* Acceptance: vnode-17 */
static void the_lists_of_a_namespace_leave_room_for_others(void **state)
{
	static const char a[] = USER("a", "cow-job-collect", "c1");
	static const char b[] = USER("b", "cow-job-collect", "c1");
	struct world *w = given_a_collector(state);
	w->everywhere = true;
	w->box.endless = true;
	struct client *first = ask_in(w, "a", a);
	until_got(w, first, "200 OK");
	for (int i = 1; i < 6; i++)
		until_got(w, ask_in(w, "a", a), "200 OK");
	refuses(w, ask_in(w, "a", a), 429, "too many lists are being made");
	w->box.endless = false;
	until_ended(w, ask_in(w, "b", b));
	int gone = w->box.lists_gone;
	client_drop(first);
	while (w->box.lists_gone == gone)
		turn(w);
	until_ended(w, ask_in(w, "a", a));
}

/* Reads a file as the collector of this pod. */
static struct client *read_as(struct world *w, const char *ns, int pod)
{
	static struct str review; /* the API server says it again */
	AUTO(str_free) struct str line = { 0 }, token = { 0 };
	str_clear(&review);
	str_addf(&review,
		"{\"status\":{\"authenticated\":true,\"audiences\":[\"wlm.sylabs.io/results\"],"
		"\"user\":{\"username\":\"system:serviceaccount:%s:default\",\"extra\":{"
		"\"authentication.kubernetes.io/pod-name\":[\"p%d-collect\"],"
		"\"authentication.kubernetes.io/pod-uid\":[\"c1\"]}}}}",
		ns, pod);
	w->review = str_text(&review);
	str_addf(&line, "GET /results/%s/p%d/file?path=out/a", ns, pod);
	str_addf(&token, "Authorization: Bearer %s-%d\r\n", ns, pod);
	int opened = w->box.opened;
	struct client *c = ask_as(w, NULL, str_text(&line), str_text(&token));
	while (w->box.opened == opened && !c->ended)
		turn(w);
	return c;
}

/* Acceptance: vnode-17 */
static void the_files_of_a_namespace_leave_places_for_others(void **state)
{
	enum { PLACES = 64, OF_ONE = 8 };
	struct world *w = given_a_collector(state);
	w->everywhere = true;
	w->box.hangs = true;
	for (int i = 0; i < PLACES / 2; i++)
		read_as(w, "a", i / OF_ONE);
	assert_int_equal(w->box.opened, PLACES / 2);
	refuses(w, read_as(w, "a", PLACES), 429, "too many files are being copied");
	for (int i = 0; i < PLACES / 4; i++)
		read_as(w, "b", i / OF_ONE);
	assert_int_equal(w->box.opened, PLACES / 2 + PLACES / 4);
	refuses(w, read_as(w, "b", PLACES), 429, "too many files are being copied");
	read_as(w, "c", 0);
	assert_int_equal(w->box.opened, PLACES / 2 + PLACES / 4 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KUBELET_TEST(the_list_has_a_line_for_each_entry_and_an_end),
		KUBELET_TEST(what_is_copied_says_the_object_of_the_owners_group),
		KUBELET_TEST(a_token_is_asked_about_with_its_audience),
		KUBELET_TEST(a_file_is_read_beneath_what_is_asked_for),
		KUBELET_TEST(a_checksum_is_told_with_what_it_is_of),
		KUBELET_TEST(without_a_name_it_is_the_standard_output),
		KUBELET_TEST(a_path_does_not_lead_out),
		KUBELET_TEST(who_is_not_that_pod_gets_nothing),
		KUBELET_TEST(a_certificate_is_no_token),
		KUBELET_TEST(what_is_not_there_is_not_found),
		KUBELET_TEST(what_red_box_refuses_has_a_status),
		KUBELET_TEST(a_list_or_file_that_breaks_has_no_end),
		KUBELET_TEST(a_slow_collector_slows_the_reading),
		KUBELET_TEST(one_pod_reads_eight_at_a_time),
		KUBELET_TEST(the_lists_of_a_namespace_leave_room_for_others),
		KUBELET_TEST(the_files_of_a_namespace_leave_places_for_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
