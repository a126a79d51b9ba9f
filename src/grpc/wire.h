/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves bytes between a socket, with or without TLS, and a session of libnghttp2, in
 * turns of the loop; private to this folder. A turn reads a piece, sends the queue, and
 * then runs the owner's callbacks.
 */
#ifndef GRPC_WIRE_H
#define GRPC_WIRE_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>

#include "base/str.h"
#include "net/fd.h"
#include "net/tls.h"

/* A connected socket, with or without TLS. Its owner closes it. */
struct end {
	int fd;
	struct tls *tls; /* owns the socket; NULL: plain */
};
void end_close(struct end e);

/* A connection; the owner fills in the first five members. */
struct wire {
	struct loop *loop;
	struct end end;
	nghttp2_session *session;
	void *owner;
	const struct wire_events {
		void (*settle)(void *owner); /* at the end of a turn; may queue more */
		void (*over)(void *owner);   /* broken, or nothing is left to do: free it */
	} *events;
	struct fd_watch *watch;
	int watched;         /* the watched events */
	struct timer *kick;  /* starts a turn after frames were queued outside of one */
	bool in_turn, heard; /* heard: bytes arrived; the owner clears it */
	bool broken;         /* no more can be sent */
	const char *why;     /* the cause of the break; NULL: unknown */
	struct str out;      /* frames to send; those before sent are sent */
	size_t sent;
};

/* Schedules the first turn, which sends the queue. */
void wire_start(struct wire *w);
/* Sends queued frames at the end of this turn, or in the next turn. */
void wire_changed(struct wire *w);
/* Closes the socket and frees the session; neither event is called any more. */
void wire_close(struct wire *w);

#endif
