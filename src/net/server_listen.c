/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket of the server: TCP, or a unix socket with its file. */
#include "net/server_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"

/* ---- TCP ---- */

static int port_of(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char port[8];

	if (getsockname(fd, (struct sockaddr *)&at, &n) != 0 ||
		getnameinfo((struct sockaddr *)&at, n, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV) != 0)
		return 0;
	return atoi(port);
}

static int listen_at(const struct addrinfo *a)
{
	int on = 1, off = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

bool address_split(const char *address, char host[static MAX_HOST_BYTES], const char **port)
{
	const char *colon = strrchr(address, ':');
	int64_t number;
	if (!colon || !str_to_i64(colon + 1, 0, 65535, &number))
		return false;
	size_t n = (size_t)(colon - address);
	if (n > 1 && address[0] == '[' && colon[-1] == ']') {
		address++;
		n -= 2;
	} else if (memchr(address, ':', n)) {
		return false;
	}
	if (n >= MAX_HOST_BYTES)
		return false;
	memcpy(host, address, n);
	host[n] = 0;
	*port = colon + 1;
	return true;
}

struct err listen_tcp(const char *address, int *fd)
{
	struct addrinfo want = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	const int families[] = { AF_INET6, AF_INET };
	char host[MAX_HOST_BYTES];
	const char *port;
	bool understood = false;
	if (!address_split(address, host, &port))
		return err_new(ERR_INVALID,
			"\"%s\" is no address to listen on; it should look like :8080 or 127.0.0.1:8080",
			address);
	*fd = -1;
	for (size_t i = 0; i < LENGTH(families) && *fd < 0; i++) {
		struct addrinfo *found = NULL;

		want.ai_family = families[i];
		if (getaddrinfo(host[0] ? host : NULL, port, &want, &found) != 0)
			continue;
		understood = true;
		*fd = listen_at(found);
		int why = errno;
		freeaddrinfo(found);
		errno = why;
		if (*fd < 0 && errno == EADDRINUSE)
			break;
	}
	if (*fd >= 0)
		return OK;
	if (!understood)
		return err_new(ERR_INVALID,
			"\"%s\" is no address to listen on: give the host as a number", address);
	return err_new(errno == EADDRINUSE || errno == EACCES ? ERR_INVALID : ERR_INTERNAL,
		"cannot listen on %s: %s", address, strerror(errno));
}

/* ---- unix sockets ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static struct err unix_failed(const char *path)
{
	return err_new(errno == EACCES || errno == ENOENT || errno == ENOTDIR ? ERR_INVALID
									      : ERR_INTERNAL,
		"cannot listen on unix:%s: %s", path, strerror(errno));
}

/*
 * Locks the folder, so that two processes that find the same stale file take turns. Each
 * user who can read the folder can hold its lock, so the wait ends after five seconds.
 */
static int lock_folder(const char *path)
{
	enum { TRIES = 100, PAUSE_NS = 50000000 };
	AUTO(own_free) char *folder = own_strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	return fd;
}

static struct sockaddr_un unix_address(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	memcpy(at.sun_path, path, strlen(path) + 1);
	return at;
}

/* Only the socket file of a dead process may be replaced. */
static struct err check_unused(const char *path)
{
	struct sockaddr_un at = unix_address(path);
	AUTO(close_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat file;
	if (lstat(path, &file) != 0)
		return errno == ENOENT ? OK : unix_failed(path);
	if (!S_ISSOCK(file.st_mode))
		return err_new(ERR_INVALID,
			"cannot listen on unix:%s: there is a file of this name that is no socket",
			path);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0 && errno != EAGAIN)
		return errno == ECONNREFUSED ? OK : unix_failed(path);
	return err_new(ERR_INVALID,
		"cannot listen on unix:%s: another process listens there; end it first, or choose another path",
		path);
}

/*
 * Listens under a temporary name, then renames the file. So a client that finds the final
 * name can connect, and the file already has its mode.
 */
static struct err bind_unix(const char *path, unsigned mode, struct listener *out)
{
	AUTO(close_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	AUTO(str_free) struct str part = { 0 };
	struct stat file;
	str_addf(&part, "%s.new", path);
	struct sockaddr_un at = unix_address(str_text(&part));
	unlink(str_text(&part));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		return unix_failed(path);
	if (chmod(str_text(&part), mode ? mode : 0600) != 0 || listen(fd, SOMAXCONN) != 0 ||
		lstat(str_text(&part), &file) != 0 || rename(str_text(&part), path) != 0) {
		struct err e = unix_failed(path);

		unlink(str_text(&part));
		return e;
	}
	*out = (struct listener){ fd, 0, own_strdup(path), file.st_dev, file.st_ino };
	fd = -1;
	return OK;
}

static struct err open_unix(const char *path, unsigned mode, struct listener *out)
{
	const size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - sizeof(".new");
	if (path[0] != '/' || strlen(path) > most)
		return err_new(ERR_INVALID,
			"\"unix:%s\" is no address to listen on; it should be unix: and a path of at most %zu bytes that starts with /",
			path, most);
	AUTO(close_fd) int lock = lock_folder(path);
	if (lock < 0)
		return unix_failed(path);
	struct err e = check_unused(path);
	return failed(e) ? e : bind_unix(path, mode, out);
}

/* Removes the socket file, unless another process has replaced it. */
void listener_remove(struct listener *l)
{
	struct stat file;
	if (l->path && lstat(l->path, &file) == 0 && file.st_dev == l->device &&
		file.st_ino == l->inode)
		unlink(l->path);
	free(TAKE(l->path));
}

struct err listener_open(const char *address, unsigned socket_mode, struct listener *out)
{
	if (str_has_prefix(address, "unix:"))
		return open_unix(address + strlen("unix:"), socket_mode, out);
	*out = (struct listener){ .fd = -1 };
	struct err e = listen_tcp(address, &out->fd);
	if (!failed(e))
		out->port = port_of(out->fd);
	return e;
}
