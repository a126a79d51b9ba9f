/* SPDX-License-Identifier: Apache-2.0 */
/* Children: real programs that behave well, and badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/process.h"

struct world {
	struct loop *loop;
	struct process *process;
	int ended;
	struct err err;
	struct process_end end;
	struct str output, errors;
};

static int given_a_loop(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	loop_uv_free(w->loop);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
	assert_int_equal(errno, ECHILD);
	str_free(&w->output);
	str_free(&w->errors);
	free(w);
	return 0;
}

static void ended(void *ctx, struct err e, const struct process_end *end)
{
	struct world *w = ctx;
	w->ended++;
	w->err = e;
	w->end = *end;
	str_clear(&w->output);
	str_clear(&w->errors);
	str_add_bytes(&w->output, end->output, end->output_bytes);
	str_add_bytes(&w->errors, end->errors, end->errors_bytes);
	loop_uv_stop(w->loop);
}

static void start(struct world *w, struct process_config c)
{
	struct err e = process_start(w->loop, &c, ended, w, &w->process);
	if (failed(e))
		fail_msg("%s", e.text);
}

static void start_script(struct world *w, const char *script, struct process_config c)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	c.argv = argv;
	start(w, c);
}

static void run(struct world *w, const char *script, struct process_config c)
{
	start_script(w, script, c);
	loop_uv_run(w->loop);
}

#define RUN(w, script, ...) run(w, script, (struct process_config){ __VA_ARGS__ })
#define START(w, script, ...) start_script(w, script, (struct process_config){ __VA_ARGS__ })

static void failed_with(struct world *w, enum err_kind kind, const char *sentence)
{
	assert_string_equal(err_kind_name(w->err.kind), err_kind_name(kind));
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
}

static void stop_soon(void *ctx) { loop_uv_stop(((struct world *)ctx)->loop); }

/* Lets the loop run for so long. */
static void run_for(struct world *w, int64_t ms)
{
	timer_start(w->loop, ms, stop_soon, w);
	loop_uv_run(w->loop);
}

/* ---- those that end ---- */

static void what_it_prints_and_how_it_ends_is_told(void **state)
{
	struct world *w = *state;
	RUN(w, "echo out; echo err >&2; exit 3");
	assert_false(failed(w->err));
	assert_int_equal(w->end.code, 3);
	assert_int_equal(w->end.signal, 0);
	assert_string_equal(str_text(&w->output), "out\n");
	assert_string_equal(str_text(&w->errors), "err\n");
	RUN(w, "kill -9 $$");
	assert_int_equal(w->end.code, -1);
	assert_int_equal(w->end.signal, SIGKILL);
	assert_int_equal(w->ended, 2);
}

static void arguments_and_environment_arrive_as_they_are(void **state)
{
	struct world *w = *state;
	const char *const argv[] = { "env", "--", "printenv", "A", "$B", NULL };
	const char *const env[] = { "A= $(x) \"", "$B=c", "PATH=/bin:/usr/bin", NULL };
	start(w, (struct process_config){ .argv = argv, .env = env });
	loop_uv_run(w->loop);
	assert_string_equal(str_text(&w->output), " $(x) \"\nc\n");
	const char *const all[] = { "env", NULL };
	start(w, (struct process_config){ .argv = all, .env = env });
	loop_uv_run(w->loop);
	assert_string_equal(str_text(&w->output), "A= $(x) \"\n$B=c\nPATH=/bin:/usr/bin\n");
}

static void input_larger_than_a_pipe_comes_back(void **state)
{
	struct world *w = *state;
	const size_t n = 900000;
	AUTO(own_free) char *input = own_alloc(n);
	const char *const argv[] = { "cat", NULL };
	memset(input, 'x', n);
	start(w, (struct process_config){ .argv = argv, .input = input, .input_bytes = n });
	loop_uv_run(w->loop);
	assert_int_equal(w->output.len, n);
	assert_memory_equal(str_text(&w->output), input, n);
}

static void input_need_not_be_read(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *input = own_alloc(900000);
	RUN(w, "echo done", .input = input, .input_bytes = 900000);
	assert_string_equal(str_text(&w->output), "done\n");
	RUN(w, "cat; echo end", .input = "", .input_bytes = 0);
	assert_string_equal(str_text(&w->output), "end\n");
	RUN(w, "cat; echo end");
	assert_string_equal(str_text(&w->output), "end\n");
}

static void its_output_can_be_opened_again(void **state)
{
	struct world *w = *state;
	RUN(w, "cat /dev/stdin >/dev/stdout; echo e >/dev/stderr", .input = "in", .input_bytes = 2);
	assert_string_equal(str_text(&w->output), "in");
	assert_string_equal(str_text(&w->errors), "e\n");
}

