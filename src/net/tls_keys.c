/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and reloads certificates and keys from files. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "net/files.h"
#include "net/tls_parts.h"

enum { RELOAD_MS = 5000, FILES = 3 };

struct tls_keys {
	char *paths[FILES]; /* certificate, key, authorities */
	struct tls_credentials *now;
	struct file_watch *watch;
};

static const char *const what_of[FILES] = { "certificate", "key", "file of authorities" };

struct texts {
	gnutls_datum_t of[FILES];
};

/* ---- credentials ---- */

struct tls_credentials *tls_keys_now(struct tls_keys *k)
{
	k->now->users++;
	return k->now;
}

void tls_credentials_leave(struct tls_credentials *c)
{
	if (!c || --c->users)
		return;
	if (c->certs)
		gnutls_certificate_free_credentials(c->certs);
	free(c);
}

static void leave_at(struct tls_credentials **c) { tls_credentials_leave(*c); }

/* ---- reading ---- */

static void texts_free(struct texts *t)
{
	for (size_t i = 0; i < FILES; i++) {
		if (t->of[i].data)
			gnutls_memset(t->of[i].data, 0, t->of[i].size);
		gnutls_free(t->of[i].data);
	}
}

static struct err read_one(const char *what, const char *path, gnutls_datum_t *out)
{
	errno = 0;
	int code = gnutls_load_file(path, out);
	if (code >= 0)
		return OK;
	*out = (gnutls_datum_t){ 0 };
	return err_new(errno == EACCES ? ERR_DENIED : ERR_INVALID, "the %s %s cannot be read: %s",
		what, path, errno ? strerror(errno) : gnutls_strerror(code));
}

static struct err not_usable(const char *what, const char *path, int code)
{
	return err_new(ERR_INVALID, "the %s %s is not usable: %s", what, path,
		code ? gnutls_strerror(code) : "there is no certificate in it");
}

/*
 * Loads the certificate and the key. GnuTLS parses both together, so the error names
 * both.
 */
static struct err take_pair(const struct tls_keys *k, const struct texts *t,
	gnutls_certificate_credentials_t certs)
{
	int code = gnutls_certificate_set_x509_key_mem2(certs, &t->of[0], &t->of[1],
		GNUTLS_X509_FMT_PEM, NULL, 0);
	if (code >= 0)
		return OK;
	if (code == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
		return err_new(ERR_INVALID, "the key %s is not that of the certificate %s",
			k->paths[1], k->paths[0]);
	return err_new(ERR_INVALID, "the certificate %s with the key %s is not usable: %s",
		k->paths[0], k->paths[1], gnutls_strerror(code));
}

static struct err load(struct tls_keys *k)
{
	struct texts t AUTO(texts_free) = { 0 };
	AUTO(leave_at) struct tls_credentials *c = own_alloc(sizeof(*c));
	struct err e = OK;
	c->users = 1;
	for (size_t i = 0; i < FILES && !failed(e); i++)
		e = read_one(what_of[i], k->paths[i], &t.of[i]);
	if (failed(e))
		return e;
	if (gnutls_certificate_allocate_credentials(&c->certs) < 0)
		abort(); /* out of memory, as in own_alloc */
	e = take_pair(k, &t, c->certs);
	if (failed(e))
		return e;
	int code = gnutls_certificate_set_x509_trust_mem(c->certs, &t.of[2], GNUTLS_X509_FMT_PEM);
	if (code <= 0)
		return not_usable(what_of[2], k->paths[2], code);
	tls_credentials_leave(k->now);
	k->now = TAKE(c);
	return OK;
}

static bool changed(void *keys, bool again)
{
	struct tls_keys *k = keys;
	struct err e = load(k);
	if (failed(e) && !again)
		log_warn("the new certificates are not usable: the old ones stay", "error", e.text);
	if (!failed(e))
		log_info("there are new certificates", "file", k->paths[0]);
	return !failed(e);
}

/* ---- lifecycle ---- */

struct err tls_keys_new(struct loop *l, const struct tls_files *files, struct tls_keys **out)
{
	const char *const paths[FILES] = { files->cert, files->key, files->ca };
	struct tls_keys *k = own_alloc(sizeof(*k));
	for (size_t i = 0; i < FILES; i++)
		k->paths[i] = own_strdup(paths[i]);
	/* Watch the files before reading them, so that a change meanwhile is detected. */
	k->watch = file_watch_start(l, paths, FILES,
		files->reload_ms ? files->reload_ms : RELOAD_MS, changed, k);
	struct err e = load(k);
	if (failed(e))
		tls_keys_free(k);
	else
		*out = k;
	return e;
}

void tls_keys_free(struct tls_keys *k)
{
	if (!k)
		return;
	file_watch_stop(k->watch);
	tls_credentials_leave(k->now);
	for (size_t i = 0; i < FILES; i++)
		free(k->paths[i]);
	free(k);
}
