/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A monkey with a client, rough faults and rough people: the world itself must survive
 * everything, the same way each time.
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

enum { CALLS = 16, SEEDS = 150, ACTS = 120 };

struct monkey {
	struct world *w;
	struct http *kube, *slurm;
	struct http_call *calls[CALLS]; /* what it could still cancel */
	int crashes, answers, pieces;
};

/* One slot of the monkey's. */
struct slot {
	struct monkey *m;
	int number;
};

static void on_done(void *ctx, struct err err, const struct http_answer *answer)
{
	struct slot *s = ctx;
	assert_true(failed(err) == !answer);
	s->m->calls[s->number] = NULL;
	s->m->answers++;
	free(s);
}

static bool on_data(void *ctx, const char *bytes, size_t n)
{
	struct slot *s = ctx;
	assert_true(n > 0 && bytes);
	s->m->pieces++;
	return sim_rand_range(&s->m->w->rand, 0, 30) > 0;
}

static void be_born(struct monkey *m)
{
	struct http_config config = { .base_url = WORLD_SLURM_URL };
	m->kube = world_kube_http(m->w);
	assert_false(failed(sim_http_factory(world_factory_ctx(m->w), &config, &m->slurm)));
}

static void die(struct monkey *m)
{
	http_free(m->kube);
	http_free(m->slurm);
	memset(m->calls, 0, sizeof(m->calls));
}

static void on_crash(void *ctx, int who)
{
	(void)who;
	struct monkey *m = ctx;
	m->crashes++;
	die(m);
	be_born(m);
}

static const char *const methods[] = { "GET", "GET", "POST", "PUT", "PATCH", "DELETE" };
static const char *const paths[] = {
	"/api/v1/namespaces/slurm/pods",
	"/api/v1/namespaces/slurm/pods/s-%d",
	"/api/v1/namespaces/slurm/pods/s-%d/status",
	"/apis/slinky.slurm.net/v1alpha1/namespaces/slurm/nodesets/s",
	"/apis/slinky.slurm.net/v1alpha1/namespaces/slurm/nodesets/s/status",
	"/api/v1/pods?limit=%d",
	"/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=%d",
	"/api/v1/pods?continue=%d.slurm/s-1",
	"/api/v1/namespaces/other",
	"/nonsense/%d",
	"/slurm/v0.0.42/nodes/",
	"/slurm/v0.0.42/node/s-%d",
	"/slurm/v0.0.42/jobs/state",
	"/slurm/v0.0.42/job/%d",
	"/openapi/v3",
};
static const char *const bodies[] = {
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"s-%d\"},\"spec\":{"
	"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
	"{\"metadata\":{\"finalizers\":[\"a/"
	"b\"],\"labels\":{\"x\":\"%d\"}},\"spec\":{\"replicas\":%d}}",
	"{\"metadata\":{\"finalizers\":null}}",
	"{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%d\"}]}}",
	"{\"name\":[\"s-[0-%d]\",\"x\"],\"state\":[\"DRAIN\"],\"reason\":\"slurm-operator: r\"}",
	"{\"name\":\"s-%d\",\"state\":[\"UNDRAIN\"]}",
	"[{\"op\":\"replace\",\"path\":\"/spec/"
	"replicas\",\"value\":%d},{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{}}]",
	"{\"gracePeriodSeconds\":%d,\"preconditions\":{\"uid\":\"x\"}}",
	"null",
	"{\"metadata\":3,\"spec\":[%d]}",
	"not json",
	"",
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void fill(char *out, size_t cap, const char *format, int n)
{
	snprintf(out, cap, format, n, n);
}
#pragma GCC diagnostic pop

static void ask(struct monkey *m)
{
	struct sim_rand *r = &m->w->rand;
	int number = (int)sim_rand_range(r, 0, CALLS - 1);
	char path[200], body[300];
	fill(path, sizeof(path), paths[sim_rand_range(r, 0, (int64_t)LENGTH(paths) - 1)],
		(int)sim_rand_range(r, 0, 4));
	fill(body, sizeof(body), bodies[sim_rand_range(r, 0, (int64_t)LENGTH(bodies) - 1)],
		(int)sim_rand_range(r, 0, 4));
	bool to_slurm = path[1] == 's' || path[1] == 'o', json_patch = body[0] == '[';
	struct http_header headers[] = { { "Content-Type",
						 json_patch ? "application/json-patch+json"
							    : "application/merge-patch+json" },
		{ "X-SLURM-USER-TOKEN", sim_rand_chance(r, 900) ? m->w->slurm.token : "no" } };
	struct slot *s = own_alloc(sizeof(*s));
	*s = (struct slot){ m, number };
	struct http_request rq = {
		.method = methods[sim_rand_range(r, 0, (int64_t)LENGTH(methods) - 1)],
		.path = path,
		.headers = headers,
		.n_headers = LENGTH(headers),
		.body = body,
		.body_bytes = strlen(body),
		.on_data = strstr(path, "watch") ? on_data : NULL,
		.timeout_ms = sim_rand_range(r, 1, 9000),
		.drop = free,
	};
	http_cancel(to_slurm ? m->slurm : m->kube, NULL);
	struct http_call *call = http_send(to_slurm ? m->slurm : m->kube, &rq, on_done, s);
	if (!m->calls[number])
		m->calls[number] = to_slurm ? NULL : call;
	else if (!to_slurm) {
		http_cancel(m->kube, m->calls[number]);
		m->calls[number] = call;
	}
}

static void something(struct monkey *m)
{
	struct world *w = m->w;
	char name[20];
	snprintf(name, sizeof(name), "s-%d", (int)sim_rand_range(&w->rand, 0, 4));
	switch (sim_rand_range(&w->rand, 0, 30)) {
	case 0:
		world_start_job(w, 2, 20);
		break;
	case 1:
		sim_kubelet_fail(&w->kubelet, "slurm", name);
		break;
	case 2:
		sim_kubelet_crash(&w->kubelet, "slurm", name, 3000);
		break;
	case 3:
		world_slurmctld_restart(w, true);
		break;
	case 4:
		world_apiserver_restart(w, 2000);
		break;
	case 5:
		sim_server_down(&w->slurm.server, 3000);
		break;
	case 6:
		world_admin_drain(w, name, "disk");
		break;
	case 7:
		world_rotate_token(w);
		break;
	case 8:
		world_delete(w, RES_POD, "slurm", name);
		break;
	case 9:
		sim_slurm_version(&w->slurm, sim_rand_chance(&w->rand, 500));
		break;
	default:
		ask(m);
		break;
	}
}

static void play(uint64_t seed, char *out, size_t cap)
{
	struct monkey m = { .w = world_new(seed) };
	sim_faults_rough(&m.w->net->faults);
	world_on_crash(m.w, on_crash, &m);
	be_born(&m);
	world_add_nodeset(m.w, "s", 3, "img:1", "1");
	for (int i = 0; i < ACTS; i++) {
		something(&m);
		m.w->oracle.n_broken = 0;
		world_run(m.w, sim_rand_range(&m.w->rand, 0, 1500));
	}
	snprintf(out, cap, "%lld %llu %d %d %d %zu", (long long)m.w->kube.store.rv,
		(unsigned long long)m.w->loop->steps, m.crashes, m.answers, m.pieces,
		m.w->net->faults.n_happened);
	die(&m);
	world_free(m.w);
}

static void a_rough_world_survives_and_repeats(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		char one[200], two[200];
		play(seed, one, sizeof(one));
		if (seed % 10 != 0)
			continue;
		play(seed, two, sizeof(two));
		assert_string_equal(one, two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_rough_world_survives_and_repeats) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
