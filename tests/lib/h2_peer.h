/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of HTTP/2 that says whatever a test wants, frame by frame, on the thread of
 * the loop under test.
 *
 *     h2_listen(&p, loop);
 *     h2_take_call(&p);                 a client has connected, and has sent a call
 *     h2_headers(&p, H2_END_HEADERS, 1, ":status: 200\ncontent-type: application/grpc");
 */
#ifndef TESTS_LIB_H2_PEER_H
#define TESTS_LIB_H2_PEER_H

#include "lib/raw_client.h"
#include "lib/test.h"

enum h2_type {
	H2_DATA = 0,
	H2_HEADERS = 1,
	H2_RST_STREAM = 3,
	H2_SETTINGS = 4,
	H2_PUSH_PROMISE = 5,
	H2_PING = 6,
	H2_GOAWAY = 7,
	H2_CONTINUATION = 9,
};
enum { H2_END_STREAM = 1, H2_ACK = 1, H2_END_HEADERS = 4 };

struct h2_peer {
	struct loop *loop;
	char folder[64], path[96];
	int listener;
	struct raw raw; /* .got: what the client sent */
};

void h2_listen(struct h2_peer *p, struct loop *l);
void h2_accept(struct h2_peer *p);
/* Takes the preface and settings; then the first call is there, whole. */
void h2_take_call(struct h2_peer *p);
/* The connection is closed; the next one may be accepted. */
void h2_close(struct h2_peer *p);
void h2_free(struct h2_peer *p);

void h2_frame(struct h2_peer *p, int type, int flags, uint32_t stream, const void *bytes, size_t n);
/* Lines of "name: value". */
void h2_headers(struct h2_peer *p, int flags, uint32_t stream, const char *lines);
/* One message of gRPC. */
void h2_message(struct h2_peer *p, int flags, uint32_t stream, const char *text);
/* A frame that holds one number of 32 bits, or two. */
void h2_number(struct h2_peer *p, int type, uint32_t stream, uint32_t number);
void h2_goaway(struct h2_peer *p, uint32_t last_stream, uint32_t code);
/* That so many calls may be under way. */
void h2_allow(struct h2_peer *p, uint32_t calls);

/* How many frames of a type the client has sent, with these flags. */
int h2_count(struct h2_peer *p, int type, int flags);
/* Until so many calls are there, whole. */
void h2_wait_calls(struct h2_peer *p, int n);

#endif
