/* SPDX-License-Identifier: Apache-2.0 */
/* How slurmdbd and slurmctld start in their images. */
#include "../../../deploy/images/slurm/start_rules.c"

#include "lib/test.h"

/* ---- slurmdbd */

/* The same facts for so many seconds, looked at each second: the last verdict. */
static enum watch_verdict after(struct slurmdbd_watch *w, struct slurmdbd_facts f, time_t seconds)
{
	enum watch_verdict v = WATCH_GO_ON;

	for (time_t t = 1000; t <= 1000 + seconds && v == WATCH_GO_ON; t++)
		v = slurmdbd_judge(w, &f, t);
	return v;
}

static void a_slurmdbd_that_neither_listens_nor_talks_to_its_database_begins_anew(void **state)
{
	struct slurmdbd_watch w = { 0 };

	(void)state;
	assert_int_equal(after(&w, (struct slurmdbd_facts){ .database_answers = true },
				 STUCK_S - 1),
		WATCH_GO_ON);
	w = (struct slurmdbd_watch){ 0 };
	assert_int_equal(after(&w, (struct slurmdbd_facts){ .database_answers = true }, STUCK_S),
		WATCH_STUCK);
}

/* The database refuses the password, so slurmdbd never has a connection. */
static void a_database_that_answers_is_connected_to_twice_before_slurmdbd_begins_anew(void **state)
{
	struct slurmdbd_watch w = { 0 };
	struct slurmdbd_facts f = { .database_answers = true };
	enum watch_verdict v = WATCH_GO_ON;
	int connections = 0;

	(void)state;
	for (time_t t = 1000; v == WATCH_GO_ON; t += 2) {
		connections += slurmdbd_tries_database(&w, t);
		v = slurmdbd_judge(&w, &f, t);
	}
	assert_int_equal(v, WATCH_STUCK);
	assert_int_equal(connections, 2);
}

static void a_database_that_does_not_answer_is_tried_each_time(void **state)
{
	struct slurmdbd_watch w = { 0 };

	(void)state;
	for (time_t t = 1000; t < 2000; t += 2) {
		assert_true(slurmdbd_tries_database(&w, t));
		assert_int_equal(slurmdbd_judge(&w, &(struct slurmdbd_facts){ 0 }, t), WATCH_GO_ON);
	}
}

static void tables_in_conversion_are_not_interrupted(void **state)
{
	struct slurmdbd_watch w = { 0 };
	struct slurmdbd_facts converts = { .connected = true, .database_answers = true };

	(void)state;
	assert_int_equal(after(&w, converts, 86400), WATCH_GO_ON);
}

static void a_slurmdbd_whose_database_does_not_answer_waits(void **state)
{
	struct slurmdbd_watch w = { 0 };

	(void)state;
	assert_int_equal(after(&w, (struct slurmdbd_facts){ 0 }, 86400), WATCH_GO_ON);
}

static void the_time_without_a_connection_counts_from_its_last_one(void **state)
{
	struct slurmdbd_watch w = { 0 };
	struct slurmdbd_facts without = { .database_answers = true }, with = without;

	(void)state;
	with.connected = true;
	assert_int_equal(slurmdbd_judge(&w, &without, 100), WATCH_GO_ON);
	assert_int_equal(slurmdbd_judge(&w, &with, 130), WATCH_GO_ON);
	assert_int_equal(slurmdbd_judge(&w, &without, 131), WATCH_GO_ON);
	assert_int_equal(slurmdbd_judge(&w, &without, 100 + STUCK_S), WATCH_GO_ON);
	assert_int_equal(slurmdbd_judge(&w, &without, 131 + STUCK_S), WATCH_STUCK);
}

static void a_slurmdbd_whose_database_has_lost_its_tables_begins_anew(void **state)
{
	struct slurmdbd_watch w = { 0 };
	struct slurmdbd_facts f = { .listens = true, .connected = true, .database_answers = true };

	(void)state;
	f.tables = TABLES_GONE;
	assert_int_equal(slurmdbd_judge(&w, &f, 100), WATCH_GO_ON);
	f.tables = TABLES_UNKNOWN;
	assert_int_equal(slurmdbd_judge(&w, &f, 130), WATCH_GO_ON);
	f.tables = TABLES_GONE;
	assert_int_equal(slurmdbd_judge(&w, &f, 160), WATCH_EMPTY);
	f.tables = TABLES_THERE;
	assert_int_equal(slurmdbd_judge(&w, &f, 190), WATCH_GO_ON);
}

/* ---- slurmctld */

#define NEW_TO_ACCOUNTS .accounting = true, .state = true, .id = true
#define KNOWN NEW_TO_ACCOUNTS, .registered = true
#define FAILED NEW_TO_ACCOUNTS, .failed = true

