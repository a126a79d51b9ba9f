/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the process to the kernel for itself; each test in a child of its own. */
#include "lib/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/options.h"
#include "cmd/self.h"

static const struct options usual = { .log_level = LOG_INFO };

/* The status of a child that does this. */
static int in_a_child(void (*what)(void))
{
	int status = -1;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void need(bool holds)
{
	if (!holds)
		_exit(1);
}

static void raise_from_64(void)
{
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = 64;
	need(setrlimit(RLIMIT_NOFILE, &files) == 0);
	self_begin(&usual);
	getrlimit(RLIMIT_NOFILE, &files);
	need(files.rlim_cur == files.rlim_max && files.rlim_cur > 64);
}

/* Acceptance: gate-5 */
static void the_limit_of_descriptors_is_the_hard_one(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(raise_from_64), 0);
}

static void warn_of_100(void)
{
	int ends[2];
	char said[1000] = "";
	need(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
	need(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 64, 100 }) == 0);
	self_begin(&usual);
	need(read(ends[0], said, sizeof(said) - 1) > 0);
	need(strstr(said, "\"level\":\"warn\"") && strstr(said, "\"limit\":\"100\""));
}

static void few_descriptors_are_worth_a_warning(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(warn_of_100), 0);
}

static void keep_and_abort(void)
{
	struct rlimit core;
	long total = 0;
	getrlimit(RLIMIT_CORE, &core); /* as large a core as may be */
	core.rlim_cur = core.rlim_max;
	setrlimit(RLIMIT_CORE, &core);
	self_begin(&usual);
	getrlimit(RLIMIT_CORE, &core);
	need(core.rlim_cur == 0 && core.rlim_max == 0);
	need(prctl(PR_GET_DUMPABLE) == 0);
	FILE *f = fopen("/proc/self/statm", "r"); /* for the metric of our memory */
	need(f && fscanf(f, "%ld", &total) == 1 && total > 0);
	signal(SIGABRT, SIG_DFL);
	abort();
}

/* Acceptance: gate-6 */
static void a_crash_leaves_no_core(void **state)
{
	(void)state;
	int status = in_a_child(keep_and_abort);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_false(WCOREDUMP(status));
}

/* A child before it runs its program: a copy of ours, or our very memory. */
static void hide_and_fork(void)
{
	struct rlimit before, after;
	getrlimit(RLIMIT_CORE, &before);
	self_hide();
	getrlimit(RLIMIT_CORE, &after);
	need(before.rlim_cur == after.rlim_cur && before.rlim_max == after.rlim_max);
	need(prctl(PR_GET_DUMPABLE) == 0);
	pid_t pid = fork();
	int status = -1;
	if (pid == 0)
		_exit(prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
	need(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Acceptance: red-box-41 */
static void a_child_is_hidden_until_it_runs_its_program(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(hide_and_fork), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit_of_descriptors_is_the_hard_one),
		cmocka_unit_test(few_descriptors_are_worth_a_warning),
		cmocka_unit_test(a_crash_leaves_no_core),
		cmocka_unit_test(a_child_is_hidden_until_it_runs_its_program),
	};
	return cmocka_run_group_tests_name("cmd_self", tests, NULL, NULL);
}
