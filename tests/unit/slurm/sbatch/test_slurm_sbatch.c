/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of batch scripts. Seen with "sbatch -v" of Slurm 24.11.5 and of 26.05.5, which
 * prints what it understood; what sbatch reads otherwise is marked as ours.
 */
#include "lib/test.h"

#include "slurm/sbatch/sbatch.h"

struct row {
	const char *what;
	const char *lines; /* behind the interpreter's */
	struct sbatch_wishes wishes;
};

struct refusal {
	const char *what;
	const char *lines;
	const char *sentence; /* a part of it */
};

#define NODES(n) { .nodes = (n) }
#define TIME(s) { .wall_time_s = (s) }
#define MEMORY(mib) { .mem_per_node_mib = (mib) }
#define CPUS(n) { .cpus_per_node = (n) }
#define NOTHING { 0 }

static bool same(const struct sbatch_wishes *a, const struct sbatch_wishes *b)
{
	return a->nodes == b->nodes && a->wall_time_s == b->wall_time_s &&
		a->mem_per_node_mib == b->mem_per_node_mib && a->cpus_per_node == b->cpus_per_node;
}

static void asks_for(const char *what, const char *script, size_t n,
	const struct sbatch_wishes *wishes)
{
	struct sbatch_wishes got = { 7, 7, 7, 7 };
	/* Memory of its own, so that a sanitizer sees each byte too much. */
	AUTO(own_free) char *copy =
		own_alloc(n + (n == 0));
	memcpy(copy, script, n);
	struct err e = sbatch_read(copy, n, &got);
	if (failed(e) || !same(&got, wishes))
		fail_msg("%s: %lld nodes, %lld s, %lld MiB, %lld CPUs: %s", what,
			(long long)got.nodes, (long long)got.wall_time_s,
			(long long)got.mem_per_node_mib, (long long)got.cpus_per_node, e.text);
}

static void is_refused(const char *what, const char *script, size_t n, const char *sentence)
{
	static const struct sbatch_wishes none;
	struct sbatch_wishes got = { 7, 7, 7, 7 };
	AUTO(own_free) char *copy = own_alloc(n + (n == 0));
	memcpy(copy, script, n);
	struct err e = sbatch_read(copy, n, &got);
	if (e.kind != ERR_INVALID || !strstr(e.text, sentence) || !str_has_prefix(e.text, "line "))
		fail_msg("%s: \"%s\" lacks \"%s\"", what, e.text, sentence);
	if (!same(&got, &none))
		fail_msg("%s: half of a script that is refused asks for something", what);
}

static void all_ask(const char *before, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		AUTO(str_free) struct str script = { 0 };
		str_addf(&script, "%s%s\nsrun hostname\n#SBATCH -N 99\n", before, rows[i].lines);
		asks_for(rows[i].what, script.text, script.len, &rows[i].wishes);
	}
}

static void all_are_refused(const struct refusal *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		AUTO(str_free) struct str script = { 0 };
		str_addf(&script, "#!/bin/sh\n%s\nsrun hostname\n", rows[i].lines);
		is_refused(rows[i].what, script.text, script.len, rows[i].sentence);
	}
}

/* ---- what the first operator of this kind understood ---- */

