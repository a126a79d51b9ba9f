/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that change while the program runs: certificates, tokens, configuration.
 *
 *     watch = file_watch_start(loop, paths, 2, 5000, changed, ctx);
 *
 * The watch polls each path with stat, which follows links, and compares device, inode,
 * size and times. inotify would be faster, but blind where it matters: the kubelet swaps
 * a link beside the file (..data) and never touches the file, a folder may appear later
 * or be swapped itself, some file systems send no events, and a machine has few inotify
 * instances for each user. A stat takes a microsecond, and the kubelet itself takes up to
 * a minute.
 *
 * One call reports the changes of all paths, once two polls in a row saw the same: a
 * writer of a certificate and then its key is not interrupted. A file that is missing,
 * appears or disappears is a change like any other. A failed call is repeated at each
 * poll until it succeeds: the file may have been read half written, or not at all, and
 * may look the same to stat when it is complete.
 */
#ifndef NET_FILES_H
#define NET_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "net/loop.h"

struct file_watch;
/*
 * Called when the contents may differ from the start, or from the last call. again:
 * nothing has changed since the last call, which failed. Returns false on failure, to be
 * called again.
 */
typedef bool file_changed_fn(void *ctx, bool again);
/* The paths are copied. Works on every loop. */
struct file_watch *file_watch_start(struct loop *l, const char *const *paths, size_t n,
	int64_t every_ms, file_changed_fn *changed, void *ctx);
/* May be called from within changed, which must then return true; accepts NULL. */
void file_watch_stop(struct file_watch *w);

#endif
