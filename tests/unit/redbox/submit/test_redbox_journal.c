/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of submissions: what crashes and full disks leave of it. */
#include "lib/journal_steps.h"
#include "lib/redbox_folder.h"
#include "lib/sim_loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "redbox/submit/journal_parts.h"

enum { DAY_MS = 86400000 };

struct world {
	struct sim_loop loop;
	struct test_folder folder;
	struct journal *journal;
};

static void open_journal(struct world *w)
{
	struct err e = journal_open(&w->loop.loop, w->folder.path, &w->journal);
	if (failed(e))
		fail_msg("%s", e.text);
}

static int given_a_journal(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	w->folder = folder_make();
	open_journal(w);
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

static void restarted(struct world *w)
{
	journal_free(w->journal);
	open_journal(w);
}

/* The process dies with the file as it is, and with these bytes behind it. */
static void killed_and_started(struct world *w, const char *behind)
{
	journal_free(w->journal);
	folder_put(&w->folder, "journal", "a", behind);
	open_journal(w);
}

static void is(struct world *w, const char *key, enum submission_noted noted, int64_t id)
{
	struct journal_entry e = journal_find(w->journal, key);
	assert_int_equal(e.noted, noted);
	assert_int_equal(e.job_id, id);
}

#define GOOD(call)                               \
	do {                                     \
		struct err e_ = (call);          \
		if (failed(e_))                  \
			fail_msg("%s", e_.text); \
	} while (0)

static void what_is_noted_outlives_a_restart(void **state)
{
	struct world *w = *state;
	GOOD(is_begun(w->journal, "a"));
	GOOD(is_begun(w->journal, "b"));
	GOOD(journal_done(w->journal, "b", 53));
	GOOD(is_begun(w->journal, "c"));
	GOOD(journal_refused(w->journal, "c", 0));
	GOOD(is_begun(w->journal, "f"));
	GOOD(journal_refused(w->journal, "f", 52));
	GOOD(is_accepted(w->journal, "e", 54, 1000));
	for (int i = 0; i < 2; i++) {
		is(w, "e", SUBMISSION_ACCEPTED, 54);
		assert_int_equal(journal_find(w->journal, "e").boot_s, 1000);
		is(w, "a", SUBMISSION_BEGUN, 0);
		is(w, "b", SUBMISSION_DONE, 53);
		is(w, "c", SUBMISSION_ABSENT, 0);
		is(w, "f", SUBMISSION_VOID, 52);
		is(w, "d", SUBMISSION_ABSENT, 0);
		restarted(w);
	}
}

/* The next fsync of a folder fails: as of a disk that has a bad moment. */
static bool folder_fails;
static int syncs;

int fsync(int fd)
{
	struct stat st;
	syncs++;
	if (!folder_fails || fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode))
		return 0;
	folder_fails = false;
	errno = EIO;
	return -1;
}

/* Thousands at once are one write. */
static void what_slurmctld_has_written_down_is_settled(void **state)
{
	struct world *w = *state;
	char key[16];
	for (int i = 0; i < 2000; i++) {
		snprintf(key, sizeof(key), "old-%d", i);
		GOOD(is_accepted(w->journal, key, i + 1, 1000));
	}
	GOOD(is_accepted(w->journal, "other", 9998, 999));
	sim_loop_pass(&w->loop, SUBMISSION_SAVED_MS);
	GOOD(is_accepted(w->journal, "young", 9999, 1000));
	int before = syncs;
	assert_int_equal(journal_settle(w->journal, 1000), 1);
	assert_true(syncs - before <= 3);
	for (int i = 0; i < 2; i++) {
		is(w, "old-0", SUBMISSION_DONE, 1);
		is(w, "old-1999", SUBMISSION_DONE, 2000);
		is(w, "other", SUBMISSION_ACCEPTED, 9998);
		is(w, "young", SUBMISSION_ACCEPTED, 9999);
		restarted(w);
	}
	assert_int_equal(journal_settle(w->journal, 1000), 1); /* young again, by our start */
}

static void each_step_is_in_the_file_when_it_is_told(void **state)
{
	struct world *w = *state;
	GOOD(is_begun(w->journal, "key-1"));
	AUTO(own_free) char *text = folder_get(&w->folder, "journal");
	assert_non_null(strstr(text, " B "));
	assert_non_null(strstr(text, " key-1\n"));
}

