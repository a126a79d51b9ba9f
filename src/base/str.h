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
	char *text;      /* NULL while empty; str_text never gives NULL */
	size_t len, cap; /* bytes, without the terminator */
};

/* Appends. */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t n);
void str_addf(struct str *s, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));
void str_reserve(struct str *s, size_t extra); /* room for extra bytes beyond len */
/* Empties it; the memory stays for the next text. */
void str_clear(struct str *s);
/* Its text, until the next change; "" when empty. */
const char *str_text(const struct str *s);
/* Its text, which the caller frees; never NULL. The str is empty afterwards. */
char *str_take(struct str *s);
/* Gives the memory back and empties it. */
void str_free(struct str *s);
/*
 * The same for a secret: what is there is overwritten. Text that outgrew its memory may
 * have left some behind: reserve first.
 */
void str_wipe(struct str *s);

/*
 * Text at the end of what is in a buffer that ends at end: as much as has room, and a
 * terminator. Gives the new end. For keys that are made very often: printf is slow.
 */
char *str_put(char *at, const char *end, const char *text);

/* Small questions about C strings; NULL counts as "". */
static inline bool str_empty(const char *s) { return !s || !*s; }
static inline bool str_eq(const char *a, const char *b)
{
	return str_empty(a) || str_empty(b) ? str_empty(a) == str_empty(b) : strcmp(a, b) == 0;
}
bool str_has_prefix(const char *s, const char *prefix);

/*
 * The bytes of the character at s, which is not at the end of its text: 1 to 4; 0 when
 * there is no well-formed UTF-8.
 */
size_t str_utf8(const char *s);

/*
 * The character at s would do something to a terminal, or to the sentence around it: C0
 * (CR, LF, ESC), DEL, C1, line and paragraph ends, marks that turn the direction of
 * writing.
 */
bool str_is_control(const char *s);
/* Each such character becomes a space. */
void str_make_plain(char *text);

/*
 * A foreign text as part of a sentence of ours: at most so many bytes, "..." where it was
 * cut; each control character and each byte that is no UTF-8 becomes a space.
 */
void str_add_foreign(struct str *s, const char *text, size_t most);

/*
 * A whole decimal number and nothing else: optional minus, no plus, no leading zero,
 * within [min, max].
 */
bool str_to_i64(const char *s, int64_t min, int64_t max, int64_t *out);

#endif
