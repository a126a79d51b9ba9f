/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of jobs: from the file that red-box reads to a client that may be slow or gone. */
#include "lib/kubelet_world.h"

#define LOG "/containerLogs/ns/cow-job/jt1"

static void then_given(struct world *w, const char *path, const char *body)
{
	struct client *c = get(w, path);
	until_ended(w, c);
	is_answer(c, 200, body);
}

/* ---- a file ---- */

/* Acceptance: log-1 */
static void the_log_is_the_file_of_the_job(void **state)
{
	struct world *w = *state;
	then_given(w, LOG, "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/home/a/slurm-53.out");
	assert_int_equal(w->box.opened, 1);
	then_given(w, LOG "?tailLines=2", "two\nthree\n");
	assert_int_equal(w->box.opened, 2);
	then_given(w, LOG "?tailLines=100&limitBytes=5", "one\nt");
	then_given(w, LOG "?tailLines=0", "");
	then_given(w, LOG "?sinceTime=2020-01-01T00:00:00Z&limitBytes=100", "one\ntwo\nthree\n");
	w->box.jobs[0].state = "COMPLETED";
	w->box.jobs[0].end_s = w->box.jobs[0].start_s + 10;
	then_given(w, LOG "?sinceTime=2026-12-01T00:00:00Z", ""); /* it had ended before */
	w->box.text = "";
	then_given(w, LOG, "");
	w->box.text = NULL;
	w->box.lines = 200000; /* 3.2 MB */
	struct client *c = get(w, LOG);
	until_ended(w, c);
	assert_int_equal(strlen(body_of(c)), 3200000);
	assert_string_equal(body_of(c) + 3200000 - 16, "000000000199999\n");
}

/* Acceptance: log-1, V30 */
static void the_last_lines_are_all_that_red_box_sends(void **state)
{
	struct world *w = *state;
	w->box.text = NULL;
	w->box.lines = 200000; /* 3.2 MB */
	then_given(w, LOG "?tailLines=2", "000000000199998\n000000000199999\n");
	assert_int_equal(w->box.sent, 32);
	then_given(w, LOG "?tailLines=20000&limitBytes=20", "000000000180000\n0000");
	assert_in_range(w->box.sent, 33, 20000 * 16 + 32);
	size_t before = w->box.sent;
	struct client *c = get(w, LOG "?tailLines=1&follow=true");
	until_got(w, c, "000000000199999\n");
	assert_int_equal(w->box.sent - before, 16);
	assert_int_equal(w->box.opened, 3);
}

/* There is no call for the last lines, so the file is read twice, from its beginning. */
/* Acceptance: log-1 */
static void an_older_red_box_reads_forwards(void **state)
{
	struct world *w = *state;
	w->box.is_older = true;
	then_given(w, LOG "?tailLines=2", "two\nthree\n");
	assert_int_equal(w->box.opened, 2);
	then_given(w, LOG "?tailLines=100&limitBytes=5", "one\nt");
	then_given(w, LOG "?tailLines=0", "");
	struct client *c = get(w, LOG "?follow=true&tailLines=1");
	until_got(w, c, "\r\n\r\nthree\n");
	add(w, "one\ntwo\nthree\nfour\n");
	until_got(w, c, "three\nfour\n");
	w->pod.ended = true;
	until_ended(w, c);
	is_answer(c, 200, "three\nfour\n");
	w->box.text = NULL;
	w->box.lines = 200000;
	then_given(w, LOG "?tailLines=20000&limitBytes=20", "000000000180000\n0000");
	w->box.file_status = GRPC_NOT_FOUND;
	w->box.sentence = "there is no such file";
	refuses(w, get(w, LOG "?tailLines=1"), 500, "there is no such file");
	w->box.file_status = GRPC_OK;
	w->box.hangs = true;
	assert_false(failed(serve(w, (struct kubelet_config){ .patience_ms = 1000 })));
	refuses(w, get(w, LOG "?tailLines=1"), 500, "red-box does not answer");
}

/* Between the two readings of an older red-box. */
/* Acceptance: log-1 */
static void a_file_that_shrinks_is_an_error(void **state)
{
	struct world *w = *state;
	w->box.is_older = true;
	w->box.text_again = "one\n";
	struct client *c = get(w, LOG "?tailLines=1");
	until_ended(w, c);
	assert_int_equal(status_of(c), 500);
	assert_string_equal(body_of(c),
		"the file became shorter while it was read: read it again\n");
}