static const struct {
	const char *what;
	struct slurmctld_facts f;
	time_t waited;
	enum before_verdict verdict;
} starts[] = {
	{ "the state of a newer Slurm", { .own = 42, .written = 43 }, 0, BEFORE_TOO_NEW },
	{ "the state of an older Slurm", { .own = 42, .written = 41 }, 0, BEFORE_START },
	{ "no accounting", { .id = true }, 0, BEFORE_START },
	{ "first start, slurmdbd is silent", { .accounting = true }, 3600, BEFORE_WAIT },
	{ "accounting is new to a state", { NEW_TO_ACCOUNTS }, 0, BEFORE_WAIT },
	{ "a state from before slurm-start", { NEW_TO_ACCOUNTS }, ASK_S, BEFORE_START },
	{ "slurmdbd listens, but cannot be asked", { .accounting = true, .port_answers = true },
		ASK_S, BEFORE_START },
	{ "slurmdbd is away", { KNOWN }, 0, BEFORE_START },
	{ "slurmdbd listens, and sackd is not ready yet", { KNOWN, .port_answers = true }, 0,
		BEFORE_WAIT },
	{ "slurmdbd listens, and nobody can ask it", { KNOWN, .port_answers = true }, SACK_S,
		BEFORE_START },
	{ "slurmdbd is away, and a start has failed", { KNOWN, .failed = true }, 0, BEFORE_WAIT },
	{ "no tables", { KNOWN, .accounts = ACCOUNTS_EMPTY }, 3600, BEFORE_WAIT },
	{ "the database was lost", { KNOWN, .accounts = ACCOUNTS_WITHOUT_US }, 0, BEFORE_ADOPT },
	{ "first start", { .accounting = true, .accounts = ACCOUNTS_WITHOUT_US }, 0, BEFORE_START },
	{ "a start that failed has added the cluster", { FAILED, .accounts = ACCOUNTS_NEWER }, 0,
		BEFORE_ADOPT },
	{ "another slurmctld of the name uses the database", { KNOWN, .accounts = ACCOUNTS_TAKEN },
		0, BEFORE_START },
	{ "a slurmctld of this release has just gone",
		{ KNOWN, .own_database = true, .accounts = ACCOUNTS_TAKEN }, 0, BEFORE_ADOPT },
	{ "all is as it was", { KNOWN, .own_database = true, .accounts = ACCOUNTS_OLDER }, 0,
		BEFORE_START },
	{ "an older database of this release, and a start has failed",
		{ FAILED, .own_database = true, .accounts = ACCOUNTS_OLDER }, 0, BEFORE_ADOPT },
	{ "an older database that another Slurm may use", { FAILED, .accounts = ACCOUNTS_OLDER }, 0,
		BEFORE_START },
};

/* Acceptance: image-7 */
static void how_slurmctld_starts(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(starts); i++)
		if (slurmctld_judge(&starts[i].f, starts[i].waited) != starts[i].verdict)
			fail_msg("%s", starts[i].what);
}

static void a_slurmctld_that_is_not_in_the_accounts_begins_anew(void **state)
{
	int absent = 0;

	(void)state;
	assert_int_equal(slurmctld_watch(&absent, false, false, ACCOUNTS_WITHOUT_US), WATCH_GO_ON);
	assert_int_equal(slurmctld_watch(&absent, true, false, ACCOUNTS_WITHOUT_US), WATCH_GO_ON);
	assert_int_equal(slurmctld_watch(&absent, true, false, ACCOUNTS_SILENT), WATCH_GO_ON);
	assert_int_equal(slurmctld_watch(&absent, true, false, ACCOUNTS_OLDER), WATCH_GO_ON);
	assert_int_equal(slurmctld_watch(&absent, true, false, ACCOUNTS_WITHOUT_US), WATCH_GO_ON);
	assert_int_equal(slurmctld_watch(&absent, true, false, ACCOUNTS_WITHOUT_US), WATCH_ABSENT);
}

static void a_slurmctld_that_is_never_in_the_accounts_begins_anew_once(void **state)
{
	int absent = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(slurmctld_watch(&absent, true, true, ACCOUNTS_WITHOUT_US),
			WATCH_GO_ON);
}

/* The database is lost again before a look has seen that the first attempt helped. */
static void a_slurmctld_tries_to_register_again_later_and_later(void **state)
{
	(void)state;
	assert_false(slurmctld_tried(0, 0));
	assert_true(slurmctld_tried(1, REGISTER_S - 1));
	assert_false(slurmctld_tried(1, REGISTER_S));
	assert_true(slurmctld_tried(2, 2 * REGISTER_S - 1));
	assert_false(slurmctld_tried(2, 2 * REGISTER_S));
	assert_true(slurmctld_tried(1000, 64 * REGISTER_S - 1));
	assert_false(slurmctld_tried(1000, 64 * REGISTER_S));
	assert_false(slurmctld_tried(1, -1)); /* the clock was set back */
}

/* ---- reading */

