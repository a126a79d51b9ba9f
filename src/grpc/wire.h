/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes between a socket, with TLS or without, and a session of libnghttp2, in turns
 * of the loop; private to this folder. A turn reads a piece, sends what there is, and
 * then tells others.
 */
#ifndef GRPC_WIRE_H
#define GRPC_WIRE_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>

#include "base/str.h"
#include "net/fd.h"
#include "net/tls.h"

/*
 * A socket that is connected, and what is spoken on it. Who takes one closes it.
 */
struct end {
	int fd;
	struct tls *tls; /* whose socket it is; NULL: plain */
};
void end_close(struct end e);

/* The owner fills in the first five. */
struct wire {
	struct loop *loop;
	struct end end;
	nghttp2_session *session;
	void *owner;
	const struct wire_events {
		void (*settle)(void *owner); /* at the end of a turn; may queue more */
		void (*over)(void *owner);   /* broken, or nothing is left to do: to be freed */
	} *events;
	struct fd_watch *watch;
	int watched;         /* which events */
	struct timer *kick;  /* something was queued outside of a turn */
	bool in_turn, heard; /* heard: bytes came; for the owner to clear */
	bool broken;         /* nothing can be sent any more */
	const char *why;     /* it broke; NULL: nobody knows */
	struct str out;      /* frames that the socket has not taken, from sent on */
	size_t sent;
};

/* The first turn comes soon: what was queued goes out. */
void wire_start(struct wire *w);
/* Something was queued: sent at the end of the turn, or on the next one. */
void wire_changed(struct wire *w);
/* Neither event comes any more; closes the socket and frees the session. */
void wire_close(struct wire *w);

#endif
