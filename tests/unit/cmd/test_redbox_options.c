/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of red-box, as of old and as elsewhere. */
#include "lib/test.h"

#include "cmd/redbox_options.h"

enum { WORDS = 8 };

static struct err read_line(const char *line, struct redbox_options *o, struct str *print)
{
	static char text[256];
	char *argv[WORDS] = { (char *)(uintptr_t)"red-box" };
	int argc = 1;
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return redbox_options_read(argc, argv, o, print);
}

static void options_are_read_in_every_spelling(void **state)
{
	static const char *const lines[] = { "-socket /s -config /c", "--socket=/s --config=/c",
		"-socket=/s --config /c" };
	struct redbox_options o;
	(void)state;
	for (size_t i = 0; i < LENGTH(lines); i++) {
		assert_false(failed(read_line(lines[i], &o, NULL)));
		assert_string_equal(o.socket, "/s");
		assert_string_equal(o.config, "/c");
		assert_false(o.done);
	}
	assert_false(failed(read_line("--log-level=debug --log-format=text", &o, NULL)));
	assert_int_equal(o.log_level, LOG_DEBUG);
	assert_true(o.log_text);
	assert_null(o.metrics_address);
	assert_false(failed(read_line("--metrics-bind-address=127.0.0.1:7434 -metrics-cert-path /m",
		&o, NULL)));
	assert_string_equal(o.metrics_address, "127.0.0.1:7434");
	assert_string_equal(o.metrics_cert_path, "/m");
	assert_false(failed(read_line("--state-folder=/var/lib/red-box-alice", &o, NULL)));
	assert_string_equal(o.state_folder, "/var/lib/red-box-alice");
	assert_false(failed(read_line("-rest-socket /r", &o, NULL)));
	assert_string_equal(o.rest_socket, "/r");
}

static void without_options_it_is_as_of_old(void **state)
{
	struct redbox_options o;
	(void)state;
	assert_false(failed(read_line("", &o, NULL)));
	assert_string_equal(o.socket, "/var/run/syslurm/red-box.sock");
	assert_null(o.config);
	assert_null(o.state_folder);
	assert_null(o.rest_socket);
	assert_int_equal(o.log_level, LOG_INFO);
}

static void help_and_version_are_printed(void **state)
{
	struct redbox_options o;
	struct str print = { 0 };
	(void)state;
	assert_false(failed(read_line("--help", &o, &print)));
	assert_true(o.done);
	assert_non_null(strstr(str_text(&print), "--socket=PATH"));
	str_clear(&print);
	assert_false(failed(read_line("-version", &o, &print)));
	assert_string_equal(str_text(&print), "red-box " OPERATOR_VERSION "\n");
	str_clear(&print);
	assert_false(failed(read_line("--describe-metrics", &o, &print)));
	assert_true(o.done);
	str_free(&print);
}

static void what_is_not_understood_is_refused(void **state)
{
	static const struct {
		const char *line, *sentence;
	} rows[] = {
		{ "--sockets=/s", "unknown option \"--sockets=/s\"" },
		{ "start", "unknown option \"start\"" },
		{ "--socket", "--socket needs a value: --socket=PATH" },
		{ "--socket=", "--socket: a path is wanted" },
		{ "--rest-socket=r", "--rest-socket: an absolute path is wanted" },
		{ "--state-folder=", "--state-folder: an absolute path is wanted" },
		{ "--state-folder=state", "--state-folder: an absolute path is wanted" },
		{ "--tcp-key-file=", "--tcp-key-file: a path is wanted" },
		{ "--tcp-clients=", "--tcp-clients: a value is wanted" },
		{ "--tcp=:1", "unknown option" },
		{ "--log-level=loud", "debug, info, warn or error" },
		{ "--log-format=xml", "json or text" },
	};
	struct redbox_options o;
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct err e = read_line(rows[i].line, &o, NULL);
		assert_int_equal(e.kind, ERR_INVALID);
		if (!strstr(e.text, rows[i].sentence))
			fail_msg("\"%s\" is not in: %s", rows[i].sentence, e.text);
	}
}

static void check_has_the_options_of_red_box_and_its_own(void **state)
{
	struct redbox_options o;
	struct str print = { 0 };
	(void)state;
	assert_false(failed(read_line("--socket=/s", &o, NULL)));
	assert_false(o.check);
	assert_false(failed(read_line("check --socket=/s -o json -config /c", &o, NULL)));
	assert_true(o.check && o.check_json);
	assert_string_equal(o.socket, "/s");
	assert_string_equal(o.config, "/c");
	assert_false(failed(read_line("check --output=text", &o, NULL)));
	assert_true(o.check && !o.check_json);
	assert_non_null(strstr(read_line("--socket=/s check", &o, NULL).text, "unknown option"));
	assert_non_null(strstr(read_line("-o json", &o, NULL).text, "unknown option"));
	assert_non_null(strstr(read_line("check -o xml", &o, NULL).text, "json or text"));
	assert_false(failed(read_line("check --help", &o, &print)));
	assert_true(o.done);
	assert_non_null(strstr(str_text(&print), "--output=FORMAT"));
	assert_non_null(strstr(str_text(&print), "Exit status"));
	str_clear(&print);
	assert_false(failed(read_line("--help", &o, &print)));
	assert_null(strstr(str_text(&print), "--output"));
	str_free(&print);
}

