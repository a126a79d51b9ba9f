/* SPDX-License-Identifier: Apache-2.0 */
/* The verdicts of red-box check about its facts: for a wrong fact one line says so. */
#include "lib/test.h"

#include <errno.h>

#include "redbox/check/judge.h"

struct world {
	struct arena arena;
	struct check_facts f;
	struct check_place folder;
	struct check_report report;
};

static struct check_place place(const char *path, enum check_kind kind, uint32_t mode)
{
	return (struct check_place){
		.path = path,
		.looked = true,
		.kind = kind,
		.mode = mode,
		.owner = "bridge",
		.group = "clients",
		.may_read = true,
		.may_write = true,
		.free_mb = 1000,
	};
}

/* Everything is well, with one partition. */
static void make_well(struct world *w)
{
	static const char *const names[] = { "sacct", "sbatch", "scancel", "scontrol", "sinfo",
		"squeue", "sdiag" };
	const struct check_answer yes = { .asked = true };
	w->folder = place("/home/bridge", CHECK_FOLDER, 0700);
	w->f = (struct check_facts){
		.config = "/etc/red-box.yaml",
		.faults = "",
		.warnings = "",
		.name_faults = "",
		.uid = 995,
		.user = "bridge",
		.n_tools = CHECK_TOOLS,
		.controller = yes,
		.controller_since = "2026-01-02T03:04:05Z",
		.partitions = yes,
		.partition = { { "debug", yes } },
		.n_partitions = 1,
		.accounts = yes,
		.folders = &w->folder,
		.n_folders = 1,
		.state = place("/var/lib/red-box", CHECK_FOLDER, 0700),
		.journal = yes,
		.in_journal = { .found = true, .keys = 12, .since_s = 1 },
		.journal_since = "2026-01-01T00:00:00Z",
		.has_openat2 = true,
		.socket = place("/run/red-box.sock", CHECK_SOCKET, 0660),
		.box = yes,
		.box_uid = 995,
		.box_user = "bridge",
		.box_slurm = "24.11.5",
	};
	for (size_t i = 0; i < CHECK_TOOLS; i++)
		w->f.tools[i] = (struct check_tool){
			.name = names[i],
			.path = "/usr/bin/s",
			.needed = i != CHECK_TOOLS - 1,
			.version = "24.11.5",
		};
}

static int given_all_is_well(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	make_well(w);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	arena_free(&w->arena);
	free(w);
	return 0;
}

static const struct check_line *line_of(const struct world *w, const char *what)
{
	for (size_t i = 0; i < w->report.n; i++)
		if (str_eq(w->report.lines[i].what, what))
			return &w->report.lines[i];
	fail_msg("no line about %s", what);
	return NULL;
}

/* Judges, expects this of the line, and makes everything well again. */
static void then_line(struct world *w, const char *what, enum check_verdict verdict,
	const char *part)
{
	w->report = check_judge(&w->f, &w->arena);
	const struct check_line *line = line_of(w, what);
	if (line->verdict != verdict || !strstr(line->text, part))
		fail_msg("%s is %d: %s", what, line->verdict, line->text);
	assert_int_equal(check_is_well(&w->report), verdict == CHECK_OK);
	make_well(w);
}
static void then_wrong(struct world *w, const char *what, const char *part)
{
	then_line(w, what, CHECK_WRONG, part);
}

/* No other line is touched by the one fact that is wrong. */
static size_t count_not_ok(struct world *w)
{
	size_t n = 0;
	w->report = check_judge(&w->f, &w->arena);
	for (size_t i = 0; i < w->report.n; i++)
		n += w->report.lines[i].verdict != CHECK_OK;
	return n;
}

static struct check_answer refuses(enum err_kind kind, const char *text)
{
	return (struct check_answer){ true, err_new(kind, "%s", text) };
}

/* Acceptance: red-box-39 */
static void when_all_is_well_each_line_says_so(void **state)
{
	struct world *w = *state;
	assert_int_equal(count_not_ok(w), 0);
	assert_true(check_is_well(&w->report));
	assert_string_equal(check_text(&w->report, &w->arena),
		"ok       config      /etc/red-box.yaml\n"
		"ok       users       the users and groups of the configuration are there\n"
		"ok       account     bridge\n"
		"ok       tools       sacct, sbatch, scancel, scontrol, sinfo, squeue, sdiag of "
		"Slurm 24.11.5 in the PATH\n"
		"ok       slurmctld   answers; running since 2026-01-02T03:04:05Z\n"
		"ok       jobs        Slurm takes jobs of bridge in debug\n"
		"ok       slurmdbd    answers\n"
		"ok       folder      /home/bridge can be read and written, 1000 MiB are free\n"
		"ok       openat2     the kernel keeps clients within the folders\n"
		"ok       state       /var/lib/red-box can be read and written, 1000 MiB are free\n"
		"ok       journal     12 keys, none is missing since 2026-01-01T00:00:00Z\n"
		"ok       socket      /run/red-box.sock (bridge:clients, mode 0660)\n"
		"ok       red-box     answers as bridge, of Slurm 24.11.5\n");
}