/* Ours too: sbatch takes neither "-N=5" nor a blank line before the interpreter's. */
/* Acceptance: word-4 */
static void test_the_scripts_of_the_first_operator(void **state)
{
	static const struct row rows[] = {
		{ "none", "", NOTHING },
		{ "time", "#SBATCH --time=00:05:00", TIME(300) },
		{ "two on one line", "#SBATCH -t=1-07 --nodes 5",
			{ .nodes = 5, .wall_time_s = 31 * 3600 } },
		{ "blank lines", "#SBATCH --time 00:05:00\n\n#SBATCH -N=5\n",
			{ .nodes = 5, .wall_time_s = 300 } },
		{ "a range", "#SBATCH --time 00:05:00\n#SBATCH --nodes=5-7",
			{ .nodes = 5, .wall_time_s = 300 } },
		{ "memory", "#SBATCH --mem 24000", MEMORY(24000) },
		{ "tasks of a node", "#SBATCH --ntasks-per-node=3", CPUS(3) },
		{ "CPUs of a task", "#SBATCH --cpus-per-task 8", CPUS(8) },
		{ "CPUs of a task, short", "#SBATCH -c 4", CPUS(4) },
		{ "both", "#SBATCH -c 4\n\n#SBATCH --ntasks-per-node 6 -N 3",
			{ .nodes = 3, .cpus_per_node = 24 } },
		{ "affinity",
			"#SBATCH -N 7  --mem=120060\n#SBATCH --time=1-00:05:00\n\n"
			"#SBATCH --cpus-per-task=8\n#SBATCH --ntasks-per-node=2",
			{ 7, 86700, 120060, 16 } },
	};
	(void)state;
	all_ask("\n#!/bin/sh\n", rows, LENGTH(rows));
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
}

/* Acceptance: word-5 */
static void test_what_the_first_operator_refused(void **state)
{
	static const struct refusal rows[] = {
		{ "time", "#SBATCH --time=invalid", "line 2: --time: \"invalid\" should be" },
		{ "nodes", "#SBATCH --time 00:05:00   -N=foo", "line 2: --nodes: \"foo\" should" },
		{ "memory", "\n#SBATCH --mem=foo", "line 3: --mem: \"foo\" should be MiB" },
		{ "tasks", "#SBATCH --ntasks-per-node foo", "--ntasks-per-node: \"foo\"" },
		{ "CPUs", "#SBATCH --cpus-per-task=foo_bar", "--cpus-per-task: \"foo_bar\"" },
	};
	(void)state;
	all_are_refused(rows, LENGTH(rows));
}

/* ---- which lines are looked at ---- */

/* Acceptance: word-9 */
static void test_comments_and_blank_lines_are_skipped(void **state)
{
	static const struct row rows[] = {
		{ "comments", "# one\n\n  # two\n#SBATCH -N 5", NODES(5) },
		{ "spaces alone", " \t\n\v\n#SBATCH -N 5", NODES(5) },
		{ "a directive that is indented", " #SBATCH -N 5\n#SBATCH -t 5", TIME(300) },
		{ "two number signs", "##SBATCH -N 5", NOTHING },
		{ "a space inside", "# SBATCH -N 5", NOTHING },
		{ "small letters", "#sbatch -N 5", NOTHING },
		{ "after a command", ":\n#SBATCH -N 5", NOTHING },
		{ "behind a command", "set -e; #SBATCH -N 5", NOTHING },
		{ "after a continued command", "x \\\n  y\n#SBATCH -N 5", NOTHING },
		{ "no options", "#SBATCH\n#SBATCH -N 5", NODES(5) },
		{ "glued", "#SBATCH-N 5\n#SBATCH--time=5", { .nodes = 5, .wall_time_s = 300 } },
		{ "a tab", "#SBATCH\t-N\t5", NODES(5) },
		{ "an old name", "#SLURM -N 5", NODES(5) },
	};
	(void)state;
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
}

static void test_the_end_of_a_script(void **state)
{
	static const char no_newline[] = "#!/bin/sh\n#SBATCH -N 5";
	static const char shortest[] = "#!";
	const struct sbatch_wishes five = NODES(5), nothing = NOTHING;
	(void)state;
	asks_for("no newline", no_newline, sizeof(no_newline) - 1, &five);
	asks_for("cut", no_newline, sizeof(no_newline) - 5, &nothing);
	asks_for("no line", shortest, 2, &nothing);
	is_refused("cut in an option", no_newline, sizeof(no_newline) - 2, "--nodes needs a value");
}

