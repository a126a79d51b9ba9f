/* SPDX-License-Identifier: Apache-2.0 */
/* The processes "results" and "prepare". */
#include "cmd/results.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "cmd/endpoints.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "transfer/transfer.h"
#include "net/http.h"
#include "plan/results/trouble.h"

struct process {
	struct loop *loop;
	struct http *http;
	struct results *results;
	int status;
};

static void say(void *ctx, const char *sentence)
{
	(void)ctx;
	printf("%s\n", sentence);
	fflush(stdout);
}

/* Kubernetes shows this file as the container's message. Elsewhere the file is absent. */
static void tell_kubernetes(const char *sentence)
{
	int fd = open("/dev/termination-log", O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, sentence, strlen(sentence)) < 0)
		perror("slurm-operator: /dev/termination-log");
	close(fd);
}

static void done(void *ctx, int status, const char *sentence)
{
	struct process *p = ctx;
	say(p, sentence);
	tell_kubernetes(sentence);
	p->status = status;
	loop_uv_stop(p->loop);
}

static void on_signal(void *ctx, int signal)
{
	(void)signal;
	done(ctx, RESULTS_ANEW,
		"stopped by a signal: what was copied stays, and the next attempt continues with it");
}

static struct err start(struct process *p, const struct results_command_config *c)
{
	const struct http_config http = {
		.base_url = c->url,
		.public_key = c->public_key,
		.no_proxy = true,
	};
	struct results_config config = {
		.loop = p->loop,
		.pod = c->pod,
		.token_file = c->token_file,
		.to = c->to,
		.from = c->from,
		.say = say,
		.done = done,
		.ctx = p,
	};
	struct err e = http_curl_new(p->loop, &http, &p->http);
	config.http = p->http;
	return failed(e) ? e : results_new(&config, &p->results);
}

int results_command(const struct options *o, struct str *print)
{
	struct process p = { .loop = loop_uv_new() };
	(void)print;
	self_begin(o);
	endpoints_tune_memory();
	struct err e = start(&p, &o->results);
	if (failed(e)) {
		done(&p, e.kind == ERR_INVALID ? RESULTS_FOR_GOOD : RESULTS_ANEW, e.text);
	} else {
		loop_uv_on_signal(p.loop, on_signal, &p);
		loop_uv_run(p.loop);
	}
	results_free(p.results);
	http_free(p.http);
	loop_uv_free(p.loop);
	return p.status;
}
