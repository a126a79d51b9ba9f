/* SPDX-License-Identifier: Apache-2.0 */
/* The collector of results, with a virtual node and a volume that the test has. */
#include <signal.h>
#include <sys/resource.h>

#include "lib/results_world.h"

/* Acceptance: result-2 */
static void a_tree_is_copied_as_it_is(void **state)
{
	struct world *w = *state;
	w->left_out = 2;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE,
		"2 files with 5 bytes are in the volume; 2 entries were skipped, because they "
		"are neither files nor folders, or their names are not UTF-8");
	then_file(w, "out/a.txt", "hello");
	then_file(w, "out/b/empty", "");
	assert_int_equal(folder_count(&w->folder, "to"), 1); /* nothing else is left */
	assert_int_equal(folder_count(&w->folder, "to/out"), 2);
	assert_non_null(strstr(str_text(&w->said), "out/a.txt: 5 bytes are there\n"));
}

/* Acceptance: result-2 */
static void what_is_there_is_not_copied_again(void **state)
{
	struct world *w = *state;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "");
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "2 files with 5 bytes are in the volume; 2 of them existed");
	assert_int_equal(w->sent, 0);

	/* but what has changed since is */
	w->sources[1].text = "HELLO";
	w->sources[1].modified_ns = T_NS + 1000;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "1 of them existed before");
	then_file(w, "out/a.txt", "HELLO");
}

/* A source may keep whole seconds, and this volume keeps all of a time. */
static void a_change_within_a_second_is_seen(void **state)
{
	struct world *w = *state;
	w->sources[1].modified_ns = T_S * INT64_C(1000000000);
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "2 files");
	w->sources[1] = (struct source){ "out/a.txt", "HELLO", false, T_NS };
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "1 of them existed before");
	then_file(w, "out/a.txt", "HELLO");
}

static void a_file_of_any_time_is_copied(void **state)
{
	static const int64_t far[] = { INT64_MAX, INT64_MIN };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(far); i++) {
		w->sources[1].modified_ns = far[i];
		when_begun(w);
		when_passed(w, 5000);
		then_ended(w, RESULTS_DONE, "2 files");
		assert_int_equal(w->sent, 5);
	}

	/* what the user has put there may have any time, too */
	const struct timespec times[2] = { { .tv_sec = INT64_C(10413792000) },
		{ .tv_sec = INT64_C(10413792000) } };
	assert_int_equal(utimensat(AT_FDCWD, folder_path(&w->folder, "to/out/a.txt"), times, 0), 0);
	w->sources[1].modified_ns = T_NS;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "2 files");
	then_file(w, "out/a.txt", "hello");
}

/* Acceptance: result-3 */
static void a_cut_is_gone_on_behind(void **state)
{
	struct world *w = *state;
	w->cut_at = 2;
	when_begun(w);
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
	then_file(w, "out/a.txt", "hello");
	assert_int_equal(w->sent, 5); /* no byte came twice */
}

static void an_answer_that_only_looks_whole_is_gone_on_behind(void **state)
{
	struct world *w = *state;
	w->cut_at = 2;
	w->ends_early = true;
	when_begun(w);
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
	then_file(w, "out/a.txt", "hello");
	assert_int_equal(w->sent, 5);
}

/* Acceptance: result-3 */
static void the_next_process_goes_on_behind_the_one_before(void **state)
{
	struct world *w = *state;
	w->cut_at = 3;
	when_begun(w);
	while (w->sent < 3)
		assert_true(answer_one(w)), sim_loop_pass(&w->loop, 0);
	when_killed(w);
	assert_int_equal(folder_count(&w->folder, "to/out"), 1); /* the part */
	when_begun(w);
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
	then_file(w, "out/a.txt", "hello");
	assert_string_equal(w->first, "/results/ns/cow-job/file?path=out/a.txt&offset=3");
	assert_int_equal(w->sent, 2);
	assert_int_equal(folder_count(&w->folder, "to/out"), 2);
}

