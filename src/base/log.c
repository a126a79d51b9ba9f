/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a line of JSON for each event to stderr. */
#include "base/log.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/time.h"

static struct {
	enum log_level lowest;
	int text;
} sink = { .lowest = LOG_INFO };

void log_set_level(enum log_level lowest) { sink.lowest = lowest; }
void log_set_text(int on) { sink.text = on; }

static const char *const level_names[] = { "debug", "info", "warn", "error" };

static void quoted(struct str *out, const char *s)
{
	str_add(out, "\"");
	for (size_t n; s && *s; s += n ? n : 1) {
		n = str_utf8(s);
		if (*s == '"' || *s == '\\')
			str_addf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			str_addf(out, "\\u%04x", (unsigned char)*s);
		else if (!n || str_is_control(s))
			str_add(out, "\xef\xbf\xbd");
		else
			str_add_bytes(out, s, n);
	}
	str_add(out, "\"");
}

static void start_line(struct str *out, enum log_level level, const char *message)
{
	struct timespec now;
	char when[TIME_RFC3339_BYTES];
	clock_gettime(CLOCK_REALTIME, &now);
	time_format((int64_t)now.tv_sec * 1000, when);
	int to_second = (int)strlen(when) - 1; /* without the Z */
	str_addf(out, sink.text ? "%.*s.%06ldZ" : "{\"time\":\"%.*s.%06ldZ\"", to_second, when,
		now.tv_nsec / 1000);
	if (sink.text) {
		str_addf(out, " %-5s %s", level_names[level], message);
		return;
	}
	str_addf(out, ",\"level\":\"%s\",\"msg\":", level_names[level]);
	quoted(out, message);
}

void log_line(enum log_level level, const char *message, ...)
{
	if (level < sink.lowest)
		return;
	struct str line = { 0 };
	start_line(&line, level, message);
	va_list args;
	va_start(args, message);
	for (const char *key; (key = va_arg(args, const char *));) {
		str_add(&line, sink.text ? " " : ",");
		if (sink.text)
			str_addf(&line, "%s=", key);
		else {
			quoted(&line, key);
			str_add(&line, ":");
		}
		quoted(&line, va_arg(args, const char *));
	}
	va_end(args);
	str_add(&line, sink.text ? "\n" : "}\n");
	/* A log that cannot be written must not stop the work. */
	ssize_t ignored = write(STDERR_FILENO, line.text, line.len);
	(void)ignored;
	str_free(&line);
}
