/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that change while the program runs: certificates, tokens, configuration.
 *
 *     watch = file_watch_start(loop, paths, 2, 5000, changed, ctx);
 *
 * Every so often each path is looked at with stat, which follows links. What counts is
 * which file it is, its size and its times. inotify would be sooner, and blind where it
 * matters: the kubelet swaps a link beside the file (..data) and never touches the file,
 * a folder may come later or be swapped itself, some file systems tell nothing, and a
 * machine has few instances of it for each user. A stat is a microsecond, and the kubelet
 * itself takes up to a minute.
 *
 * Changes of all paths are told in one call, when two looks in a row saw the same: who
 * writes a certificate and then its key is not interrupted. A file that is not there, or
 * comes and goes, is a change like any other. What could not be taken is told again with
 * each look until it could: it may have been read half written, or not at all, and look
 * the same when it is whole.
 */
#ifndef NET_FILES_H
#define NET_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "net/loop.h"

struct file_watch;
/*
 * Their contents may be others than at the start, or at the last call. again: nothing has
 * changed since the last call, which failed. false: it fails, and is to be made again.
 */
typedef bool file_changed_fn(void *ctx, bool again);
/* The paths are copied. Works on every loop. */
struct file_watch *file_watch_start(struct loop *l, const char *const *paths, size_t n,
	int64_t every_ms, file_changed_fn *changed, void *ctx);
/* May be called from within changed, which returns true then; accepts NULL. */
void file_watch_stop(struct file_watch *w);

#endif
