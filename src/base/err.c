/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values: their sentences and the names of their kinds. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const char *const kind_names[ERR_KINDS] = {
	[ERR_NONE] = "none",
	[ERR_RETRY] = "retry",
	[ERR_LOST] = "lost",
	[ERR_CONFLICT] = "conflict",
	[ERR_NOT_FOUND] = "not-found",
	[ERR_EXISTS] = "exists",
	[ERR_EXPIRED] = "expired",
	[ERR_DENIED] = "denied",
	[ERR_INVALID] = "invalid",
	[ERR_TOO_LARGE] = "too-large",
	[ERR_CANCELLED] = "cancelled",
	[ERR_INTERNAL] = "internal",
};

const char *err_kind_name(enum err_kind kind) { return kind < ERR_KINDS ? kind_names[kind] : "?"; }

/* Cuts the text between two characters, so that the rest is still UTF-8. */
static void mark_cut(struct err *e)
{
	size_t at = ERR_TEXT_BYTES - 4;
	while (at && ((unsigned char)e->text[at] & 0xc0) == 0x80)
		at--;
	memcpy(e->text + at, "...", 4);
}

/* The text may quote peers and users, so control characters become spaces. */
static void finish(struct err *e, int wanted)
{
	if (wanted >= ERR_TEXT_BYTES)
		mark_cut(e);
	str_make_plain(e->text);
}

struct err err_new(enum err_kind kind, const char *format, ...)
{
	struct err e = { .kind = kind };
	va_list args;
	va_start(args, format);
	int wanted = vsnprintf(e.text, sizeof(e.text), format, args);
	va_end(args);
	finish(&e, wanted);
	return e;
}

struct err err_wrap(struct err inner, const char *format, ...)
{
	struct err e = { .kind = inner.kind, .code = inner.code };
	va_list args;
	va_start(args, format);
	int used = vsnprintf(e.text, sizeof(e.text), format, args);
	va_end(args);
	if (used >= 0 && used < ERR_TEXT_BYTES)
		used += snprintf(e.text + used, sizeof(e.text) - (size_t)used, ": %s", inner.text);
	finish(&e, used);
	return e;
}
