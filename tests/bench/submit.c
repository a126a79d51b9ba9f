/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submits jobs through red-box, many at a time, as virtual nodes do: each with a
 * client_id of its own. Prints the seconds that it took.
 *
 *     submit SOCKET JOBS AT-A-TIME PREFIX <SCRIPT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "wlm/client.h"

struct desk {
	struct loop *loop;
	struct wlm_caller by;
	char script[4096];
	const char *prefix;
	int jobs, begun, done;
};

static void next(struct desk *d)
{
	char key[100];
	if (d->begun >= d->jobs)
		return;
	snprintf(key, sizeof(key), "%.60s-%d", d->prefix, d->begun++);
	wlm_submit(&d->by, d->script, NULL, key, 0);
}

static void told(void *ctx, struct err e, const struct wlm_answer *answer)
{
	struct desk *d = ctx;
	if (failed(e) || answer->job_id <= 0) {
		fprintf(stderr, "submit: %s\n", e.text);
		exit(1);
	}
	if (++d->done == d->jobs)
		loop_uv_stop(d->loop);
	next(d);
}

int main(int argc, char **argv)
{
	struct desk d = { .loop = loop_uv_new() };
	if (argc != 5)
		return 64;
	d.jobs = atoi(argv[2]);
	d.prefix = argv[4];
	d.script[fread(d.script, 1, sizeof(d.script) - 1, stdin)] = '\0';
	const struct grpc_client_config config = { .path = argv[1], .seed = 1 };
	struct grpc_client *client = NULL;
	if (failed(grpc_client_new(d.loop, &config, &client)))
		return 1;
	d.by = (struct wlm_caller){ client, 120000, .done = told, .ctx = &d };
	int64_t began_ms = loop_now_ms(d.loop);
	for (int i = 0; i < atoi(argv[3]); i++)
		next(&d);
	loop_uv_run(d.loop);
	printf("%.3f\n", (double)(loop_now_ms(d.loop) - began_ms) / 1000);
	grpc_client_free(client);
	loop_uv_free(d.loop);
	return 0;
}
