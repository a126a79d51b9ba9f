/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of container jobs: their lines, what is refused, and what a real shell makes of
 * them. Needs /bin/sh (and bash, where there is one); srun and singularity are stand-ins
 * that write down their arguments.
 */
#include "lib/redbox_folder.h"

#include <spawn.h>
#include <sys/wait.h>

#include "redbox/jobs/container.h"

#define FILE_NAME "red-box-1.sif"

struct world {
	struct test_folder folder;
	struct wlm_container wanted;
	struct str script;
	char *recorded; /* each argument, ended by a NUL byte; each program by one more */
	int code;
};

static char *text(const char *s) { return (char *)(uintptr_t)s; }

static void given_tool(struct world *w, const char *name, const char *lines)
{
	folder_put(&w->folder, name, "w", lines);
	assert_int_equal(chmod(folder_path(&w->folder, name), 0755), 0);
}

static int given_a_cluster(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->folder = folder_make();
	w->wanted = (struct wlm_container){
		.image = text("library://x"),
		.app = text(""),
		.hostname = text(""),
	};
	given_tool(w, "srun",
		"#!/bin/sh\nprintf '%s\\0' srun \"$@\" '' >>record\n"
		"while [ \"${1#--}\" != \"$1\" ]; do shift; done\nexec \"$@\"\n");
	given_tool(w, "singularity",
		"#!/bin/sh\nprintf '%s\\0' singularity \"$@\" '' >>record\n"
		"case $1 in pull) echo >\"${SINGULARITY_PULLFOLDER:-.}/" FILE_NAME
		"\"; exit \"$(cat pull.code)\" ;;\n"
		"run) test ! -e " FILE_NAME
		" || echo >was.there; exit \"$(cat run.code)\" ;; esac\n");
	folder_put(&w->folder, "pull.code", "w", "0");
	folder_put(&w->folder, "run.code", "w", "0");
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	folder_remove(&w->folder);
	str_free(&w->script);
	free(w->recorded);
	free(w);
	return 0;
}

static void when_made(struct world *w)
{
	str_clear(&w->script);
	struct err e = container_script(&w->wanted, "singularity", FILE_NAME, &w->script);
	if (failed(e))
		fail_msg("%s", e.text);
}

static void has_line(struct world *w, const char *line)
{
	AUTO(str_free) struct str all = { 0 }, whole = { 0 };
	str_addf(&all, "\n%s", str_text(&w->script));
	str_addf(&whole, "\n%s\n", line);
	if (!strstr(str_text(&all), str_text(&whole)))
		fail_msg("no line \"%s\" in:\n%s", line, str_text(&w->script));
}

