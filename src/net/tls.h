/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS (1.3, or 1.2) on connected sockets, for clients and servers, on the loop of libuv.
 * Both ends present a certificate.
 *
 *     tls_keys_new(loop, &files, &keys);
 *     struct tls *t = tls_start(loop, keys, fd, &role, 10000, shaken, ctx);
 *     ...                                shaken(ctx, NULL): tls_recv and tls_send work
 *     tls_close(t);
 *
 * When the files change, new connections use their new contents, and open connections
 * continue. Unusable contents are logged, and the old pair stays.
 *
 * An end sends no data before it has authenticated its peer. shaken reports success when
 * the peer's certificate was signed by one of the authorities, is valid now, was issued
 * for the peer's role and has an allowed name. Otherwise, or after time_ms, shaken
 * reports why. In TLS 1.3 a client learns only after its own shaken that the server
 * refuses it.
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "net/loop.h"

/* PEM files; copied. */
struct tls_files {
	const char *cert, *key; /* our certificate */
	const char *ca;         /* the trusted authorities for peers */
	int64_t reload_ms;      /* interval of checks; 0: 5 s */
};

struct tls_keys;
/* ERR_DENIED, ERR_INVALID: a file cannot be read, or is not usable. */
struct err tls_keys_new(struct loop *l, const struct tls_files *files, struct tls_keys **out);
/* Connections may outlive the keys. Accepts NULL. */
void tls_keys_free(struct tls_keys *k);

/* The role of our end. The caller owns it, and it must outlive the connection. */
struct tls_role {
	const char *protocol; /* of ALPN; both ends must offer it */
	/*
	 * For a client: the name, or the IP address, in the server's certificate. NULL:
	 * this end is the server
	 */
	const char *server_name;
	/*
	 * For a server: the allowed clients. The common name, a DNS name or a URI of the
	 * certificate must equal one of them exactly
	 */
	const char *const *clients;
	size_t n_clients;
};

struct tls;
/*
 * why: NULL, or one sentence why there is no connection. The callback may call tls_close.
 */
typedef void tls_shaken(void *ctx, const char *why);

/*
 * Starts a handshake on a non-blocking socket, which the connection then owns. Never
 * fails: shaken reports errors.
 */
struct tls *tls_start(struct loop *uv_loop, struct tls_keys *k, int fd, const struct tls_role *role,
	int64_t time_ms, tls_shaken *shaken, void *ctx);
/* The name of an accepted client, as listed in the role. */
const char *tls_client_name(const struct tls *t);
int tls_fd(const struct tls *t); /* for fd_watch_start; valid from shaken on */
/*
 * Like non-blocking recv and send: return the number of bytes, 0 at the end, TLS_AGAIN
 * when the socket is not ready, TLS_BROKEN when the connection is broken. After TLS_AGAIN
 * send the same bytes again, maybe followed by more.
 */
enum { TLS_AGAIN = -1, TLS_BROKEN = -2 };
ssize_t tls_recv(struct tls *t, void *to, size_t most);
ssize_t tls_send(struct tls *t, const void *bytes, size_t n);
/*
 * Whether received bytes are buffered. The socket is not readable because of these bytes.
 */
bool tls_has_more(const struct tls *t);
/* The cause of TLS_BROKEN. */
const char *tls_why(const struct tls *t);
/* Closes the socket, and notifies the peer if that is possible at once; accepts NULL. */
void tls_close(struct tls *t);

#endif