/* Acceptance: log-1, V30 */
static void a_limit_ends_the_reading(void **state)
{
	struct world *w = *state;
	w->box.text = NULL;
	w->box.lines = 10000000;
	then_given(w, LOG "?limitBytes=20", "000000000000000\n0000");
	while (w->box.gone < 1)
		turn(w);
	assert_in_range(w->box.sent, 1, 1 << 20);
}

/* Acceptance: log-5, V30 */
static void standard_error_is_a_log_of_its_own(void **state)
{
	struct world *w = *state;
	refuses(w, get(w, "/containerLogs/ns/cow-job/stderr"), 400, "it is in the log of the job");
	w->box.jobs[0].std_err = "/home/a/err";
	then_given(w, "/containerLogs/ns/cow-job/stderr", "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/home/a/err");
	then_given(w, LOG "?stream=Stderr&tailLines=1", "three\n");
	assert_string_equal(w->box.path, "/home/a/err");
	then_given(w, LOG "?stream=Stdout", "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/home/a/slurm-53.out");
	w->pod.container = "stderr"; /* then it is the pod's own */
	then_given(w, "/containerLogs/ns/cow-job/stderr", "one\ntwo\nthree\n");
	assert_string_equal(w->box.path, "/home/a/slurm-53.out");
}

/* ---- as it grows ---- */

/* Acceptance: log-1 */
static void who_follows_hears_what_is_added_until_the_job_has_ended(void **state)
{
	struct world *w = *state;
	struct client *c = get(w, LOG "?follow=true&tailLines=1");
	until_got(w, c, "\r\n\r\nthree\n");
	add(w, "one\ntwo\nthree\nfour\n");
	until_got(w, c, "three\nfour\n");
	assert_int_equal(w->box.finishes, 0);
	w->pod.ended = true;
	while (!w->box.finishes)
		turn(w);
	until_ended(w, c);
	is_answer(c, 200, "three\nfour\n");
	then_given(w, LOG "?follow=true", "one\ntwo\nthree\nfour\n"); /* it has ended */
	assert_int_equal(w->box.finishes, 1);
}

static void a_file_that_says_nothing_yet_has_a_head(void **state)
{
	struct world *w = *state;
	w->box.text = "";
	struct client *c = get(w, LOG "?follow=true&tailLines=5");
	until_got(w, c, "200 OK");
	assert_string_equal(body_of(c), "");
	add(w, "one\n");
	until_got(w, c, "\r\n\r\none\n");
	w->pod.uid = "another"; /* the pod was deleted, and there is another one */
	until_ended(w, c);
	is_answer(c, 200, "one\n");
}

/* ---- what is no log ---- */

/* Acceptance: log-4, V30 */
static void what_cannot_be_read_is_never_an_empty_log(void **state)
{
	static const struct {
		enum grpc_status status;
		const char *sentence;
		int http;
	} rows[] = {
		{ GRPC_NOT_FOUND, "/home/a/slurm-53.out: there is no such file", 500 },
		{ GRPC_PERMISSION_DENIED, "/home/a/slurm-53.out is beside the folders", 403 },
		{ GRPC_UNAVAILABLE, "red-box ends", 500 },
		{ GRPC_UNKNOWN, "could not open file", 500 },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		w->box.file_status = rows[i].status;
		w->box.sentence = rows[i].sentence;
		refuses(w, get(w, LOG), rows[i].http, rows[i].sentence);
		refuses(w, get(w, LOG "?tailLines=1"), rows[i].http, rows[i].sentence);
		if (rows[i].status != GRPC_NOT_FOUND)
			refuses(w, get(w, LOG "?follow=1"), rows[i].http, rows[i].sentence);
	}
}

/* V13: nor is a deletion, test_vnode_deletion has that. */
/* Acceptance: vnode-14, V13 */
static void a_red_box_that_says_nothing_is_not_waited_for(void **state)
{
	struct world *w = *state;
	assert_false(failed(serve(w, (struct kubelet_config){ .patience_ms = 1000 })));
	w->box.hangs = true;
	refuses(w, get(w, LOG), 500, "red-box does not answer");
	refuses(w, get(w, LOG "?tailLines=1"), 500, "red-box does not answer");
	refuses(w, get(w, LOG "?tailLines=1&follow=true"), 500, "red-box does not answer");
	while (w->box.gone < 3)
		turn(w);
	grpc_server_free(TAKE(w->grpc.server));
	w->pod.std_out = "/home/a/noted";
	refuses(w, get(w, LOG), 500, "red-box does not answer");
	w->pod.std_out = "";
	refuses(w, get(w, LOG), 500, "JobInfo: ");
}

