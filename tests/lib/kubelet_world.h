/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kubelet API with all that is around it: clients over TLS, an API server and a
 * red-box that the test plays. For one test program, which includes this once.
 *
 *     w->box.text = "hello\n";
 *     struct client *c = get(w, "/containerLogs/ns/cow-job/jt1");
 *     until_ended(w, c);
 *     is_answer(c, 200, "hello\n");
 */
#ifndef TESTS_LIB_KUBELET_WORLD_H
#define TESTS_LIB_KUBELET_WORLD_H

#include "lib/kubelet_box.h"

/* ---- the virtual node ---- */

static inline bool find_pod(void *world, const char *ns, const char *pod, struct kubelet_pod *out)
{
	struct world *w = world;
	*out = w->pod;
	if (w->everywhere) {
		out->ns = ns;
		out->name = pod;
	}
	return str_eq(ns, out->ns) && str_eq(pod, out->name);
}

static inline void each_pod(void *world, void (*one)(void *one_ctx, const struct kubelet_pod *p),
	void *one_ctx)
{
	struct world *w = world;
	struct kubelet_pod other = w->pod;
	other.name = "ended-job";
	other.ended = true;
	one(one_ctx, &w->pod);
	one(one_ctx, &other);
}

static inline struct err serve(struct world *w, struct kubelet_config c)
{
	c.loop = w->grpc.loop;
	c.kube = &w->kube;
	c.address = c.address ? c.address : "127.0.0.1:0";
	c.client_ca_file = c.client_ca_file ? c.client_ca_file : folder_path(&w->folder, "ca.crt");
	c.find = find_pod;
	c.each = each_pod;
	c.ctx = w;
	kubelet_free(TAKE(w->kubelet));
	return kubelet_new(&c, &w->kubelet);
}

static inline void given_records(struct box *b)
{
	for (int i = 0; i < 3; i++)
		b->jobs[i] = (struct slurm_job_shown){
			.id = 53 + i,
			.array_id = "",
			.name = "",
			.user = "",
			.state = "RUNNING",
			.reason = "None",
			.comment = "",
			.exit_code = "0:0",
			.partition = "",
			.nodes = "",
			.node_count = "",
			.batch_host = "",
			.work_dir = "",
			.std_out = "/home/a/slurm-53.out",
			.std_err = "/home/a/slurm-53.out",
			.submit_s = SLURM_ABSENT,
			.start_s = 1795270000,
			.end_s = SLURM_ABSENT,
			.run_s = SLURM_ABSENT,
			.limit_s = SLURM_ABSENT,
		};
}

static inline void given_a_job(struct world *w)
{
	w->pod = (struct kubelet_pod){
		.ns = "ns",
		.name = "cow-job",
		.uid = "u1",
		.node = "slurm-x-debug",
		.container = "jt1",
		.is_job = true,
		.job_id = 53,
		.key = "k1",
		.std_out = "",
		.std_err = "",
		.owner_resource = RES_SLURMJOB,
		.owner_name = "cow",
		.owner_uid = "k1",
		.start_s = 1795270000,
		.red_box = w->red_box,
	};
	w->box = (struct box){
		.text = "one\ntwo\nthree\n",
		.sentence = "",
		.n_jobs = 1,
	};
	given_records(&w->box);
}

static inline int given_a_kubelet(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	log_set_level((enum log_level)(LOG_ERROR + 1));
	grpc_world_new(&w->grpc);
	w->grpc.config.methods = box_methods;
	w->grpc.config.admits = NULL;
	w->grpc.config.ctx = w;
	grpc_world_start(&w->grpc);
	const struct grpc_client_config config = { .path = w->grpc.path };
	assert_false(failed(grpc_client_new(w->grpc.loop, &config, &w->red_box)));
	sim_loop_init(&w->clock, SIM_LOOP_WALL_MS);
	fake_http_init(&w->api, &w->clock);
	w->kube = (struct kube){ &w->api.http, w->grpc.loop };
	w->review = "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"prom\"}}}";
	w->right = "{\"status\":{\"allowed\":true}}";
	w->authority = make_identity("kube-apiserver", "IP:127.0.0.1");
	w->stranger = make_identity("kube-apiserver", "IP:127.0.0.1");
	w->folder = folder_make();
	folder_put(&w->folder, "ca.crt", "w", w->authority.cert_pem);
	given_a_job(w);
	struct err e = serve(w, (struct kubelet_config){ 0 });
	if (failed(e))
		fail_msg("%s", e.text);
	*state = w;
	return 0;
}

