/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each field adds its name, the number of its bytes, and its bytes, so that fields cannot
 * run into each other.
 */
#include "redbox/jobs/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "net/sha256.h"

static void add_text(struct sha256 *s, const char *name, const char *text)
{
	char head[64];
	size_t n = text ? strlen(text) : 0;
	if (!n)
		return;
	int bytes = snprintf(head, sizeof(head), "%s %zu\n", name, n);
	sha256_add(s, head, (size_t)bytes);
	sha256_add(s, text, n);
}

static void add_number(struct sha256 *s, const char *name, int64_t number)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, number);
	if (number)
		add_text(s, name, text);
}

static void add_script(struct sha256 *s, const struct wlm_request *r)
{
	add_text(s, "partition", r->partition);
	add_text(s, "script", r->script);
}

static void add_container(struct sha256 *s, const struct wlm_request *r)
{
	const struct wlm_container *c = &r->container;
	const struct {
		const char *name, *text;
	} texts[] = {
		{ "partition", r->partition },
		{ "image", c->image },
		{ "app", c->app },
		{ "hostName", c->hostname },
	};
	const struct {
		const char *name;
		int64_t number;
	} numbers[] = {
		{ "nodes", c->nodes },
		{ "cpuPerNode", c->cpu_per_node },
		{ "memPerNode", c->mem_per_node_mb },
		{ "wallTime", c->wall_time_s },
		{ "allowUnsigned", c->allow_unsigned },
		{ "clearEnv", c->clean_env },
		{ "fakeRoot", c->fake_root },
		{ "ipc", c->ipc },
		{ "pid", c->pid },
		{ "noPrivs", c->no_privs },
		{ "writable", c->writable },
	};
	for (size_t i = 0; i < LENGTH(texts); i++)
		add_text(s, texts[i].name, texts[i].text);
	for (size_t i = 0; i < c->n_binds; i++)
		add_text(s, "bind", c->binds[i]);
	for (size_t i = 0; i < LENGTH(numbers); i++)
		add_number(s, numbers[i].name, numbers[i].number);
}

static int64_t digest_of(const struct wlm_request *r,
	void (*add)(struct sha256 *s, const struct wlm_request *r))
{
	uint8_t sum[SHA256_BYTES];
	int64_t content = 0;
	struct sha256 *s = NULL;
	struct err e = sha256_new(&s);
	if (!failed(e)) {
		add(s, r);
		e = sha256_end(s, sum);
	}
	sha256_free(s);
	if (failed(e)) {
		log_warn(
			"cannot make the digest of a submission, so its client_id stands for no content",
			"why", e.text);
		return 0;
	}
	memcpy(&content, sum, sizeof(content));
	return content ? content : 1;
}

int64_t content_of_script(const struct wlm_request *r) { return digest_of(r, add_script); }

int64_t content_of_container(const struct wlm_request *r) { return digest_of(r, add_container); }
