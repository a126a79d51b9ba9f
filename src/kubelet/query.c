/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the query of a request for a log. */
#include "kubelet/query.h"

#include <stddef.h>

#include "base/own.h"
#include "base/str.h"
#include "base/time.h"

enum { SHOWN_BYTES = 60 };

struct query {
	const char *(*get)(const void *ctx, const char *name);
	const void *ctx;
};

static struct err wrong(const char *name, const char *value, const char *right)
{
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, value, SHOWN_BYTES);
	return err_new(ERR_INVALID, "%s is \"%s\", and should be %s", name, str_text(&shown),
		right);
}

static struct err read_flag(const struct query *q, const char *name, bool *out)
{
	const char *value = q->get(q->ctx, name);
	*out = value && (str_eq(value, "") || str_eq(value, "true") || str_eq(value, "1"));
	if (!value || *out || str_eq(value, "false") || str_eq(value, "0"))
		return OK;
	return wrong(name, value, "true or false");
}

/* -1: absent */
static struct err read_number(const struct query *q, const char *name, int64_t least, int64_t *out)
{
	const char *value = q->get(q->ctx, name);
	*out = -1;
	if (!value || str_to_i64(value, least, INT64_MAX, out))
		return OK;
	*out = -1;
	return wrong(name, value, least ? "a whole number above 0" : "a whole number, 0 or more");
}

static struct err read_numbers(const struct query *q, struct log_options *out)
{
	struct err e = read_number(q, "tailLines", 0, &out->tail_lines);
	return failed(e) ? e : read_number(q, "limitBytes", 1, &out->limit_bytes);
}

static struct err read_since(const struct query *q, int64_t now_s, int64_t *out)
{
	int64_t seconds, ms;
	const char *time = q->get(q->ctx, "sinceTime");
	struct err e = read_number(q, "sinceSeconds", 1, &seconds);
	*out = -1;
	if (failed(e))
		return e;
	if (time && seconds >= 0)
		return err_new(ERR_INVALID, "sinceSeconds and sinceTime are given: one is enough");
	if (time && !time_parse(time, &ms))
		return wrong("sinceTime", time, "a time like 2026-01-02T03:04:05Z");
	if (time)
		*out = ms > 0 ? ms / 1000 : 0;
	else if (seconds >= 0)
		*out = seconds < now_s ? now_s - seconds : 0;
	return OK;
}

static struct err read_stream(const struct query *q, bool *standard_error)
{
	const char *value = q->get(q->ctx, "stream");
	*standard_error = value && str_eq(value, "Stderr");
	if (!value || *standard_error || str_eq(value, "All") || str_eq(value, "Stdout"))
		return OK;
	return wrong("stream", value, "All, Stdout or Stderr");
}

/* Refuses the flags for which the file of a job has no data. */
static struct err refuse_flags(const struct query *q)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "previous",
			"a job has one log: leave --previous out (a job that Slurm has run again writes to the same file)" },
		{ "timestamps",
			"the log of a job is a file, and its lines have no times: leave --timestamps out" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		bool set;
		struct err e = read_flag(q, rows[i].name, &set);
		if (failed(e))
			return e;
		if (set)
			return err_new(ERR_INVALID, "%s", rows[i].why);
	}
	return OK;
}

struct err log_options_read(const char *(*get)(const void *ctx, const char *name), const void *ctx,
	int64_t now_s, struct log_options *out)
{
	const struct query q = { get, ctx };
	*out = (struct log_options){
		.tail_lines = -1, .limit_bytes = -1, .since_s = -1, .task = -1
	};
	struct err e = refuse_flags(&q);
	if (!failed(e))
		e = read_flag(&q, "follow", &out->follow);
	if (!failed(e))
		e = read_numbers(&q, out);
	if (!failed(e))
		e = read_since(&q, now_s, &out->since_s);
	if (!failed(e))
		e = read_stream(&q, &out->standard_error);
	return e;
}
