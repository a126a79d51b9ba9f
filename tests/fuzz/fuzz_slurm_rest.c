/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What red-box reads of slurmrestd. The input: one byte that chooses, then an answer: its
 * jobs, its partitions, or what became of a cancellation.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/own.h"
#include "json/json.h"
#include "slurm/rest_shown.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST_BYTES = 1 << 20, NOW_S = 1795546685 };

static void look_at_job(void *ctx, const struct json *item)
{
	struct arena *a = ctx;
	struct slurm_job_shown job;
	if (failed(rest_job(item, NOW_S, a, &job)))
		return;
	const char *const texts[] = { job.array_id, job.name, job.user, job.state, job.reason,
		job.restarts, job.exit_code, job.partition, job.nodes, job.node_count,
		job.batch_host, job.work_dir, job.std_out, job.std_err, job.comment };
	for (size_t i = 0; i < LENGTH(texts); i++)
		if (!texts[i])
			abort();
	if (job.id < 1 || !*job.state || job.run_s < 0 || job.limit_s < -1 || job.submit_s < -1)
		abort();
	slurm_jobs_ended(&job, 1);
	slurm_job_has_key(&job, "key");
}

static void look_at_partition(void *ctx, const struct json *item)
{
	struct arena *a = ctx;
	struct slurm_partition_shown p;
	if (!failed(rest_partition(item, a, &p)) &&
		(!*p.name || p.wall_s < -1 || p.memory_per_node_mb < -1))
		abort();
}

static void look_at_list(const char *text, size_t n, const char *key, json_item_fn *each)
{
	AUTO(arena_free) struct arena a = { 0 };
	AUTO(json_auto) struct json_doc *rest = NULL;
	const struct json_list_config config = {
		.key = key,
		.max_bytes = MOST_BYTES,
		.max_item_bytes = MOST_BYTES,
		.max_rest_bytes = MOST_BYTES,
		.item = each,
		.ctx = &a,
	};
	struct json_list *l = json_list_new(&config);
	if (!failed(json_list_add(l, text, n)) && failed(json_list_end(l, &rest)))
		rest = NULL;
	json_list_free(l);
}

static void look_at_cancellation(const char *text, size_t n)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	bool tells;
	if (failed(json_parse(text, n, MOST_BYTES, &doc)))
		return;
	struct err e = rest_cancelled(json_root(doc), &tells);
	if (failed(e) && !tells)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 1)
		return 0;
	const char *text = (const char *)bytes + 1;
	if (bytes[0] % 3 == 0)
		look_at_list(text, n - 1, "jobs", look_at_job);
	else if (bytes[0] % 3 == 1)
		look_at_list(text, n - 1, "partitions", look_at_partition);
	else
		look_at_cancellation(text, n - 1);
	return 0;
}
