/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer on 127.0.0.1 that reads one request of each connection and answers it with given
 * bytes; in a thread of its own. For what is below struct http: above it, fake_http.h is
 * simpler.
 *
 *     struct peer peer;
 *     peer_start(&peer, NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
 *     ... a request to 127.0.0.1, peer.port ...
 *     peer_stop(&peer);
 *
 * A body that breaks off is an answer with a longer Content-Length; what other members
 * change is set after peer_start and before the first request.
 */
#ifndef TESTS_LIB_FAKE_PEER_H
#define TESTS_LIB_FAKE_PEER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEER_REQUEST_BYTES = 65536 };

struct peer {
	int listener, port;
	SSL_CTX *tls;       /* NULL: plain */
	const char *answer; /* what is sent after a request; NULL: nothing is read either */
	size_t answer_bytes;
	bool any_request; /* answers the first bytes, whatever they are */
	/* Reads a second request on the connection and leaves it without an answer */
	bool cut_second;
	bool keep; /* holds the connection open until the client ends it */
	int connections;
	char request[PEER_REQUEST_BYTES]; /* the last one */
	pthread_t thread;
};

void peer_start(struct peer *p, SSL_CTX *tls, const char *answer); /* tls NULL: plain */
/* Plain, at another address of this machine. */
void peer_start_at(struct peer *p, struct in_addr address, const char *answer);
void peer_stop(struct peer *p);
/* A socket that listens on a port of its own, and is never served: the caller's */
int peer_listen(int *port);

#endif