/* Acceptance: result-4 */
static void a_part_of_a_file_that_changed_since_is_left(void **state)
{
	struct world *w = *state;
	w->cut_at = 3;
	when_begun(w);
	while (w->sent < 3)
		assert_true(answer_one(w)), sim_loop_pass(&w->loop, 0);
	when_killed(w);
	w->sources[1].text = "other";
	w->sources[1].modified_ns = T_NS + 100;
	when_begun(w);
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
	then_file(w, "out/a.txt", "other");
	assert_string_equal(w->first, "/results/ns/cow-job/file?path=out/a.txt");
	assert_int_equal(folder_count(&w->folder, "to/out"), 2); /* and swept away */
}

/* Acceptance: result-4 */
static void a_source_that_changes_meanwhile_is_copied_anew(void **state)
{
	struct world *w = *state;
	when_begun(w);
	assert_true(answer_one(w)); /* the list */
	sim_loop_pass(&w->loop, 0);
	w->sources[1].text = "longer than it was";
	w->sources[1].modified_ns = T_NS + 100;
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files with 18 bytes");
	then_file(w, "out/a.txt", "longer than it was");
	assert_non_null(strstr(str_text(&w->said), "changed while it was copied"));

	/* and one that became shorter, while a part of it is there */
	w->sources[1] = (struct source){ "out/a.txt", "0123456789", false, T_NS + 200 };
	w->cut_at = 6;
	when_begun(w);
	while (w->sent < 6)
		assert_true(answer_one(w)), sim_loop_pass(&w->loop, 0);
	w->sources[1] = (struct source){ "out/a.txt", "012", false, T_NS + 300 };
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files with 3 bytes");
	then_file(w, "out/a.txt", "012");
}

/* The checksum of such a file is that of no state of it. */
static void a_source_that_never_rests_is_left_to_the_next(void **state)
{
	struct world *w = *state;
	int sums = 0;
	when_begun(w);
	for (int i = 0; i < 600 && w->status < 0; i++) {
		struct http_call *c = fake_open(&w->http, "GET /results/ns/cow-job/checksum");
		sums += c != NULL;
		if (c)
			fake_answer(c, 409, "out/a.txt changed while it was read: ask again\n");
		else
			answer_one(w);
		sim_loop_pass(&w->loop, 500);
	}
	then_ended(w, RESULTS_ANEW, "out/a.txt changes while its checksum is made");
	assert_int_equal(sums, 7); /* and six times again */

	/* one that comes to rest is copied as it is by then */
	when_killed(w);
	when_begun(w);
	for (int i = 0; i < 3;) {
		struct http_call *c = fake_open(&w->http, "GET /results/ns/cow-job/checksum");
		i += c != NULL;
		if (c)
			fake_answer(c, 409, "out/a.txt changed while it was read: ask again\n");
		else
			answer_one(w);
		sim_loop_pass(&w->loop, 500);
	}
	w->sources[1].text = "hello, all";
	w->sources[1].modified_ns = T_NS + 100;
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files with 10 bytes");
	then_file(w, "out/a.txt", "hello, all");
}

/* Acceptance: result-3 */
static void other_bytes_never_get_the_name(void **state)
{
	struct world *w = *state;
	w->spoil = "hallo";
	when_begun(w);
	when_passed(w, 600000);
	then_ended(w, RESULTS_ANEW, "out/a.txt was copied with wrong bytes");
	assert_int_equal(folder_count(&w->folder, "to/out"), 0);
	w->spoil = NULL;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "2 files");
}

/* Acceptance: result-3 */
static void a_list_without_an_end_is_asked_for_again(void **state)
{
	struct world *w = *state;
	w->no_end = true;
	when_begun(w);
	when_passed(w, 3000);
	assert_int_equal(w->status, -1);
	assert_int_equal(w->sent, 0);
	assert_non_null(strstr(str_text(&w->said),
		"the list of results has no end; trying again in 1 s"));
	w->no_end = false;
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
}

