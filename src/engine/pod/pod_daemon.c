/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Slurm daemon of a pod, and its last log lines when it ended. */
#include "engine/pod/pod_daemon.h"

#include <ctype.h>
#include <string.h>

#include "base/own.h"

/* A kubelet writes 4096 bytes. A client that may write a status can write a megabyte. */
enum {
	MESSAGE_BYTES = 4096,
	LINES_MOST = 3,
	LINE_BYTES = 200,
	WORDS_BYTES = 330,
	REFUSED_BYTES = 600
};

static const struct {
	const char *component;
	enum slurm_daemon daemon;
} components[] = {
	{ "database", DAEMON_DATABASE },
	{ "accounting", DAEMON_SLURMDBD },
	{ "controller", DAEMON_SLURMCTLD },
	{ "restapi", DAEMON_SLURMRESTD },
};

static const char *label(const struct json *pod, const char *key)
{
	return json_str(json_at(pod, "metadata", "labels", key), "");
}

static enum slurm_daemon daemon_of(const struct json *pod)
{
	const char *component = label(pod, "app.kubernetes.io/component");
	if (!str_eq(label(pod, "app.kubernetes.io/part-of"), "slurm"))
		return DAEMON_NONE;
	for (size_t i = 0; i < LENGTH(components); i++)
		if (str_eq(component, components[i].component))
			return components[i].daemon;
	return DAEMON_NONE;
}

/* ---- the last log lines ---- */

struct line {
	const char *text;
	size_t bytes;
};

/*
 * Removes the time at the beginning of a line. The time differs after each restart, so a
 * condition that quotes it would be written again and again.
 */
static struct line without_time(struct line l)
{
	size_t digits = strspn(l.text, "0123456789-:.,TZ+[] ");
	if (digits > l.bytes)
		digits = l.bytes;
	/* Keeps the bracket of "[ERROR]", which MariaDB writes after the time. */
	if (digits && digits < l.bytes && l.text[digits - 1] == '[')
		digits--;
	return (struct line){ l.text + digits, l.bytes - digits };
}

static bool says_error(struct line l)
{
	static const char *const words[] = { "error", "fatal" };
	for (size_t w = 0; w < LENGTH(words); w++)
		for (size_t i = 0; i + strlen(words[w]) <= l.bytes; i++)
			if (strncasecmp(l.text + i, words[w], strlen(words[w])) == 0)
				return true;
	return false;
}

/* After each of these texts a daemon quotes text that may be a password. */
static const char *const secrets_behind[] = { "slurmdbd.conf line ", "unrecognized key",
	" near '" };

static size_t public_bytes(struct line l, enum slurm_daemon daemon)
{
	if (daemon != DAEMON_SLURMDBD && daemon != DAEMON_DATABASE)
		return l.bytes;
	for (size_t i = 0; i < LENGTH(secrets_behind); i++) {
		const char *at = memmem(l.text, l.bytes, secrets_behind[i],
			strlen(secrets_behind[i]));
		if (!at)
			continue;
		size_t n = (size_t)(at - l.text) + strlen(secrets_behind[i]);
		while (n < l.bytes && isdigit((unsigned char)l.text[n]))
			n++;
		return n;
	}
	return l.bytes;
}

/* The line that ends at end, which is not the beginning of text. */
static struct line line_before(const char *text, const char *end)
{
	const char *begin = end;
	while (begin > text && begin[-1] != '\n')
		begin--;
	return (struct line){ begin, (size_t)(end - begin) };
}

/* The last lines that report an error, from the end; or else the last line. */
static size_t find_lines(const char *text, struct line lines[LINES_MOST])
{
	struct line last = { "", 0 };
	size_t n = 0;
	for (const char *end = text + strlen(text); end > text && n < LINES_MOST;) {
		struct line whole = line_before(text, end), l = without_time(whole);
		if (l.bytes && !last.bytes)
			last = l;
		if (says_error(l))
			lines[n++] = l;
		end = whole.text > text ? whole.text - 1 : text;
	}
	if (!n && last.bytes)
		lines[n++] = last;
	return n;
}

