/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate and key of the server. Each handshake parses its own copy of the texts,
 * so that a reload does not disturb open connections.
 */
#include "net/server_parts.h"

#include <errno.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "net/files.h"

enum { CHAIN = 16, KEY_ID_BYTES = 64 };

struct texts {
	gnutls_datum_t cert, key, client_ca;
};

struct tls_pair {
	char *cert_file, *key_file, *client_ca_file;
	struct texts texts;
	gnutls_x509_trust_list_t clients; /* trusted authorities; NULL: no check */
	bool client_optional;             /* clients without a certificate are accepted */
	struct file_watch *watch;
	void (*pair_changed)(void *ctx);
	void *ctx;
};

/* The pair as parsed by GnuTLS, in its memory. */
struct parsed {
	gnutls_pcert_st *chain;
	unsigned n;
	gnutls_privkey_t key;
};

/*
 * The pair of the server that runs now. It is global because libmicrohttpd passes no
 * context to the callback of GnuTLS.
 */
static _Thread_local const struct tls_pair *in_use;

void pair_use(const struct tls_pair *t) { in_use = t; }

/* ---- parsing ---- */

static void parsed_free(struct parsed *p)
{
	for (unsigned i = 0; i < p->n; i++)
		gnutls_pcert_deinit(&p->chain[i]);
	gnutls_free(p->chain);
	if (p->key)
		gnutls_privkey_deinit(p->key);
	*p = (struct parsed){ 0 };
}

/* Parses the texts. After an error, *what names the unusable text. */
static int parse(const struct texts *t, struct parsed *p, const char **what)
{
	unsigned n = CHAIN;
	int code;
	*p = (struct parsed){ .chain = gnutls_calloc(CHAIN, sizeof(*p->chain)) };
	*what = "certificate";
	code = p->chain
		? gnutls_pcert_list_import_x509_raw(p->chain, &n, &t->cert, GNUTLS_X509_FMT_PEM, 0)
		: GNUTLS_E_MEMORY_ERROR;
	if (code >= 0) {
		p->n = n;
		*what = "key";
		code = gnutls_privkey_init(&p->key);
	}
	if (code >= 0)
		code = gnutls_privkey_import_x509_raw(p->key, &t->key, GNUTLS_X509_FMT_PEM, NULL,
			0);
	if (code < 0)
		parsed_free(p);
	return code;
}

static bool belong_together(const struct parsed *p)
{
	unsigned char ids[2][KEY_ID_BYTES];
	size_t n[2] = { KEY_ID_BYTES, KEY_ID_BYTES };
	gnutls_pubkey_t of_key;
	if (gnutls_pubkey_init(&of_key) < 0)
		return false;
	bool same = gnutls_pubkey_import_privkey(of_key, p->key, 0, 0) >= 0 &&
		gnutls_pubkey_get_key_id(of_key, 0, ids[0], &n[0]) >= 0 &&
		gnutls_pubkey_get_key_id(p->chain[0].pubkey, 0, ids[1], &n[1]) >= 0 &&
		n[0] == n[1] && memcmp(ids[0], ids[1], n[0]) == 0;
	gnutls_pubkey_deinit(of_key);
	return same;
}

/* ---- files ---- */

