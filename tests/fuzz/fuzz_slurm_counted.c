/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the lists of a server that may answer anything. The input: one byte for the
 * list, then the answers (lib/fuzz_peer.h); the second read is a conditional one where
 * the first was good.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "lib/fuzz_peer.h"
#include "slurm/rest/counted.h"
#include "slurm/rest/ended.h"
#include "slurm/gres.h"
#include "slurm/rest/list.h"
#include "slurm/rest/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST_BYTES = 1 << 20 };

static int ends;

static void begin(void *ctx) { (void)ctx; }

static void look_at_gres(const char *list)
{
	const char *end = list + strlen(list);
	for (struct gres g; gres_next(&list, &g);)
		if (list > end || g.name + g.name_n > end || g.count < 0 ||
			g.count > GRES_COUNT_MOST || (g.type_n && g.type + g.type_n > end))
			abort();
}

static void look_at_node(const struct json *item)
{
	struct slurm_node_counted n;
	struct err e = slurm_count_node(item, &n);
	look_at_gres(n.gres);
	look_at_gres(n.gres_used);
	if (!failed(e) && (!*n.name || n.cpus < 0 || n.memory < 0 || n.memory_free < -1))
		abort();
}

static void look_at_job(const struct json *item)
{
	struct slurm_job_counted j;
	struct err e = slurm_count_job(item, &j);
	if (!j.user || !j.account || !j.partition || j.cpus < 0 || j.memory < 0 || j.nodes < 0)
		abort();
	for (struct json_iter it = json_iter(j.gres); json_next(&it);)
		look_at_gres(json_str(it.value, ""));
	if (failed(e) && e.kind != ERR_INVALID)
		abort();
}

/* The same item as a job of slurmdbd. */
static void look_at_ended(const struct json *item)
{
	struct slurm_ended_job j;
	struct err e = slurm_read_ended(item, &j);
	if (failed(e) && e.kind != ERR_INVALID)
		abort();
	if (!failed(e) &&
		(!j.user || !j.account || !j.partition || j.id <= 0 || j.cpus < 0 || j.memory < 0 ||
			j.memory_used < 0 || !(j.cpu_s >= 0)))
		abort();
}

/* Jobs that wait for nodes, by the parser of the autoscaler. */
static void look_at_queue(const struct json *item)
{
	static struct slurm_queue *queue;
	if (!queue)
		queue = own_alloc(queue_bytes(QUEUE_SORTS));
	slurm_queue_add(queue, item, 1795751495);
	if (queue->n > QUEUE_SORTS || queue->left_out < 0)
		abort();
	for (size_t i = 0; i < queue->n; i++) {
		const struct queued *q = &queue->sorts[i].job;
		if (queue->sorts[i].count <= 0 || q->nodes <= 0 || q->cpus < 0 ||
			!memchr(q->features, 0, QUEUE_TEXT_BYTES))
			abort();
	}
	if (queue->n == QUEUE_SORTS)
		memset(queue, 0, queue_bytes(QUEUE_SORTS));
}

static void each(void *ctx, const struct json *item)
{
	struct slurm_partition_counted p;
	int64_t n = 0;
	(void)ctx;
	look_at_node(item);
	look_at_job(item);
	look_at_ended(item);
	look_at_queue(item);
	if (!failed(slurm_count_partition(item, &p)) && (!*p.name || p.nodes < 0 || p.cpus < 0))
		abort();
	slurm_count_statistic(item, "bf_exit.bf_max_time", &n);
	slurm_count_statistic(item, "bf_active", &n);
	struct slurm_rpc_counted rpc = slurm_count_rpc(item, "user");
	if (n < 0 || !rpc.name || rpc.count < 0 || rpc.total_us < 0)
		abort();
}

static void done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	(void)ctx;
	ends++;
	if (failed(err) ? changed || asked_ms : !asked_ms)
		abort();
}

static const struct slurm_list lists[] = {
	{ "/nodes/", "nodes", begin, each, MOST_BYTES, 1000, 60000 },
	{ "/jobs/", "jobs", begin, each, MOST_BYTES, 1000, 60000 },
	{ "/partitions/", "partitions", begin, each, MOST_BYTES, 1000, 60000 },
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 2)
		return 0;
	static struct fuzz_peer p;
	struct list_memory memory = { 0 };
	peer_begin(&p, bytes + 1, n - 1);
	struct slurm *s = slurm_new(&p.loop.loop, &p.http.http, "token");
	ends = 0;
	for (int i = 0; i < 2; i++) {
		list_begin(s, &memory, &lists[bytes[0] % LENGTH(lists)], done, NULL);
		for (int turn = 0; turn < 64; turn++) {
			for (int k = 0; k < p.http.n; k++) {
				struct http_call *c = &p.http.calls[k];
				if (c->open && strcmp(c->path, "/openapi/v3") == 0)
					fake_answer(c, 200,
						"{\"paths\":{\"/slurm/v0.0.42/nodes/\":{}}}");
			}
			peer_run(&p, 1);
		}
	}
	slurm_free(s);
	peer_end(&p);
	if (ends > 2)
		abort();
	return 0;
}
