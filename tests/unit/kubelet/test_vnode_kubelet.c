/* SPDX-License-Identifier: Apache-2.0 */
/* The kubelet API over TLS: who is let in, what is refused, what is told of pods. */
#include "lib/kubelet_world.h"

#include "net/x509.h"

static const char *const paths[] = { "/healthz", "/pods", "/runningpods/", "/stats/summary",
	"/metrics/resource", "/containerLogs/ns/cow-job/jt1", "/exec/ns/cow-job/jt1", "/nonsense",
	"/", "/containerLogs", "//", "/containerLogs/../../pods" };

static struct client *ask_path(struct world *w, const struct identity *id, const char *path,
	const char *header)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "GET %s", path);
	return ask_as(w, id, str_text(&line), header);
}

/* ---- who ---- */

/* Acceptance: log-7, V32 */
static void whoever_is_not_known_gets_nothing(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(paths); i++) {
		refuses(w, ask_path(w, NULL, paths[i], ""), 401, "the client is not authenticated");
		refuses(w, ask_path(w, &w->stranger, paths[i], ""), 401,
			"the client is not authenticated");
	}
	assert_int_equal(w->api.n, 0);
	assert_int_equal(w->box.asked, 0);
}

static void a_certificate_of_the_authority_lets_in(void **state)
{
	struct world *w = *state;
	struct client *c = get(w, "/healthz");
	until_ended(w, c);
	is_answer(c, 200, "ok\n");
	assert_int_equal(w->api.n, 1);
	assert_non_null(strstr(w->api.calls[0].body, "\"user\":\"kube-apiserver\""));
	/* The same name, signed by another authority. A token counts all the same. */
	c = ask_path(w, &w->stranger, "/healthz", "Authorization: Bearer t\r\n");
	until_ended(w, c);
	is_answer(c, 200, "ok\n");
	assert_non_null(strstr(w->api.calls[2].body, "\"user\":\"prom\""));
}

/* Acceptance: log-7 */
static void who_may_not_gets_nothing(void **state)
{
	struct world *w = *state;
	w->right = "{\"status\":{\"allowed\":false}}";
	for (size_t i = 0; i < LENGTH(paths); i++)
		refuses(w, ask_path(w, NULL, paths[i], "Authorization: Bearer t\r\n"), 403,
			"prom may not get nodes/");
	assert_int_equal(w->box.asked, 0);
	w->review = "{\"status\":{\"authenticated\":false}}";
	refuses(w, ask_path(w, NULL, "/pods", "Authorization: Bearer other\r\n"), 401,
		"does not know this token");
}

/* Acceptance: log-7 */
static void each_path_needs_its_right(void **state)
{
	static const struct {
		const char *path, *subresource, *node;
	} rows[] = {
		{ "/pods", "proxy", NULL },
		{ "/stats/summary", "stats", NULL },
		{ "/stats/x", "stats", NULL },
		{ "/metrics/resource", "metrics", NULL },
		{ "/metrics", "metrics", NULL },
		{ "/metricsx", "proxy", NULL },
		{ "/logs/messages", "log", NULL },
		{ "/containerLogs/ns/other/jt1", "proxy", NULL },
		{ "/containerLogs/ns/cow-job/jt1", "proxy", "slurm-x-debug" },
		{ "/exec/ns/cow-job/jt1?command=sh", "proxy", "slurm-x-debug" },
	};
	struct world *w = *state;
	w->right = "{}";
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str part = { 0 };
		str_addf(&part, "\"subresource\":\"%s\"", rows[i].subresource);
		if (rows[i].node)
			str_addf(&part, ",\"name\":\"%s\"}", rows[i].node);
		else
			str_add(&part, "}");
		/* Another user each time: what is known is not asked again. */
		fake_http_clear(&w->api);
		serve(w, (struct kubelet_config){ 0 });
		until_ended(w, get(w, rows[i].path));
		if (!w->api.n || !strstr(w->api.calls[0].body, str_text(&part)))
			fail_msg("%s: %s", rows[i].path, w->api.calls[0].body);
	}
}

/* ---- what is refused ---- */

static void nobody_enters_a_pod(void **state)
{
	static const char *const lines[] = { "POST /exec/ns/cow-job/jt1?command=sh",
		"GET /exec/ns/cow-job/u1/jt1", "POST /attach/ns/cow-job/jt1",
		"POST /portForward/ns/cow-job", "POST /run/ns/cow-job/jt1" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(lines); i++)
		refuses(w,
			ask_as(w, &w->authority, lines[i],
				"Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"),
			501, "\\\"srun --overlap --jobid=53 --pty sh\\\" runs a command");
	refuses(w, ask_as(w, &w->authority, "POST /exec/ns/other/jt1", ""), 501, "--jobid=ID ");
	/* kubectl shows the message of a Status */
	refuses(w, ask_as(w, &w->authority, lines[0], ""), 501,
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"");
	assert_int_equal(w->box.asked, 0);
}

static void other_paths_are_none(void **state)
{
	static const char *const others[] = { "/", "/nonsense", "/stats/container", "/metrics",
		"/logs/messages", "/configz", "/podsx", "/runningpods/x" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(others); i++)
		refuses(w, get(w, others[i]), 404, "a virtual node has no such path");
}

/* ---- pods ---- */