static void test_scripts_that_sbatch_never_takes(void **state)
{
	static const struct {
		const char *script;
		size_t n;
		const char *sentence;
	} rows[] = {
#define ROW(script, sentence) { script, sizeof(script) - 1, sentence }
		ROW("", "line 1: the script is empty"),
		ROW(" \n\n", "line 1: the script is empty"),
		ROW("#", "line 1: a batch script begins with #!"),
		ROW("hostname\n", "line 1: a batch script begins with #! and an interpreter"),
		ROW("\xef\xbb\xbf#!/bin/sh\n", "line 1: it begins with a byte order mark"),
		ROW("\n\n#SBATCH -N 5\n", "line 3: a batch script begins with #!"),
		ROW("\n #!/bin/sh\n", "line 2: a batch script begins with #!"),
		ROW("#!/bin/sh\n#SBATCH -N 5\r\nsrun\r\n", "line 2: it ends with CR LF"),
		ROW("#!/bin/sh\nsrun\n\necho\r\n", "line 4: it ends with CR LF"),
		ROW("#!/bin/sh\nsrun\n\0\n", "line 3: it has a NUL byte"),
		ROW("#!/bin/sh\n#SBATCH -N \0005\n", "line 2: it has a NUL byte"),
		ROW("#!/bin/sh\n\0", "line 2: it has a NUL byte"),
	};
	const struct sbatch_wishes five = NODES(5);
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		is_refused(rows[i].sentence, rows[i].script, rows[i].n, rows[i].sentence);
	/* A CR alone is a space. */
	asks_for("CR", "#!/bin/sh\n#SBATCH -N\r5\nx\r", 25, &five);
}

/* ---- words ---- */

/* Acceptance: word-7 */
static void test_quotes_backslashes_and_remarks(void **state)
{
	static const struct row rows[] = {
		{ "a remark", "#SBATCH -N 2 # total number of nodes", NODES(2) },
		{ "a remark without a space", "#SBATCH -N 2#x\n#SBATCH -J a#b -t 5", NODES(2) },
		{ "quotes", "#SBATCH -N \"3\"\n#SBATCH '--time'='5'",
			{ .nodes = 3, .wall_time_s = 300 } },
		{ "quotes in the middle", "#SBATCH --no\"des\"=3", NODES(3) },
		{ "a space in quotes", "#SBATCH -J \"a -N 1\" -N 2", NODES(2) },
		{ "a number sign in quotes", "#SBATCH -J 'a # b' -N 2", NODES(2) },
		{ "a quote in quotes", "#SBATCH -J \"a'b\" -N 2", NODES(2) },
		{ "an escaped quote", "#SBATCH -J 'a\\'b' -N 2", NODES(2) },
		{ "an escaped space", "#SBATCH -J a\\ b -N 2", NODES(2) },
		{ "an escaped space before the value", "#SBATCH -N\\ 2", NODES(2) },
		{ "an escaped tab ends the word", "#SBATCH -N 2 -J a\\\t-t5",
			{ .nodes = 2, .wall_time_s = 300 } },
		{ "an escaped tab ends the line", "#SBATCH -N 2 \\\tx -c 3", NODES(2) },
		{ "an escaped number", "#SBATCH -N \\2", NODES(2) },
		{ "an escaped colon", "#SBATCH -J \\:x -N 2\n#SBATCH -D ':x'", NODES(2) },
		{ "a colon inside", "#SBATCH -J a:b -N 2", NODES(2) },
		{ "a backslash at the end", "#SBATCH -N 2 \\", NODES(2) },
		{ "an empty word ends the line", "#SBATCH -J x '' -N 2", NOTHING },
		{ "an empty value does not", "#SBATCH --comment='' -N 2", NODES(2) },
	};
	static const struct refusal wrong[] = {
		{ "open", "#SBATCH -J \"a b -N 2", "line 2: the quote \" is not closed" },
		{ "open, with the other", "\n#SBATCH -J '\"", "line 3: the quote ' is not closed" },
		{ "a colon", "#SBATCH -N 2 :", "line 2: a word begins with \":\"" },
		{ "a colon as value", "#SBATCH -J :x", "line 2: a word begins with \":\"" },
		{ "an escaped space", "#SBATCH -N 2 \\ ", "line 2: \" \" is no option" },
		{ "no value left", "#SBATCH -J ''", "line 2: --job-name needs a value" },
		{ "a remark in the value", "#SBATCH -N '2 # x'", "--nodes: \"2 # x\" should" },
	};
	(void)state;
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
	all_are_refused(wrong, LENGTH(wrong));
}

