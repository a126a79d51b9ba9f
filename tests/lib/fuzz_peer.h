/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer for fuzz targets that read answers. The input is cut into pieces at lines "--";
 * each request is answered by the next piece (the last one again and again), and every
 * timer fires on the next turn, whatever its delay. The first byte of an answer is its
 * status: "0" to "9" and "A" to "F" choose one; for "!" no answer comes.
 *
 *     static struct fuzz_peer p;
 *     peer_begin(&p, bytes + 1, n - 1);
 *     struct kube kube = { &p.http.http, &p.loop.loop };
 *     ... = watch_new(&kube, ...);
 *     peer_run(&p, 12);
 *     watch_free(...);
 *     peer_end(&p);
 *
 * The peer ends the program at a timer that only a number of the input can be, when
 * requests or timers are many, and when any is left at the end.
 */
#ifndef TESTS_LIB_FUZZ_PEER_H
#define TESTS_LIB_FUZZ_PEER_H

#include <stdlib.h>

#include "base/own.h"
#include "lib/fake_http.h"
#include "lib/sim_loop.h"

/* The rest of the input. */
struct pieces {
	const char *at;
	size_t n;
};

struct fuzz_peer {
	struct sim_loop loop;
	struct fake_http http;
	struct pieces input;
};

void peer_begin(struct fuzz_peer *p, const uint8_t *bytes, size_t n);
/* Answers and fires whatever waits, so many times. */
void peer_run(struct fuzz_peer *p, int turns);
/* Nothing may be left by those who have been freed. */
void peer_end(struct fuzz_peer *p);

/*
 * The next piece, in a block of exactly its size and a terminator; the caller frees.
 * keep_last: the last one stays the next.
 */
char *piece_take(struct pieces *p, size_t *n, bool keep_last);

#endif
