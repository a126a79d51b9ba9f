/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of metrics and its text for Prometheus. */
#include "base/metric.h"

#include <stdarg.h>
#include <string.h>

#include "base/own.h"

struct metric_series {
	struct metric_series *next;
	double value;
	char *values[METRIC_MAX_LABELS];
};

static struct metric *registry;

static size_t label_count(const struct metric *m)
{
	size_t n = str_empty(m->labels) ? 0 : 1;
	for (const char *p = m->labels; *p; p++)
		n += *p == ',';
	return n;
}

static struct metric_series *series_for(struct metric *m, va_list args)
{
	const char *values[METRIC_MAX_LABELS] = { 0 };
	size_t n = label_count(m);
	for (size_t i = 0; i < n; i++)
		values[i] = va_arg(args, const char *);
	if (!m->registered) {
		m->registered = 1;
		m->next = registry;
		registry = m;
	}
	for (struct metric_series *s = m->series; s; s = s->next) {
		size_t same = 0;
		while (same < n && str_eq(s->values[same], values[same]))
			same++;
		if (same == n)
			return s;
	}
	struct metric_series *s = own_alloc(sizeof(*s));
	for (size_t i = 0; i < n; i++)
		s->values[i] = own_strdup(values[i] ? values[i] : "");
	s->next = m->series;
	m->series = s;
	return s;
}

void metric_add(struct metric *m, double delta, ...)
{
	va_list args;
	va_start(args, delta);
	series_for(m, args)->value += delta;
	va_end(args);
}

void metric_set(struct metric *m, double value, ...)
{
	va_list args;
	va_start(args, value);
	series_for(m, args)->value = value;
	va_end(args);
}

static void render_labels(struct str *out, const struct metric *m, const struct metric_series *s)
{
	size_t n = label_count(m);
	const char *name = m->labels;
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(name, ",");
		str_addf(out, "%s%.*s=\"", i ? "," : "{", (int)len, name);
		for (const char *p = s->values[i]; *p; p++) {
			if (*p == '"' || *p == '\\')
				str_add(out, "\\");
			str_add_bytes(out, *p == '\n' ? " " : p, 1);
		}
		str_add(out, i + 1 == n ? "\"}" : "\"");
		name += len + 1;
	}
}

void metric_render(struct str *out)
{
	for (const struct metric *m = registry; m; m = m->next) {
		str_addf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name,
			m->type == METRIC_COUNTER ? "counter" : "gauge");
		for (const struct metric_series *s = m->series; s; s = s->next) {
			str_add(out, m->name);
			render_labels(out, m, s);
			str_addf(out, " %.17g\n", s->value);
		}
	}
}

void metric_free_all(void)
{
	for (struct metric *m = registry; m; m = m->next) {
		m->registered = 0;
		for (struct metric_series *s = m->series, *next; s; s = next) {
			next = s->next;
			for (size_t i = 0; i < METRIC_MAX_LABELS; i++)
				free(s->values[i]);
			free(s);
		}
		m->series = NULL;
	}
	registry = NULL;
}
