/* SPDX-License-Identifier: Apache-2.0 */
/* The process "keys". */
#include "cmd/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "cmd/endpoints.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "keys/key_maker.h"
#include "kube/config.h"

enum { WISHES_BYTES = 1024 * 1024 };

struct process {
	struct loop *loop;
	struct kube_config where;
	struct kube kube;
	struct json_doc *text;
	struct secret_wishes wishes;
	struct key_maker_config config;
	struct key_maker *maker;
	int status;
};

static void say(void *ctx, const char *sentence)
{
	(void)ctx;
	printf("%s\n", sentence);
	fflush(stdout);
}

static void done(void *ctx, int status)
{
	struct process *p = ctx;
	p->status = status;
	loop_uv_stop(p->loop);
}

static void on_signal(void *ctx, int signal)
{
	(void)signal;
	done(ctx, 1);
}

static struct err read_wishes(struct process *p, const char *text)
{
	struct err e = json_parse(text, strlen(text), WISHES_BYTES, &p->text);
	if (!failed(e))
		e = secret_wishes_read(json_root(p->text), &p->wishes);
	return failed(e) ? err_wrap(e, "--make") : OK;
}

static struct err start(struct process *p, const struct options *o)
{
	struct err e = read_wishes(p, o->keys.make);
	if (!failed(e))
		e = kube_config_load(o->manager.kubeconfig, o->manager.context, &p->where);
	if (!failed(e))
		e = kube_config_connect(&p->where, p->loop, &p->kube.http);
	if (failed(e))
		return e;
	p->kube.loop = p->loop;
	p->config = (struct key_maker_config){
		.kube = &p->kube,
		.ns = p->where.ns,
		.wishes = &p->wishes,
		.say = say,
		.done = done,
		.ctx = p,
	};
	p->maker = key_maker_new(&p->config);
	return OK;
}

int keys_command(const struct options *o, struct str *print)
{
	struct process p = { .loop = loop_uv_new() };
	(void)print;
	self_begin(o);
	endpoints_tune_memory();
	struct err e = start(&p, o);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		p.status = 1;
	} else {
		loop_uv_on_signal(p.loop, on_signal, &p);
		loop_uv_run(p.loop);
	}
	key_maker_free(p.maker);
	http_free(p.kube.http);
	kube_config_free(&p.where);
	json_free(p.text);
	loop_uv_free(p.loop);
	return p.status;
}