static void json_says_the_same(void **state)
{
	struct world *w = *state;
	struct check_line lines[] = { { "config", CHECK_OK, "none" },
		{ "jobs", CHECK_UNKNOWN, "a \"b\"" }, { "state", CHECK_WRONG, "c" } };
	const struct check_report r = { lines, 3, 3 };
	assert_string_equal(check_json(&r, &w->arena),
		"{\"well\":false,\"checks\":["
		"{\"what\":\"config\",\"verdict\":\"ok\",\"text\":\"none\"},"
		"{\"what\":\"jobs\",\"verdict\":\"unknown\",\"text\":\"a \\\"b\\\"\"},"
		"{\"what\":\"state\",\"verdict\":\"WRONG\",\"text\":\"c\"}]}\n");
}

static void a_wrong_configuration_is_all_that_is_said(void **state)
{
	struct world *w = *state;
	w->f.faults = "f.yaml:1: a: no\nf.yaml:2: b: no\n";
	assert_int_equal(count_not_ok(w), 3);
	assert_int_equal(w->report.n, 3);
	assert_string_equal(w->report.lines[1].text, "f.yaml:2: b: no");
	then_line(w, "the rest", CHECK_UNKNOWN, "until this is corrected");
}

static void the_account_is_that_of_red_box(void **state)
{
	struct world *w = *state;
	w->f.name_faults = "allow_users: there is no user x\n";
	then_wrong(w, "users", "there is no user x");
	w->f.box_uid = 4;
	then_wrong(w, "account", "run it as bridge or as root");
	w->f.uid = 0;
	w->f.box.asked = false;
	then_line(w, "account", CHECK_UNKNOWN, "runuser -u ACCOUNT");
	w->f.uid = w->f.box_uid = 0;
	then_line(w, "account", CHECK_OK, "root");
}

static void tools_are_there_and_of_one_version(void **state)
{
	struct world *w = *state;
	w->f.tools[6].path = w->f.tools[6].version = NULL; /* sdiag */
	assert_int_equal(count_not_ok(w), 0);
	w->f.tools[1].path = w->f.tools[1].version = NULL;
	w->f.tools_folder = "/opt/slurm/bin";
	then_wrong(w, "tools", "sbatch of Slurm cannot be found in /opt/slurm/bin");
	w->f.tools[3].version = "23.02.1";
	then_wrong(w, "tools", "of Slurm 24.11.5 and /usr/bin/s of Slurm 23.02.1");
	w->f.tools[2].version = NULL;
	w->f.tools[2].why = "no slurm.conf";
	then_wrong(w, "tools", "scancel in the PATH printed no");
	w->f.tools[2].version = NULL;
	then_wrong(w, "tools", "no output within 10 s");
	w->f.tools[1].path = NULL;
	w->f.controller.asked = false;
	then_line(w, "slurmctld", CHECK_UNKNOWN, "tools of Slurm are missing");
}

static void slurm_answers(void **state)
{
	struct world *w = *state;
	w->f.controller = refuses(ERR_RETRY, "Connection refused");
	then_wrong(w, "slurmctld", "does not answer this account: Connection refused; it should");
	w->f.controller = refuses(ERR_RETRY, "Connection refused");
	w->f.partitions.asked = false;
	then_line(w, "jobs", CHECK_UNKNOWN, "slurmctld does not answer");
	w->f.partitions.asked = false;
	then_line(w, "jobs", CHECK_UNKNOWN, "in time");
	w->f.accounts = refuses(ERR_RETRY, "Unable to contact slurmdbd");
	then_wrong(w, "slurmdbd", "Unable to contact slurmdbd");
	w->f.no_accounts = true;
	then_line(w, "slurmdbd", CHECK_OK, "has no accounting");
}

#define DENIED "sbatch: allocation failure: Invalid account or account/partition combination"
#define FOR_NOW "sbatch: allocation failure: Partition in DOWN state"

static void one_partition_takes_jobs_of_the_account(void **state)
{
	struct world *w = *state;
	w->f.partition[1] = (struct check_partition){ "gpu", refuses(ERR_INVALID, DENIED) };
	w->f.n_partitions = 2;
	then_line(w, "jobs", CHECK_OK, "in debug; not in gpu: sbatch: allocation failure");
	w->f.partition[0].takes = refuses(ERR_INVALID, DENIED);
	then_wrong(w, "jobs", "should have an association");
	w->f.partition[0].takes = refuses(ERR_INVALID, FOR_NOW);
	then_line(w, "jobs", CHECK_UNKNOWN, "now, in debug");
	w->f.partition[0].takes.asked = false;
	then_line(w, "jobs", CHECK_UNKNOWN, "sbatch did not answer");
	w->f.n_partitions = 0;
	then_wrong(w, "jobs", "shows no partition");
	w->f.partitions = refuses(ERR_DENIED, "no");
	then_wrong(w, "jobs", "does not show its partitions");
}

