/* SPDX-License-Identifier: Apache-2.0 */
/* The socket of red-box: its own, or systemd's; and what is in its place. */
#include "lib/redbox_folder.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "redbox/listen.h"

static int given_a_folder(void **state)
{
	struct test_folder *f = own_alloc(sizeof(*f));
	*f = folder_make();
	*state = f;
	return 0;
}

static int remove_folder(void **state)
{
	folder_remove(*state);
	free(*state);
	return 0;
}

static int listening(const char *path)
{
	int fd;
	struct err e = listen_at(path, (gid_t)-1, &fd);
	if (failed(e))
		fail_msg("%s", e.text);
	return fd;
}

static void refused(const char *path, enum err_kind kind, const char *sentence)
{
	int fd;
	struct err e = listen_at(path, (gid_t)-1, &fd);
	assert_int_equal(e.kind, kind);
	assert_int_equal(fd, -1);
	if (!strstr(e.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, e.text);
}

static int connected(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	int why = connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 ? 0 : errno;
	close(fd);
	return why;
}

/* Acceptance: red-box-24 */
static void only_account_and_group_may_open_it(void **state)
{
	const char *path = folder_path(*state, "s");
	struct stat st;
	mode_t before = umask(0);
	int fd = listening(path);
	assert_int_equal(umask(before), 0); /* is left as it was */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0660);
	assert_int_equal(connected(path), 0);
	close(fd);
}

static void the_group_is_the_one_that_is_asked_for(void **state)
{
	const char *path = folder_path(*state, "s");
	struct stat st;
	int fd;
	if (geteuid() != 0)
		skip(); /* others may give it to groups of theirs alone */
	assert_false(failed(listen_at(path, 4711, &fd)));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_gid, 4711);
	close(fd);
}

/* Acceptance: red-box-24 */
static void what_a_killed_process_left_is_removed(void **state)
{
	const char *path = folder_path(*state, "s");
	close(listening(path));
	assert_int_equal(connected(path), ECONNREFUSED);
	int fd = listening(path);
	assert_int_equal(connected(path), 0);
	close(fd);
}

/* Acceptance: red-box-24 */
static void a_socket_that_is_in_use_stays(void **state)
{
	const char *path = folder_path(*state, "s");
	int fd = listening(path);
	refused(path, ERR_EXISTS, "another program listens");
	assert_int_equal(connected(path), 0);
	close(fd);
}

static void a_file_that_is_no_socket_stays(void **state)
{
	folder_put(*state, "s", "w", "mine");
	refused(folder_path(*state, "s"), ERR_EXISTS, "not a socket");
	AUTO(own_free) char *text = folder_get(*state, "s");
	assert_string_equal(text, "mine");
}

static void a_path_must_fit(void **state)
{
	char path[200];
	(void)state;
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	refused(path, ERR_INVALID, "bytes");
	refused("", ERR_INVALID, "bytes");
	refused(folder_path(*state, "none/s"), ERR_DENIED, "No such file");
}

/* ---- systemd ---- */

/* In a child, with this descriptor as the first that systemd hands over. */
static int inherits(int fd, const char *fds, const char *pid)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		char self[24];
		int got = -2;
		snprintf(self, sizeof(self), "%d", (int)getpid());
		if (fd >= 0 && fd != 3)
			dup2(fd, 3);
		setenv("LISTEN_FDS", fds, 1);
		setenv("LISTEN_PID", pid ? pid : self, 1);
		struct err e = listen_inherited(&got);
		if (getenv("LISTEN_FDS") || getenv("LISTEN_PID"))
			_exit(99); /* jobs would inherit it */
		_exit(failed(e) ? 1 : got == 3 ? 3 : got == -1 ? 0 : 98);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_socket_of_systemd_is_taken(void **state)
{
	int fd = listening(folder_path(*state, "s")), pipes[2];
	assert_int_equal(inherits(fd, "1", NULL), 3);
	assert_int_equal(inherits(fd, "1", "1"), 0); /* meant for another process */
	assert_int_equal(inherits(fd, "0", NULL), 0);
	assert_int_equal(inherits(fd, "2", NULL), 1);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(inherits(pipes[0], "1", NULL), 1);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

#define LISTEN_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LISTEN_TEST(only_account_and_group_may_open_it),
		LISTEN_TEST(the_group_is_the_one_that_is_asked_for),
		LISTEN_TEST(what_a_killed_process_left_is_removed),
		LISTEN_TEST(a_socket_that_is_in_use_stays),
		LISTEN_TEST(a_file_that_is_no_socket_stays),
		LISTEN_TEST(a_path_must_fit),
		LISTEN_TEST(a_socket_of_systemd_is_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
