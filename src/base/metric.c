/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of metrics and its text for Prometheus. */
#include "base/metric.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"

/* A series, in a hash table: an exporter has one for each user, partition and node. */
struct metric_series {
	struct str key;   /* the label values, each with its NUL byte */
	char *labels;     /* as they are printed: {a="x",b="y"} */
	double value;     /* of a histogram: the sum */
	uint64_t *counts; /* of a histogram: for each bucket and for larger values; or NULL */
	UT_hash_handle hh;
};

static struct metric *registry;

static void add_value(struct str *out, const char *value)
{
	for (const char *p = value; *p; p++) {
		if (*p == '"' || *p == '\\')
			str_add(out, "\\");
		str_add_bytes(out, *p == '\n' ? " " : p, 1);
	}
}

/* The values come from key, in the order of the label names. */
static char *printed_labels(const struct metric *m, const struct str *key)
{
	AUTO(str_free) struct str out = { 0 };
	const char *name = m->labels, *value = str_text(key);
	while (*name) {
		size_t n = strcspn(name, ",");
		str_addf(&out, "%s%.*s=\"", out.len ? "," : "{", (int)n, name);
		add_value(&out, value);
		str_add(&out, "\"");
		value += strlen(value) + 1;
		name += n + (name[n] == ',');
	}
	str_add(&out, out.len ? "}" : "");
	return own_strdup(str_text(&out));
}

static struct str key_of(const struct metric *m, va_list args)
{
	struct str key = { 0 };
	size_t n = !str_empty(m->labels);
	for (const char *p = m->labels; *p; p++)
		n += *p == ',';
	for (size_t i = 0; i < n; i++) {
		const char *value = va_arg(args, const char *);
		str_add_bytes(&key, value ? value : "", strlen(value ? value : "") + 1);
	}
	return key;
}

static struct metric_series *series_for(struct metric *m, va_list args)
{
	AUTO(str_free) struct str key = key_of(m, args);
	struct metric_series *s;
	if (!m->registered) {
		m->registered = 1;
		m->next = registry;
		registry = m;
	}
	HASH_FIND(hh, m->series, str_text(&key), key.len, s);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	s->labels = printed_labels(m, &key);
	s->key = key;
	key = (struct str){ 0 };
	HASH_ADD_KEYPTR(hh, m->series, str_text(&s->key), s->key.len, s);
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

void metric_observe(struct metric *m, double value, ...)
{
	va_list args;
	size_t i = 0;
	va_start(args, value);
	struct metric_series *s = series_for(m, args);
	va_end(args);
	if (!s->counts)
		s->counts = own_alloc((m->n_bounds + 1) * sizeof(*s->counts));
	while (i < m->n_bounds && value > m->bounds[i])
		i++;
	s->counts[i]++;
	s->value += value;
}

void metric_set_histogram(struct metric *m, const uint64_t *counts, double sum, ...)
{
	va_list args;
	va_start(args, sum);
	struct metric_series *s = series_for(m, args);
	va_end(args);
	if (!s->counts)
		s->counts = own_alloc((m->n_bounds + 1) * sizeof(*s->counts));
	memcpy(s->counts, counts, (m->n_bounds + 1) * sizeof(*s->counts));
	s->value = sum;
}

/*
 * Appends the value and the end of its line. Most values are integers, which take a fifth
 * of the time of a double.
 */
static void add_number(struct str *out, double value)
{
	const double exact = 9007199254740992; /* integers up to here are doubles */
	char text[40];
	bool count = value > -exact && value < exact && value == (double)(int64_t)value;
	int n = count ? snprintf(text, sizeof(text), " %lld\n", (long long)value)
		      : snprintf(text, sizeof(text), " %.17g\n", value);
	str_add_bytes(out, text, (size_t)n);
}

/* Prints the labels without the last bracket, and then the label le. */
static void add_bucket(struct str *out, const struct metric *m, const struct metric_series *s,
	size_t i)
{
	size_t n = strlen(s->labels);
	str_addf(out, "%s_bucket%.*s%s", m->name, n ? (int)n - 1 : 0, s->labels, n ? "," : "{");
	if (i < m->n_bounds)
		str_addf(out, "le=\"%g\"}", m->bounds[i]);
	else
		str_add(out, "le=\"+Inf\"}");
}

static void add_histogram(struct str *out, const struct metric *m, const struct metric_series *s)
{
	uint64_t n = 0;
	for (size_t i = 0; i <= m->n_bounds; i++) {
		n += s->counts[i];
		add_bucket(out, m, s, i);
		add_number(out, (double)n);
	}
	str_addf(out, "%s_sum%s", m->name, s->labels);
	add_number(out, s->value);
	str_addf(out, "%s_count%s", m->name, s->labels);
	add_number(out, (double)n);
}

void metric_render(struct str *out)
{
	for (const struct metric *m = registry; m; m = m->next) {
		str_addf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name,
			metric_type_name(m->type));
		for (const struct metric_series *s = m->series; s; s = s->hh.next) {
			if (s->counts) {
				add_histogram(out, m, s);
				continue;
			}
			str_add(out, m->name);
			str_add(out, s->labels);
			add_number(out, s->value);
		}
	}
}

void metric_clear(struct metric *m)
{
	struct metric_series *s, *next;
	HASH_ITER (hh, m->series, s, next) {
		HASH_DEL(m->series, s);
		str_free(&s->key);
		free(s->labels);
		free(s->counts);
		free(s);
	}
	m->series = NULL;
}

void metric_free_all(void)
{
	for (struct metric *m = registry; m; m = m->next) {
		m->registered = 0;
		metric_clear(m);
	}
	registry = NULL;
}
