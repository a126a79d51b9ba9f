/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of slurmrestd, as scontrol would print them (24.11.5 and 26.05.5). */
#include "slurm/rest_shown.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/job_state.h"
#include "slurm/parts.h"
#include "slurm/printed.h"

/* Beyond it is no time that a job could have. */
#define MOST_S (INT64_C(1) << 40)

enum { ALREADY_DONE = 2021, INVALID_JOB = 2017, NOT_ALLOWED = 2002, NOT_OWNER = 2010 };

/* ---- a job ---- */

static const char *text_of(const struct json *job, const char *key, struct arena *a)
{
	return arena_strdup(a, json_str(json_get(job, key), ""));
}

/* Infinite, not set and 0 are no time. */
static int64_t time_of(const struct json *job, const char *key)
{
	int64_t s = answer_number(json_get(job, key));
	return s > 0 && s < MOST_S ? s : SLURM_ABSENT;
}

/* Without a limit, and with that of the partition: absent. */
static int64_t limit_of(const struct json *job)
{
	int64_t minutes = answer_number(json_get(job, "time_limit"));
	return minutes >= 0 && minutes < MOST_S / 60 ? minutes * 60 : SLURM_ABSENT;
}

/* Among several words the tools print a flag rather than the base state. */
static const char *const flags[] = { "COMPLETING", "STAGE_OUT", "CONFIGURING", "RESIZING",
	"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "STOPPED", "REVOKED",
	"RESV_DEL_HOLD", "SIGNALING" };

static bool has_word(const struct json *state, const char *word)
{
	for (struct json_iter it = json_iter(state); json_next(&it);)
		if (str_eq(json_str(it.value, ""), word))
			return true;
	return false;
}

static bool has_end(const struct json *state)
{
	uint32_t bits = 0;
	for (struct json_iter it = json_iter(state); json_next(&it);)
		bits |= job_state_bit(json_str(it.value, NULL));
	return bits & JOB_ENDS_MASK;
}

/* Beside the base state of an end: it is being looked at whether that is one (25.11). */
static bool is_open(const char *word) { return job_state_bit(word) & (JOB_EXPEDITING | JOB_OTHER); }

/* True for a list of words, and of nothing else. */
static bool is_list_of_words(const struct json *state)
{
	bool good = json_is_arr(state);
	for (struct json_iter it = json_iter(state); good && json_next(&it);)
		good = !str_empty(json_str(it.value, ""));
	return good;
}

/*
 * A state that says an end beside an unknown word is no end, whatever the tools print.
 * NULL: there is none.
 */
static const char *state_of(const struct json *state, struct arena *a)
{
	if (!is_list_of_words(state))
		return NULL;
	for (size_t i = 0; i < LENGTH(flags); i++)
		if (has_word(state, flags[i]))
			return flags[i];
	for (struct json_iter it = json_iter(state); json_next(&it);)
		if (is_open(json_str(it.value, "")) && has_end(state))
			return arena_strdup(a, json_str(it.value, ""));
	for (struct json_iter it = json_iter(state); json_next(&it);)
		if (job_state_bit(json_str(it.value, NULL)) & JOB_BASE_MASK)
			return arena_strdup(a, json_str(it.value, ""));
	const char *word = json_str(json_item(state, 0), "");
	return *word ? arena_strdup(a, word) : NULL;
}

struct ending {
	int64_t code, signal;
};

/*
 * {"return_code": a number, "signal": {"id": a number}}; a number that is not set is 0.
 */
static struct ending ending_of(const struct json *job)
{
	const struct json *exit_code = json_get(job, "exit_code");
	int64_t code = answer_number(json_get(exit_code, "return_code"));
	int64_t number = answer_number(json_at(exit_code, "signal", "id"));
	return (struct ending){ code > 0 && code < 256 ? code : 0,
		number > 0 && number < 256 ? number : 0 };
}