/* By this shell, in the folder, which is its PATH as well. */
static void when_run(struct world *w, const char *shell)
{
	AUTO(str_free) struct str path = { 0 };
	pid_t child;
	int status;
	unlink(folder_path(&w->folder, "record"));
	unlink(folder_path(&w->folder, "was.there"));
	folder_put(&w->folder, "script", "w", str_text(&w->script));
	str_addf(&path, "PATH=%s:/usr/bin:/bin", w->folder.path);
	char *argv[] = { text(shell), text("script"), NULL },
	     *env[] = { path.text, text("SINGULARITY_PULLFOLDER=/none"), NULL };
	posix_spawn_file_actions_t actions;
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, w->folder.path), 0);
	assert_int_equal(posix_spawn(&child, shell, &actions, NULL, argv, env), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	w->code = WEXITSTATUS(status);
	FILE *f = fopen(folder_path(&w->folder, "record"), "r");
	assert_non_null(f);
	free(w->recorded);
	w->recorded = own_alloc(1 << 16);
	assert_true(fread(w->recorded, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
}

/* The arguments of the n-th program that ran, with "|" between them. */
static char *arguments(struct world *w, int n)
{
	struct str all = { 0 };
	const char *at = w->recorded;
	for (; n > 0 && *at; n--) {
		while (*at)
			at += strlen(at) + 1;
		at++;
	}
	for (; *at; at += strlen(at) + 1)
		str_addf(&all, "%s%s", all.len ? "|" : "", at);
	return str_take(&all);
}

static void ran(struct world *w, int n, const char *wanted)
{
	AUTO(own_free) char *got = arguments(w, n);
	assert_string_equal(got, wanted);
}

/* ---- lines ---- */

/* Acceptance: red-box-11, word-25 */
static void a_container_without_options(void **state)
{
	struct world *w = *state;
	w->wanted.image = text("local.file/home/u/a.sif");
	w->wanted.allow_unsigned = true;
	when_made(w);
	assert_string_equal(str_text(&w->script),
		"#!/bin/sh\nsrun singularity run '/home/u/a.sif' || exit\n");
}

/* Acceptance: red-box-11, word-25 */
static void a_container_with_all_options(void **state)
{
	struct world *w = *state;
	char *binds[] = { text("b1"), text("b2") };
	w->wanted = (struct wlm_container){ text("library://x"), text("main"), text("test1"), binds,
		2, 3, 2, 512, 600, true, true, true, true, true, true, true };
	when_made(w);
	assert_string_equal(str_text(&w->script),
		"#!/bin/sh\n"
		"#SBATCH --time=0:600\n"
		"#SBATCH --mem=512\n"
		"#SBATCH --nodes=3\n"
		"#SBATCH --cpus-per-task=2\n"
		"trap 'rm -f ./" FILE_NAME "' EXIT\n"
		"trap 'exit 143' HUP INT TERM\n"
		"unset SINGULARITY_PULLDIR SINGULARITY_PULLFOLDER APPTAINER_PULLDIR "
		"APPTAINER_PULLFOLDER\n"
		"srun --nodes=1 --ntasks=1 singularity pull --force -U --name " FILE_NAME
		" 'library://x' || exit\n"
		"srun --cpus-per-task=2 singularity run --app='main' --hostname='test1' "
		"--bind='b1,b2' --cleanenv -f -i -p --no-privs -w '" FILE_NAME "' || exit\n");
}

/* Acceptance: red-box-11 */
static void each_flag_has_its_option(void **state)
{
	static const struct {
		size_t member;
		const char *option;
	} rows[] = {
		{ offsetof(struct wlm_container, clean_env), "--cleanenv" },
		{ offsetof(struct wlm_container, fake_root), "-f" },
		{ offsetof(struct wlm_container, ipc), "-i" },
		{ offsetof(struct wlm_container, pid), "-p" },
		{ offsetof(struct wlm_container, no_privs), "--no-privs" },
		{ offsetof(struct wlm_container, writable), "-w" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		bool *flag = (bool *)((char *)&w->wanted + rows[i].member);
		char line[128];
		*flag = true;
		when_made(w);
		snprintf(line, sizeof(line), "srun singularity run %s '" FILE_NAME "' || exit",
			rows[i].option);
		has_line(w, line);
		*flag = false;
	}
}

/* Acceptance: red-box-11 */
static void a_signed_image_is_verified_once(void **state)
{
	struct world *w = *state;
	w->wanted.image = text("local.file/a.sif");
	when_made(w);
	has_line(w, "srun --nodes=1 --ntasks=1 singularity verify '/a.sif' || exit");
	w->wanted.image = text("docker://x");
	when_made(w);
	has_line(w,
		"srun --nodes=1 --ntasks=1 singularity pull --force --name " FILE_NAME
		" 'docker://x' || exit");
}

/* ---- what is refused ---- */

static void refuses(struct world *w, const char *sentence)
{
	AUTO(str_free) struct str script = { 0 };
	struct err e = container_script(&w->wanted, "singularity", FILE_NAME, &script);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_string_equal(e.text, sentence);
	assert_int_equal(script.len, 0);
}

/* Acceptance: red-box-12 */
static void images_that_are_none_are_refused(void **state)
{
	struct world *w = *state;
	w->wanted.image = text("");
	refuses(w, "imageName is empty: an image is wanted, such as library://lolcow");
	w->wanted.image = text("--nv");
	refuses(w, "imageName begins with \"-\", as an option does");
	w->wanted.image = text("local.file");
	refuses(w,
		"imageName: an absolute path must follow local.file, such as "
		"local.file/home/u/a.sif");
	w->wanted.image = text("local.file-w");
	refuses(w,
		"imageName: an absolute path must follow local.file, such as "
		"local.file/home/u/a.sif");
}

/* Acceptance: red-box-12 */
static void line_breaks_are_refused_by_field(void **state)
{
	struct world *w = *state;
	char *binds[] = { text("/a"), text("/b\n") };
	w->wanted.binds = binds;
	w->wanted.n_binds = 2;
	refuses(w, "a bind holds a line break or another control character");
	binds[1] = text("");
	refuses(w, "a bind is empty: SOURCE[:PLACE] is wanted");
	w->wanted.hostname = text("h\r");
	refuses(w, "hostName holds a line break or another control character");
	w->wanted.app = text("\x7f");
	refuses(w, "app holds a line break or another control character");
	w->wanted.image = text("x\n#SBATCH --uid=0");
	refuses(w, "imageName holds a line break or another control character");
}

/* Acceptance: red-box-12 */
static void numbers_out_of_range_are_refused(void **state)
{
	struct world *w = *state;
	w->wanted.wall_time_s = -1;
	refuses(w, "wallTime is -1: 0 to 315360000 is wanted");
	w->wanted.wall_time_s = 0;
	w->wanted.mem_per_node_mb = INT64_MAX;
	refuses(w, "memPerNode is 9223372036854775807: 0 to 1000000000 is wanted");
	w->wanted.mem_per_node_mb = 0;
	w->wanted.nodes = INT64_MIN;
	refuses(w, "nodes is -9223372036854775808: 0 to 1000000 is wanted");
	w->wanted.nodes = 0;
	w->wanted.cpu_per_node = 65001;
	refuses(w, "cpuPerNode is 65001: 0 to 65000 is wanted");
}

static void long_texts_and_many_binds_are_refused(void **state)
{
	struct world *w = *state;
	char *binds[CONTAINER_BINDS + 1];
	AUTO(own_free) char *long_text = own_alloc(CONTAINER_TEXT_BYTES + 2);
	memset(long_text, 'a', CONTAINER_TEXT_BYTES + 1);
	w->wanted.app = long_text;
	refuses(w, "app has more than 4096 bytes");
	long_text[CONTAINER_TEXT_BYTES] = '\0';
	when_made(w);
	for (size_t i = 0; i < LENGTH(binds); i++)
		binds[i] = text("b");
	w->wanted.binds = binds;
	w->wanted.n_binds = LENGTH(binds);
	refuses(w, "there are more than 100 binds");
}

static void a_command_is_a_plain_name(void **state)
{
	(void)state;
	assert_true(container_takes_command("apptainer"));
	assert_true(container_takes_command("/opt/apptainer-1.3/bin/apptainer"));
	static const char *const none[] = { "", "-x", "bin/x", "a b", "a;b", "a'", "$x", "a\n" };
	for (size_t i = 0; i < LENGTH(none); i++)
		assert_false(container_takes_command(none[i]));
}

/* ---- what a shell makes of it ---- */

static const char *const shells[] = { "/bin/sh", "/bin/bash" };

/* Acceptance: red-box-11 */
static void an_image_is_pulled_run_and_removed(void **state)
{
	struct world *w = *state;
	w->wanted.nodes = 4;
	when_made(w);
	when_run(w, "/bin/sh");
	assert_int_equal(w->code, 0);
	ran(w, 0,
		"srun|--nodes=1|--ntasks=1|singularity|pull|--force|--name|" FILE_NAME
		"|library://x");
	ran(w, 1, "singularity|pull|--force|--name|" FILE_NAME "|library://x");
	ran(w, 2, "srun|singularity|run|" FILE_NAME);
	ran(w, 3, "singularity|run|" FILE_NAME);
	assert_int_equal(access(folder_path(&w->folder, "was.there"), F_OK), 0);
	assert_int_not_equal(access(folder_path(&w->folder, FILE_NAME), F_OK), 0);
}

/* Acceptance: red-box-11 */
static void a_failed_run_removes_the_image_and_is_the_jobs_code(void **state)
{
	struct world *w = *state;
	when_made(w);
	folder_put(&w->folder, "run.code", "w", "37");
	for (size_t i = 0; i < LENGTH(shells); i++) {
		when_run(w, shells[i]);
		assert_int_equal(w->code, 37);
		assert_int_not_equal(access(folder_path(&w->folder, FILE_NAME), F_OK), 0);
	}
}

/* Acceptance: red-box-11 */
static void after_a_failed_pull_nothing_runs(void **state)
{
	struct world *w = *state;
	when_made(w);
	folder_put(&w->folder, "pull.code", "w", "10");
	when_run(w, "/bin/sh");
	assert_int_equal(w->code, 10);
	ran(w, 2, "");
	assert_int_not_equal(access(folder_path(&w->folder, FILE_NAME), F_OK), 0);
}

/* In all places at once; as an image that is pulled, and as one that is there. */
static void arrives_unchanged(struct world *w, const char *hostile, const char *shell)
{
	AUTO(str_free) struct str local = { 0 }, wanted = { 0 };
	char *binds[] = { text(hostile), text(hostile) };
	w->wanted.app = w->wanted.hostname = text(hostile);
	w->wanted.binds = binds;
	w->wanted.n_binds = 2;
	str_addf(&local, "local.file/%s", hostile);
	w->wanted.image = local.text;
	when_made(w);
	when_run(w, shell);
	str_addf(&wanted, "singularity|run|--app=%s|--hostname=%s|--bind=%s,%s|/%s", hostile,
		hostile, hostile, hostile, hostile);
	ran(w, 3, str_text(&wanted));
	if (*hostile == '-')
		return;
	w->wanted.image = text(hostile);
	when_made(w);
	when_run(w, shell);
	str_clear(&wanted);
	str_addf(&wanted, "singularity|pull|--force|--name|" FILE_NAME "|%s", hostile);
	ran(w, 1, str_text(&wanted));
	w->wanted.binds = NULL;
	w->wanted.n_binds = 0;
}

/* Acceptance: red-box-12 */
static void hostile_texts_are_one_argument(void **state)
{
	static const char *const hostile[] = { "'", "''", "';touch x;'", "$(touch x)", "`touch x`",
		"\"", "\\", "a\\'b", "* ? [a]", "%s%n%d", "a b  c", "-n", "--", "#x", "~root", "!!",
		"&& touch x", "$HOME", "${x:=y}", "\xff\x81\x88'\x80" };
	struct world *w = *state;
	for (size_t s = 0; s < LENGTH(shells); s++)
		for (size_t i = 0; i < LENGTH(hostile) && access(shells[s], X_OK) == 0; i++)
			arrives_unchanged(w, hostile[i], shells[s]);
	assert_int_not_equal(access(folder_path(&w->folder, "x"), F_OK), 0);
}

/* Alone in each field: refused, or taken. A byte that is taken arrives. */
/* Acceptance: red-box-12 */
static void each_byte_is_refused_or_arrives(void **state)
{
	struct world *w = *state;
	char all[260] = "", *bind[] = { NULL };
	size_t n = 0;
	for (int byte = 1; byte < 256; byte++) {
		AUTO(str_free) struct str script = { 0 };
		char one[] = { 'a', (char)byte, '\0' };
		struct wlm_container fields[] = { w->wanted, w->wanted, w->wanted, w->wanted };
		fields[0].image = fields[1].app = fields[2].hostname = bind[0] = one;
		fields[3].binds = bind;
		fields[3].n_binds = 1;
		bool control = byte < ' ' || byte == 127;
		for (size_t i = 0; i < LENGTH(fields); i++)
			assert_int_equal(control,
				failed(container_script(&fields[i], "singularity", FILE_NAME,
					&script)));
		if (!control)
			all[n++] = (char)byte;
	}
	assert_int_equal(n, 255 - 31 - 1);
	for (size_t s = 0; s < LENGTH(shells); s++)
		if (access(shells[s], X_OK) == 0)
			arrives_unchanged(w, all, shells[s]);
}

#define CONTAINER_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_cluster, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTAINER_TEST(a_container_without_options),
		CONTAINER_TEST(a_container_with_all_options),
		CONTAINER_TEST(each_flag_has_its_option),
		CONTAINER_TEST(a_signed_image_is_verified_once),
		CONTAINER_TEST(images_that_are_none_are_refused),
		CONTAINER_TEST(line_breaks_are_refused_by_field),
		CONTAINER_TEST(numbers_out_of_range_are_refused),
		CONTAINER_TEST(long_texts_and_many_binds_are_refused),
		CONTAINER_TEST(a_command_is_a_plain_name),
		CONTAINER_TEST(an_image_is_pulled_run_and_removed),
		CONTAINER_TEST(a_failed_run_removes_the_image_and_is_the_jobs_code),
		CONTAINER_TEST(after_a_failed_pull_nothing_runs),
		CONTAINER_TEST(hostile_texts_are_one_argument),
		CONTAINER_TEST(each_byte_is_refused_or_arrives),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
