/* SPDX-License-Identifier: Apache-2.0 */
/* TLS on sockets by GnuTLS: the handshake, then the bytes. */
#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/fd.h"
#include "net/tls_parts.h"

enum { LINGER_MS = 1000 };

struct tls {
	struct loop *loop;
	int fd;
	const struct tls_role *role;
	struct tls_credentials *credentials;
	gnutls_session_t session; /* NULL: the session could not begin */
	struct fd_watch *watch;   /* until the end of the handshake */
	int watched;
	struct timer *late;
	tls_shaken *shaken;
	void *ctx;
	const char *client;               /* the matching name of the role */
	gnutls_alert_description_t alert; /* our reason to refuse; 0: none */
	bool known;                       /* the peer is authenticated and allowed */
	bool open;                        /* bytes may be sent and received */
	bool lingers;                     /* a refused client may not have read the alert yet */
	char why[200];
};

static bool is_server(const struct tls *t) { return !t->role->server_name; }

static void give_why(struct tls *t, const char *why)
{
	if (!t->why[0])
		snprintf(t->why, sizeof(t->why), "%s", why);
}

/* Sets why from a GnuTLS error, or from the alert of the peer. */
static void give_code(struct tls *t, int code)
{
	char text[120];
	if (code != GNUTLS_E_FATAL_ALERT_RECEIVED) {
		give_why(t, gnutls_strerror(code));
		return;
	}
	const char *alert = gnutls_alert_get_name(gnutls_alert_get(t->session));
	snprintf(text, sizeof(text), "the peer refuses: %s", alert ? alert : "no reason");
	give_why(t, text);
}

/* ---- authentication of the peer ---- */

static const struct {
	unsigned status;
	gnutls_alert_description_t alert;
	const char *what;
} faults[] = {
	{ GNUTLS_CERT_SIGNER_NOT_FOUND, GNUTLS_A_UNKNOWN_CA, "none of our authorities signed it" },
	{ GNUTLS_CERT_EXPIRED, GNUTLS_A_CERTIFICATE_EXPIRED, "it has expired" },
	{ GNUTLS_CERT_NOT_ACTIVATED, GNUTLS_A_BAD_CERTIFICATE, "it is not valid yet" },
	{ GNUTLS_CERT_PURPOSE_MISMATCH, GNUTLS_A_BAD_CERTIFICATE, "it was made for another use" },
	{ GNUTLS_CERT_UNEXPECTED_OWNER, GNUTLS_A_BAD_CERTIFICATE, "it is for another name" },
};

static int refuse(struct tls *t, gnutls_alert_description_t alert, const char *what)
{
	char text[200];
	snprintf(text, sizeof(text), "the certificate of the peer is not accepted: %s", what);
	give_why(t, text);
	t->alert = alert;
	return -1;
}

static int refuse_status(struct tls *t, unsigned status)
{
	for (size_t i = 0; i < LENGTH(faults); i++)
		if (status & faults[i].status)
			return refuse(t, faults[i].alert, faults[i].what);
	return refuse(t, GNUTLS_A_BAD_CERTIFICATE,
		"its certificate was rejected for another reason");
}

/* Returns 0 if the role allows the client. */
static int find_client(struct tls *t)
{
	struct arena arena AUTO(arena_free) = { 0 };
	struct tls_names names = { 0 };
	unsigned n = 0;
	const gnutls_datum_t *certs = gnutls_certificate_get_peers(t->session, &n);
	if (!certs || !n || failed(tls_read_names(certs[0].data, certs[0].size, &arena, &names)))
		return refuse(t, GNUTLS_A_BAD_CERTIFICATE, "its names cannot be read");
	for (size_t i = 0; i < names.n; i++)
		for (size_t k = 0; k < t->role->n_clients; k++)
			if (str_eq(names.rows[i], t->role->clients[k])) {
				t->client = t->role->clients[k];
				return 0;
			}
	AUTO(str_free) struct str text = { 0 };
	str_add(&text, "it names no allowed client, but ");
	str_add_foreign(&text, names.n ? names.rows[0] : "nobody", 80);
	return refuse(t, GNUTLS_A_ACCESS_DENIED, str_text(&text));
}