/* ---- options ---- */

/* Acceptance: word-6 */
static void test_options_are_those_of_getopt(void **state)
{
	static const struct row rows[] = {
		{ "glued", "#SBATCH -N2", NODES(2) },
		{ "apart", "#SBATCH --nodes 2", NODES(2) },
		{ "with =", "#SBATCH --nodes=2", NODES(2) },
		{ "in the next line", "#SBATCH --nodes\n# remark\n\n#SBATCH 2", NODES(2) },
		{ "several letters", "#SBATCH -HN2", NODES(2) },
		{ "several letters, apart", "#SBATCH -HOsN 2", NODES(2) },
		{ "another name", "#SBATCH --tasks-per-node=3", CPUS(3) },
		{ "shortened", "#SBATCH --cpus-per-t=2 --tas 3 --nodel=n1", CPUS(6) },
		{ "no value", "#SBATCH --exclusive -N 3", NODES(3) },
		{ "no value, at the end", "#SBATCH --exclusive\n#SBATCH -H\n#SBATCH -N 3",
			NODES(3) },
		{ "a value that may be", "#SBATCH --exclusive=user -N 3 --nice=5 -t 5",
			{ .nodes = 3, .wall_time_s = 300 } },
		{ "a value that may be, short", "#SBATCH -koff -N 3\n#SBATCH -k -t 5",
			{ .nodes = 3, .wall_time_s = 300 } },
		{ "values of others", "#SBATCH -J --nodes=9 -o -N9 --comment -N9 -D x -N 2",
			NODES(2) },
		{ "end of options", "#SBATCH -N 2 --", NODES(2) },
		{ "differs between versions", "#SBATCH --get-user-env -N 2 --requeue -t 5",
			{ .nodes = 2, .wall_time_s = 300 } },
	};
	(void)state;
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
}

/* Acceptance: word-6 */
static void test_wrong_options(void **state)
{
	static const struct refusal rows[] = {
		{ "no value", "#SBATCH -N", "line 2: --nodes needs a value" },
		{ "no value, lines before", "#SBATCH --time\n\n# x",
			"line 2: --time needs a value" },
		{ "empty", "#SBATCH --nodes=", "line 2: --nodes: \"\" should be a number" },
		{ "the next option is the value", "#SBATCH -N -t 5", "--nodes: \"-t\" should be" },
		{ "the value of the next line", "#SBATCH -N\n#SBATCH x", "line 3: --nodes: \"x\"" },
		{ "glued", "#SBATCHX -N 5", "line 2: \"X\" is no option: options begin with -" },
		{ "a word", "#SBATCH -N 2 total", "line 2: \"total\" is no option" },
		{ "no value possible", "#SBATCH --hold=yes", "line 2: --hold takes no value" },
		{ "no value, a word", "#SBATCH -H yes", "line 2: \"yes\" is no option" },
		{ "apart", "#SBATCH --exclusive user", "line 2: \"user\" is no option" },
		{ "apart, a number", "#SBATCH --nice 5", "line 2: \"5\" is no option" },
		{ "behind the end", "#SBATCH -- -N 2", "line 2: \"-N\" is no option" },
		{ "behind the end, later", "#SBATCH --\n#SBATCH -N 3", "line 3: \"-N\" is no" },
		{ "a dash", "#SBATCH -", "line 2: \"-\" is no option" },
		{ "too short", "#SBATCH --tim=5",
			"line 2: --tim is ambiguous, because it may mean --time, --time-min: write the" },
		{ "too short, nodes", "#SBATCH --node 5",
			"--node is ambiguous, because it may mean --nodefile, --nodelist, --nodes" },
	};
	(void)state;
	all_are_refused(rows, LENGTH(rows));
}

