/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the jobs of a list that wait for nodes, and reads their requests. state_reason
 * is the reason why a job waits. Slurm sets it at submission, unless it is "None" at
 * first. Seen with 24.11.5 if no node of the partition is up: ReqNodeNotAvail, Resources
 * and PartitionConfig. A job that is held, or waits for a limit, a dependency, a time or
 * a reservation, has another reason, and does not count. A job that requests nodes by
 * name does not count either, because it waits for these nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/rest/parts.h"

static const char *text_of(const struct json *v, const char *key)
{
	return json_str(json_get(v, key), "");
}

static int64_t number_of(const struct json *v, const char *key)
{
	return answer_count(json_get(v, key));
}

/* ---- whether a job waits for nodes ---- */

bool queue_reason_counts(const char *reason)
{
	static const char *const words[] = { "None", "Priority", "Resources", "ReqNodeNotAvail",
		"NodeDown", "PartitionConfig" };
	for (size_t i = 0; i < LENGTH(words); i++)
		if (str_eq(reason, words[i]))
			return true;
	return false;
}

/*
 * In the first seconds after its submission a job with --begin or a dependency has the
 * reason of a job that waits for nodes (24.11.5). Its eligible time is in the future, or
 * 0. CLOCKS_S allows for clocks that differ.
 */
static bool is_eligible(const struct json *job, int64_t now_s)
{
	enum { CLOCKS_S = 60 };
	int64_t at_s = answer_number(json_get(job, "eligible_time"));
	bool later = at_s > answer_number(json_get(job, "submit_time"));
	return at_s && !(later && at_s > now_s + CLOCKS_S);
}

static bool waits_for_nodes(const struct json *job, int64_t now_s)
{
	uint32_t state = answer_bits(json_get(job, "job_state"), job_state_bit);
	return (state & JOB_PENDING) && !(state & JOB_HOLDS_MASK) &&
		!json_bool(json_get(job, "hold"), false) && str_empty(text_of(job, "resv_name")) &&
		str_empty(text_of(job, "required_nodes")) &&
		queue_reason_counts(text_of(job, "state_reason")) && is_eligible(job, now_s);
}

/* ---- tasks of an array ---- */

/* The number of tasks in the next range of "1,3,5-7" or "0-10:2"; moves *at past it. */
static int64_t range_count(const char **at)
{
	char *end;
	int64_t first = strtoll(*at, &end, 10), last = first, step = 1;
	if (end == *at)
		return 0;
	if (*end == '-')
		last = strtoll(end + 1, &end, 10);
	if (*end == ':')
		step = strtoll(end + 1, &end, 10);
	*at = end;
	return last >= first && last <= INT32_MAX && first >= 0 && step > 0
		? (last - first) / step + 1
		: 1;
}

int64_t queue_array_tasks(const char *tasks)
{
	int64_t n = 0, at_once;
	const char *at = tasks;
	while (*at >= '0' && *at <= '9') {
		n += range_count(&at);
		at += *at == ',';
	}
	const char *limit = strchr(tasks, '%');
	if (limit && str_to_i64(limit + 1, 1, INT32_MAX, &at_once) && at_once < n)
		n = at_once;
	if (n > INT32_MAX) /* so that no sum over all jobs overflows */
		n = INT32_MAX;
	return n > 0 ? n : 1;
}

/* ---- the request of a job ---- */

static bool take(char to[QUEUE_TEXT_BYTES], const char *text)
{
	size_t n = strlen(text);
	if (n >= QUEUE_TEXT_BYTES)
		return false;
	memcpy(to, text, n + 1);
	return true;
}

/* The minimum of nodes: 8 of "cpu=8,mem=62.50G,node=8,billing=8", else node_count. */
static int64_t least_nodes(const struct json *job)
{
	const char *tres = text_of(job, "tres_req_str"), *node = strstr(tres, "node=");
	bool begins = node && (node == tres || node[-1] == ',');
	int64_t n = begins ? strtoll(node + strlen("node="), NULL, 10) : 0;
	if (n <= 0)
		n = number_of(job, "node_count");
	return n > 0 ? n : 1;
}

/* Always false with v0.0.45 of 26.05.5: "shared" is empty even with --exclusive. */
static bool is_exclusive(const struct json *job)
{
	static const char *const keys[] = { "shared", "exclusive" };
	for (size_t i = 0; i < LENGTH(keys); i++)
		for (struct json_iter it = json_iter(json_get(job, keys[i])); json_next(&it);) {
			const char *word = json_str(it.value, "");
			if (str_eq(word, "none") || str_eq(word, "true"))
				return true;
		}
	return false;
}

static bool take_numbers(struct queued *q, const struct json *job)
{
	q->nodes = least_nodes(job);
	q->nodes_most = number_of(job, "max_nodes");
	q->cpus = number_of(job, "cpus");
	q->cpus_task = number_of(job, "cpus_per_task");
	q->cpus_node = number_of(job, "minimum_cpus_per_node");
	q->tasks = number_of(job, "tasks");
	q->tasks_node = number_of(job, "tasks_per_node");
	q->memory_node = number_of(job, "memory_per_node");
	q->memory_cpu = number_of(job, "memory_per_cpu");
	q->exclusive = is_exclusive(job);
	return q->nodes <= INT32_MAX && q->cpus <= INT32_MAX && q->tasks <= INT32_MAX &&
		q->cpus_task <= INT32_MAX && q->cpus_node <= INT32_MAX &&
		q->memory_cpu <= INT32_MAX;
}

static bool take_texts(struct queued *q, const struct json *job)
{
	return take(q->partitions, text_of(job, "partition")) &&
		take(q->features, text_of(job, "features")) &&
		take(q->gres_node, text_of(job, "tres_per_node")) &&
		take(q->gres_job, text_of(job, "tres_per_job")) &&
		take(q->gres_task, text_of(job, "tres_per_task"));
}

static struct queued_sort *sort_of(struct slurm_queue *queue, const struct queued *job)
{
	for (size_t i = 0; i < queue->n; i++)
		if (memcmp(&queue->sorts[i].job, job, sizeof(*job)) == 0)
			return &queue->sorts[i];
	if (queue->n == QUEUE_SORTS)
		return NULL;
	queue->sorts[queue->n] = (struct queued_sort){ .job = *job };
	return &queue->sorts[queue->n++];
}

void slurm_queue_add(struct slurm_queue *queue, const struct json *job, int64_t now_s)
{
	struct queued q;
	memset(&q, 0, sizeof(q));
	if (!waits_for_nodes(job, now_s))
		return;
	int64_t id = json_i64(json_get(job, "job_id"), 0);
	int64_t tasks = queue_array_tasks(text_of(job, "array_task_string"));
	int64_t at_once = number_of(job, "array_max_tasks");
	if (at_once && at_once < tasks)
		tasks = at_once;
	struct queued_sort *s = take_texts(&q, job) && take_numbers(&q, job) ? sort_of(queue, &q)
									     : NULL;
	if (!s) {
		queue->left_out += tasks;
		return;
	}
	s->count += tasks;
	if (!s->first_id || id < s->first_id)
		s->first_id = id;
}
