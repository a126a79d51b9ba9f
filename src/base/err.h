/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors are values.
 *
 * Every fallible function returns a struct err. Its kind says what the caller may do
 * next. Its text is one sentence; each layer adds its context in front ("reading Secret
 * slurm/token: the API server refused: ..."). Control characters of foreign text are
 * replaced with spaces. A struct err owns no memory: copy, return and drop it freely.
 *
 *     struct err e = secret_read(...);
 *     if (failed(e))
 *             return err_wrap(e, "reading Secret %s/%s", ns, name);
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum err_kind {
	ERR_NONE,  /* no error */
	ERR_RETRY, /* nothing was done; the same call may succeed later */
	/*
	 * The request was sent, but no response arrived, so it may have been done: read
	 * before deciding again
	 */
	ERR_LOST,
	ERR_CONFLICT,  /* the object changed meanwhile: read again, decide again */
	ERR_NOT_FOUND, /* the peer reported that the object does not exist */
	ERR_EXISTS,    /* the object to be created already exists */
	ERR_EXPIRED,   /* the position in a list or watch is too old (410): list again */
	ERR_DENIED,    /* authentication or permission: a human has to act */
	/* The input is wrong: the same call never succeeds until the input changes */
	ERR_INVALID,
	ERR_TOO_LARGE, /* more than the cap; never retried with the same cap */
	ERR_CANCELLED, /* we stopped it ourselves */
	ERR_INTERNAL,  /* memory, descriptors, a broken invariant */
	ERR_KINDS
};

enum { ERR_TEXT_BYTES = 400 };

struct err {
	enum err_kind kind;
	int code; /* HTTP status or error number of the peer; 0 when there is none */
	char text[ERR_TEXT_BYTES]; /* always terminated; cut with "..." when longer */
};

#define OK ((struct err){ 0 })

static inline bool failed(struct err e) { return e.kind != ERR_NONE; }

/* Makes an error with a sentence: what is wrong, where, and what is right. */
struct err err_new(enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the error's text. Kind and code stay. */
struct err err_wrap(struct err inner, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The name of a kind, for logs and metrics: "retry", "conflict", ... */
const char *err_kind_name(enum err_kind kind);

#endif
