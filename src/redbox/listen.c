/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets to listen on. */
#include "redbox/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

enum {
	FIRST_FD = 3, /* https://www.freedesktop.org/software/systemd/man/sd_listen_fds.html */
	BACKLOG = 128,
	OWNER_AND_GROUP = 0117, /* umask for mode 0660 */
};

static struct err trouble(const char *doing, const char *path)
{
	int why = errno;
	return err_new(why == EADDRINUSE ? ERR_EXISTS : ERR_DENIED, "%s %s: %s", doing, path,
		strerror(why));
}

/* ---- the socket of systemd ---- */

static bool is_listening(int fd)
{
	struct sockaddr_un at = { 0 };
	socklen_t n = sizeof(at), size = sizeof(int);
	int listening = 0;
	return getsockname(fd, (struct sockaddr *)&at, &n) == 0 && at.sun_family == AF_UNIX &&
		getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

struct err listen_inherited(int *fd)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	int64_t of, n = 0;
	bool ours = pid && str_to_i64(pid, 1, INT32_MAX, &of) && of == getpid() && fds &&
		str_to_i64(fds, 0, 1024, &n);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	*fd = -1;
	if (!ours || n == 0)
		return OK;
	if (n > 1)
		return err_new(ERR_INVALID, "systemd gives more than one socket");
	if (!is_listening(FIRST_FD))
		return err_new(ERR_INVALID,
			"the socket from systemd is not a listening unix socket: ListenStream=PATH");
	fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_FD, F_SETFL, fcntl(FIRST_FD, F_GETFL) | O_NONBLOCK);
	*fd = FIRST_FD;
	return OK;
}

/* ---- our own socket ---- */

/* Removes the socket file of a red-box that was killed. */
static struct err remove_stale(const char *path, const struct sockaddr_un *at)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? OK : trouble("looking at", path);
	if (!S_ISSOCK(st.st_mode))
		return err_new(ERR_EXISTS, "%s exists, and is not a socket", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return trouble("connecting to", path);
	int connected = connect(fd, (const struct sockaddr *)at, sizeof(*at)), why = errno;
	close(fd);
	if (connected == 0 || why != ECONNREFUSED)
		return err_new(ERR_EXISTS, "another program listens on %s", path);
	return unlink(path) == 0 ? OK : trouble("removing", path);
}

static struct err bind_and_listen(int fd, const struct sockaddr_un *at, gid_t group)
{
	mode_t before = umask(OWNER_AND_GROUP);
	int bound = bind(fd, (const struct sockaddr *)at, sizeof(*at)), why = errno;
	umask(before);
	errno = why;
	if (bound != 0)
		return trouble("listening on", at->sun_path);
	if (group != (gid_t)-1 && chown(at->sun_path, (uid_t)-1, group) != 0)
		return trouble("giving the group its socket", at->sun_path);
	return listen(fd, BACKLOG) == 0 ? OK : trouble("listening on", at->sun_path);
}

struct err listen_at(const char *path, gid_t group, int *fd)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	*fd = -1;
	if (n == 0 || n >= sizeof(at.sun_path))
		return err_new(ERR_INVALID, "the path of the socket has 1 to %zu bytes: %s",
			sizeof(at.sun_path) - 1, path);
	memcpy(at.sun_path, path, n);
	struct err e = remove_stale(path, &at);
	if (failed(e))
		return e;
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return trouble("listening on", path);
	e = bind_and_listen(*fd, &at, group);
	if (failed(e)) {
		close(*fd);
		*fd = -1;
	}
	return e;
}
