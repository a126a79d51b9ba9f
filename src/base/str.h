/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte string, always terminated. Start with struct str s = { 0 }; release with
 * str_free (usable with AUTO).
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	char *text;      /* NULL while empty; str_text never returns NULL */
	size_t len, cap; /* bytes, without the terminator */
};

/* Appends. */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t n);
void str_addf(struct str *s, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));
void str_reserve(struct str *s, size_t extra); /* room for extra bytes beyond len */
/* Empties the string; its memory stays allocated for the next text. */
void str_clear(struct str *s);
/* The text, valid until the next change; "" when empty. */
const char *str_text(const struct str *s);
/* Returns the text, which the caller frees; never NULL. The str is empty afterwards. */
char *str_take(struct str *s);
/* Frees the memory and empties the string. */
void str_free(struct str *s);
/*
 * str_free for a secret: overwrites the text first. A string that was reallocated may
 * have left a copy behind: call str_reserve first.
 */
void str_wipe(struct str *s);

/*
 * Appends text at "at" to a buffer that ends at "end": as much as fits, and a terminator.
 * Returns the new end of the text. For keys that are built very often: printf is slow.
 */
char *str_put(char *at, const char *end, const char *text);

/* Predicates of C strings; NULL counts as "". */
static inline bool str_empty(const char *s) { return !s || !*s; }
static inline bool str_eq(const char *a, const char *b)
{
	return str_empty(a) || str_empty(b) ? str_empty(a) == str_empty(b) : strcmp(a, b) == 0;
}
bool str_has_prefix(const char *s, const char *prefix);

/*
 * The length of the character at s in bytes, 1 to 4; 0 if it is not well-formed UTF-8. s
 * must not be at the end of its text.
 */
size_t str_utf8(const char *s);

/*
 * Whether the character at s would act on a terminal or on the sentence around it: C0
 * (CR, LF, ESC), DEL, C1, line and paragraph separators, bidirectional controls.
 */
bool str_is_control(const char *s);
/* Replaces each control character (str_is_control) with a space. */
void str_make_plain(char *text);

/* Adds "a,b" as Markdown: `a`, `b`. */
void str_add_code_list(struct str *s, const char *list);
/*
 * Appends a foreign text to a sentence of ours: at most "most" bytes, with "..." where
 * the text was cut. Each control character and each invalid byte becomes a space.
 */
void str_add_foreign(struct str *s, const char *text, size_t most);

/*
 * Parses a decimal integer and nothing else: optional minus, no plus, no leading zero,
 * within [min, max].
 */
bool str_to_i64(const char *s, int64_t min, int64_t max, int64_t *out);

#endif
