/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS (1.3, or 1.2) on sockets that are connected already, at either end, on the loop of
 * libuv. Both ends show a certificate.
 *
 *     tls_keys_new(loop, &files, &keys);
 *     struct tls *t = tls_start(loop, keys, fd, &role, 10000, shaken, ctx);
 *     ...                                shaken(ctx, NULL): tls_recv and tls_send do
 *     tls_close(t);
 *
 * When the files change, connections from then on have what is in them, and those that
 * are there live on. What is not usable is logged, and the old pair stays.
 *
 * An end does not talk before it knows who the other one is: shaken comes when the
 * certificate of the other end was signed by one of the authorities, is valid now, was
 * made for its role and has a name that is wanted; when not, or when time_ms is over,
 * with why. In TLS 1.3 a client that the server refuses hears so after its own shaken.
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
	const char *cert, *key; /* what we show */
	const char *ca;         /* authorities of the other end; no others are trusted */
	int64_t reload_ms;      /* how often they are looked at; 0: 5 s */
};

struct tls_keys;
/* ERR_DENIED, ERR_INVALID: a file cannot be read, or is not what it should be. */
struct err tls_keys_new(struct loop *l, const struct tls_files *files, struct tls_keys **out);
/* Connections may outlive it. Accepts NULL. */
void tls_keys_free(struct tls_keys *k);

/* It stays the caller's, and outlives the connection. */
struct tls_role {
	const char *protocol; /* of ALPN; both ends have to want it */
	/*
	 * Of a client: the name, or the IP address, that the server's certificate is for.
	 * NULL: this end is the server
	 */
	const char *server_name;
	/*
	 * Of a server: which clients may speak. One of them has to be the common name, a
	 * DNS name or a URI of the certificate, letter by letter
	 */
	const char *const *clients;
	size_t n_clients;
};

struct tls;
/* why: NULL, or one sentence why there is no connection. It may call tls_close. */
typedef void tls_shaken(void *ctx, const char *why);

/* fd is its own from now on; without blocking. Never fails: shaken tells. */
struct tls *tls_start(struct loop *uv_loop, struct tls_keys *k, int fd, const struct tls_role *role,
	int64_t time_ms, tls_shaken *shaken, void *ctx);
/* Of a client that was let in: its name among those of the role. */
const char *tls_client_name(const struct tls *t);
int tls_fd(const struct tls *t); /* to be watched, from shaken on */
/*
 * As recv and send without blocking: how many bytes, 0 at the end, TLS_AGAIN when the
 * socket has to be ready first, TLS_BROKEN when it is over. After TLS_AGAIN the same
 * bytes are to be sent again, and more may be behind them.
 */
enum { TLS_AGAIN = -1, TLS_BROKEN = -2 };
ssize_t tls_recv(struct tls *t, void *to, size_t most);
ssize_t tls_send(struct tls *t, const void *bytes, size_t n);
/* Bytes have come that the socket does not tell of any more. */
bool tls_has_more(const struct tls *t);
/* Why it is TLS_BROKEN. */
const char *tls_why(const struct tls *t);
/* Closes the socket, and tells the other end if it can at once; accepts NULL. */
void tls_close(struct tls *t);

#endif
