/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files that a configuration names. */
#include "kube/config_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static struct err read_failed(const char *what, const char *path)
{
	return err_new(errno == ENOENT                      ? ERR_NOT_FOUND
			: errno == EACCES || errno == EPERM ? ERR_DENIED
							    : ERR_INVALID,
		"%s %s cannot be read: %s", what, path,
		errno == ENOENT           ? "there is no such file"
			: errno == EISDIR ? "it is a directory, not a file"
					  : strerror(errno));
}

struct err config_read_file(const char *what, const char *path, size_t max_bytes, char **out,
	size_t *bytes)
{
	AUTO(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	AUTO(str_free) struct str text = { 0 };
	char piece[8192];
	ssize_t n;
	if (fd < 0)
		return read_failed(what, path);
	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return read_failed(what, path);
		str_add_bytes(&text, piece, (size_t)n);
		explicit_bzero(piece, (size_t)n);
		if (text.len > max_bytes)
			return err_new(ERR_TOO_LARGE, "%s %s is longer than %zu bytes", what, path,
				max_bytes);
	}
	if (bytes)
		*bytes = text.len;
	*out = str_take(&text);
	return OK;
}

char *config_relative(const char *from, const char *path)
{
	const char *slash = strrchr(from, '/');
	struct str whole = { 0 };
	if (path[0] != '/' && slash)
		str_add_bytes(&whole, from, (size_t)(slash - from) + 1);
	str_add(&whole, path);
	return str_take(&whole);
}

/*
 * Reads a file that may be renewed at this moment. Rejects a file without a PEM header.
 */
static struct err read_pem(const char *path, char **out)
{
	if (!path)
		return OK;
	struct err e = config_read_file("the file", path, CONFIG_FILE_BYTES, out, NULL);
	return failed(e) || strstr(*out, "-----BEGIN ")
		? e
		: err_new(ERR_INVALID, "the file %s holds no PEM", path);
}

static bool exchange(char **mine, char **other)
{
	if (!*other || str_eq(*mine, *other))
		return false;
	char *was = *mine;
	*mine = *other;
	*other = was;
	return true;
}

struct err config_reload(struct kube_config *c, bool *changed)
{
	AUTO(own_free) char *ca = NULL, *cert = NULL;
	char *key = NULL;
	struct err e = read_pem(c->ca_file, &ca);
	if (!failed(e))
		e = read_pem(c->cert_file, &cert);
	if (!failed(e))
		e = read_pem(c->key_file, &key);
	*changed = false;
	if (!failed(e)) {
		bool ca_is_new = exchange(&c->ca_pem, &ca),
		     cert_is_new = exchange(&c->cert_pem, &cert),
		     key_is_new = exchange(&c->key_pem, &key);
		*changed = ca_is_new || cert_is_new || key_is_new;
	}
	own_wipe(key);
	return e;
}
