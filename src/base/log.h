/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log: one JSON object a line on standard error, written with one write(2). Values are
 * escaped. Never pass a secret.
 *
 *     log_info("pod created", "namespace", ns, "pod", name);
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Lines below this level are dropped. */
void log_set_level(enum log_level lowest);
void log_set_text(int on); /* plain text lines for people instead of JSON */

/*
 * Pairs of key and value strings, ended by NULL; the macros add it. A NULL value prints
 * as "".
 */
void log_line(enum log_level level, const char *message, ...) __attribute__((sentinel));

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__, (char *)0)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__, (char *)0)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__, (char *)0)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__, (char *)0)

#endif