static void a_line_that_is_not_whole_is_dropped(void **state)
{
	static const char *const torn[] = { "0123456789abcdef B 1", "\n", "x\n",
		"0123456789abcdef D 1795270000 99 a\n" };
	struct world *w = *state;
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	GOOD(is_begun(w->journal, "a"));
	for (size_t i = 0; i < LENGTH(torn); i++) {
		killed_and_started(w, torn[i]);
		is(w, "a", SUBMISSION_BEGUN, 0);
		assert_true(journal_vouches(w->journal));
	}
}

/* A crash in the middle of each write: what was told before is there. */
static void a_crash_at_any_byte_loses_only_what_was_not_told(void **state)
{
	struct world *w = *state;
	GOOD(is_begun(w->journal, "a"));
	AUTO(own_free) char *before = folder_get(&w->folder, "journal");
	GOOD(journal_done(w->journal, "a", 7));
	AUTO(own_free) char *after = folder_get(&w->folder, "journal");
	for (size_t n = strlen(before); n <= strlen(after); n++) {
		char *cut = own_strndup(after, n);
		journal_free(w->journal);
		folder_put(&w->folder, "journal", "w", cut);
		free(cut);
		open_journal(w);
		if (n < strlen(after))
			is(w, "a", SUBMISSION_BEGUN, 0);
		else
			is(w, "a", SUBMISSION_DONE, 7);
	}
}

static void a_damaged_line_is_left_out_and_takes_the_trust(void **state)
{
	struct world *w = *state;
	GOOD(is_begun(w->journal, "a"));
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000 - DAY_MS);
	GOOD(is_begun(w->journal, "b"));
	sim_loop_pass(&w->loop, DAY_MS);
	assert_true(journal_vouches(w->journal));
	AUTO(own_free) char *text = folder_get(&w->folder, "journal");
	strstr(text, " a\n")[1] = 'z';
	journal_free(w->journal);
	folder_put(&w->folder, "journal", "w", text);
	open_journal(w);
	assert_false(journal_vouches(w->journal));
	is(w, "a", SUBMISSION_ABSENT, 0);
	is(w, "z", SUBMISSION_ABSENT, 0);
	is(w, "b", SUBMISSION_BEGUN, 0);
}

static void a_new_journal_vouches_after_a_week(void **state)
{
	struct world *w = *state;
	assert_false(journal_vouches(w->journal));
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000 - 1000);
	restarted(w);
	assert_false(journal_vouches(w->journal));
	sim_loop_pass(&w->loop, 1000);
	assert_true(journal_vouches(w->journal));
	journal_free(w->journal);
	assert_int_equal(unlink(folder_path(&w->folder, "journal")), 0);
	open_journal(w);
	assert_false(journal_vouches(w->journal));
}

static void a_key_goes_after_a_week(void **state)
{
	struct world *w = *state;
	GOOD(is_begun(w->journal, "a"));
	sim_loop_pass(&w->loop, (int64_t)(JOURNAL_KEEP_S + JOURNAL_AGAIN_S) * 1000 - 1000);
	GOOD(journal_done(w->journal, "b", 1));
	restarted(w);
	is(w, "a", SUBMISSION_BEGUN, 0);
	sim_loop_pass(&w->loop, 1000);
	restarted(w);
	is(w, "a", SUBMISSION_ABSENT, 0);
	is(w, "b", SUBMISSION_DONE, 1);
}

static void outdated_lines_go_while_it_runs(void **state)
{
	struct world *w = *state;
	struct stat st;
	for (int i = 1; i <= 3000; i++)
		GOOD(journal_done(w->journal, "a", i));
	assert_int_equal(stat(folder_path(&w->folder, "journal"), &st), 0);
	assert_true(st.st_size < 100000);
	restarted(w);
	is(w, "a", SUBMISSION_DONE, 3000);
	assert_int_equal(folder_count(&w->folder, "."), 1);
}

static void a_key_goes_while_it_runs(void **state)
{
	struct world *w = *state;
	GOOD(journal_done(w->journal, "a", 1));
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000 + 3 * 3600 * 1000);
	GOOD(is_begun(w->journal, "b"));
	is(w, "a", SUBMISSION_ABSENT, 0);
	assert_true(journal_vouches(w->journal));
}