static void a_flag_comes_before_the_file(void **state)
{
	const char *of_file[] = { "c" };
	struct redbox_config c = { .tcp = { .address = ":1", .cert_file = "/c" } };
	struct redbox_options o;
	(void)state;
	c.tcp.clients = (struct redbox_texts){ of_file, 1 };
	assert_false(failed(read_line("--tcp-address=:2 --tcp-key-file=/k", &o, NULL)));
	redbox_tcp_override(&c, &o.tcp);
	assert_string_equal(c.tcp.address, ":2");
	assert_string_equal(c.tcp.cert_file, "/c");
	assert_string_equal(c.tcp.key_file, "/k");
	assert_string_equal(c.tcp.clients.rows[0], "c");
	assert_false(failed(read_line("--tcp-clients a,spiffe://b", &o, NULL)));
	redbox_tcp_override(&c, &o.tcp);
	assert_int_equal(c.tcp.clients.n, 2);
	assert_string_equal(c.tcp.clients.rows[0], "a");
	assert_string_equal(c.tcp.clients.rows[1], "spiffe://b");
	redbox_config_free(&c);
}

/* Acceptance: red-box-31 */
static void tcp_is_all_of_it_or_nothing(void **state)
{
	static const char *const flags[] = { "--tcp-address=:1", "--tcp-cert-file=/c",
		"--tcp-key-file=/k", "--tcp-client-ca-file=/a", "--tcp-clients=n" };
	enum { ALL = (1 << LENGTH(flags)) - 1 };
	(void)state;
	for (int given = 0; given <= ALL; given++) {
		struct redbox_config c = { 0 };
		struct redbox_options o;
		AUTO(str_free) struct str line = { 0 };
		for (size_t i = 0; i < LENGTH(flags); i++)
			str_addf(&line, "%s ", given & 1 << i ? flags[i] : "");
		assert_false(failed(read_line(str_text(&line), &o, NULL)));
		redbox_tcp_override(&c, &o.tcp);
		struct err e = redbox_tcp_check(&c.tcp);
		assert_int_equal(failed(e), given != 0 && given != ALL);
		assert_true(!failed(e) || strstr(e.text, "clients by TCP need"));
		redbox_config_free(&c);
	}
	struct redbox_config c = { 0 };
	struct redbox_tcp_flags empty = { ":1", "/c", "/k", "/a", "a,,b" };
	redbox_tcp_override(&c, &empty);
	assert_string_equal(redbox_tcp_check(&c.tcp).text, "tcp_clients: a name is empty");
	redbox_config_free(&c);
}

/* Acceptance: red-box-31 */
static void an_address_where_nobody_could_come_is_refused(void **state)
{
	static const char *const wrong[] = { ":0", "127.0.0.1:0", "7433", "login", "login:x",
		":65536", "::1:7433" };
	const char *clients[] = { "n" };
	struct redbox_tcp t = { .cert_file = "/c", .key_file = "/k", .client_ca_file = "/a" };
	(void)state;
	t.clients = (struct redbox_texts){ clients, 1 };
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		t.address = wrong[i];
		struct err e = redbox_tcp_check(&t);
		assert_true(strstr(e.text, "tcp_address: \"") == e.text);
		assert_non_null(strstr(e.text, "it should look like :7433"));
	}
	t.address = "[::1]:7433";
	assert_false(failed(redbox_tcp_check(&t)));
}

static void a_file_is_named_by_its_whole_path(void **state)
{
	const char *clients[] = { "n" };
	struct redbox_tcp t = { ":1", "/c", "/k", "/a", .clients = { clients, 1 } };
	const struct {
		const char **file, *name;
	} rows[] = { { &t.cert_file, "tcp_cert_file: \"x.pem\"" },
		{ &t.key_file, "tcp_key_file: \"x.pem\"" },
		{ &t.client_ca_file, "tcp_client_ca_file: \"x.pem\"" } };
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *before = *rows[i].file;
		*rows[i].file = "x.pem";
		assert_non_null(strstr(redbox_tcp_check(&t).text, rows[i].name));
		*rows[i].file = before;
	}
	assert_false(failed(redbox_tcp_check(&t)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_read_in_every_spelling),
		cmocka_unit_test(without_options_it_is_as_of_old),
		cmocka_unit_test(help_and_version_are_printed),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(check_has_the_options_of_red_box_and_its_own),
		cmocka_unit_test(a_flag_comes_before_the_file),
		cmocka_unit_test(tcp_is_all_of_it_or_nothing),
		cmocka_unit_test(an_address_where_nobody_could_come_is_refused),
		cmocka_unit_test(a_file_is_named_by_its_whole_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