static void a_program_that_is_not_there_is_named(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *name, *says;
	} rows[] = {
		{ "no-such-program", "no-such-program cannot be started: there is no such" },
		{ "./no-such-program", "there is no such program" },
		{ "/etc/passwd", "permission denied" },
		{ "/tmp", "permission denied" },
		{ "", "there is no such program" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *const argv[] = { rows[i].name, NULL };
		w->err = process_start(w->loop, &(struct process_config){ .argv = argv }, ended, w,
			&w->process);
		failed_with(w, ERR_INVALID, rows[i].says);
	}
	run_for(w, 0);
	assert_int_equal(w->ended, 0);
}

static void a_script_that_does_not_say_what_runs_it_is_named(void **state)
{
	struct world *w = *state;
	char path[] = "/tmp/script-XXXXXX";
	const char *const argv[] = { path, NULL };
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "echo done\n", 10), 10);
	fchmod(fd, 0700);
	close(fd);
	w->err = process_start(w->loop, &(struct process_config){ .argv = argv }, ended, w,
		&w->process);
	failed_with(w, ERR_INVALID, "a script begins with #!");
	unlink(path);
}

static void too_much_output_ends_it_and_too_many_errors_are_cut(void **state)
{
	struct world *w = *state;
	RUN(w, "yes", .max_output_bytes = 1000);
	failed_with(w, ERR_TOO_LARGE, "sh printed more than 1000 bytes");
	assert_int_equal(w->output.len, 1000);
	RUN(w, "head -c 5000 /dev/zero >&2; echo whole", .max_output_bytes = 1000);
	assert_false(failed(w->err));
	assert_int_equal(w->errors.len, 1000);
	assert_string_equal(str_text(&w->output), "whole\n");
}

/* ---- what it inherits ---- */

static void it_inherits_no_descriptor(void **state)
{
	struct world *w = *state;
	int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC, as libraries do */
	RUN(w, "ls /proc/$$/fd; exit 0");
	assert_string_equal(str_text(&w->output), "0\n1\n2\n");
	close(fd);
}

static void its_signals_are_as_by_default(void **state)
{
	struct world *w = *state;
	sigset_t blocked, before;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	RUN(w, "grep -E 'Sig(Blk|Ign)' /proc/self/status");
	sigprocmask(SIG_SETMASK, &before, NULL);
	unsigned long long masked, ignored;
	assert_int_equal(sscanf(str_text(&w->output), "SigBlk: %llx SigIgn: %llx", &masked,
				 &ignored),
		2);
	/* 32 and 33 are the C library's own: who started the tests may ignore them. */
	assert_int_equal(masked & 0x7fffffff, 0);
	assert_int_equal(ignored & 0x7fffffff, 0);
}

/* ---- those that do not ---- */

static void one_that_takes_too_long_is_ended(void **state)
{
	struct world *w = *state;
	RUN(w, "echo begun; exec sleep 1000", .limit_ms = 400);
	failed_with(w, ERR_RETRY, "sh did not end in time");
	assert_int_equal(w->end.signal, SIGTERM);
	assert_string_equal(str_text(&w->output), "begun\n");
}

static void one_that_ignores_sigterm_is_killed(void **state)
{
	struct world *w = *state;
	RUN(w, "trap '' TERM; while :; do :; done", .limit_ms = 400, .grace_ms = 50);
	failed_with(w, ERR_RETRY, "did not end in time");
	assert_int_equal(w->end.signal, SIGKILL);
}

/* Acceptance: gate-7 */
static void one_that_closes_its_output_and_lives_on_is_waited_for(void **state)
{
	struct world *w = *state;
	RUN(w, "echo x; exec >&- 2>&-; read line; exit 7 <&0", .input = "", .input_bytes = 0);
	assert_int_equal(w->end.code, 7);
	assert_string_equal(str_text(&w->output), "x\n");
	RUN(w, "exec >&- 2>&-; exec sleep 1000", .limit_ms = 50);
	failed_with(w, ERR_RETRY, "did not end in time");
}

static bool lives(pid_t pid)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	return n && !strstr(text, ") Z ");
}

/* A process that it leaves behind may live on. */
static void what_it_leaves_behind_holds_nobody_up(void **state)
{
	struct world *w = *state;
	RUN(w, "sleep 1000 & echo $!");
	assert_false(failed(w->err));
	pid_t pid = atoi(str_text(&w->output));
	assert_true(pid > 0 && lives(pid));
	kill(pid, SIGKILL);
}

static void what_it_started_goes_with_it_when_its_time_is_over(void **state)
{
	struct world *w = *state;
	RUN(w, "(trap '' TERM; while :; do :; done) & echo $!; wait", .limit_ms = 400);
	failed_with(w, ERR_RETRY, "did not end in time");
	pid_t pid = atoi(str_text(&w->output));
	while (lives(pid)) /* the kernel takes a moment */
		;
}