/* Acceptance: log-4 */
static void a_job_without_a_log_says_why(void **state)
{
	struct world *w = *state;
	refuses(w, get(w, "/containerLogs/ns/none/jt1"), 404, "no virtual node has this pod");
	refuses(w, get(w, "/containerLogs/ns/cow-job/other"), 404, "no such container");
	refuses(w, get(w, "/containerLogs/ns"), 404, "no virtual node has this pod");
	refuses(w, get(w, LOG "?tailLines=x"), 400, "tailLines is \"x\"");
	refuses(w, get(w, LOG "?timestamps=true"), 400, "its lines have no times");
	refuses(w, get(w, LOG "?sinceTime=2026-12-01T00:00:00Z"), 400, "have no times: --since");
	refuses(w, ask_as(w, &w->authority, "POST " LOG, ""), 405, "GET");
	w->box.jobs[0].state = "PENDING";
	w->box.jobs[0].reason = "Priority";
	refuses(w, get(w, LOG "?follow=true"), 400, "job 53 waits in Slurm (Priority)");
	w->pod.red_box = NULL; /* that of its account is not here */
	refuses(w, get(w, LOG), 503, "no red-box is known for the account of the job");
	w->pod.job_id = 0;
	w->pod.key = "";
	refuses(w, get(w, LOG), 400, "is not submitted to Slurm yet");
	w->pod.is_job = false;
	refuses(w, get(w, LOG), 400, "represents no job");
	assert_int_equal(w->box.opened, 0);
}

/* The key is noted before the job is submitted: sbatch refused it then, say. */
static void a_job_that_never_was_in_slurm_has_no_number(void **state)
{
	struct world *w = *state;
	w->box.job_status = GRPC_NOT_FOUND;
	w->box.sentence = "there is no such job";
	w->pod.job_id = 0;
	w->pod.key = "key";
	w->pod.ended = true;
	refuses(w, get(w, LOG), 400, "Slurm has no job of this pod");
}

/* Acceptance: log-5 */
static void a_job_that_slurm_has_forgotten_is_read_where_it_was(void **state)
{
	struct world *w = *state;
	w->box.job_status = GRPC_NOT_FOUND;
	w->box.sentence = "there is no such job";
	w->pod.ended = true;
	refuses(w, get(w, LOG), 500, "the path of its output file was not recorded");
	w->pod.std_out = "/home/a/noted";
	then_given(w, LOG "?tailLines=1", "three\n");
	assert_string_equal(w->box.path, "/home/a/noted");
	w->box.job_status = GRPC_UNAVAILABLE;
	w->box.sentence = "slurmctld cannot be asked";
	then_given(w, LOG, "one\ntwo\nthree\n");
	w->box.job_status = GRPC_OK;
	w->box.jobs[0].std_out = ""; /* the accounts of an old Slurm do not have it */
	then_given(w, LOG, "one\ntwo\nthree\n");
	w->pod.std_out = "";
	refuses(w, get(w, LOG), 400, "Slurm does not say to which file job 53 writes");
	w->box.job_status = GRPC_UNAVAILABLE;
	refuses(w, get(w, LOG), 500, "slurmctld cannot be asked");
}

/* The API server does not tell kubectl that the connection broke. */
/* Acceptance: log-4 */
static void a_reading_that_breaks_off_says_so_in_the_log(void **state)
{
	struct world *w = *state;
	w->box.breaks_at = 7;
	w->box.sentence = "the disk is gone";
	struct client *c = send_as(w, &w->authority, "GET " LOG " HTTP/1.1\r\nHost: x\r\n\r\n");
	until_ended(w, c);
	assert_int_equal(status_of(c), 200);
	assert_non_null(strstr(body_of(c), "one\ntwo"));
	assert_non_null(strstr(body_of(c), "\n[the log ends here, there may be more of it: "));
	assert_non_null(strstr(body_of(c), "the disk is gone]\n"));
	assert_null(strstr(body_of(c), "\r\n0\r\n")); /* the end of what is whole */
}

/* ---- clients ---- */

