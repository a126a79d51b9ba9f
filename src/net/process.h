/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of others, run on the loop of libuv without holding it up.
 *
 *     const char *argv[] = { "plugin", "--json", NULL };
 *     struct process_config config = { .argv = argv };
 *     process_start(loop, &config, ended, ctx, &process);
 *
 * There is no shell: what argv holds arrives as it is. A name without a slash is looked
 * for in the PATH of this process, also when env has another one; a name with a slash is
 * a path from our working directory.
 *
 * The child has a session of its own, and no terminal: a signal of the terminal does not
 * reach it, and an end that we order reaches whatever it has started in its session. Its
 * signals are as by default and none is blocked; it inherits no descriptor but the first
 * three, which are pipes (so its output can be opened as /dev/stdout).
 *
 * It has ended when it exited and closed its output. What it leaves behind may hold its
 * output open: it is waited for 200 ms, then what came counts. One that closes its
 * output and lives on is waited for. Past its time limit it gets SIGTERM, past another
 * grace_ms SIGKILL; one that even then hangs in the kernel is given up after 2 s.
 *
 * Exactly one call of done for every process_start that succeeded, never from within it,
 * except after process_cancel: then none. Both reap the child. Cancel before the loop is
 * freed: loop_uv_free then waits for the child, at most a second.
 */
#ifndef NET_PROCESS_H
#define NET_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "net/loop.h"

struct process;

struct process_config {
	const char *const *argv; /* argv[0]: the program; ended by NULL */
	const char *const *env;  /* "NAME=VALUE", ended by NULL; NULL: that of this process */
	const char *input;       /* its standard input; copied; NULL: /dev/null */
	size_t input_bytes;
	/*
	 * 0: 1 MiB. More output ends it with ERR_TOO_LARGE; more errors are left out.
	 */
	size_t max_output_bytes;
	bool errors_are_ours; /* its standard error is that of this process */
	int64_t limit_ms;     /* 0: 30 s */
	int64_t grace_ms;     /* 0: 2 s */
};

struct process_end {
	int code;   /* of its exit; -1: a signal ended it */
	int signal; /* 0: none */
	/*
	 * Terminated, and valid during the callback only. Both are overwritten after it:
	 * they may hold a secret.
	 */
	const char *output, *errors;
	size_t output_bytes, errors_bytes;
};

/*
 * err: ERR_RETRY when it did not end in time, ERR_TOO_LARGE; its text begins with the
 * name of the program. How it ended (a code that is not 0, a signal) is no error here.
 * end is there with an error too.
 */
typedef void process_done(void *ctx, struct err err, const struct process_end *end);

/* ERR_INVALID when there is no such program; ERR_RETRY when something ran out. */
struct err process_start(struct loop *uv_loop, const struct process_config *config,
	process_done *done, void *ctx, struct process **out);
/* Ends it at once (SIGKILL). Not after done was called; accepts NULL. */
void process_cancel(struct process *p);

#endif