/* scontrol has no blanks in it, and behind a signal its number. */
static const char *reason_of(const struct json *job, struct ending end, struct arena *a)
{
	char *said = arena_strdup(a, json_str(json_get(job, "state_description"), ""));
	const char *reason = json_str(json_get(job, "state_reason"), "");
	for (char *at = said; (at = strpbrk(at, " \t\r\n"));)
		*at = '_';
	if (*said)
		return said;
	if (str_eq(reason, "RaisedSignal") && end.signal)
		return arena_printf(a, "RaisedSignal:%" PRId64 "(%s)", end.signal,
			strsignal((int)end.signal));
	return arena_strdup(a, reason);
}

/* "2"; "1-4" while it may still change. */
static const char *node_count_of(const struct json *job, bool waits, struct arena *a)
{
	int64_t least = answer_number(json_get(job, "node_count"));
	int64_t most = waits ? answer_number(json_get(job, "max_nodes")) : 0;
	if (least < 0 || least == INT64_MAX)
		return "";
	if (most > 0 && most < INT64_MAX)
		return arena_printf(a, "%" PRId64 "-%" PRId64, least < most ? least : most, most);
	return arena_printf(a, "%" PRId64, least);
}

static bool is_base(const struct json *job, const char *word)
{
	return has_word(json_get(job, "job_state"), word);
}

/* Without the times at which it was suspended. */
static int64_t run_of(const struct json *job, const struct slurm_job_shown *shown, int64_t now_s)
{
	int64_t before = answer_number(json_get(job, "pre_sus_time"));
	int64_t since = time_of(job, "suspend_time");
	before = before > 0 && before < MOST_S ? before : 0;
	if (is_base(job, "PENDING"))
		return 0;
	if (is_base(job, "SUSPENDED"))
		return before;
	int64_t until = is_base(job, "RUNNING") || shown->end_s < 0 ? now_s : shown->end_s;
	int64_t from = since > 0 ? since : shown->start_s;
	if (from < 0 || until < from)
		return since > 0 ? before : 0;
	return until - from + (since > 0 ? before : 0);
}

static void read_numbers(const struct json *job, int64_t now_s, struct slurm_job_shown *out)
{
	out->submit_s = time_of(job, "submit_time");
	out->start_s = time_of(job, "start_time");
	out->end_s = time_of(job, "end_time");
	out->limit_s = limit_of(job);
	out->run_s = run_of(job, out, now_s);
	/* Without a limit it is the end of time. */
	if (out->limit_s < 0 && out->end_s > now_s)
		out->end_s = SLURM_ABSENT;
}

/*
 * 26.05 tells the pattern ("slurm-%j.out") as well, where 24.11 tells the path, and the
 * path under a name of its own.
 */
static const char *path_of(const struct json *job, const char *expanded, const char *key,
	struct arena *a)
{
	const struct json *path = json_get(job, expanded);
	return path ? text_of(job, expanded, a) : text_of(job, key, a);
}

static void read_texts(const struct json *job, struct arena *a, struct slurm_job_shown *out)
{
	struct ending end = ending_of(job);
	int64_t array = answer_number(json_get(job, "array_job_id"));
	int64_t restarts = json_i64(json_get(job, "restart_cnt"), 0);
	out->array_id = array > 0 && array <= PRINTED_MOST_ID ? arena_printf(a, "%" PRId64, array)
							      : "";
	out->name = text_of(job, "name", a);
	out->reason = reason_of(job, end, a);
	out->restarts = arena_printf(a, "%" PRId64, restarts);
	out->exit_code = arena_printf(a, "%" PRId64 ":%" PRId64, end.code, end.signal);
	out->partition = text_of(job, "partition", a);
	out->nodes = text_of(job, "nodes", a);
	out->node_count = node_count_of(job, is_base(job, "PENDING"), a);
	out->batch_host = text_of(job, "batch_host", a);
	out->work_dir = text_of(job, "current_working_directory", a);
	out->std_out = path_of(job, "stdout_expanded", "standard_output", a);
	out->std_err = path_of(job, "stderr_expanded", "standard_error", a);
	if (!*out->std_err)
		out->std_err = out->std_out;
	out->comment = text_of(job, "comment", a);
}

