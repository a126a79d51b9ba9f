/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cluster as any user may write it; the Secret that the API server answers with and the
 * answers of what it calls slurmrestd, through the link, into its status. The input
 * (lib/fuzz_peer.h): one byte of flags, the Cluster, then the answers.
 */
#include <string.h>

#include "api/cluster.h"
#include "link/link.h"
#include "lib/fuzz_peer.h"
#include "plan/cluster/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct fuzz_peer peer; /* the API server and slurmrestd */

static struct err give_http(void *ctx, const struct http_config *config, struct http **out)
{
	(void)ctx;
	if (!config->base_url)
		abort();
	*out = &peer.http.http;
	return OK;
}

static void changed(void *ctx, struct slurm_link *l) { (void)ctx, (void)l; }

static void written(void *ctx, struct err err) { (void)ctx, (void)err; }

static void direct(struct slurm_link *link, const struct cluster *c)
{
	struct recipient all[RECIPIENTS_MOST];
	if (*c->key_ref)
		slurm_link_set_minting(link, c->server, c->key_ref, c->user);
	else
		slurm_link_set(link, c->server, c->secret_ref);
	slurm_link_set_recipients(link, all, cluster_recipients(c, all));
}

static void plan_for(const struct json *object, struct slurm_link *link, unsigned flags)
{
	struct arena arena AUTO(arena_free) = { 0 };
	struct plan plan = { .arena = &arena };
	struct cluster_view v = {
		.object = object,
		.link = slurm_link_fact(link),
		.slurm = slurm_link_slurm(link),
		.n_nodesets = flags & 1,
		.nodesets_known = flags & 2,
		.recipients = slurm_link_recipients(link, &arena),
	};
	cluster_plan(&v, 1000000, INT64_C(1767225600000), &plan);
	for (size_t i = 0; i < plan.n; i++) {
		AUTO(json_auto) struct json_doc *body = NULL;
		const struct action *a = &plan.actions[i];
		if (operation_backend(a->operation) == BACKEND_TOKEN)
			slurm_link_write_token(link, a->name, a->guard.uid,
				a->guard.resource_version, written, NULL);
		else if (operation_backend(a->operation) == BACKEND_EVENT
				? !a->reason
				: failed(json_parse(a->body, strlen(a->body), SIZE_MAX, &body)))
			abort();
	}
	if (slurm_link_node(link, &(struct slurm_who){ "foo-0", "" }).known == YES &&
		v.slurm.usable != YES)
		abort();
}

static void run(const struct json *object, unsigned flags)
{
	struct kube kube = { &peer.http.http, &peer.loop.loop };
	struct link_config config = {
		.kube = &kube,
		.loop = &peer.loop.loop,
		.http_new = give_http,
		.changed = changed,
	};
	struct cluster c;
	cluster_read(object, &c);
	struct err fault = cluster_check(&c);
	struct slurm_link *link = slurm_link_new(&config, c.ns, c.name);
	static const char *looks[] = { "foo-0" };
	slurm_link_demand(link, NULL,
		&(struct demand){
			.of[ASK_NODES] = { .need = flags & 4 ? SLURM_SOON : SLURM_AT_REST },
			.of[ASK_JOBS] = { .wanted = flags & 8, .at_ms = flags & 16 },
			.of[ASK_LOOKS] = { .names = looks, .n_names = 1 },
		});
	if (!failed(fault))
		direct(link, &c);
	for (int i = 0; i < 4; i++) {
		plan_for(object, link, flags);
		peer_run(&peer, 6);
	}
	plan_for(object, link, flags);
	slurm_link_free(link);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t size;
	if (n < 1)
		return 0;
	peer_begin(&peer, bytes + 1, n - 1);
	peer.http.shared = true;
	AUTO(own_free) char *text = piece_take(&peer.input, &size, false);
	AUTO(json_auto) struct json_doc *doc = NULL;
	if (!failed(json_parse(text, size, SIZE_MAX, &doc)))
		run(json_root(doc), bytes[0]);
	peer_end(&peer);
	return 0;
}
