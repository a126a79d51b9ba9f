/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the token for slurmrestd from a file. */
#include "exporter/token.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "net/files.h"
#include "slurm/rest/token.h"

enum { TOKEN_BYTES = 16 << 10, RELOAD_MS = 5000 };

struct exporter_token {
	struct slurm *slurm;
	char *path;
	struct file_watch *watch;
};

struct err exporter_read_token(const char *path, struct str *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd;
	str_reserve(out, TOKEN_BYTES + 1);
	while (n >= 0 && out->len < TOKEN_BYTES &&
		(n = read(fd, out->text + out->len, TOKEN_BYTES - out->len)) > 0)
		out->len += (size_t)n;
	int error = errno;
	if (fd >= 0)
		close(fd);
	out->text[out->len] = '\0';
	out->text[strcspn(out->text, "\r\n")] = '\0'; /* without the line end */
	return n < 0 ? err_new(ERR_INVALID, "reading %s: %s", path, strerror(error)) : OK;
}

static struct err take_token(struct exporter_token *t)
{
	AUTO(str_wipe) struct str token = { 0 };
	AUTO(str_free) struct str why = { 0 };
	struct err e = exporter_read_token(t->path, &token);
	if (failed(e))
		return e;
	if (token_look(token.text, 0, &why) != TOKEN_FINE)
		return err_new(ERR_INVALID, "%s holds no token: %s", t->path,
			why.len ? str_text(&why)
				: "write the output of \"scontrol token\" into it");
	slurm_set_token(t->slurm, token.text);
	return OK;
}

static bool changed(void *ctx, bool again)
{
	struct exporter_token *t = ctx;
	struct err e = take_token(t);
	if (!failed(e))
		log_info("the token for slurmrestd is read again", "file", t->path);
	else if (!again)
		log_warn("the token for slurmrestd stays as it was", "why", e.text);
	return !failed(e);
}

struct err exporter_token_new(struct loop *l, struct slurm *slurm, const char *path,
	struct exporter_token **out)
{
	struct exporter_token *t = own_alloc(sizeof(*t));
	t->slurm = slurm;
	t->path = own_strdup(path);
	*out = t;
	struct err e = take_token(t);
	if (!failed(e))
		t->watch = file_watch_start(l, &path, 1, RELOAD_MS, changed, t);
	return failed(e) ? err_wrap(e, "--slurm-token-file") : OK;
}

void exporter_token_free(struct exporter_token *t)
{
	if (!t)
		return;
	file_watch_stop(t->watch);
	free(t->path);
	free(t);
}