/* Ours: sbatch refuses them, unless a plugin of the cluster brings them. */
static void test_options_of_plugins_are_skipped(void **state)
{
	static const struct row rows[] = {
		{ "alone", "#SBATCH --image -N 2", NODES(2) },
		{ "with =", "#SBATCH --image=a/b:1 -N 2", NODES(2) },
		{ "with a word", "#SBATCH --image a/b:1 -N 2", NODES(2) },
		{ "with a word in the next line", "#SBATCH --image\n#SBATCH a -N 2", NODES(2) },
		{ "a letter", "#SBATCH -Y 3 -N 2", NODES(2) },
		{ "a letter with its value", "#SBATCH -YN3 -t 5", TIME(300) },
	};
	static const struct refusal wrong[] = {
		{ "two words", "#SBATCH --image a b", "\"b\" is no option" },
		{ "= and a word", "#SBATCH --image=a b", "\"b\" is no option" },
	};
	(void)state;
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
	all_are_refused(wrong, LENGTH(wrong));
}

static void test_the_last_of_several_counts(void **state)
{
	static const struct row rows[] = {
		{ "nodes", "#SBATCH -N2 -N3\n#SBATCH --nodes=4", NODES(4) },
		{ "CPUs", "#SBATCH -c 4 -c 6", CPUS(6) },
		{ "tasks", "#SBATCH --ntasks-per-node=3 --tasks-per-node=5 -c2", CPUS(10) },
		{ "no memory", "#SBATCH --mem=4 --mem=0", NOTHING },
		{ "no limit", "#SBATCH --time=5 --time=UNLIMITED", TIME(SBATCH_NO_LIMIT) },
		/* "can't run 2 processes on 4 nodes, setting nnodes to 2" */
		{ "fewer tasks", "#SBATCH -N 4 -n 2", NODES(2) },
		{ "more tasks", "#SBATCH -n 8 -N 4", NODES(4) },
		{ "tasks alone", "#SBATCH -n 8", NOTHING },
		{ "fewer tasks than a node may have", "#SBATCH --ntasks-per-node=4 -n 2 -c 3",
			CPUS(6) },
	};
	(void)state;
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
}

static void test_of_a_heterogeneous_job_the_largest_counts(void **state)
{
	static const struct row rows[] = {
		{ "two", "#SBATCH -N 2 -t 9 -c 8\n#SBATCH hetjob\n#SBATCH -N 3 -t 5 -c 2",
			{ .nodes = 3, .wall_time_s = 540, .cpus_per_node = 8 } },
		{ "three",
			"#SBATCH -N 2\n#SBATCH hetjob\n#SBATCH -N 4\n#SBATCH HETJOB\n"
			"#SBATCH -N 3",
			NODES(4) },
		{ "CPUs of each", "#SBATCH -c 8\n#SBATCH hetjob\n#SBATCH --ntasks-per-node=4",
			CPUS(8) },
		{ "tasks of each", "#SBATCH -N 4\n#SBATCH packjob\n#SBATCH -n 1", NODES(4) },
		{ "its line has nothing else", "#SBATCH hetjob -N 2\n#SBATCH -N 1", NODES(1) },
		{ "within a line it ends the line", "#SBATCH -N 4 hetjob -c 4\n#SBATCH -N 3",
			NODES(3) },
		{ "in a remark", "#SBATCH -N 4 # hetjob\n#SBATCH -N 3", NODES(3) },
		{ "in a name", "#SBATCH -N 4 -J myhetjob\n#SBATCH -N 3", NODES(3) },
	};
	static const struct refusal wrong[] = {
		{ "no value", "#SBATCH --time\n#SBATCH hetjob\n#SBATCH 5",
			"line 2: --time needs a value" },
		{ "longer", "#SBATCH hetjobs", "\"hetjobs\" is no option" },
		{ "quoted", "#SBATCH \"hetjob\"", "\"hetjob\" is no option" },
	};
	(void)state;
	all_ask("#!/bin/sh\n", rows, LENGTH(rows));
	all_are_refused(wrong, LENGTH(wrong));
}