/* A journal with so many keys of today, one of which is begun by the test. */
static void too_many_keys_cost_the_oldest_and_the_trust(void **state)
{
	struct world *w = *state;
	struct str text AUTO(str_free) = { 0 };
	struct journal_line line = { .step = JOURNAL_WHOLE };
	line.wall_s = loop_wall_ms(&w->loop.loop) / 1000 - JOURNAL_KEEP_S;
	journal_line_add(&text, &line);
	line = (struct journal_line){ .step = JOURNAL_DONE, .job_id = 1 };
	line.wall_s = loop_wall_ms(&w->loop.loop) / 1000;
	for (int i = 0; i < JOURNAL_MOST; i++) {
		snprintf(line.key, sizeof(line.key), "key-%d", i);
		journal_line_add(&text, &line);
	}
	journal_free(w->journal);
	folder_put(&w->folder, "journal", "w", str_text(&text));
	open_journal(w);
	assert_true(journal_vouches(w->journal));
	GOOD(is_begun(w->journal, "one-too-many"));
	GOOD(is_begun(w->journal, "another"));
	is(w, "key-0", SUBMISSION_ABSENT, 0);
	is(w, "key-199999", SUBMISSION_DONE, 1);
	is(w, "one-too-many", SUBMISSION_BEGUN, 0);
	assert_false(journal_vouches(w->journal));
}

static void of_two_processes_one_has_it(void **state)
{
	struct world *w = *state;
	struct journal *second = NULL;
	struct err e = journal_open(&w->loop.loop, w->folder.path, &second);
	assert_int_equal(e.kind, ERR_EXISTS);
	assert_non_null(strstr(e.text, "another running red-box"));
	/* when: it is killed between fork and exec, its child has the lock, too */
	pid_t child = fork();
	if (child == 0)
		_exit(nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL));
	journal_free(TAKE(w->journal));
	/* then: that is waited for */
	GOOD(journal_open(&w->loop.loop, w->folder.path, &w->journal));
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A file may grow to so many bytes: as on a disk that is full. */
static void room_for(rlim_t bytes)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

static void what_does_not_fit_on_the_disk_is_not_begun(void **state)
{
	struct world *w = *state;
	struct stat st;
	signal(SIGXFSZ, SIG_IGN);
	GOOD(is_begun(w->journal, "a"));
	assert_int_equal(stat(folder_path(&w->folder, "journal"), &st), 0);
	room_for((rlim_t)st.st_size + 10);
	for (int i = 0; i < 3; i++) {
		struct err e = is_begun(w->journal, "b");
		assert_int_equal(e.kind, ERR_RETRY);
		is(w, "b", SUBMISSION_ABSENT, 0);
	}
	assert_true(failed(journal_done(w->journal, "a", 5)));
	is(w, "a", SUBMISSION_DONE, 5); /* while it runs */
	room_for(RLIM_INFINITY);
	GOOD(is_begun(w->journal, "b"));
	restarted(w);
	is(w, "a", SUBMISSION_DONE, 5);
	is(w, "b", SUBMISSION_BEGUN, 0);
}

static void a_step_is_not_written_to_a_file_that_has_no_name(void **state)
{
	struct world *w = *state;
	for (int i = 1; i <= 1002; i++)
		GOOD(journal_done(w->journal, "a", i));
	folder_fails = true;
	bool begun = !failed(is_begun(w->journal, "b"));
	assert_false(folder_fails);
	restarted(w);
	is(w, "a", SUBMISSION_DONE, 1002);
	is(w, "b", begun ? SUBMISSION_BEGUN : SUBMISSION_ABSENT, 0);
}

/* The clock is ten years ahead for a moment, and then right again. */
static void a_clock_that_was_ahead_takes_the_trust(void **state)
{
	struct world *w = *state;
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	GOOD(journal_done(w->journal, "a", 5));
	sim_loop_jump_wall(&w->loop, (int64_t)3650 * DAY_MS);
	GOOD(journal_done(w->journal, "b", 6));
	GOOD(is_begun(w->journal, "unheard"));
	is(w, "a", SUBMISSION_ABSENT, 0);
	sim_loop_jump_wall(&w->loop, (int64_t)-3650 * DAY_MS);
	for (int i = 0; i < 2; i++) {
		assert_false(journal_vouches(w->journal));
		restarted(w);
	}
	is(w, "b", SUBMISSION_DONE, 6);
	is(w, "unheard", SUBMISSION_BEGUN, 0);
	assert_true(journal_find(w->journal, "unheard").wall_s <
		loop_wall_ms(&w->loop.loop) / 1000 - 86400);
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	GOOD(journal_done(w->journal, "c", 7));
	assert_true(journal_vouches(w->journal));
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	restarted(w);
	is(w, "b", SUBMISSION_ABSENT, 0); /* not ten years later */
}

