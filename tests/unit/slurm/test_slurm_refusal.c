/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals of sbatch, as real Slurms print them: which are for good, and which pass. */
#include "lib/test.h"

#include "lib/tool_output.h"
#include "slurm/refusal.h"

static int given_nothing(void **state)
{
	*state = own_alloc(sizeof(struct arena));
	return 0;
}

static int free_it(void **state)
{
	arena_free(*state);
	free(*state);
	return 0;
}

static const char *const errors[] = { "24.11/tools/errors.txt", "26.05/tools/errors.txt" };
static const char *const outputs[] = { "24.11/tools/refused.txt", "26.05/tools/refused.txt" };

/* slurm_strerror of that version has the row: its number, a tab, its text. */
static bool has_row(const char *of_version, const struct slurm_refusal_row *row)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "%d\t%s", row->number, row->text);
	const char *at = strstr(of_version, str_text(&line));
	return at && (at == of_version || at[-1] == '\n');
}

/* Acceptance: red-box-38 */
static void test_each_row_is_an_error_of_a_real_slurm(void **state)
{
	const char *old = tool_output(*state, errors[0]), *new = tool_output(*state, errors[1]);
	for (size_t i = 0; i < slurm_refusal_row_count; i++)
		if (!has_row(old, &slurm_refusal_rows[i]) && !has_row(new, &slurm_refusal_rows[i]))
			fail_msg("no Slurm says %d %s", slurm_refusal_rows[i].number,
				slurm_refusal_rows[i].text);
}

/* A text is judged by its first row: none hides another one. */
static void test_no_row_hides_another(void **state)
{
	(void)state;
	for (size_t i = 0; i < slurm_refusal_row_count; i++)
		for (size_t j = 0; j < i; j++)
			if (str_has_prefix(slurm_refusal_rows[i].text, slurm_refusal_rows[j].text))
				fail_msg("%s", slurm_refusal_rows[i].text);
}

/* The output of the real sbatch for these arguments; NULL: it was not refused there. */
static const char *printed(struct arena *a, const char *output, const char *arguments)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "$ sbatch%s%s\n", *arguments ? " " : "", arguments);
	const char *at = strstr(output, str_text(&line));
	if (!at)
		return NULL;
	at += line.len;
	const char *end = strstr(at, "\n$ ");
	return arena_strndup(a, at, end ? (size_t)(end - at) : strlen(at));
}

static const struct {
	const char *arguments;
	enum slurm_refusal what;
	bool new_too; /* 26.05 was asked as well, and refuses it */
} asked[] = {
	{ "-p drain", REFUSAL_FOR_NOW, true }, { "-p inactive", REFUSAL_FOR_NOW, true },
	{ "-p root", REFUSAL_DENIED, true }, { "-p resv", REFUSAL_DENIED, true },
	{ "-p groups", REFUSAL_FOR_NOW, true },     /* AllowGroups */
	{ "-p accounts", REFUSAL_FOR_GOOD, false }, /* AllowAccounts */
	{ "-p denied", REFUSAL_FOR_GOOD, false },   /* DenyAccounts */
	{ "-p nosuch", REFUSAL_BY_PARTITION, true }, { "-p none", REFUSAL_BY_NODES, true },
	{ "-p small -N2", REFUSAL_BY_NODES, true },
	{ "-p small --time=60", REFUSAL_FOR_GOOD, true }, { "-N9", REFUSAL_BY_NODES, true },
	{ "-n 100", REFUSAL_BY_NODES, true }, { "--mem=900G", REFUSAL_BY_NODES, true },
	{ "-Cnosuch", REFUSAL_BY_NODES, true }, { "-wnosuch", REFUSAL_BY_NODES, true },
	{ "--nope", REFUSAL_NONE, true }, { "--gres=gpu:1", REFUSAL_NONE, true },
	{ "--time=x", REFUSAL_NONE, true }, { "--begin=2001", REFUSAL_NONE, true },
	{ "--account=zz", REFUSAL_FOR_GOOD, false }, { "--qos=zz", REFUSAL_FOR_GOOD, false },
	{ "--dependency=afterok:99999", REFUSAL_FOR_GOOD, true },
	{ "--reservation=zz", REFUSAL_FOR_GOOD, true },
	{ "--array=0-99999999", REFUSAL_FOR_GOOD, true },
	{ "--license=zz:1", REFUSAL_FOR_GOOD, true },
	{ "-n2", REFUSAL_FOR_NOW, false },        /* QOSGrpCpuLimit: shared */
	{ "-n2 -N1", REFUSAL_FOR_GOOD, false },   /* QOSMaxCpuPerNode */
	{ "--time=60", REFUSAL_FOR_GOOD, false }, /* QOSMaxWallDurationPerJobLimit */
};