static void folders_can_be_used(void **state)
{
	struct world *w = *state;
	w->folder.error = ENOENT;
	then_wrong(w, "folder", "/home/bridge cannot be looked at by bridge: No such file");
	w->folder.kind = CHECK_OTHER;
	then_wrong(w, "folder", "is no folder");
	w->folder.may_write = false;
	then_wrong(w, "folder", "(bridge:clients, mode 0700) cannot be written by bridge");
	w->folder.may_read = false;
	then_wrong(w, "folder", "cannot be read by bridge");
	w->folder.free_mb = 63;
	then_wrong(w, "folder", "63 MiB left: 64 MiB should be free");
	w->folder.no_files = true;
	then_wrong(w, "folder", "takes no more files");
	w->folder.looked = false;
	then_line(w, "folder", CHECK_UNKNOWN, "may hang");
	w->f.n_folders = 0;
	then_wrong(w, "folder", "bridge has no home");
	w->f.has_openat2 = false;
	then_wrong(w, "openat2", "Linux 5.6");
}

static void the_state_folder_is_the_accounts_alone(void **state)
{
	struct world *w = *state;
	w->f.state.error = ENOENT;
	then_wrong(w, "state", "install -d -m 700 -o bridge /var/lib/red-box");
	w->f.state.error = ENOENT;
	w->f.state.may_make = true;
	then_line(w, "state", CHECK_OK, "red-box makes it");
	w->f.state.mode = 0777;
	then_wrong(w, "state", "everybody on this machine may write");
	w->f.state.may_write = false;
	then_wrong(w, "state", "chown bridge");
}

static void the_journal_is_whole(void **state)
{
	struct world *w = *state;
	w->f.in_journal.damaged = 7;
	then_wrong(w, "journal", "line 7 of /var/lib/red-box/journal is damaged");
	w->f.in_journal.since_s = 0;
	then_wrong(w, "journal", "line 1 of");
	w->f.in_journal.newer = 2;
	then_wrong(w, "journal", "2 lines of a newer red-box");
	w->f.in_journal.torn = true;
	then_line(w, "journal", CHECK_OK, "the last line is not whole");
	w->f.in_journal.found = false;
	then_wrong(w, "journal", "--state-folder");
	w->f.journal = refuses(ERR_DENIED, "it cannot be read: Permission denied");
	then_wrong(w, "journal", "Permission denied; it should be a file of bridge");
	w->f.journal.asked = false;
	then_line(w, "journal", CHECK_UNKNOWN, "within 10 s");
}

static void without_a_red_box_no_journal_is_none_yet(void **state)
{
	struct world *w = *state;
	w->f.in_journal.found = false;
	w->f.box.asked = false;
	w->f.connect_error = ECONNREFUSED;
	assert_int_equal(count_not_ok(w), 1);
	assert_non_null(strstr(line_of(w, "journal")->text, "there is none yet"));
	then_wrong(w, "red-box", "no red-box listens on /run/red-box.sock: Connection refused");
}

static void clients_find_red_box(void **state)
{
	struct world *w = *state;
	w->f.socket.mode = 0666;
	then_wrong(w, "socket", "everybody on this machine may submit");
	w->f.socket.kind = CHECK_OTHER;
	then_wrong(w, "socket", "is no socket");
	w->f.socket.error = EACCES;
	then_wrong(w, "socket", "Permission denied");
	w->f.connect_error = w->f.socket.error = ENOENT;
	w->f.box.asked = false;
	then_wrong(w, "socket", "systemctl start red-box.socket");
	w->f.connect_error = EACCES;
	w->f.box.asked = false;
	then_line(w, "red-box", CHECK_UNKNOWN, "run this check as root");
	w->f.box = refuses(ERR_RETRY, "no answer");
	then_wrong(w, "red-box", "does not answer as red-box should: no answer");
	w->f.tcp_address = ":7433";
	then_line(w, "tcp", CHECK_OK, "can be used");
	w->f.tcp_address = ":7433";
	w->f.tcp = err_new(ERR_DENIED, "no key");
	then_wrong(w, "tcp", "no key");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(test) cmocka_unit_test_setup_teardown(test, given_all_is_well, free_world)
		CASE(when_all_is_well_each_line_says_so),
		CASE(json_says_the_same),
		CASE(a_wrong_configuration_is_all_that_is_said),
		CASE(the_account_is_that_of_red_box),
		CASE(tools_are_there_and_of_one_version),
		CASE(slurm_answers),
		CASE(one_partition_takes_jobs_of_the_account),
		CASE(folders_can_be_used),
		CASE(the_state_folder_is_the_accounts_alone),
		CASE(the_journal_is_whole),
		CASE(without_a_red_box_no_journal_is_none_yet),
		CASE(clients_find_red_box),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