/* The clock was set ahead, or right again: no week has passed for the keys that go. */
static void a_clock_that_leaps_ahead_takes_the_trust(void **state)
{
	struct world *w = *state;
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	GOOD(journal_done(w->journal, "a", 5));
	assert_true(journal_vouches(w->journal));
	sim_loop_jump_wall(&w->loop, (int64_t)30 * DAY_MS);
	GOOD(is_begun(w->journal, "b"));
	is(w, "a", SUBMISSION_ABSENT, 0);
	assert_false(journal_vouches(w->journal));
}

/* red-box forgot them, and was started again before it noted anything. */
static void a_start_while_the_clock_is_ahead_is_remembered(void **state)
{
	struct world *w = *state;
	sim_loop_pass(&w->loop, (int64_t)JOURNAL_KEEP_S * 1000);
	GOOD(journal_done(w->journal, "a", 5));
	sim_loop_jump_wall(&w->loop, (int64_t)3650 * DAY_MS);
	restarted(w);
	sim_loop_jump_wall(&w->loop, (int64_t)-3650 * DAY_MS);
	restarted(w);
	is(w, "a", SUBMISSION_ABSENT, 0);
	assert_false(journal_vouches(w->journal));
}

static void quiet_begins_when_nobody_waits_any_more(void **state)
{
	struct world *w = *state;
	GOOD(is_begun(w->journal, "a"));
	sim_loop_pass(&w->loop, 60000);
	journal_unheard(w->journal, "a");
	assert_int_equal(journal_find(w->journal, "a").quiet_since_ms, w->loop.now_ms);
	sim_loop_pass(&w->loop, 5000);
	restarted(w);
	assert_int_equal(journal_find(w->journal, "a").quiet_since_ms, w->loop.now_ms);
}

static void keys_are_plain(void **state)
{
	(void)state;
	char longest[SLURM_KEY_BYTES + 2];
	memset(longest, 'k', sizeof(longest));
	longest[SLURM_KEY_BYTES] = '\0';
	assert_true(slurm_takes_key(longest));
	longest[SLURM_KEY_BYTES] = 'k';
	longest[SLURM_KEY_BYTES + 1] = '\0';
	assert_false(slurm_takes_key(longest));
	assert_true(slurm_takes_key("f3b1c2d4-0000-4000-8000-000000000001"));
	assert_false(slurm_takes_key(""));
	assert_false(slurm_takes_key("a b"));
	assert_false(slurm_takes_key("a\nb"));
	assert_false(slurm_takes_key("a'b"));
}

#define JOURNAL_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_journal, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOURNAL_TEST(what_is_noted_outlives_a_restart),
		JOURNAL_TEST(what_slurmctld_has_written_down_is_settled),
		JOURNAL_TEST(each_step_is_in_the_file_when_it_is_told),
		JOURNAL_TEST(a_line_that_is_not_whole_is_dropped),
		JOURNAL_TEST(a_crash_at_any_byte_loses_only_what_was_not_told),
		JOURNAL_TEST(a_damaged_line_is_left_out_and_takes_the_trust),
		JOURNAL_TEST(a_new_journal_vouches_after_a_week),
		JOURNAL_TEST(a_key_goes_after_a_week),
		JOURNAL_TEST(outdated_lines_go_while_it_runs),
		JOURNAL_TEST(a_key_goes_while_it_runs),
		JOURNAL_TEST(too_many_keys_cost_the_oldest_and_the_trust),
		JOURNAL_TEST(of_two_processes_one_has_it),
		JOURNAL_TEST(what_does_not_fit_on_the_disk_is_not_begun),
		JOURNAL_TEST(a_step_is_not_written_to_a_file_that_has_no_name),
		JOURNAL_TEST(a_clock_that_was_ahead_takes_the_trust),
		JOURNAL_TEST(a_clock_that_leaps_ahead_takes_the_trust),
		JOURNAL_TEST(a_start_while_the_clock_is_ahead_is_remembered),
		JOURNAL_TEST(quiet_begins_when_nobody_waits_any_more),
		cmocka_unit_test(keys_are_plain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
