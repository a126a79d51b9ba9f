/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the kernel which user listens at a port of this machine. */
#include "net/listener.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"

enum { TABLE_BYTES = 32 << 20 }; /* a row has 150 bytes */

static struct err read_table(const char *path, struct str *out)
{
	char bytes[16 << 10];
	size_t n;
	FILE *f = fopen(path, "re");
	if (!f && errno == ENOENT) /* a kernel without IPv6 has one table */
		return OK;
	if (!f)
		return err_new(ERR_RETRY, "reading %s: %s", path, strerror(errno));
	while (out->len < TABLE_BYTES && (n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		str_add_bytes(out, bytes, n);
	bool whole = feof(f) && !ferror(f);
	fclose(f);
	return whole ? OK : err_new(ERR_RETRY, "%s cannot be read whole", path);
}

struct err listener_check(const struct tcp_link *l, const struct listener_users *users,
	const char *remedy)
{
	AUTO(str_free) struct str tcp = { 0 }, tcp6 = { 0 };
	uid_t stranger = 0;
	struct err e = read_table("/proc/net/tcp", &tcp);
	if (!failed(e))
		e = read_table("/proc/net/tcp6", &tcp6);
	if (!failed(e) && !tcp.len)
		e = err_new(ERR_RETRY, "there is no /proc/net/tcp");
	if (failed(e))
		return err_new(ERR_RETRY,
			"nothing was sent: cannot find out which user listens there (%.200s); %.300s",
			e.text, remedy);
	if (listener_is_trusted(str_text(&tcp), str_text(&tcp6), l, geteuid(), users, &stranger))
		return OK;
	return err_new(ERR_RETRY,
		"nothing was sent: on this machine uid %ju listens there, which is not a trusted user; %.300s",
		(uintmax_t)stranger, remedy);
}