static void texts_free(struct texts *t)
{
	if (t->key.data)
		gnutls_memset(t->key.data, 0, t->key.size);
	gnutls_free(t->cert.data);
	gnutls_free(t->client_ca.data);
	gnutls_free(t->key.data);
	*t = (struct texts){ 0 };
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

static const char *name_of(const char *file) { return file ? file : "that was given"; }

static struct err check(const struct tls_pair *t, const struct texts *texts)
{
	struct parsed p AUTO(parsed_free) = { 0 };
	const char *what;
	int code = parse(texts, &p, &what);
	if (code < 0)
		return err_new(ERR_INVALID, "the %s %s is not usable: %s", what,
			name_of(str_eq(what, "key") ? t->key_file : t->cert_file),
			gnutls_strerror(code));
	if (!belong_together(&p))
		return err_new(ERR_INVALID, "the key %s is not that of the certificate %s",
			name_of(t->key_file), name_of(t->cert_file));
	return OK;
}

static void clients_free(gnutls_x509_trust_list_t *list)
{
	if (*list)
		gnutls_x509_trust_list_deinit(*list, 1);
	*list = NULL;
}

static struct err read_clients(const struct tls_pair *t, const struct texts *texts,
	gnutls_x509_trust_list_t *out)
{
	if (!t->client_ca_file)
		return OK;
	int code = gnutls_x509_trust_list_init(out, 0);
	if (code >= 0)
		code = gnutls_x509_trust_list_add_trust_mem(*out, &texts->client_ca, NULL,
			GNUTLS_X509_FMT_PEM, 0, 0);
	if (code > 0)
		return OK;
	return err_new(ERR_INVALID, "the authorities %s are not usable: %s", t->client_ca_file,
		code ? gnutls_strerror(code) : "there is no certificate in it");
}

static struct err read_texts(const struct tls_pair *t, struct texts *out)
{
	struct err e = OK;
	if (t->cert_file)
		e = read_one("certificate", t->cert_file, &out->cert);
	if (!failed(e) && t->cert_file)
		e = read_one("key", t->key_file, &out->key);
	if (!failed(e) && t->client_ca_file)
		e = read_one("file of authorities", t->client_ca_file, &out->client_ca);
	return failed(e) || !t->cert_file ? e : check(t, out);
}

static struct err load(struct tls_pair *t)
{
	struct texts texts AUTO(texts_free) = { 0 };
	gnutls_x509_trust_list_t clients AUTO(clients_free) = NULL;
	struct err e = read_texts(t, &texts);
	if (!failed(e))
		e = read_clients(t, &texts, &clients);
	if (failed(e))
		return e;
	clients_free(&t->clients);
	t->clients = TAKE(clients);
	if (t->cert_file) {
		texts_free(&t->texts);
		t->texts = texts;
		texts = (struct texts){ 0 };
	}
	return OK;
}

static gnutls_datum_t copied(const char *pem)
{
	size_t n = strlen(pem);
	unsigned char *data = gnutls_malloc(n + 1);
	if (!data)
		abort(); /* out of memory */
	memcpy(data, pem, n + 1);
	return (gnutls_datum_t){ data, (unsigned)n };
}

struct err pair_take(struct tls_pair *t, const char *cert_pem, const char *key_pem)
{
	struct texts texts AUTO(texts_free) = { .cert = copied(cert_pem), .key = copied(key_pem) };
	struct err e = check(t, &texts);
	if (failed(e))
		return e;
	texts_free(&t->texts);
	t->texts = texts;
	texts = (struct texts){ 0 };
	return OK;
}

const char *pair_cert(const struct tls_pair *t) { return (const char *)t->texts.cert.data; }

static bool changed(void *pair, bool again)
{
	struct tls_pair *t = pair;
	struct err e = load(t);
	if (failed(e) && !again)
		log_warn("the new certificate of the server is not usable: the old one stays",
			"error", e.text);
	if (!failed(e))
		log_info("the server has new certificates", "file",
			t->cert_file ? t->cert_file : t->client_ca_file);
	if (!failed(e) && t->pair_changed)
		t->pair_changed(t->ctx);
	return !failed(e);
}

/* ---- handshakes ---- */

/* Returns 0 for a trusted client. */
static int verify_client(gnutls_session_t session)
{
	if (in_use && client_is_trusted(session, in_use->clients))
		return 0;
	gnutls_alert_send(session, GNUTLS_AL_FATAL,
		client_shows_one(session) ? GNUTLS_A_BAD_CERTIFICATE
					  : GNUTLS_A_CERTIFICATE_REQUIRED);
	return -1;
}

static int give_pair(gnutls_session_t session, const struct gnutls_cert_retr_st *wanted,
	gnutls_pcert_st **chain, unsigned *n, gnutls_ocsp_data_st **ocsp, unsigned *n_ocsp,
	gnutls_privkey_t *key, unsigned *flags)
{
	struct parsed p;
	const char *what;
	(void)wanted;
	if (!in_use || parse(&in_use->texts, &p, &what) < 0)
		return -1;
	if (in_use->clients) {
		gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
		if (!in_use->client_optional)
			gnutls_session_set_verify_function(session, verify_client);
	}
	*chain = p.chain;
	*n = p.n;
	*key = p.key;
	*ocsp = NULL;
	*n_ocsp = 0;
	*flags = GNUTLS_CERT_RETR_DEINIT_ALL; /* the session frees the copy */
	return 0;
}

gnutls_x509_trust_list_t pair_clients(const struct tls_pair *t) { return t->clients; }

const struct MHD_OptionItem *pair_options(void)
{
	static const struct MHD_OptionItem options[] = {
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
			(void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)give_pair },
		{ MHD_OPTION_END, 0, NULL },
	};
	return options;
}

struct err pair_open(struct loop *l, const struct http_server_config *config, struct tls_pair **out)
{
	struct tls_pair *t = own_alloc(sizeof(*t));
	t->cert_file = own_strdup(config->cert_file);
	t->key_file = own_strdup(config->cert_file ? config->key_file : NULL);
	t->client_ca_file = own_strdup(config->client_ca_file);
	t->client_optional = config->client_optional;
	t->pair_changed = config->cert_file ? config->pair_changed : NULL;
	t->ctx = config->ctx;
	const char *files[3];
	size_t n = 0;
	if (t->cert_file) {
		files[n++] = t->cert_file;
		files[n++] = t->key_file;
	}
	if (t->client_ca_file)
		files[n++] = t->client_ca_file;
	if (n)
		t->watch = file_watch_start(l, files, n,
			config->reload_ms ? config->reload_ms : SERVER_RELOAD_MS, changed, t);
	struct err e = load(t);
	if (failed(e))
		pair_close(t);
	else
		*out = t;
	return e;
}

void pair_close(struct tls_pair *t)
{
	if (!t)
		return;
	file_watch_stop(t->watch);
	texts_free(&t->texts);
	free(t->cert_file);
	free(t->key_file);
	free(t->client_ca_file);
	clients_free(&t->clients);
	free(t);
}