/* ---- size ---- */

static void repeat(struct str *s, const char *text, size_t bytes)
{
	size_t n = strlen(text);
	str_reserve(s, bytes + n);
	for (size_t had = s->len; s->len - had < bytes;)
		str_add_bytes(s, text, n);
}

static void test_megabytes_are_read_once(void **state)
{
	static const struct {
		const char *repeated, *behind;
	} rows[] = { { "x", "\n#SBATCH -N 5\n" }, { "\\ ", " -N 5" }, { "\"a b\"", " -N 5" },
		{ "'\"'", " -N 5" }, { "\n#SBATCH -Ha", " -N 5" },
		{ " -Hx -c3 --time=5", " -N 5 -t0 -c1" }, { " --cpus-per-task 1", " -N 5" },
		{ "\n", "#SBATCH -N 5" }, { "\n#SBATCH hetjob", "\n#SBATCH -N 5" },
		{ "\n ##SBATCH", "\n#SBATCH -N 5" } };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str script = { 0 };
		struct sbatch_wishes got;
		str_add(&script, "#!/bin/sh\n#SBATCH -J x");
		repeat(&script, rows[i].repeated, 6 << 20);
		str_add(&script, rows[i].behind);
		struct err e = sbatch_read(script.text, script.len, &got);
		if (failed(e) || got.nodes != 5)
			fail_msg("\"%s\": %lld nodes: %s", rows[i].repeated, (long long)got.nodes,
				e.text);
	}
}

static void test_a_partition_is_seen(void **state)
{
	static const struct {
		const char *script;
		bool there;
	} rows[] = {
		{ "#!/bin/sh\n#SBATCH --partition=gpu\n", true },
		{ "#!/bin/sh\n#SBATCH -N2 -pgpu\n", true },
		{ "#!/bin/sh\n#SBATCH -p gpu\n#SBATCH hetjob\n#SBATCH -N2\n", true },
		{ "#!/bin/sh\n#SBATCH -J -p\n", false },
		{ "#!/bin/sh\ntrue\n#SBATCH -p gpu\n", false },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct sbatch_wishes got;
		struct err e = sbatch_read(rows[i].script, strlen(rows[i].script), &got);
		if (failed(e) || got.partition != rows[i].there)
			fail_msg("%s: %d: %s", rows[i].script, got.partition, e.text);
	}
}

static void test_a_long_value_is_told_in_one_sentence(void **state)
{
	AUTO(str_free) struct str script = { 0 };
	(void)state;
	str_add(&script, "#!/bin/sh\n#SBATCH --nodes=");
	repeat(&script, "\x1b[31m\xff", 1 << 20);
	is_refused("long", script.text, script.len, "such as 4, 2-4 or 1,3-5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_scripts_of_the_first_operator),
		cmocka_unit_test(test_what_the_first_operator_refused),
		cmocka_unit_test(test_a_partition_is_seen),
		cmocka_unit_test(test_comments_and_blank_lines_are_skipped),
		cmocka_unit_test(test_the_end_of_a_script),
		cmocka_unit_test(test_scripts_that_sbatch_never_takes),
		cmocka_unit_test(test_quotes_backslashes_and_remarks),
		cmocka_unit_test(test_options_are_those_of_getopt),
		cmocka_unit_test(test_wrong_options),
		cmocka_unit_test(test_options_of_plugins_are_skipped),
		cmocka_unit_test(test_the_last_of_several_counts),
		cmocka_unit_test(test_of_a_heterogeneous_job_the_largest_counts),
		cmocka_unit_test(test_megabytes_are_read_once),
		cmocka_unit_test(test_a_long_value_is_told_in_one_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
