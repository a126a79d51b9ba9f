/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the watch: its state, and what its files say to each other.
 *
 *     watch.c         its life, what happens after a trouble, and its lists
 *     watch_stream.c  what the API server streams, and for how long it may be silent
 */
#ifndef KUBE_WATCH_PARTS_H
#define KUBE_WATCH_PARTS_H

#include "kube/lines.h"
#include "kube/watch.h"

enum {
	/*
	 * Of one object. etcd takes 1.5 MiB, which may be six times as long in JSON:
	 * "<" is \\u003c there
	 */
	LINE_BYTES = 16 * 1024 * 1024,
	BACKOFF_LEAST_MS = 200,
};

struct watch {
	struct kube *kube;
	enum resource resource;
	char *ns, *selector, *fields; /* selectors of labels and of fields; NULL: none */
	const struct watch_handler *handler;
	void *ctx;

	struct http_call *call;
	struct timer *timer;
	struct timer *silence; /* of a watch: until it has told nothing for too long */
	char *version;         /* where the watch goes on */
	char *continue_;       /* where the list goes on; NULL: at its beginning */
	bool listed_anew;      /* this list had to start over once */
	int relists;           /* lists since an event came last */
	int page_objects;      /* of the next page, at most */
	struct lines lines;
	struct err verdict; /* why we ended the stream */
	int64_t started_ms, backoff_ms;
	int64_t asked_ms;  /* the first page of this list */
	int64_t listed_ms; /* watch_listed_ms */
	int64_t seen_ms;   /* watch_seen_ms */
	int64_t line_ms;   /* an event is on its way since then; 0: none is */
	bool event_came, troubled;
	uint64_t random;
	int in_handler;
	bool dead; /* freed by its handler */
};

/* ---- watch.c ---- */

uint64_t watch_random(struct watch *w, uint64_t n); /* below n */
/* A copy instead of what is there; NULL for "". */
void watch_set_text(char **text, const char *value);
/* Of its resource: "pods". */
const char *watch_plural(const struct watch *w);
/* The resource and the selector, as a path; the caller frees it. */
char *watch_path(struct watch *w);
void watch_enter_handler(struct watch *w);
/*
 * False when the handler freed the watch: then w is gone, or will be when the outermost
 * one leaves.
 */
bool watch_leave_handler(struct watch *w);
/* An answer came: the trouble before is over. */
void watch_connected(struct watch *w);
/* Says what is wrong and goes on at next after a while. */
void watch_pause(struct watch *w, struct err e, int64_t retry_after_ms, timer_fn *next);
/* The next page of the list. */
void watch_list(void *watch);

/* ---- watch_stream.c ---- */

/* Streams from where it is. */
void watch_stream(void *watch);
/* Streams likewise, unless the known version is too old for that: then it lists. */
void watch_go_on(void *watch);

#endif
