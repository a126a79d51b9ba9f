/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at files and folders in threads, because a file system that hangs would block the
 * loop. A place that does not respond in time stays "not looked at" in the facts.
 */
#ifndef REDBOX_CHECK_LOOK_H
#define REDBOX_CHECK_LOOK_H

#include "base/arena.h"
#include "net/loop.h"
#include "redbox/check/facts.h"

struct check_paths {
	const char *const *folders;
	size_t n_folders;
	const char *state, *socket;
};

struct check_looks;
/*
 * Sets the places and the journal of the facts, with texts in the arena. done is called
 * once, after limit_ms at the latest.
 */
struct check_looks *check_look(struct loop *uv_loop, const struct check_paths *paths,
	int64_t limit_ms, struct check_facts *f, struct arena *a, void (*done)(void *ctx),
	void *ctx);
/*
 * Call it after done. false: a thread still hangs, and the process must end by _exit,
 * because freeing the loop would wait for the thread.
 */
bool check_looks_free(struct check_looks *l);

#endif