static int verify(gnutls_session_t session)
{
	struct tls *t = gnutls_session_get_ptr(session);
	gnutls_typed_vdata_st wanted[] = {
		{ .type = GNUTLS_DT_KEY_PURPOSE_OID,
			.data = (void *)(uintptr_t)(is_server(t) ? GNUTLS_KP_TLS_WWW_CLIENT
								 : GNUTLS_KP_TLS_WWW_SERVER) },
		{ .type = GNUTLS_DT_DNS_HOSTNAME, .data = (void *)(uintptr_t)t->role->server_name },
	};
	unsigned status = 0;
	int code = gnutls_certificate_verify_peers(session, wanted, is_server(t) ? 1 : 2, &status);
	if (code < 0)
		return refuse(t, GNUTLS_A_BAD_CERTIFICATE, gnutls_strerror(code));
	if (status)
		return refuse_status(t, status);
	if (is_server(t) && find_client(t) != 0)
		return -1;
	t->known = true;
	return 0;
}

/* ---- the handshake ---- */

static bool speaks_our_protocol(const struct tls *t)
{
	gnutls_datum_t chosen;
	return gnutls_alpn_get_selected_protocol(t->session, &chosen) == 0 &&
		chosen.size == strlen(t->role->protocol) &&
		memcmp(chosen.data, t->role->protocol, chosen.size) == 0;
}

static void end_handshake(struct tls *t, bool well)
{
	fd_watch_stop(TAKE(t->watch));
	timer_stop(t->loop, TAKE(t->late));
	t->open = well;
	t->shaken(t->ctx, well ? NULL : t->why); /* shaken may have freed t */
}

static void ready(void *tls, int events);

static void watch(struct tls *t, int wanted)
{
	if (t->watch && t->watched == wanted)
		return;
	fd_watch_stop(TAKE(t->watch));
	t->watched = wanted;
	if (!failed(fd_watch_start(t->loop, t->fd, wanted, ready, t, &t->watch)))
		return;
	give_why(t, "descriptors ran out");
	end_handshake(t, false);
}

static void late(void *tls)
{
	struct tls *t = tls;
	t->late = NULL;
	give_why(t, "the handshake took too long");
	end_handshake(t, false);
}

/*
 * Delays the close after an alert: closing with unread bytes resets the connection, and
 * the client could lose the alert. So received bytes are dropped until the client closes,
 * or for LINGER_MS.
 */
static void linger(struct tls *t)
{
	t->lingers = true;
	shutdown(t->fd, SHUT_WR);
	timer_stop(t->loop, t->late);
	t->late = timer_start(t->loop, LINGER_MS, late, t);
	watch(t, FD_READABLE);
}