/* Acceptance: red-box-38 */
static void test_refusals_of_the_real_sbatch(void **state)
{
	for (size_t v = 0; v < LENGTH(outputs); v++) {
		const char *output = tool_output(*state, outputs[v]);
		for (size_t i = 0; i < LENGTH(asked); i++) {
			const char *said = printed(*state, output, asked[i].arguments);
			if (!said && (v == 0 || asked[i].new_too))
				fail_msg("%s: no sbatch %s", outputs[v], asked[i].arguments);
			if (said && slurm_refusal_of(said) != asked[i].what)
				fail_msg("sbatch %s is judged %d: %s", asked[i].arguments,
					(int)slurm_refusal_of(said), said);
		}
	}
}

static void is(const char *said, enum slurm_refusal what)
{
	if (slurm_refusal_of(said) != what)
		fail_msg("judged %d: %s", (int)slurm_refusal_of(said), said);
}

#define FAILS "Batch job submission failed: "
#define POLICY \
	"Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"

static void test_limits_of_one_job_are_for_good_and_shared_ones_pass(void **state)
{
	static const struct {
		const char *limit;
		enum slurm_refusal what;
	} rows[] = {
		{ "AssocMaxSubmitJobLimit", REFUSAL_FOR_NOW },
		{ "QOSMaxSubmitJobPerUserLimit", REFUSAL_FOR_NOW },
		{ "AssocGrpCpuLimit", REFUSAL_FOR_NOW },
		{ "QOSMaxCpuPerUserLimit", REFUSAL_FOR_NOW },
		{ "QOSMaxJobsPerUserLimit", REFUSAL_FOR_NOW },
		{ "AssocMaxWallDurationPerJobLimit", REFUSAL_FOR_GOOD },
		{ "QOSMaxCpuPerJobLimit", REFUSAL_FOR_GOOD },
		{ "AssocMaxGRESPerNode", REFUSAL_FOR_GOOD },
		{ "QOSMinCpuNotSatisfied", REFUSAL_FOR_GOOD },
		{ "a warning of the site: PerJob", REFUSAL_FOR_NOW },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		is(arena_printf(*state, "sbatch: error: %s\nsbatch: error: " FAILS POLICY "\n",
			   rows[i].limit),
			rows[i].what);
		/* as a virtual node reads it */
		is(arena_printf(*state, "SubmitJob: sbatch: %s; " FAILS POLICY, rows[i].limit),
			rows[i].what);
	}
	is("sbatch: error: " FAILS "Job violates accounting/QOS policy\n", REFUSAL_FOR_NOW);
}

static void test_other_texts(void **state)
{
	(void)state;
	is("", REFUSAL_NONE);
	is("Access/permission denied", REFUSAL_NONE);
	is(FAILS, REFUSAL_UNKNOWN);
	is(FAILS "Socket timed out on send/recv operation", REFUSAL_UNKNOWN);
	is(FAILS "Unspecified error", REFUSAL_UNKNOWN);
	is(FAILS "MaxJobCount limit reached", REFUSAL_FOR_NOW);
	is(FAILS "Invalid user id", REFUSAL_FOR_NOW);
}

#define REFUSAL_TEST(name) cmocka_unit_test_setup_teardown(name, given_nothing, free_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REFUSAL_TEST(test_each_row_is_an_error_of_a_real_slurm),
		REFUSAL_TEST(test_no_row_hides_another),
		REFUSAL_TEST(test_refusals_of_the_real_sbatch),
		REFUSAL_TEST(test_limits_of_one_job_are_for_good_and_shared_ones_pass),
		REFUSAL_TEST(test_other_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
