/* SPDX-License-Identifier: Apache-2.0 */
/* The way to slurmrestd. */
#include "redbox/rest.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "net/files.h"
#include "net/http.h"
#include "net/x509.h"
#include "slurm/token.h"

enum {
	REQUESTS = 16, /* at a time */
	TOKEN_BYTES = 16 << 10,
	CA_BYTES = 1 << 20,
	RELOAD_MS = 5000,
};

struct rest {
	struct loop *loop;
	struct slurm *slurm;
	char *token_file; /* NULL: none is shown */
	struct file_watch *watch;
};

/* ---- what is configured ---- */

void redbox_rest_override(struct redbox_config *c, const struct redbox_rest_flags *f)
{
	if (f->url)
		c->rest.url = f->url;
	if (f->token_file)
		c->rest.token_file = f->token_file;
	if (f->ca_file)
		c->rest.ca_file = f->ca_file;
}

static struct err check_url(const char *url, enum http_way *way)
{
	struct err e = http_curl_look(url, way);
	if (failed(e))
		return err_wrap(e, "slurmrestd");
	if (*way != HTTP_IN_PLAIN_TEXT)
		return OK;
	return err_new(ERR_INVALID,
		"slurmrestd: to \"%.200s\" the token would go over a network in plain text: "
		"unix:/PATH, https://HOST:PORT or an address of this machine itself, such as "
		"http://127.0.0.1:6820, is wanted",
		url);
}

static struct err check_path(const char *key, const char *path)
{
	if (!path || *path == '/')
		return OK;
	return err_new(ERR_INVALID, "%s: \"%s\" should be an absolute path, it begins with /", key,
		path);
}

static struct err check_token_file(const char *path, enum http_way way)
{
	if (!path && way != HTTP_BY_SOCKET)
		return err_new(ERR_INVALID,
			"slurmrestd: by http:// and https:// it knows us by a token only: name its "
			"slurmrestd_token_file");
	if (!path && geteuid() == 0)
		return err_new(ERR_INVALID,
			"slurmrestd: it would not take red-box for root without a token: name "
			"its slurmrestd_token_file");
	return check_path("slurmrestd_token_file", path);
}

static struct err check_ca_file(const char *path, enum http_way way)
{
	if (path && way != HTTP_BY_TLS)
		return err_new(ERR_INVALID,
			"slurmrestd_ca_file is given, and slurmrestd shows no certificate: it does "
			"by https:// only");
	return check_path("slurmrestd_ca_file", path);
}

struct err redbox_rest_check(const struct redbox_rest *r)
{
	const char *given = r->token_file ? "slurmrestd_token_file"
		: r->ca_file              ? "slurmrestd_ca_file"
					  : NULL;
	enum http_way way;
	if (!r->url && given)
		return err_new(ERR_INVALID, "%s is given and slurmrestd is not: where is it?",
			given);
	if (!r->url)
		return OK;
	struct err e = check_url(r->url, &way);
	if (!failed(e))
		e = check_token_file(r->token_file, way);
	return failed(e) ? e : check_ca_file(r->ca_file, way);
}

/* ---- files ---- */

/* All of one; what it has stays in one place, and may be wiped. key: who names it. */
static struct err read_file(const char *key, const char *path, size_t most, struct str *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd;
	str_reserve(out, most + 1);
	while (n >= 0 && out->len <= most &&
		(n = read(fd, out->text + out->len, most + 1 - out->len)) > 0)
		out->len += (size_t)n;
	int error = errno;
	if (fd >= 0)
		close(fd);
	out->text[out->len] = '\0';
	if (n < 0)
		return err_new(ERR_INVALID, "%s: reading %s: %s", key, path, strerror(error));
	if (out->len > most)
		return err_new(ERR_INVALID, "%s: %s has more than %zu bytes", key, path, most);
	return OK;
}

/* ---- the token ---- */

static struct err check_token(const char *path, const char *token)
{
	AUTO(str_free) struct str why = { 0 };
	enum token_flaw flaw = token_look(token, 0, &why);
	if (flaw == TOKEN_FINE)
		return OK;
	return err_new(ERR_INVALID, "slurmrestd_token_file: what %s has is no token: %s", path,
		why.len ? str_text(&why)
			: "write there what \"scontrol token\" gives, without "
			  "SLURM_JWT=");
}