static void throw_away(struct tls *t)
{
	char bytes[4096];
	ssize_t n = recv(t->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end_handshake(t, false);
}

static void fail_handshake(struct tls *t, int code)
{
	give_code(t, code);
	if (t->alert)
		gnutls_alert_send(t->session, GNUTLS_AL_FATAL, t->alert);
	else
		gnutls_alert_send_appropriate(t->session, code);
	if (is_server(t))
		linger(t);
	else
		end_handshake(t, false);
}

/* Continues the handshake as far as the socket allows. */
static void shake(struct tls *t)
{
	int code = gnutls_handshake(t->session);
	if (code == GNUTLS_E_SUCCESS && t->known && speaks_our_protocol(t)) {
		end_handshake(t, true);
	} else if (code == GNUTLS_E_SUCCESS && !t->known) {
		fail_handshake(t, GNUTLS_E_CERTIFICATE_REQUIRED);
	} else if (code == GNUTLS_E_SUCCESS) {
		t->alert = GNUTLS_A_NO_APPLICATION_PROTOCOL;
		fail_handshake(t, GNUTLS_E_NO_APPLICATION_PROTOCOL);
	} else if (gnutls_error_is_fatal(code)) {
		fail_handshake(t, code);
	} else {
		watch(t, gnutls_record_get_direction(t->session) ? FD_WRITABLE : FD_READABLE);
	}
}

static void ready(void *tls, int events)
{
	struct tls *t = tls;
	(void)events;
	if (t->lingers)
		throw_away(t);
	else
		shake(t);
}

/* Reports an error of tls_start on the next turn. */
static void first_turn(void *tls)
{
	struct tls *t = tls;
	t->late = NULL;
	end_handshake(t, false);
}

static bool is_address(const char *name)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/* Sets the session up, without tickets: each connection must present its certificate. */
static int begin(struct tls *t)
{
	const char *name = t->role->server_name;
	gnutls_datum_t protocol = { (unsigned char *)(uintptr_t)t->role->protocol,
		(unsigned)strlen(t->role->protocol) };
	int code = gnutls_init(&t->session,
		(is_server(t) ? GNUTLS_SERVER : GNUTLS_CLIENT) | GNUTLS_NONBLOCK |
			GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS);
	if (code >= 0)
		code = gnutls_priority_set_direct(t->session,
			"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", NULL);
	if (code >= 0)
		code = gnutls_credentials_set(t->session, GNUTLS_CRD_CERTIFICATE,
			t->credentials->certs);
	if (code >= 0)
		code = gnutls_alpn_set_protocols(t->session, &protocol, 1, GNUTLS_ALPN_MANDATORY);
	if (code >= 0 && name && !is_address(name))
		code = gnutls_server_name_set(t->session, GNUTLS_NAME_DNS, name, strlen(name));
	if (code < 0)
		return code;
	gnutls_session_set_ptr(t->session, t);
	gnutls_session_set_verify_function(t->session, verify);
	gnutls_certificate_server_set_request(t->session, GNUTLS_CERT_REQUIRE);
	/*
	 * Do not send our list of authorities. With the list, a client with another
	 * certificate would not present it, and would not learn why it is refused.
	 */
	gnutls_certificate_send_x509_rdn_sequence(t->session, 1);
	gnutls_transport_set_int(t->session, t->fd);
	return 0;
}

struct tls *tls_start(struct loop *uv_loop, struct tls_keys *k, int fd, const struct tls_role *role,
	int64_t time_ms, tls_shaken *shaken, void *ctx)
{
	struct tls *t = own_alloc(sizeof(*t));
	t->loop = uv_loop;
	t->fd = fd;
	t->role = role;
	t->credentials = tls_keys_now(k);
	t->shaken = shaken;
	t->ctx = ctx;
	int code = begin(t);
	/* A client writes in the first turn; a server reads. */
	if (code < 0)
		give_why(t, gnutls_strerror(code));
	else if (failed(fd_watch_start(uv_loop, fd, is_server(t) ? FD_READABLE : FD_WRITABLE, ready,
			 t, &t->watch)))
		give_why(t, "descriptors ran out");
	t->watched = is_server(t) ? FD_READABLE : FD_WRITABLE;
	t->late = t->why[0] ? timer_start(uv_loop, 0, first_turn, t)
			    : timer_start(uv_loop, time_ms, late, t);
	return t;
}

/* ---- sending and receiving ---- */

const char *tls_client_name(const struct tls *t) { return t->client; }
int tls_fd(const struct tls *t) { return t->fd; }
const char *tls_why(const struct tls *t) { return t->why; }

static ssize_t outcome(struct tls *t, ssize_t n)
{
	if (n >= 0)
		return n;
	/*
	 * A TLS 1.2 peer may request another handshake, maybe with another certificate.
	 * Such a request is fatal, too.
	 */
	if (n != GNUTLS_E_REHANDSHAKE && !gnutls_error_is_fatal((int)n))
		return TLS_AGAIN;
	give_code(t, (int)n);
	t->open = false;
	return TLS_BROKEN;
}

ssize_t tls_recv(struct tls *t, void *to, size_t most)
{
	return outcome(t, gnutls_record_recv(t->session, to, most));
}

ssize_t tls_send(struct tls *t, const void *bytes, size_t n)
{
	return outcome(t, gnutls_record_send(t->session, bytes, n));
}

bool tls_has_more(const struct tls *t) { return gnutls_record_check_pending(t->session) > 0; }

void tls_close(struct tls *t)
{
	if (!t)
		return;
	fd_watch_stop(t->watch);
	timer_stop(t->loop, t->late);
	if (t->open)
		gnutls_bye(t->session, GNUTLS_SHUT_WR);
	if (t->session)
		gnutls_deinit(t->session);
	tls_credentials_leave(t->credentials);
	close(t->fd);
	free(t);
}
