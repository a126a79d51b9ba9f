/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that change while the program runs: certificates, tokens, configuration.
 *
 *     watch = file_watch_start(loop, paths, 2, 5000, changed, ctx);
 *
 * The watch polls each path with stat, which follows links, and compares device, inode,
 * size and times. inotify is faster, but misses important changes: the kubelet swaps a
 * link beside the file (..data) and never touches the file, a folder may appear later or
 * be swapped itself, some file systems send no events, and a machine has few inotify
 * instances for each user. A stat takes a microsecond, and polling adds little delay,
 * because the kubelet itself takes up to a minute.
 *
 * A call reports the changes of all paths after two polls in a row with equal results, so
 * that a process can finish writing a certificate and then its key. A file that appears
 * or disappears is a change, too. A failed call is repeated at each poll until it
 * succeeds, because the file may have been incomplete, and stat may show no difference
 * when it is complete.
 */
#ifndef NET_FILES_H
#define NET_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "net/loop.h"

struct file_watch;
/*
 * Called when the contents may have changed since the start or the last call. again:
 * nothing has changed since the last call, which failed. Return false on failure, to be
 * called again.
 */
typedef bool file_changed_fn(void *ctx, bool again);
/* Copies the paths. Works on every loop. */
struct file_watch *file_watch_start(struct loop *l, const char *const *paths, size_t n,
	int64_t every_ms, file_changed_fn *changed, void *ctx);
/* May be called from within changed, which must then return true; accepts NULL. */
void file_watch_stop(struct file_watch *w);

#endif