/* Acceptance: log-8, V31 */
static void pods_are_told_with_what_is_known_alone(void **state)
{
	struct world *w = *state;
	struct client *c = get(w, "/pods");
	until_ended(w, c);
	assert_int_equal(status_of(c), 200);
	assert_non_null(strstr(body_of(c), "\"kind\":\"PodList\""));
	assert_non_null(strstr(body_of(c),
		"{\"metadata\":{\"name\":\"cow-job\",\"namespace\":\"ns\",\"uid\":\"u1\"},\"spec\":"
		"{"
		"\"nodeName\":\"slurm-x-debug\",\"containers\":[{\"name\":\"jt1\"}]}}"));
	assert_non_null(strstr(body_of(c), "ended-job"));
	c = get(w, "/runningpods/");
	until_ended(w, c);
	assert_non_null(strstr(body_of(c), "cow-job"));
	assert_null(strstr(body_of(c), "ended-job"));
}

/* Acceptance: log-8, V31 */
static void nothing_is_measured(void **state)
{
	struct world *w = *state;
	struct client *c = get(w, "/stats/summary");
	until_ended(w, c);
	is_answer(c, 200,
		"{\"node\":{\"nodeName\":\"\"},\"pods\":[{\"podRef\":{\"name\":\"cow-job\","
		"\"namespace\":\"ns\",\"uid\":\"u1\"},\"startTime\":\"2026-11-21T14:06:40Z\","
		"\"containers\":[{\"name\":\"jt1\",\"startTime\":\"2026-11-21T14:06:40Z\"}]}]}\n");
	c = get(w, "/metrics/resource");
	until_ended(w, c);
	is_answer(c, 200,
		"# HELP container_start_time_seconds When the job began, since 1970.\n"
		"# TYPE container_start_time_seconds gauge\n"
		"container_start_time_seconds{container=\"jt1\",namespace=\"ns\",pod=\"cow-job\"} "
		"1795270000\n");
	w->pod.start_s = 0;
	c = get(w, "/stats/summary");
	until_ended(w, c);
	is_answer(c, 200, "{\"node\":{\"nodeName\":\"\"},\"pods\":[]}\n");
}

/* ---- its life ---- */

static void the_end_ends_all_that_is_under_way(void **state)
{
	struct world *w = *state;
	w->box.text = "";
	struct client *followed = get(w, "/containerLogs/ns/cow-job/jt1?follow=true");
	until_got(w, followed, "200 OK");
	struct client *asked = get(w, "/containerLogs/ns/cow-job/jt1?limitBytes=5");
	while (!w->box.asked)
		turn(w);
	struct client *waiting = ask_as(w, NULL, "GET /pods", "Authorization: Bearer t\r\n");
	while (w->api.n < 2)
		raw_turn(w->grpc.loop);
	kubelet_free(TAKE(w->kubelet));
	until_ended(w, followed);
	until_ended(w, asked);
	until_ended(w, waiting);
	while (w->box.gone < w->box.opened)
		turn(w);
	kubelet_free(NULL);
}

static char told_key[100];
static int told_port;

static void listens(void *world, int port, const char *public_key)
{
	(void)world;
	told_port = port;
	snprintf(told_key, sizeof(told_key), "%s", public_key);
}

static void a_pair_of_files_is_served(void **state)
{
	struct world *w = *state;
	char cert[256], key[256];
	snprintf(cert, sizeof(cert), "%s", folder_path(&w->folder, "tls.crt"));
	snprintf(key, sizeof(key), "%s", folder_path(&w->folder, "tls.key"));
	struct err e = serve(w, (struct kubelet_config){ .cert_file = cert, .key_file = key });
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "serving the kubelet API on 127.0.0.1:0: the certificate "));
	folder_put(&w->folder, "tls.crt", "w", w->stranger.cert_pem);
	folder_put(&w->folder, "tls.key", "w", w->stranger.key_pem);
	told_key[0] = '\0';
	e = serve(w,
		(struct kubelet_config){ .cert_file = cert, .key_file = key, .listens = listens });
	assert_false(failed(e));
	AUTO(own_free) char *public_key = x509_public_key(w->stranger.cert_pem);
	assert_string_equal(told_key, public_key);
	assert_int_equal(told_port, kubelet_port(w->kubelet));
	struct client *c = get(w, "/healthz");
	X509 *shown = SSL_get1_peer_certificate(c->tls);
	assert_int_equal(X509_cmp(shown, w->stranger.cert), 0);
	X509_free(shown);
	until_ended(w, c);
	is_answer(c, 200, "ok\n");
	e = serve(w, (struct kubelet_config){ .client_ca_file = key });
	assert_int_equal(e.kind, ERR_INVALID);
	e = serve(w, (struct kubelet_config){ .address = "nowhere" });
	assert_int_equal(e.kind, ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KUBELET_TEST(whoever_is_not_known_gets_nothing),
		KUBELET_TEST(a_certificate_of_the_authority_lets_in),
		KUBELET_TEST(who_may_not_gets_nothing),
		KUBELET_TEST(each_path_needs_its_right),
		KUBELET_TEST(nobody_enters_a_pod),
		KUBELET_TEST(other_paths_are_none),
		KUBELET_TEST(pods_are_told_with_what_is_known_alone),
		KUBELET_TEST(nothing_is_measured),
		KUBELET_TEST(the_end_ends_all_that_is_under_way),
		KUBELET_TEST(a_pair_of_files_is_served),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