static inline void client_drop(struct client *c)
{
	SSL_free(TAKE(c->tls));
	SSL_CTX_free(TAKE(c->context));
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->ended = true;
	str_free(&c->got);
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	kubelet_free(w->kubelet);
	for (int i = 0; i < w->n_clients; i++)
		client_drop(&w->clients[i]);
	grpc_client_free(w->red_box);
	grpc_world_free(&w->grpc);
	fake_http_clear(&w->api);
	sim_loop_end(&w->clock);
	drop_identity(&w->authority);
	drop_identity(&w->stranger);
	folder_remove(&w->folder);
	str_free(&w->box.taken);
	free(w);
	return 0;
}

/* ---- clients ---- */

static inline void client_read(struct client *c)
{
	char piece[16384];
	int n = 1;
	while (!c->ended && !c->reads_nothing && (n = SSL_read(c->tls, piece, sizeof(piece))) > 0)
		str_add_bytes(&c->got, piece, (size_t)n);
	c->ended = c->ended || (n <= 0 && SSL_get_error(c->tls, n) != SSL_ERROR_WANT_READ);
	ERR_clear_error();
}

/* The API server answers, the loop turns, clients read. */
static inline void turn(struct world *w)
{
	const struct fake_row rows[] = { { "tokenreviews", 201, w->review },
		{ "subjectaccessreviews", 201, w->right },
		{ "/pods/", w->collector ? 200 : 404, w->collector ? w->collector : "{}" },
		{ "apis/slurm.sylabs.io/", w->older ? 200 : 404, w->older ? w->older : "{}" },
		{ "/slurmjobs/", w->owner ? 200 : 404, w->owner ? w->owner : "{}" } };
	fake_answer_all(&w->api, rows, LENGTH(rows));
	raw_turn(w->grpc.loop);
	for (int i = 0; i < w->n_clients; i++)
		client_read(&w->clients[i]);
}

/* The file gets longer; who tails hears it. */
static inline void add(struct world *w, const char *whole)
{
	while (!tailing)
		turn(w);
	w->box.text = whole;
	send_some(&w->box, tailing, grpc_call_state(tailing));
}

/* Sends these bytes; id NULL: without a certificate. */
static inline struct client *send_as(struct world *w, const struct identity *id, const char *bytes)
{
	assert_true(w->n_clients < CLIENTS);
	struct raw raw = raw_connect(w->grpc.loop, kubelet_port(w->kubelet));
	struct client *c = &w->clients[w->n_clients];
	*c = (struct client){ .fd = raw.fd, .context = SSL_CTX_new(TLS_client_method()) };
	if (id) {
		SSL_CTX_use_certificate(c->context, id->cert);
		SSL_CTX_use_PrivateKey(c->context, id->key);
	}
	c->tls = SSL_new(c->context);
	SSL_set_fd(c->tls, c->fd);
	int code;
	while ((code = SSL_connect(c->tls)) != 1) {
		if (SSL_get_error(c->tls, code) != SSL_ERROR_WANT_READ)
			fail_msg("no TLS: %s", ERR_error_string(ERR_get_error(), NULL));
		turn(w);
	}
	w->n_clients++;
	assert_int_equal(SSL_write(c->tls, bytes, (int)strlen(bytes)), (int)strlen(bytes));
	return c;
}

/* HTTP/1.0: the answer ends with the connection, and its body is as it is. */
static inline struct client *ask_as(struct world *w, const struct identity *id, const char *line,
	const char *header)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "%s HTTP/1.0\r\nHost: x\r\n%s\r\n", line, header);
	return send_as(w, id, str_text(&text));
}

/* As the API server asks. */
static inline struct client *get(struct world *w, const char *path)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "GET %s", path);
	return ask_as(w, &w->authority, str_text(&line), "");
}

static inline void until_ended(struct world *w, struct client *c)
{
	while (!c->ended)
		turn(w);
}

static inline void until_got(struct world *w, struct client *c, const char *text)
{
	while (!strstr(str_text(&c->got), text)) {
		if (c->ended)
			fail_msg("\"%s\" did not come: %s", text, str_text(&c->got));
		turn(w);
	}
}

static inline const char *body_of(const struct client *c)
{
	const char *end = strstr(str_text(&c->got), "\r\n\r\n");
	return end ? end + 4 : "";
}

static inline int status_of(const struct client *c)
{
	const char *space = strchr(str_text(&c->got), ' ');
	return space ? atoi(space) : 0;
}

static inline void is_answer(const struct client *c, int status, const char *body)
{
	if (status_of(c) != status)
		fail_msg("%s", str_text(&c->got));
	assert_string_equal(body_of(c), body);
}

/* Asserts an error as the answer, with this part of its sentence. */
static inline void refuses(struct world *w, struct client *c, int status, const char *says)
{
	until_ended(w, c);
	if (status_of(c) != status || !strstr(body_of(c), says))
		fail_msg("no %d \"%s\": %s", status, says, str_text(&c->got));
	size_t n = strlen(body_of(c));
	assert_true(n > 1 && strchr(body_of(c), '\n') == body_of(c) + n - 1);
}

#define KUBELET_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_kubelet, free_world)

#endif
