/* SPDX-License-Identifier: Apache-2.0 */
/* The collector of results, where files go and volumes are particular. */
#include <dirent.h>

#include "lib/results_world.h"

#include "transfer/tree.h"

/* A user removes a file of the job: the next list does not have it. */
/* Acceptance: result-6 */
static void a_file_that_went_after_the_list_is_left_to_the_next(void **state)
{
	struct world *w = *state;
	when_begun(w);
	assert_true(answer_one(w)); /* the list */
	for (int i = 0; i < 100 && w->status < 0; i++) {
		struct http_call *c = fake_open(&w->http, "GET /results/ns/cow-job/file");
		if (c)
			fake_answer(c, 404, "out/a.txt: No such file or directory\n");
		sim_loop_pass(&w->loop, 1000);
	}
	then_ended(w, RESULTS_ANEW, "the virtual node answers (404): out/a.txt");
	when_killed(w);
	w->sources[1] = w->sources[3];
	w->sources[1].path = "out/other";
	w->n = 3;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "1 files");
}

static void given_all_is_of(struct world *w, uid_t uid)
{
	static const char *const paths[] = { "token", "to", "to/out", NULL };
	assert_int_equal(chmod(w->folder.path, 0711), 0);
	for (size_t i = 0; paths[i]; i++)
		assert_int_equal(chown(folder_path(&w->folder, paths[i]), uid, (gid_t)-1), 0);
}

/* In to/out; the path is the caller's. */
static char *part_in_the_volume(const struct world *w)
{
	DIR *dir = opendir(folder_path(&w->folder, "to/out"));
	char *path = NULL;
	assert_non_null(dir);
	for (const struct dirent *d; (d = readdir(dir));) {
		AUTO(str_free) struct str name = { 0 };
		str_addf(&name, "%s/out/%s", w->to, d->d_name);
		if (strstr(d->d_name, ".part-"))
			path = str_take(&name);
	}
	closedir(dir);
	assert_non_null(path);
	return path;
}

/*
 * A collector gives a part the permissions of its file before all of it is on the disk,
 * and may die meanwhile. The next one is no root either.
 */
/* Acceptance: result-3 */
static void a_part_that_nobody_may_write_any_more_is_gone_on_with(void **state)
{
	const uid_t us = geteuid(), collector = us ? us : 65532;
	static const struct {
		mode_t mode;
		size_t sent;
	} rows[] = { { 0440, 2 }, { 0111, 5 } };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		w->sources[1].modified_ns = T_NS + (int64_t)i * 1000;
		w->cut_at = 3;
		when_begun(w);
		while (w->sent < 3)
			assert_true(answer_one(w)), sim_loop_pass(&w->loop, 0);
		when_killed(w);
		w->cut_at = 0;
		given_all_is_of(w, collector);
		AUTO(own_free) char *part = part_in_the_volume(w);
		assert_int_equal(chown(part, collector, (gid_t)-1), 0);
		assert_int_equal(chmod(part, rows[i].mode), 0);
		assert_int_equal(seteuid(collector), 0);
		when_begun(w);
		when_passed(w, 5000);
		assert_int_equal(seteuid(us), 0);
		then_ended(w, RESULTS_DONE, "2 files");
		then_file(w, "out/a.txt", "hello");
		assert_int_equal(w->sent, rows[i].sent);
	}
}

/* red-box looks at each of 100,000 files of a network file system before it says one. */
/* Acceptance: result-6 */
static void a_list_may_take_longer_than_bytes_of_a_file(void **state)
{
	enum { MINUTE = 60000 };
	struct world *w = *state;
	when_begun(w);
	struct http_call *list = fake_open(&w->http, "GET /results/ns/cow-job");
	assert_in_range(list->idle_timeout_ms, 60 * MINUTE, 120 * MINUTE);
	assert_true(answer_one(w));
	sim_loop_pass(&w->loop, 0);
	struct http_call *file = fake_open(&w->http, "GET /results/ns/cow-job/file");
	assert_in_range(file->idle_timeout_ms, MINUTE, 10 * MINUTE);
}

/* Some volumes take no other names: that of a part is cut between two characters. */
/* Acceptance: result-3 */
static void the_part_of_a_long_name_has_a_name_in_utf8(void **state)
{
	struct world *w = *state;
	struct tree *tree;
	struct part *part;
	AUTO(str_free) struct str name = { 0 };
	for (int bytes = 0; bytes < 2; bytes++) {
		str_clear(&name);
		str_add(&name, bytes ? "a" : "");
		while (name.len < RESULTS_NAME_BYTES - 3)
			str_add(&name, "\u00fc");
		const struct results_entry entry = { str_text(&name), 5, 0640, false, T_NS };
		assert_false(failed(tree_open(w->to, "ns/cow-job", &tree)));
		assert_false(failed(part_open(tree, &entry, &part)));
		DIR *dir = opendir(w->to);
		assert_non_null(dir);
		for (const struct dirent *d; (d = readdir(dir));)
			for (const char *at = d->d_name; *at; at += str_utf8(at))
				assert_int_not_equal(str_utf8(at), 0);
		closedir(dir);
		part_drop(part);
		tree_close(tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULTS_TEST(a_file_that_went_after_the_list_is_left_to_the_next),
		RESULTS_TEST(a_part_that_nobody_may_write_any_more_is_gone_on_with),
		RESULTS_TEST(a_list_may_take_longer_than_bytes_of_a_file),
		RESULTS_TEST(the_part_of_a_long_name_has_a_name_in_utf8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