/* No file of this process may have more bytes; as of a full volume no more is written. */
static void files_have_at_most(rlim_t bytes)
{
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

enum { FOLDERS = 200 };

/* More than is kept in memory of a file. */
static void when_a_long_list_came(struct world *w)
{
	AUTO(str_free) struct str text = { 0 };
	char path[16];
	for (int i = 0; i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "f%03d", i);
		results_line_add(&text,
			&(struct results_line){ .entry = { path, 0, 0750, true, T_NS } });
	}
	results_line_add(&text, &(struct results_line){ .end = true });
	struct http_call *c = fake_open(&w->http, "GET /results/ns/cow-job");
	if (fake_data(c, str_text(&text)))
		fake_answer(c, 200, "");
}

static void a_full_volume_is_no_success(void **state)
{
	static const rlim_t rooms[] = { 1, 4096, 8192, 12288 };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rooms); i++) {
		when_begun(w);
		files_have_at_most(rooms[i]);
		when_a_long_list_came(w);
		when_passed(w, 5000);
		files_have_at_most(RLIM_INFINITY);
		then_ended(w, RESULTS_ANEW,
			"the list of results cannot be written to the volume (");
	}

	/* nor is it one when the list is so short that it waits in memory */
	when_begun(w);
	files_have_at_most(1);
	when_passed(w, 5000);
	files_have_at_most(RLIM_INFINITY);
	then_ended(w, RESULTS_ANEW, "the list of results cannot be written to the volume (");
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "2 files");
}

/* The file without a name. */
static int fd_of_the_list(const struct world *w)
{
	char link[32], path[256];
	for (int fd = 3; fd < 256; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(link, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		if (strstr(path, w->to) && strstr(path, "(deleted)"))
			return fd;
	}
	fail_msg("there is no list");
	return -1;
}

static void a_list_that_the_volume_has_lost_is_no_success(void **state)
{
	struct world *w = *state;
	when_begun(w);
	when_a_long_list_came(w);
	assert_int_equal(ftruncate(fd_of_the_list(w), 4096), 0);
	when_passed(w, FOLDERS * 500);
	then_ended(w, RESULTS_ANEW, "of the 200 entries of the list of results");

	/* or changed: its end stands before it */
	static const char end[] = "\n{\"end\":true,\"leftOut\":0}\n";
	when_begun(w);
	when_a_long_list_came(w);
	assert_int_equal(pwrite(fd_of_the_list(w), end, strlen(end), 4096 + 65), strlen(end));
	when_passed(w, FOLDERS * 500);
	then_ended(w, RESULTS_ANEW, "of the 200 entries of the list of results");
}

/* Acceptance: result-5 */
static void a_list_that_leads_out_is_refused(void **state)
{
	struct world *w = *state;
	w->sources[1].path = "out/../../x";
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_FOR_GOOD, "has \".\" or \"..\" as a part");
}

/* Acceptance: result-5 */
static void a_link_in_the_volume_is_not_followed(void **state)
{
	struct world *w = *state;
	assert_int_equal(mkdir(w->to, 0700), 0);
	assert_int_equal(mkdir(folder_path(&w->folder, "other"), 0700), 0);
	assert_int_equal(symlink("../other", folder_path(&w->folder, "to/out")), 0);
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_FOR_GOOD, "something else has its place");

	/* nor one beneath it, nor in place of a file */
	assert_int_equal(unlink(folder_path(&w->folder, "to/out")), 0);
	assert_int_equal(mkdir(folder_path(&w->folder, "to/out"), 0700), 0);
	assert_int_equal(symlink("../../other/x", folder_path(&w->folder, "to/out/a.txt")), 0);
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_FOR_GOOD, "out/a.txt: a folder or a link already has this name");
	assert_int_equal(folder_count(&w->folder, "other"), 0);
}