static void add_lines(struct str *out, const char *text, enum slurm_daemon daemon)
{
	struct line lines[LINES_MOST];
	struct str all AUTO(str_free) = { 0 };
	size_t length = strlen(text);
	text += length > MESSAGE_BYTES ? length - MESSAGE_BYTES : 0;
	for (size_t n = find_lines(text, lines); n--;) {
		size_t bytes = public_bytes(lines[n], daemon);
		AUTO(own_free) char *line = own_strndup(lines[n].text, bytes);
		str_add(&all, str_empty(str_text(&all)) ? "" : "; ");
		str_add_foreign(&all, line, LINE_BYTES);
	}
	str_add(out, str_empty(str_text(&all)) ? "" : ": ");
	str_add_foreign(out, str_text(&all), WORDS_BYTES);
}

/* ---- the container that is not ready ---- */

static const char *waiting_for(const struct json *container)
{
	return json_str(json_get(json_at(container, "state", "waiting"), "reason"), "");
}

/* How a container ended; NULL: it has not ended, or waits for another reason. */
static const struct json *end_of(const struct json *container)
{
	const char *waits = waiting_for(container);
	const struct json *now = json_at(container, "state", "terminated"),
			  *last = json_at(container, "lastState", "terminated");
	if (!str_empty(waits) && !str_eq(waits, "CrashLoopBackOff"))
		return NULL;
	return json_is_obj(now) ? now : json_is_obj(last) ? last : NULL;
}

/* Skips ready containers; an init container that has succeeded is ready. */
static const struct json *find_container(const struct json *statuses, bool ended)
{
	for (struct json_iter it = json_iter(statuses); json_next(&it);) {
		bool runs = json_is_obj(json_at(it.value, "state", "running"));
		if (json_bool(json_get(it.value, "ready"), false))
			continue;
		if (ended ? end_of(it.value) != NULL : runs)
			return it.value;
	}
	return NULL;
}

static const struct json *to_blame(const struct json *status)
{
	const struct json *init = json_get(status, "initContainerStatuses"),
			  *main = json_get(status, "containerStatuses");
	for (int ended = 1; ended >= 0; ended--) {
		const struct json *found = find_container(init, ended);
		found = found ? found : find_container(main, ended);
		if (found)
			return found;
	}
	return NULL;
}

static void add_ending(struct str *out, const struct json *end, enum slurm_daemon daemon)
{
	const char *reason = json_str(json_get(end, "reason"), "");
	if (!json_is_obj(end))
		return;
	str_addf(out, "ended with exit code %lld",
		(long long)json_i64(json_get(end, "exitCode"), 0));
	if (!str_empty(reason) && !str_eq(reason, "Error")) {
		str_add(out, " (");
		str_add_foreign(out, reason, 40);
		str_add(out, ")");
	}
	add_lines(out, json_str(json_get(end, "message"), ""), daemon);
}

/* Checks for the sidecar's text, because the kubelet writes messages there too. */
static void add_refused(struct str *out, const struct json *statuses)
{
	static const char sidecar[] = "reconfigure", mark[] = "goes on with the last one: ";
	for (struct json_iter it = json_iter(statuses); json_next(&it);) {
		const struct json *now = json_at(it.value, "state", "terminated"),
				  *last = json_at(it.value, "lastState", "terminated");
		const char *said = json_str(json_get(json_is_obj(now) ? now : last, "message"), "");
		if (str_eq(json_str(json_get(it.value, "name"), ""), sidecar) && strstr(said, mark))
			str_add_foreign(out, said, REFUSED_BYTES);
	}
}

struct daemon_words pod_daemon(const struct json *pod)
{
	struct daemon_words w = { daemon_of(pod), "", "", { 0 }, { 0 } };
	if (w.daemon == DAEMON_NONE)
		return w;
	const struct json *status = json_get(pod, "status"), *container = to_blame(status);
	w.release = label(pod, "app.kubernetes.io/instance");
	w.container = json_str(json_get(container, "name"), "");
	add_ending(&w.ending, container ? end_of(container) : NULL, w.daemon);
	if (w.daemon != DAEMON_SLURMCTLD)
		return w;
	add_refused(&w.refused, json_get(status, "initContainerStatuses"));
	if (str_empty(str_text(&w.refused)))
		add_refused(&w.refused, json_get(status, "containerStatuses"));
	return w;
}