/* Acceptance: log-6, V30 */
static void a_slow_reader_slows_the_reading(void **state)
{
	enum { LINES = 4000000, KEPT = 8 << 20 }; /* 64 MB; sockets and their buffers keep some */
	struct world *w = *state;
	w->box.text = NULL;
	w->box.lines = LINES;
	struct client *c = get(w, LOG);
	c->reads_nothing = true;
	size_t before;
	do { /* until nothing moves */
		before = w->box.sent;
		for (int i = 0; i < 50; i++)
			turn(w);
	} while (w->box.sent != before);
	assert_in_range(w->box.sent, 1, KEPT);
	w->box.lines = (int64_t)w->box.sent / 16 + 100000;   /* the rest is shorter */
	struct client *other = get(w, LOG "?limitBytes=16"); /* others are served */
	until_ended(w, other);
	is_answer(other, 200, "000000000000000\n");
	c->reads_nothing = false;
	until_ended(w, c);
	const char *last = str_text(&c->got) + c->got.len - 16;
	assert_int_equal(strlen(body_of(c)), w->box.lines * 16);
	assert_int_equal(strtoll(last, NULL, 10), w->box.lines - 1);
}

/* Acceptance: log-6 */
static void a_client_that_goes_away_ends_the_reading(void **state)
{
	struct world *w = *state;
	struct client *c = get(w, LOG "?follow=true");
	until_got(w, c, "three");
	assert_int_equal(w->box.gone, 0);
	client_drop(c);
	while (w->box.gone < 1)
		turn(w);
	w->box.text = NULL;
	w->box.lines = 4000000;
	c = get(w, LOG);
	c->reads_nothing = true;
	while (w->box.sent < 100000)
		turn(w);
	client_drop(c);
	while (w->box.gone < 2)
		turn(w);
}

/* Acceptance: log-6 */
static void only_so_many_logs_are_read_at_a_time(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 16; i++)
		until_got(w,
			ask_as(w, NULL, "GET " LOG "?follow=true", "Authorization: Bearer t\r\n"),
			"three");
	refuses(w, ask_as(w, NULL, "GET " LOG, "Authorization: Bearer t\r\n"), 429,
		"you are reading 16 logs already");
	for (int i = 16; i < 32; i++)
		until_got(w, get(w, LOG "?follow=true"), "three");
	refuses(w, get(w, LOG), 429, "namespace ns already reads as many logs as it may at a time");
	client_drop(&w->clients[0]);
	while (!w->box.gone)
		turn(w);
	then_given(w, LOG, "one\ntwo\nthree\n");
}

/* All of them come from one API server, and none ends. */
/* Acceptance: vnode-17 */
static void the_logs_of_a_namespace_leave_room_for_others(void **state)
{
	struct world *w = *state;
	w->everywhere = true;
	for (int i = 0; i < 32; i++)
		until_got(w, get(w, "/containerLogs/a/cow-job/jt1?follow=true"), "three");
	refuses(w, get(w, "/containerLogs/a/cow-job/jt1"), 429, "namespace a");
	then_given(w, "/containerLogs/b/cow-job/jt1", "one\ntwo\nthree\n");
	for (int i = 0; i < 16; i++)
		until_got(w, get(w, "/containerLogs/b/cow-job/jt1?follow=true"), "three");
	refuses(w, get(w, "/containerLogs/b/cow-job/jt1"), 429, "namespace b");
	then_given(w, "/containerLogs/c/cow-job/jt1", "one\ntwo\nthree\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KUBELET_TEST(the_log_is_the_file_of_the_job),
		KUBELET_TEST(the_last_lines_are_all_that_red_box_sends),
		KUBELET_TEST(an_older_red_box_reads_forwards),
		KUBELET_TEST(a_file_that_shrinks_is_an_error),
		KUBELET_TEST(a_limit_ends_the_reading),
		KUBELET_TEST(standard_error_is_a_log_of_its_own),
		KUBELET_TEST(who_follows_hears_what_is_added_until_the_job_has_ended),
		KUBELET_TEST(a_file_that_says_nothing_yet_has_a_head),
		KUBELET_TEST(what_cannot_be_read_is_never_an_empty_log),
		KUBELET_TEST(a_red_box_that_says_nothing_is_not_waited_for),
		KUBELET_TEST(a_job_without_a_log_says_why),
		KUBELET_TEST(a_job_that_never_was_in_slurm_has_no_number),
		KUBELET_TEST(a_job_that_slurm_has_forgotten_is_read_where_it_was),
		KUBELET_TEST(a_reading_that_breaks_off_says_so_in_the_log),
		KUBELET_TEST(a_slow_reader_slows_the_reading),
		KUBELET_TEST(a_client_that_goes_away_ends_the_reading),
		KUBELET_TEST(only_so_many_logs_are_read_at_a_time),
		KUBELET_TEST(the_logs_of_a_namespace_leave_room_for_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
