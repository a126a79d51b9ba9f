/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs external programs on the loop of libuv, without blocking it.
 *
 *     const char *argv[] = { "plugin", "--json", NULL };
 *     struct process_config config = { .argv = argv };
 *     process_start(loop, &config, ended, ctx, &process);
 *
 * There is no shell: the program receives argv unchanged. A name without a slash is
 * searched in the PATH of this process, even when env has another PATH; a name with a
 * slash is relative to our working directory.
 *
 * The child runs in its own session without a terminal. Signals of the terminal do not
 * reach it, and our signals reach its whole process group. Its signals have the default
 * action and none is blocked. The child inherits only the first three descriptors, which
 * are pipes (so its output can be opened as /dev/stdout).
 *
 * A child has ended when it has exited and its output is closed. If other processes hold
 * its output open after its exit, the output so far is reported after 200 ms. A child
 * that closes its output must still exit. After its time limit a child gets SIGTERM, and
 * after another grace_ms SIGKILL. A child that still hangs in the kernel 2 s later is
 * abandoned.
 *
 * done is called exactly once for each successful process_start, and never from within
 * it. It is not called after process_cancel. The child is reaped in both cases. Cancel
 * before freeing the loop: loop_uv_free then waits for the child, at most a second.
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
	 * 0: 1 MiB. More output ends the child with ERR_TOO_LARGE; more error output is
	 * dropped.
	 */
	size_t max_output_bytes;
	bool errors_are_ours; /* the child shares our standard error */
	int64_t limit_ms;     /* 0: 30 s */
	int64_t grace_ms;     /* 0: 2 s */
	/*
	 * Called with done's ctx and all output so far (terminated) when more output
	 * arrives. Must not call functions of this header. NULL: output is reported only
	 * at the end
	 */
	void (*heard)(void *ctx, const char *output);
};

struct process_end {
	int code;   /* exit code; -1: a signal ended the child */
	int signal; /* 0: none */
	/*
	 * Terminated, and valid during the callback only. Both are overwritten
	 * afterwards, because they may hold a secret.
	 */
	const char *output, *errors;
	size_t output_bytes, errors_bytes;
};

/*
 * err: ERR_RETRY when the child did not end in time, ERR_TOO_LARGE; its text begins with
 * the name of the program. An exit code other than 0, or a signal, is not an error. end
 * is set even with an error.
 */
typedef void process_done(void *ctx, struct err err, const struct process_end *end);

/* ERR_INVALID when there is no such program; ERR_RETRY when a resource ran out. */
struct err process_start(struct loop *uv_loop, const struct process_config *config,
	process_done *done, void *ctx, struct process **out);
/*
 * Ends a child early, as after a timeout. done is then called with ERR_CANCELLED. Do not
 * call this after done.
 */
void process_stop(struct process *p);
/* Kills the child with SIGKILL. Do not call this after done; accepts NULL. */
void process_cancel(struct process *p);

#endif
