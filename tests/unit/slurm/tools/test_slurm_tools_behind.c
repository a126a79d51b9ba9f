/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts that slurmctld has not told all yet: sdiag says so, where it is there. */
#include "lib/tools_world.h"

#include <sys/stat.h>

#include "lib/test.h"

#define QUEUED "printf '\\0365\\0375\\0372026-11-23T07:50:03\\037k\\n'"
#define ACCOUNT "printf '5\\0372026-11-23T07:50:03\\037\\037sbatch --comment=k\\n'"
/* As 24.11.5 printed it four seconds before the accounts knew a job that had ended. */
#define DIAGNOSTICS(n)                                                                \
	"cat <<E\nsdiag output at Mon Nov 23 19:38:17 2026 (1795462697)\n"            \
	"Server thread count:  1\nAgent queue size:     3\nAgent count:          0\n" \
	"DBD Agent queue size: " n "\n\nJobs submitted: 5\nE\n"

static void finds(struct tools_world *w)
{
	w->told = 0;
	slurm_tools_find(w->tools, "k", 1700000000, tools_told, w);
	when_told(w);
}

static int calls_of(struct tools_world *w, const char *line)
{
	AUTO(own_free) char *calls = tool_file(w, "calls");
	int n = 0;
	for (const char *at = calls; (at = strstr(at, line)); at++)
		n++;
	return n;
}

static void given_sdiag(struct tools_world *w, const char *prints)
{
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "%s/sdiag", w->folder);
	FILE *f = fopen(str_text(&path), "we");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\necho sdiag >>\"${0%%/*}/calls\"\n%s", prints);
	assert_int_equal(fchmod(fileno(f), 0700), 0);
	fclose(f);
	begin_tools(w, (struct slurm_tools_config){ 0 });
}

static void test_a_queue_for_slurmdbd_is_told(void **state)
{
	struct tools_world *w = *state;
	given_sdiag(w, DIAGNOSTICS("6"));
	finds(w);
	assert_true(w->behind);
	given_sdiag(w, DIAGNOSTICS("0"));
	finds(w);
	assert_false(w->behind);
	assert_int_equal(calls_of(w, "sdiag"), 2);
}

/* A job that is found needs no doubts; without the word of sdiag nothing changes. */
static void test_only_a_queue_that_is_told_counts(void **state)
{
	static const char *const others[] = { "exit 1\n", "echo slurm is down\n",
		"echo 'DBD Agent queue size: none'\n" };
	struct tools_world *w = *state;
	finds(w); /* there is no sdiag */
	assert_false(w->behind);
	for (size_t i = 0; i < LENGTH(others); i++) {
		given_sdiag(w, others[i]);
		finds(w);
		assert_false(w->behind);
	}
	given_sdiag(w, DIAGNOSTICS("6"));
	tool_does(w, "squeue", QUEUED);
	int before = calls_of(w, "sdiag");
	finds(w);
	assert_false(w->behind);
	assert_int_equal(calls_of(w, "sdiag"), before);
}

static void test_what_the_accounts_have_counts_all_the_same(void **state)
{
	struct tools_world *w = *state;
	given_sdiag(w, DIAGNOSTICS("6"));
	tool_does(w, "sacct", ACCOUNT);
	finds(w);
	assert_string_equal(str_text(&w->words), "5 ");
}

struct heard {
	struct loop *loop;
	bool of_queue, of_accounts, of_none;
};

static bool has_word(const struct slurm_tools_told *told, const char *key)
{
	bool has = false;
	for (size_t i = 0; i < told->n_words; i++) {
		has |= told->words[i] == slurm_key_mark(key);
		assert_true(i == 0 || told->words[i - 1] < told->words[i]);
	}
	return has;
}

static void heard(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct heard *h = ctx;
	assert_false(failed(e));
	assert_non_null(told->words);
	h->of_queue = has_word(told, "k");
	h->of_accounts = has_word(told, "z");
	h->of_none = has_word(told, "a");
	loop_uv_stop(h->loop);
}

static void test_a_search_tells_of_the_keys_of_all_jobs(void **state)
{
	struct tools_world *w = *state;
	struct heard h = { .loop = w->loop };
	tool_does(w, "squeue", QUEUED "\n" QUEUED);
	tool_does(w, "sacct", "printf '5\\0372026-11-23T07:50:03\\037\\037sbatch --comment=z\\n'");
	slurm_tools_search(w->tools, "a b", 1700000000, heard, &h);
	loop_uv_run(w->loop);
	assert_true(h.of_queue && h.of_accounts && !h.of_none);
	tool_does(w, "squeue", "true");
	tool_fails(w, "sacct", "Slurm accounting storage is disabled\n");
	slurm_tools_search(w->tools, "a b", 1700000000, heard, &h);
	loop_uv_run(w->loop);
	assert_true(!h.of_queue && !h.of_accounts && !h.of_none);
}

#define TOOLS_TEST(f) cmocka_unit_test_setup_teardown(f, given_tools, free_tools_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TOOLS_TEST(test_a_queue_for_slurmdbd_is_told),
		TOOLS_TEST(test_only_a_queue_that_is_told_counts),
		TOOLS_TEST(test_what_the_accounts_have_counts_all_the_same),
		TOOLS_TEST(test_a_search_tells_of_the_keys_of_all_jobs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
