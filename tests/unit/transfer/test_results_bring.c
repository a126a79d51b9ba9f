/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a job are brought, to a virtual node that the test has. */
#include "lib/results_world.h"
#include "plan/results/inputs.h"

/* Requests to the virtual node, and its answers. */
static struct {
	struct str asked, bodies;
	int puts, says, times; /* says: this status, so many times; 0: all is well */
	const char *there;     /* the answer about a checksum; NULL: nothing is there */
} node;

static bool answer_input(struct world *w)
{
	struct http_call *c = fake_open(&w->http, "GET /prepare/ns/cow-job/checksum?");
	bool put = !c;
	c = c ? c : fake_open(&w->http, "PUT /prepare/ns/cow-job/file?");
	if (!c)
		return false;
	str_addf(&node.asked, "%s\n", strchr(c->path, '?') + 1);
	if (put && node.times > 0) {
		node.times--;
		fake_answer(c, node.says, "no, because\n");
		return true;
	}
	if (put) {
		node.puts++;
		str_add(&node.bodies, c->body);
		fake_answer(c, 200, "taken\n");
	} else {
		fake_answer(c, node.there ? 200 : RESULTS_NOTHING_THERE,
			node.there ? node.there : "");
	}
	return true;
}

static int given_inputs(void **state)
{
	given_a_volume(state);
	struct world *w = *state;
	str_free(&node.asked);
	str_free(&node.bodies);
	memset(&node, 0, sizeof(node));
	answers_inputs = answer_input;
	assert_int_equal(mkdir(folder_path(&w->folder, "in"), 0755), 0);
	w->from = strdup(folder_path(&w->folder, "in"));
	return 0;
}

static int end_inputs(void **state)
{
	struct world *w = *state;
	free((char *)(uintptr_t)w->from);
	str_free(&node.asked);
	str_free(&node.bodies);
	return free_world(state);
}

static void given_folder(struct world *w, const char *path)
{
	assert_int_equal(mkdir(folder_path(&w->folder, path), 0755), 0);
}

static void given_link(struct world *w, const char *path)
{
	assert_int_equal(symlink("a", folder_path(&w->folder, path)), 0);
}

/* SHA-256 of "hello" */
#define HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

/* Acceptance: input-6 */
static void a_tree_is_brought(void **state)
{
	struct world *w = *state;
	given_folder(w, "in/b c");
	given_folder(w, "in/lost+found");
	folder_put(&w->folder, "in/lost+found/x", "w", "x");
	folder_put(&w->folder, "in/b c/a", "w", "hello");
	assert_int_equal(chmod(folder_path(&w->folder, "in/b c/a"), 0750), 0);
	given_link(w, "in/link");
	given_link(w, "in/b c/link");
	assert_int_equal(mkfifo(folder_path(&w->folder, "in/fifo"), 0600), 0);
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE,
		"1 files with 5 bytes are on the side of Slurm; 3 entries were skipped, because "
		"they are neither files nor folders, or their names are not UTF-8");
	assert_string_equal(str_text(&node.asked),
		"path=b%20c/a\npath=b%20c/a&offset=0&size=5&mode=488&sha256=" HELLO "\n");
	assert_string_equal(str_text(&node.bodies), "hello");
}

/* Acceptance: input-8 */
static void what_is_there_is_not_sent(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "in/a", "w", "hello");
	node.there = "{\"sha256\":\"" HELLO "\",\"size\":5,\"modifiedNs\":1}";
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE,
		"1 files with 5 bytes are on the side of Slurm; 1 of them existed");
	assert_int_equal(node.puts, 0);
	/* and another file of its name is */
	folder_put(&w->folder, "in/a", "w", "jello");
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "1 files with 5 bytes are on the side of Slurm");
	assert_string_equal(str_text(&node.bodies), "jello");
}