struct err rest_job(const struct json *job, int64_t now_s, struct arena *a,
	struct slurm_job_shown *out)
{
	int64_t uid = json_i64(json_get(job, "user_id"), -1);
	*out = (struct slurm_job_shown){ .id = json_i64(json_get(job, "job_id"), 0) };
	if (out->id < 1 || out->id > PRINTED_MOST_ID)
		return err_new(ERR_INVALID, "slurmrestd tells of a job without an id");
	if (uid < 0 || uid > UINT32_MAX)
		return err_new(ERR_INVALID, "slurmrestd does not say whose job %" PRId64 " is",
			out->id);
	out->state = state_of(json_get(job, "job_state"), a);
	if (!out->state)
		return err_new(ERR_INVALID, "slurmrestd tells no state of job %" PRId64, out->id);
	out->user = arena_printf(a, "%s(%" PRId64 ")", json_str(json_get(job, "user_name"), ""),
		uid);
	read_texts(job, a, out);
	read_numbers(job, now_s, out);
	return OK;
}

/* ---- a partition ---- */

/* Without a limit: otherwise. */
static int64_t most_of(const struct json *v, int64_t otherwise)
{
	int64_t n = answer_number(v);
	return n >= 0 && n < INT64_MAX ? n : otherwise;
}

/*
 * MaxMemPerNode and MaxMemPerCPU are one number in Slurm: a limit of a CPU is none of a
 * node.
 */
static int64_t memory_of(const struct json *maximums)
{
	int64_t node = most_of(json_get(maximums, "partition_memory_per_node"), 0);
	int64_t cpu = most_of(json_get(maximums, "partition_memory_per_cpu"), 0);
	return node > 0 ? node : cpu > 0 ? 0 : SLURM_ABSENT;
}

struct err rest_partition(const struct json *partition, struct arena *a,
	struct slurm_partition_shown *out)
{
	const struct json *maximums = json_get(partition, "maximums");
	int64_t minutes = most_of(json_get(maximums, "time"), SLURM_ABSENT);
	const char *name = json_str(json_get(partition, "name"), "");
	if (!*name || !json_is_obj(maximums))
		return err_new(ERR_INVALID,
			"slurmrestd tells of a partition without a name or limits");
	int64_t nodes = json_i64(json_at(partition, "nodes", "total"), SLURM_ABSENT);
	int64_t cpus = json_i64(json_at(partition, "cpus", "total"), SLURM_ABSENT);
	*out = (struct slurm_partition_shown){
		.name = arena_strdup(a, name),
		.nodes = most_of(json_get(maximums, "nodes"), nodes),
		.cpus_per_node = most_of(json_get(maximums, "cpus_per_node"), cpus),
		.all_nodes = nodes,
		.all_cpus = cpus,
		.memory_per_node_mb = memory_of(maximums),
		.wall_s = minutes >= 0 && minutes < MOST_S / 60 ? minutes * 60 : SLURM_ABSENT,
	};
	return OK;
}

/* ---- a cancellation ---- */

static struct err refused(const struct json *error, int64_t code)
{
	const char *text = json_str(json_get(error, "message"), "without a word");
	enum err_kind kind = code == INVALID_JOB           ? ERR_NOT_FOUND
		: code == NOT_ALLOWED || code == NOT_OWNER ? ERR_DENIED
							   : ERR_LOST;
	return err_new(kind, "slurmrestd: %.200s", text);
}

/* A task that could not be cancelled counts more than one that is not there any more. */
struct err rest_cancelled(const struct json *root, bool *tells)
{
	const struct json *status = json_get(root, "status");
	struct err found = OK;
	*tells = json_is_arr(status);
	for (struct json_iter it = json_iter(*tells ? status : NULL); json_next(&it);) {
		const struct json *error = json_get(it.value, "error");
		int64_t code = json_i64(json_get(error, "code"), -1);
		if (code == 0 || code == ALREADY_DONE)
			continue;
		struct err e = refused(error, code);
		if (!failed(found) || found.kind == ERR_NOT_FOUND)
			found = e;
	}
	return found;
}