/* ---- stopped ---- */

static struct world *hearing;

static void stop_it(void *ctx) { process_stop(((struct world *)ctx)->process); }

/* All that has come so far, each time. */
static void heard(void *ctx, const char *output)
{
	assert_ptr_equal(ctx, hearing);
	if (strcmp(output, "one\ntwo\n") == 0)
		timer_start(hearing->loop, 0, stop_it, hearing);
}

/* Acceptance: red-box-36 */
static void one_whose_output_is_enough_is_stopped(void **state)
{
	struct world *w = hearing = *state;
	run(w, "echo one; sleep 0.1; echo two; sleep 100",
		(struct process_config){ .heard = heard });
	failed_with(w, ERR_CANCELLED, "sh was stopped");
	assert_string_equal(str_text(&w->output), "one\ntwo\n");
}

/* ---- cancelled ---- */

static void one_that_is_cancelled_is_never_heard_of(void **state)
{
	static const struct {
		const char *script;
		int64_t limit_ms, run_ms;
	} rows[] = {
		{ "exit 0", 0, -1 },                             /* not even seen to run */
		{ "exec sleep 1000", 0, 30 },                    /* it runs */
		{ "trap '' TERM; while :; do :; done", 10, 50 }, /* in its grace */
		{ "exec >&- 2>&-; exec sleep 1000", 0, 30 },     /* its output is closed */
		{ "sleep 5 & exit 0", 0, 50 },                   /* only its output is open */
		{ "cat >/dev/null; exec sleep 1000", 0, 30 },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		do { /* again, where the machine stood still and it has ended first */
			w->ended = 0;
			START(w, rows[i].script, .limit_ms = rows[i].limit_ms, .input = "x",
				.input_bytes = 1);
			if (rows[i].run_ms >= 0)
				run_for(w, rows[i].run_ms);
		} while (w->ended);
		process_cancel(w->process);
		process_cancel(NULL);
	}
	run_for(w, 50);
	assert_int_equal(w->ended, 0);
}

static void many_are_cancelled_with_their_loop(void **state)
{
	struct world *w = *state;
	struct process *all[20];
	for (size_t i = 0; i < LENGTH(all); i++) {
		START(w, "exec sleep 1000");
		all[i] = w->process;
	}
	for (size_t i = 0; i < LENGTH(all); i++)
		process_cancel(all[i]);
} /* free_world: no zombie */

static size_t descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	size_t n = 0;
	while (readdir(all))
		n++;
	closedir(all);
	return n;
}

static void a_thousand_leave_no_descriptor(void **state)
{
	struct world *w = *state;
	const char *const argv[] = { "true", NULL }, *const none[] = { "no-such-program", NULL };
	size_t before = 0;
	for (int i = 0; i <= 1000; i++) {
		start(w, (struct process_config){ .argv = argv, .input = "x", .input_bytes = 1 });
		loop_uv_run(w->loop);
		assert_int_equal(w->end.code, 0);
		process_start(w->loop, &(struct process_config){ .argv = none }, ended, w,
			&w->process);
		if (i == 0)
			before = descriptors();
	}
	assert_int_equal(descriptors(), before);
	assert_int_equal(w->ended, 1001);
}

#define PROCESS_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_loop, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROCESS_TEST(what_it_prints_and_how_it_ends_is_told),
		PROCESS_TEST(arguments_and_environment_arrive_as_they_are),
		PROCESS_TEST(input_larger_than_a_pipe_comes_back),
		PROCESS_TEST(input_need_not_be_read),
		PROCESS_TEST(its_output_can_be_opened_again),
		PROCESS_TEST(a_program_that_is_not_there_is_named),
		PROCESS_TEST(a_script_that_does_not_say_what_runs_it_is_named),
		PROCESS_TEST(too_much_output_ends_it_and_too_many_errors_are_cut),
		PROCESS_TEST(it_inherits_no_descriptor),
		PROCESS_TEST(its_signals_are_as_by_default),
		PROCESS_TEST(one_that_takes_too_long_is_ended),
		PROCESS_TEST(one_that_ignores_sigterm_is_killed),
		PROCESS_TEST(one_that_closes_its_output_and_lives_on_is_waited_for),
		PROCESS_TEST(what_it_leaves_behind_holds_nobody_up),
		PROCESS_TEST(what_it_started_goes_with_it_when_its_time_is_over),
		PROCESS_TEST(one_whose_output_is_enough_is_stopped),
		PROCESS_TEST(one_that_is_cancelled_is_never_heard_of),
		PROCESS_TEST(many_are_cancelled_with_their_loop),
		PROCESS_TEST(a_thousand_leave_no_descriptor),
	};
	return cmocka_run_group_tests_name("net_process", tests, NULL, NULL);
}
