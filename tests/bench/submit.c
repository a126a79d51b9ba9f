/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submits jobs through red-box, many at a time, as virtual nodes do: each with a
 * client_id of its own, by a client that has been there for a while. For each line of its
 * input, which is what its keys begin with, it prints the seconds that it took.
 *
 *     submit SOCKET JOBS AT-A-TIME SCRIPT WAIT-SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "wlm/client.h"

struct status_cache {
	struct loop *loop;
	struct wlm_caller by;
	char script[4096];
	char prefix[64];
	int jobs, begun, done;
};

static void next(struct status_cache *d)
{
	char key[100];
	if (d->begun >= d->jobs)
		return;
	snprintf(key, sizeof(key), "%.60s-%d", d->prefix, d->begun++);
	wlm_submit(&d->by, d->script, NULL, key, 0);
}

static void told(void *ctx, struct err e, const struct wlm_answer *answer)
{
	struct status_cache *d = ctx;
	if (failed(e) || answer->job_id <= 0) {
		fprintf(stderr, "submit: %s\n", e.text);
		exit(1);
	}
	if (++d->done == d->jobs)
		loop_uv_stop(d->loop);
	next(d);
}

/* Submits so many at a time, until all have been submitted. */
static double submit_all(struct status_cache *d, int jobs, int at_a_time)
{
	int64_t began_ms = loop_now_ms(d->loop);
	d->jobs = jobs;
	d->begun = d->done = 0;
	for (int i = 0; i < at_a_time; i++)
		next(d);
	loop_uv_run(d->loop);
	return (double)(loop_now_ms(d->loop) - began_ms) / 1000;
}

static void waited(void *loop) { loop_uv_stop(loop); }

static void read_script(struct status_cache *d, const char *path)
{
	FILE *f = fopen(path, "re");
	if (!f)
		exit(66);
	d->script[fread(d->script, 1, sizeof(d->script) - 1, f)] = '\0';
	fclose(f);
}

int main(int argc, char **argv)
{
	struct status_cache d = { .loop = loop_uv_new(), .prefix = "first" };
	if (argc != 6)
		return 64;
	read_script(&d, argv[4]);
	const struct grpc_client_config config = { .path = argv[1], .seed = 1 };
	struct grpc_client *client = NULL;
	if (failed(grpc_client_new(d.loop, &config, &client)))
		return 1;
	d.by = (struct wlm_caller){ client, 120000, .done = told, .ctx = &d };
	snprintf(d.prefix, sizeof(d.prefix), "first-%lld", (long long)loop_wall_ms(d.loop));
	submit_all(&d, 1, 1); /* connects */
	timer_start(d.loop, (int64_t)1000 * atoi(argv[5]), waited, d.loop);
	loop_uv_run(d.loop);
	while (scanf("%63s", d.prefix) == 1) {
		printf("%.3f\n", submit_all(&d, atoi(argv[2]), atoi(argv[3])));
		fflush(stdout);
	}
	grpc_client_free(client);
	loop_uv_free(d.loop);
	return 0;
}