/* Acceptance: result-5 */
static void a_volume_that_is_a_link_is_not_followed(void **state)
{
	struct world *w = *state;
	struct results_config config = { .loop = &w->loop.loop, .pod = "ns/cow-job", .to = w->to };
	assert_int_equal(symlink("/tmp", w->to), 0);
	assert_true(failed(results_new(&config, &w->results)));
}

/* Acceptance: result-6 */
static void a_refusal_that_stays_is_the_end(void **state)
{
	struct world *w = *state;
	when_begun(w);
	for (int i = 0; i < 100 && w->status < 0; i++) {
		struct http_call *c = fake_open(&w->http, "/results/");
		if (c)
			fake_answer(c, 403, "you may not\n");
		sim_loop_pass(&w->loop, 1000);
	}
	then_ended(w, RESULTS_FOR_GOOD, "the virtual node answers (403): you may not");
}

/* Acceptance: result-6 */
static void a_server_in_trouble_is_asked_on(void **state)
{
	struct world *w = *state;
	when_begun(w);
	for (int i = 0; i < 3600; i++) {
		struct http_call *c = fake_open(&w->http, "/results/");
		if (c)
			fake_answer(c, 503, "red-box is away\n");
		sim_loop_pass(&w->loop, 1000);
	}
	assert_int_equal(w->status, -1);
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
}

/* Acceptance: result-6 */
static void nobody_there_is_the_end_of_this_one(void **state)
{
	struct world *w = *state;
	when_begun(w);
	for (int i = 0; i < 400 && w->status < 0; i++) {
		struct http_call *c = fake_open(&w->http, "/results/");
		if (c)
			fake_fail(c, ERR_RETRY);
		sim_loop_pass(&w->loop, 1000);
	}
	then_ended(w, RESULTS_ANEW, "");
}

/* The kubelet replaces it. */
/* Acceptance: result-6 */
static void the_token_is_read_anew(void **state)
{
	struct world *w = *state;
	assert_int_equal(unlink(folder_path(&w->folder, "token")), 0);
	when_begun(w);
	when_passed(w, 2000);
	assert_int_equal(w->asked, 0);
	assert_non_null(strstr(str_text(&w->said), "reading the token"));
	folder_put(&w->folder, "token", "w", "new\n");
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "2 files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULTS_TEST(a_tree_is_copied_as_it_is),
		RESULTS_TEST(what_is_there_is_not_copied_again),
		RESULTS_TEST(a_change_within_a_second_is_seen),
		RESULTS_TEST(a_file_of_any_time_is_copied),
		RESULTS_TEST(a_cut_is_gone_on_behind),
		RESULTS_TEST(an_answer_that_only_looks_whole_is_gone_on_behind),
		RESULTS_TEST(the_next_process_goes_on_behind_the_one_before),
		RESULTS_TEST(a_part_of_a_file_that_changed_since_is_left),
		RESULTS_TEST(a_source_that_changes_meanwhile_is_copied_anew),
		RESULTS_TEST(a_source_that_never_rests_is_left_to_the_next),
		RESULTS_TEST(other_bytes_never_get_the_name),
		RESULTS_TEST(a_list_without_an_end_is_asked_for_again),
		RESULTS_TEST(a_full_volume_is_no_success),
		RESULTS_TEST(a_list_that_the_volume_has_lost_is_no_success),
		RESULTS_TEST(a_list_that_leads_out_is_refused),
		RESULTS_TEST(a_link_in_the_volume_is_not_followed),
		RESULTS_TEST(a_volume_that_is_a_link_is_not_followed),
		RESULTS_TEST(a_refusal_that_stays_is_the_end),
		RESULTS_TEST(a_server_in_trouble_is_asked_on),
		RESULTS_TEST(nobody_there_is_the_end_of_this_one),
		RESULTS_TEST(the_token_is_read_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
