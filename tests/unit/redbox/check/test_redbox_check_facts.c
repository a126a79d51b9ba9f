/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of red-box check: a journal of another process, places, and Slurm's tools. */
#include "lib/test.h"

#include <errno.h>

#include "lib/journal_steps.h"
#include "lib/redbox_folder.h"
#include "lib/sim_loop.h"
#include "lib/tools_world.h"
#include "redbox/check/ask.h"
#include "redbox/check/look.h"
#include "redbox/submit/journal_parts.h"

enum { LIMIT_MS = 10000 };

/* ---- the journal ---- */

struct world {
	struct sim_loop loop;
	struct test_folder folder;
	struct journal *journal;
};

static int given_a_journal_with_two_keys(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	w->folder = folder_make();
	assert_false(failed(journal_open(&w->loop.loop, w->folder.path, &w->journal)));
	assert_false(failed(is_begun(w->journal, "a")));
	assert_false(failed(is_accepted(w->journal, "a", 7, 1)));
	assert_false(failed(is_begun(w->journal, "b")));
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	journal_free(w->journal);
	folder_remove(&w->folder);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	free(w);
	return 0;
}

static struct journal_look look(struct world *w)
{
	struct journal_look l;
	struct err e = journal_look(w->folder.path, &l);
	if (failed(e))
		fail_msg("%s", e.text);
	return l;
}

/* Acceptance: red-box-39 */
static void a_journal_in_use_is_counted_and_stays_as_it_is(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *before = folder_get(&w->folder, "journal");
	struct journal_look l = look(w);
	AUTO(own_free) char *after = folder_get(&w->folder, "journal");
	assert_string_equal(before, after);
	assert_true(l.found);
	assert_int_equal(l.keys, 2);
	assert_int_equal(l.since_s, SIM_LOOP_WALL_MS / 1000);
	assert_int_equal(l.damaged, 0);
	assert_int_equal(l.newer, 0);
	assert_false(l.torn);
	/* then: no lock is left, and red-box goes on */
	assert_false(failed(is_begun(w->journal, "c")));
	assert_int_equal(look(w).keys, 3);
}

static void a_last_line_that_is_not_whole_is_no_damage(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "journal", "a", "0123456789abcdef B 1");
	assert_true(look(w).torn);
	assert_int_equal(look(w).damaged, 0);
	folder_put(&w->folder, "journal", "a", "\n");
	assert_true(look(w).torn);
	assert_int_equal(look(w).keys, 2);
}

static void a_line_before_the_last_is_damaged(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "journal", "a", "0123456789abcdef B 1\nand another\n");
	assert_int_equal(look(w).damaged, 5); /* behind the first line and three steps */
	assert_int_equal(look(w).keys, 2);
}

static void a_line_of_a_newer_red_box_is_no_damage(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str line = { 0 };
	const struct journal_line newer = { .step = (enum journal_step)'Z', .key = "x" };
	journal_line_add(&line, &newer);
	folder_put(&w->folder, "journal", "a", str_text(&line));
	assert_int_equal(look(w).newer, 1);
	assert_int_equal(look(w).damaged, 0);
	assert_false(look(w).torn);
}

static void what_is_no_journal_is_told(void **state)
{
	struct world *w = *state;
	struct journal_look l;
	folder_put(&w->folder, "journal", "w", "");
	assert_true(look(w).found);
	assert_int_equal(look(w).since_s, 0);
	assert_int_equal(remove(folder_path(&w->folder, "journal")), 0);
	assert_false(look(w).found);
	assert_int_equal(mkfifo(folder_path(&w->folder, "journal"), 0600), 0);
	assert_int_equal(journal_look(w->folder.path, &l).kind, ERR_INTERNAL);
	assert_false(failed(journal_look(folder_path(&w->folder, "none"), &l)));
	assert_false(l.found);
}

/* ---- places ---- */

static void stop(void *loop) { loop_uv_stop(loop); }

static void places_are_looked_at(void **state)
{
	struct world *w = *state;
	struct arena a = { 0 };
	struct check_facts f = { 0 };
	struct loop *l = loop_uv_new();
	const char *folders[] = { w->folder.path, folder_path(&w->folder, "none") };
	const struct check_paths paths = { folders, 2, w->folder.path, "/dev/null" };
	assert_int_equal(chmod(w->folder.path, 0750), 0);
	struct check_looks *looks = check_look(l, &paths, LIMIT_MS, &f, &a, stop, l);
	loop_uv_run(l);
	assert_true(check_looks_free(looks));
	assert_true(f.folders[0].looked && f.folders[1].looked && f.socket.looked);
	assert_int_equal(f.folders[0].kind, CHECK_FOLDER);
	assert_int_equal(f.folders[0].mode, 0750);
	assert_true(f.folders[0].may_read && f.folders[0].may_write);
	assert_true(f.folders[0].free_mb > 0);
	assert_string_equal(f.folders[0].owner, getuid() == 0 ? "root" : f.folders[0].owner);
	assert_int_equal(f.folders[1].error, ENOENT);
	assert_true(f.folders[1].may_make);
	assert_string_equal(f.folders[1].path, folders[1]);
	assert_int_equal(f.socket.kind, CHECK_OTHER);
	assert_int_equal(f.state.kind, CHECK_FOLDER);
	assert_true(f.journal.asked);
	assert_int_equal(f.in_journal.keys, 2);
	arena_free(&a);
	loop_uv_free(l);
}