/* Acceptance: input-6 */
static void a_large_file_comes_in_pieces(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *text = own_alloc(INPUTS_PIECE_BYTES + 11);
	memset(text, 'x', INPUTS_PIECE_BYTES + 10);
	folder_put(&w->folder, "in/a", "w", text);
	folder_put(&w->folder, "in/empty", "w", "");
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "2 files with 262154 bytes");
	assert_int_equal(node.puts, 3);
	assert_non_null(strstr(str_text(&node.asked), "path=a&offset=262144&size=262154&"));
	assert_non_null(strstr(str_text(&node.asked), "path=empty&offset=0&size=0&"));
	assert_int_equal(node.bodies.len, INPUTS_PIECE_BYTES + 10);
}

/* Acceptance: input-8 */
static void what_was_forgotten_is_sent_from_its_beginning(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "in/a", "w", "hello");
	node.says = 409;
	node.times = 2;
	when_begun(w);
	when_passed(w, 60000);
	then_ended(w, RESULTS_DONE, "1 files with 5 bytes");
	node.times = 100; /* but not for ever */
	when_begun(w);
	when_passed(w, 600000);
	then_ended(w, RESULTS_ANEW, "a changed, or its upload was dropped");
}

/* Acceptance: input-9 */
static void a_full_disk_is_waited_for(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "in/a", "w", "hello");
	node.says = 503;
	node.times = 20;
	when_begun(w);
	when_passed(w, 3600000);
	then_ended(w, RESULTS_DONE, "1 files with 5 bytes");
}

/* Acceptance: input-9 */
static void what_is_refused_ends_it(void **state)
{
	static const struct {
		int says, ends;
	} rows[] = { { 403, RESULTS_FOR_GOOD }, { 400, RESULTS_FOR_GOOD }, { 401, RESULTS_ANEW },
		{ 404, RESULTS_ANEW } };
	struct world *w = *state;
	folder_put(&w->folder, "in/a", "w", "hello");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		node.says = rows[i].says;
		node.times = 1000;
		when_begun(w);
		when_passed(w, 600000);
		then_ended(w, rows[i].ends, "no, because");
	}
}

/* Acceptance: input-9 */
static void what_can_never_be_brought_is_said(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str path = { 0 };
	folder_put(&w->folder, "in/a", "w", "");
	assert_int_equal(truncate(folder_path(&w->folder, "in/a"), INPUTS_FILE_BYTES + 1L), 0);
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_FOR_GOOD, "a: it has more than 1 GiB");
	assert_int_equal(unlink(folder_path(&w->folder, "in/a")), 0);
	str_add(&path, "in");
	for (int i = 0; i < 64; i++) {
		str_add(&path, "/d");
		given_folder(w, str_text(&path));
	}
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_FOR_GOOD, "folders are nested more than 64 deep");
	assert_int_equal(node.puts, 0);
}

/* Acceptance: input-9 */
static void a_folder_that_is_not_there_is_no_empty_one(void **state)
{
	struct world *w = *state;
	struct results *r;
	const struct results_config config = { .loop = &w->loop.loop,
		.http = &w->http.http,
		.pod = "ns/cow-job",
		.token_file = w->token,
		.from = folder_path(&w->folder, "none") };
	assert_int_equal(results_new(&config, &r).kind, ERR_INVALID);
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "0 files with 0 bytes are on the side of Slurm");
}

#define BRING_TEST(f) cmocka_unit_test_setup_teardown(f, given_inputs, end_inputs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BRING_TEST(a_tree_is_brought),
		BRING_TEST(what_is_there_is_not_sent),
		BRING_TEST(a_large_file_comes_in_pieces),
		BRING_TEST(what_was_forgotten_is_sent_from_its_beginning),
		BRING_TEST(a_full_disk_is_waited_for),
		BRING_TEST(what_is_refused_ends_it),
		BRING_TEST(what_can_never_be_brought_is_said),
		BRING_TEST(a_folder_that_is_not_there_is_no_empty_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