static struct err take_token(struct rest *r)
{
	AUTO(str_wipe) struct str token = { 0 };
	struct err e = read_file("slurmrestd_token_file", r->token_file, TOKEN_BYTES, &token);
	token.text[strcspn(token.text, "\r\n")] = '\0'; /* the line end behind it */
	if (!failed(e))
		e = check_token(r->token_file, token.text);
	if (!failed(e))
		slurm_set_token(r->slurm, token.text);
	return e;
}

static bool token_changed(void *ctx, bool again)
{
	struct rest *r = ctx;
	struct err e = take_token(r);
	if (!failed(e))
		log_info("the token for slurmrestd is read again", "file", r->token_file);
	else if (!again)
		log_warn("the token for slurmrestd stays as it was", "why", e.text);
	return !failed(e);
}

/* It works all the same, but whoever has the token is this account. */
static void look_at_mode(const char *path)
{
	struct stat st;
	if (stat(path, &st) == 0 && st.st_mode & S_IROTH)
		log_warn("everybody on this machine may read the token for slurmrestd", "file",
			path, "remedy", "make it the account's, with mode 0400");
}

static struct err begin_token(struct rest *r, int64_t reload_ms)
{
	const char *path = r->token_file;
	struct err e = take_token(r);
	if (failed(e))
		return e;
	look_at_mode(path);
	r->watch = file_watch_start(r->loop, &path, 1, reload_ms ? reload_ms : RELOAD_MS,
		token_changed, r);
	return OK;
}

/* ---- its life ---- */

/* There are some, and each can be read. */
static struct err check_authorities(const char *text)
{
	struct x509_facts facts;
	struct err e = x509_read(text, &facts);
	for (char *one; !failed(e) && (one = x509_next(&text)); free(one))
		e = x509_read(one, &facts);
	return e;
}

static struct err read_authorities(const char *path, struct str *out)
{
	struct err e = read_file("slurmrestd_ca_file", path, CA_BYTES, out);
	if (!failed(e))
		e = err_wrap(check_authorities(str_text(out)), "slurmrestd_ca_file: %s", path);
	return e;
}

static struct err open_http(struct loop *l, const struct redbox_rest *r, struct http **out)
{
	AUTO(str_free) struct str ca = { 0 };
	struct err e = r->ca_file ? read_authorities(r->ca_file, &ca) : OK;
	const struct http_config config = {
		.base_url = r->url,
		.ca_pem = r->ca_file ? str_text(&ca) : NULL,
		.no_proxy = true, /* it would see whom we ask */
		.max_in_flight = REQUESTS,
		.user_agent = "red-box",
	};
	return failed(e) ? e : err_wrap(http_curl_new(l, &config, out), "slurmrestd");
}

struct err rest_open(struct loop *l, const struct redbox_rest *config, struct rest **out)
{
	const struct passwd *self = getpwuid(geteuid());
	struct http *http;
	*out = NULL;
	if (!config->url)
		return OK;
	if (!self)
		return err_new(ERR_INVALID,
			"slurmrestd: the account has no name, by which slurmrestd would know it");
	struct err e = open_http(l, config, &http);
	if (failed(e))
		return e;
	struct rest *r = own_alloc(sizeof(*r));
	*r = (struct rest){ .loop = l, .slurm = slurm_new(l, http, NULL) };
	r->token_file = own_strdup(config->token_file);
	slurm_speaks_for(r->slurm, self->pw_name, !r->token_file);
	if (r->token_file)
		e = begin_token(r, config->reload_ms);
	if (failed(e))
		rest_free(r);
	else
		*out = r;
	return e;
}

struct slurm *rest_slurm(const struct rest *r) { return r ? r->slurm : NULL; }

void rest_free(struct rest *r)
{
	if (!r)
		return;
	file_watch_stop(r->watch);
	slurm_free(r->slurm);
	free(r->token_file);
	free(r);
}