static void a_look_that_comes_too_late_is_none(void **state)
{
	struct world *w = *state;
	struct arena a = { 0 };
	struct check_facts f = { 0 };
	struct loop *l = loop_uv_new();
	const struct check_paths paths = { NULL, 0, w->folder.path, "/dev/null" };
	struct check_looks *looks = check_look(l, &paths, 0, &f, &a, stop, l);
	loop_uv_run(l);
	bool all = check_looks_free(looks);
	assert_int_equal(all, f.state.looked && f.socket.looked && f.journal.asked);
	loop_uv_free(l); /* waits for the threads: these do not hang */
	if (!all)
		free(looks);
	arena_free(&a);
}

/* ---- Slurm ---- */

static void ask_slurm(struct tools_world *w, struct check_facts *f, struct arena *a)
{
	const struct check_ask by = { w->loop, f, a, LIMIT_MS, stop, w->loop };
	struct check_slurm_ask *s = check_ask_slurm(&by, w->folder);
	loop_uv_run(w->loop);
	check_slurm_ask_free(s);
}

static void slurm_is_asked_and_nothing_is_submitted(void **state)
{
	struct tools_world *w = *state;
	struct arena a = { 0 };
	struct check_facts f = { 0 };
	tool_does(w, "sbatch",
		"case $1 in -V) echo slurm 24.11.5 ;; --test-only) [ \"$2\" = --partition=debug ] "
		"|| "
		"{ echo \"sbatch: error: allocation failure: User's group not permitted to use "
		"this "
		"partition\" >&2; exit 1; } ;; *) exit 9 ;; esac");
	tool_does(w, "sinfo", "case $1 in -V) echo slurm 24.11.5 ;; esac");
	tool_does(w, "scontrol",
		"case \"$*\" in -V) echo slurm 24.11.5 ;; *config*) echo 'BOOT_TIME = "
		"2026-01-02T03:04:05'; echo 'MinJobAge = 300 sec'; echo 'NEXT_JOB_ID = 5' ;; "
		"*partition*) echo 'PartitionName=debug'; echo '   State=UP TotalCPUs=2 "
		"TotalNodes=1'; echo; echo 'PartitionName=gpu'; echo '   State=UP TotalCPUs=2 "
		"TotalNodes=1' ;; esac");
	tool_does(w, "sacct", "case $1 in -V) echo slurm 24.05.0 ;; esac");
	tool_fails(w, "squeue", "no slurm.conf");
	ask_slurm(w, &f, &a);
	assert_true(f.controller.asked);
	assert_string_equal(f.controller.err.text, "");
	assert_string_equal(f.controller_since, "2026-01-02T03:04:05Z");
	assert_true(f.accounts.asked && !failed(f.accounts.err));
	assert_int_equal(f.n_partitions, 2);
	assert_string_equal(f.partition[0].name, "debug");
	assert_string_equal(f.partition[0].takes.err.text, "");
	assert_true(f.partition[0].takes.asked && f.partition[1].takes.asked);
	assert_non_null(strstr(f.partition[1].takes.err.text, "group not permitted"));
	assert_string_equal(f.tools[1].version, "24.11.5");
	assert_string_equal(f.tools[0].version, "24.05.0");
	assert_null(f.tools[5].version);
	assert_string_equal(f.tools[5].why, "no slurm.conf");
	arena_free(&a);
}

static void without_a_tool_nothing_is_asked(void **state)
{
	struct tools_world *w = *state;
	struct arena a = { 0 };
	struct check_facts f = { 0 };
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "%s/squeue", w->folder);
	assert_int_equal(remove(str_text(&path)), 0);
	ask_slurm(w, &f, &a);
	assert_null(f.tools[5].path);
	assert_non_null(f.tools[1].path);
	assert_true(f.tools[1].needed);
	assert_false(f.tools[6].needed);
	assert_false(f.controller.asked || f.accounts.asked);
	arena_free(&a);
}

/* ---- the socket ---- */

static void a_socket_that_is_not_there_is_known_at_once(void **state)
{
	struct check_facts f = { 0 };
	struct arena a = { 0 };
	struct loop *l = loop_uv_new();
	const struct check_ask by = { l, &f, &a, LIMIT_MS, stop, l };
	(void)state;
	struct check_box_ask *b = check_ask_box(&by, "/nowhere/socket");
	loop_uv_run(l);
	check_box_ask_free(b);
	assert_int_equal(f.connect_error, ENOENT);
	assert_false(f.box.asked);
	loop_uv_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define JOURNAL_TEST(test) \
	cmocka_unit_test_setup_teardown(test, given_a_journal_with_two_keys, free_world)
#define TOOLS_TEST(test) cmocka_unit_test_setup_teardown(test, given_tools, free_tools_world)
		JOURNAL_TEST(a_journal_in_use_is_counted_and_stays_as_it_is),
		JOURNAL_TEST(a_last_line_that_is_not_whole_is_no_damage),
		JOURNAL_TEST(a_line_before_the_last_is_damaged),
		JOURNAL_TEST(a_line_of_a_newer_red_box_is_no_damage),
		JOURNAL_TEST(what_is_no_journal_is_told),
		JOURNAL_TEST(places_are_looked_at),
		JOURNAL_TEST(a_look_that_comes_too_late_is_none),
		TOOLS_TEST(slurm_is_asked_and_nothing_is_submitted),
		TOOLS_TEST(without_a_tool_nothing_is_asked),
		cmocka_unit_test(a_socket_that_is_not_there_is_known_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