static void values_are_read_as_slurm_reads_them(void **state)
{
	static const char text[] =
		"# StorageHost=no\nStorageHost=a\nstoragehost = \"db.example\" # here\n"
		"StorageHostile=x\nStoragePort=3307";
	char value[32];

	(void)state;
	conf_value(text, "StorageHost", value, sizeof(value));
	assert_string_equal(value, "db.example");
	conf_value(text, "StoragePort", value, sizeof(value));
	assert_string_equal(value, "3307");
	conf_value(text, "DbdPort", value, sizeof(value));
	assert_string_equal(value, "");
}

static void releases_of_slurm_are_told_by_their_protocol(void **state)
{
	char release[16];

	(void)state;
	assert_int_equal(protocol_of_release("slurm-wlm 24.11.5\n"), 42);
	assert_int_equal(protocol_of_release("slurm 26.05.5"), 45);
	assert_int_equal(protocol_of_release("slurm 23.02.1"), 0);
	assert_int_equal(protocol_of_release(""), 0);
	release_of_protocol(43, release, sizeof(release));
	assert_string_equal(release, "25.05");
}

static void connections_are_told_by_state_and_ports(void **state)
{
	static const char text[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr\n"
		"   0: 00000000:1AA3 00000000:0000 0A 00000000:00000000 00:00000000 00000000\n"
		"   1: 0100620A:8A54 0100620A:0CEA 06 00000000:00000000 03:000014 00000000\n";

	(void)state;
	assert_true(net_has(text, 10, 6819, 0));
	assert_false(net_has(text, 10, 6817, 0));
	assert_false(net_has(text, 1, 0, 3306));
	assert_true(net_has(text, 6, 0, 3306));
	assert_false(net_has("", 1, 0, 3306));
}

static void the_accounts_are_told_by_the_answers_of_sacctmgr(void **state)
{
	(void)state;
	assert_int_equal(accounts_of("", "", "", "lab", 50, false), ACCOUNTS_EMPTY);
	assert_int_equal(accounts_of("cpu\nmem\n", "", "", "lab", 50, false), ACCOUNTS_WITHOUT_US);
	assert_int_equal(accounts_of("cpu\n", "lab2|6817\n", "60|lab2\n", "lab", 50, false),
		ACCOUNTS_WITHOUT_US);
	assert_int_equal(accounts_of("cpu\n", "lab2|1\nlab|0\n", "40|lab\n60|lab2\n", "lab", 50,
				 false),
		ACCOUNTS_OLDER);
	assert_int_equal(accounts_of("cpu\n", "lab|0\n", "40|lab\n60|lab\n", "lab", 50, false),
		ACCOUNTS_NEWER);
	assert_int_equal(accounts_of("cpu\n", "lab|6817\n", "", "lab", 50, false), ACCOUNTS_OLDER);
	assert_int_equal(accounts_of("cpu\n", "lab|6817\n", "60|lab\n", "lab", 50, false),
		ACCOUNTS_TAKEN);
}

static void a_cluster_that_runs_and_has_no_port_is_not_registered(void **state)
{
	(void)state;
	assert_int_equal(accounts_of("cpu\n", "lab|0\n", "60|lab\n", "lab", 50, true),
		ACCOUNTS_WITHOUT_US);
	assert_int_equal(accounts_of("cpu\n", "lab|6817\n", "40|lab\n", "lab", 50, true),
		ACCOUNTS_OLDER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_slurmdbd_that_neither_listens_nor_talks_to_its_database_begins_anew),
		cmocka_unit_test(
			a_database_that_answers_is_connected_to_twice_before_slurmdbd_begins_anew),
		cmocka_unit_test(a_database_that_does_not_answer_is_tried_each_time),
		cmocka_unit_test(tables_in_conversion_are_not_interrupted),
		cmocka_unit_test(a_slurmdbd_whose_database_does_not_answer_waits),
		cmocka_unit_test(the_time_without_a_connection_counts_from_its_last_one),
		cmocka_unit_test(a_slurmdbd_whose_database_has_lost_its_tables_begins_anew),
		cmocka_unit_test(how_slurmctld_starts),
		cmocka_unit_test(a_slurmctld_that_is_not_in_the_accounts_begins_anew),
		cmocka_unit_test(a_slurmctld_that_is_never_in_the_accounts_begins_anew_once),
		cmocka_unit_test(a_slurmctld_tries_to_register_again_later_and_later),
		cmocka_unit_test(releases_of_slurm_are_told_by_their_protocol),
		cmocka_unit_test(values_are_read_as_slurm_reads_them),
		cmocka_unit_test(connections_are_told_by_state_and_ports),
		cmocka_unit_test(a_cluster_that_runs_and_has_no_port_is_not_registered),
		cmocka_unit_test(the_accounts_are_told_by_the_answers_of_sacctmgr),
	};

	return cmocka_run_group_tests_name("start_rules", tests, NULL, NULL);
}
