/* SPDX-License-Identifier: Apache-2.0 */
/* The whole operator, against an API server that the test plays. */
#include "lib/controller_world.h"

#include "api/job_results.h"
#include "base/metric.h"
#include "kind/all.h"

static struct err no_http(void *ctx, const struct http_config *config, struct http **out)
{
	(void)ctx, (void)config, (void)out;
	return err_new(ERR_INTERNAL, "no Slurm in this test");
}

static const char *const volumes[] = { "persistentVolumeClaim", NULL };
static const struct job_options jobs = {
	.image = "example.com/slurm-operator:1",
	.uid = 7,
	.gid = 8,
	.volumes = volumes,
};

int given_an_operator(void **state)
{
	struct controller_world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->http, &w->loop);
	struct controller_config config = {
		.kube = &w->kube,
		.loop = &w->loop.loop,
		.http_new = no_http,
		.kinds = kinds_all,
		.jobs = &jobs,
	};
	w->controller = controller_new(&config);
	controller_lead(w->controller);
	*state = w;
	return 0;
}

int free_controller_world(void **state)
{
	struct controller_world *w = *state;
	controller_free(w->controller);
	free_kube(&w->http, &w->loop);
	metric_free_all();
	free(w);
	return 0;
}

struct http_call *watch_of(struct controller_world *w, const char *resource)
{
	char watch[80];
	snprintf(watch, sizeof(watch), "%s?watch=true", resource);
	struct http_call *c = fake_open(&w->http, watch);
	if (!c)
		fail_msg("no watch of %s is open", resource);
	return c;
}
