/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of Slurm's tools, as the reader of each gets it. The first byte is a key's
 * length: the key is the beginning of the rest.
 */
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/task_list.h"
#include "slurm/tools/output_path.h"
#include "slurm/tools/printed.h"
#include "slurm/refusal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A text that a reader gives is a part of what was printed. */
static void is_of(const char *part, const char *text)
{
	if (!part || (*part && !strstr(text, part)))
		abort();
}

/* A path without a pattern is as it was; each pattern is at most a host name long. */
static void as_path(struct arena *a, const char *text, const struct slurm_job_shown *job)
{
	const char *path = slurm_output_path(a, text, job);
	size_t most = strlen(text) * (strlen(job->batch_host) + 10);
	if (strlen(path) > most || (!strpbrk(text, "%\\") && path != text))
		abort();
	if (strchr(text, '\\') && strlen(path) >= strlen(text))
		abort();
}

static void as_jobs(struct arena *a, const char *text)
{
	struct slurm_job_shown *jobs;
	size_t n;
	if (failed(slurm_show_jobs(text, a, &jobs, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		is_of(jobs[i].name, text);
		is_of(jobs[i].state, text);
		as_path(a, jobs[i].std_out, &jobs[i]);
		int64_t tasks = slurm_task_count(jobs[i].task);
		if (tasks < 0 || tasks > INT32_MAX)
			abort();
		is_of(jobs[i].work_dir, text);
		if (jobs[i].id < 0 || strpbrk(jobs[i].state, " \n") || jobs[i].run_s < -1)
			abort();
	}
}

static void as_partitions(struct arena *a, const char *text)
{
	struct slurm_partition_shown *partitions;
	size_t n;
	if (failed(slurm_show_partitions(text, a, &partitions, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		is_of(partitions[i].name, text);
		is_of(partitions[i].state, text);
		is_of(partitions[i].allow_accounts, text);
		is_of(partitions[i].deny_qos, text);
		if (str_empty(partitions[i].name) || partitions[i].nodes < SLURM_ABSENT)
			abort();
	}
}

static void as_usable(struct arena *a, const char *text)
{
	size_t n;
	const struct printed_usable *rows = printed_usable(text, a, &n);
	for (size_t i = 0; i < n; i++) {
		is_of(rows[i].partition, text);
		if (str_empty(rows[i].partition) || rows[i].nodes < 0)
			abort();
	}
	enum slurm_refusal what = slurm_refusal_of(text);
	if (what != REFUSAL_NONE && !strstr(text, "failed"))
		abort();
}

static void as_steps(struct arena *a, const char *text)
{
	struct slurm_step_shown *steps;
	size_t n;
	if (failed(printed_steps(text, a, &steps, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		is_of(steps[i].id, text);
		is_of(steps[i].state, text);
		if (!steps[i].name || strpbrk(steps[i].state, " \n"))
			abort();
	}
}

/* A job that is found is among all jobs. */
static bool is_noted(const struct printed_found *found, const char *key)
{
	bool noted = found->n_words == PRINTED_MOST_WORDS;
	for (size_t i = 0; !noted && i < found->n_words; i++)
		noted = found->words[i] == printed_word_mark(key, strlen(key));
	return noted;
}

static void as_found(struct arena *a, const char *text, const char *key)
{
	struct printed_found found = { 0 };
	if (failed(printed_look_for(key, a, &found)) || found.n_keys > 1)
		return;
	found.notes_words = true;
	struct err queue = printed_queue(text, a, &found);
	struct err accounts = printed_accounts(text, a, &found);
	if (failed(queue) && failed(accounts) && found.n)
		abort();
	for (size_t i = 0; i < found.n; i++)
		if (found.jobs[i].id < 1 || found.jobs[i].id > PRINTED_MOST_ID ||
			(i && found.jobs[i].id <= found.jobs[i - 1].id))
			abort();
	if (found.n)
		is_of(key, text);
	if (found.n && !is_noted(&found, key))
		abort();
	struct slurm_job_mark *marks;
	size_t n;
	if (!failed(printed_marks(text, a, &marks, &n)))
		for (size_t i = 0; i < n; i++)
			if (marks[i].id < 1 || marks[i].id > PRINTED_MOST_ID)
				abort();
}

static void as_accounts(struct arena *a, const char *text)
{
	struct slurm_controller_shown controller;
	struct slurm_job_shown *jobs;
	size_t n;
	if (!failed(printed_config(text, &controller)) && controller.boot_s <= 0)
		abort();
	if (failed(printed_jobs(text, PRINTED_JOBS_NEW, a, &jobs, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		is_of(jobs[i].state, text);
		is_of(jobs[i].name, text);
		if (jobs[i].id < 1 || strpbrk(jobs[i].state, " \n"))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	int64_t id = 1;
	if (n < 2)
		return 0;
	AUTO(own_free) char *text = own_strndup((const char *)bytes + 1, n - 1);
	AUTO(own_free) char *key = own_strndup(text, bytes[0] % 16);
	as_jobs(&a, text);
	as_path(&a, text, &(struct slurm_job_shown){ .id = 4294967294, .batch_host = key });
	if (slurm_task_count(text) < 0)
		abort();
	as_partitions(&a, text);
	as_usable(&a, text);
	as_steps(&a, text);
	as_found(&a, text, key);
	as_accounts(&a, text);
	if (printed_submitted(text, &id) && (id < 1 || id > PRINTED_MOST_ID))
		abort();
	if (printed_dbd_queue(text) < SLURM_ABSENT)
		abort();
	if (printed_most_cpus(text) < SLURM_ABSENT || printed_most_cpus(text) == 0)
		abort();
	const char *version = printed_version(text, &a);
	if (version)
		is_of(version, text);
	return 0;
}
