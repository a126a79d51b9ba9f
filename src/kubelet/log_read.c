/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the file of a log from red-box, and passes it on to the reader. While the reader
 * accepts no data, red-box is paused.
 */
#include <utlist.h>

#include "base/own.h"
#include "kubelet/log_parts.h"

enum { LOOK_MS = 1000 }; /* interval of checks whether a followed job has ended */
/* A reader may take days. A dead red-box is detected within seconds. */
static const int64_t READ_MS = INT64_C(30) * 24 * 3600 * 1000;

/* ---- end ---- */

void log_free(struct log *l)
{
	if (l->relay.call)
		wlm_call_cancel(TAKE(l->relay.call));
	timer_stop(l->k->config.loop, l->timer);
	timer_stop(l->k->config.loop, l->first);
	DL_DELETE(l->k->logs, l);
	place_give(l->place);
	free(l->ns);
	free(l->pod);
	free(l->uid);
	free(l->node);
	arena_free(&l->tasks_of);
	free(l->who);
	free(l->path);
	free(l);
}

static void gone(void *log) { log_free(log); }

void log_fail(struct log *l, int status, const char *sentence)
{
	AUTO(str_free) struct str text = { 0 };
	struct exchange *x = l->relay.x;
	bool begun = l->relay.begun;
	log_free(l);
	if (!begun) {
		kubelet_say(x, status, sentence);
		return;
	}
	str_addf(&text, "\n[the log ends here, there may be more of it: %s]\n", sentence);
	exchange_write(x, str_text(&text), text.len);
	exchange_break(x);
}

void log_fail_with(struct log *l, struct err e)
{
	log_fail(l, e.kind == ERR_DENIED ? 403 : 500, e.text);
}

static void drained(void *log) { relay_drained(&((struct log *)log)->relay); }

static void begin(struct log *l) { relay_begin(&l->relay, KUBELET_TEXT, gone, drained, l); }

void log_finish(struct log *l)
{
	struct exchange *x = l->relay.x;
	begin(l);
	log_free(l);
	exchange_end(x);
}

/* ---- reading ---- */

/* False: the buffer of the answer is full, and the log has ended. */
static bool give(struct log *l, const char *bytes, size_t n)
{
	slice_take(&l->slice, &bytes, &n);
	if (n)
		begin(l);
	if (relay_send(&l->relay, bytes, n))
		return true;
	log_fail(l, 500, "red-box sends more at once than this program can buffer");
	return false;
}

static void next_task(struct log *l);

/* The current file has been sent. */
static void file_over(struct log *l)
{
	if (l->next_task && l->slice.limit_bytes != 0)
		next_task(l);
	else
		log_finish(l);
}

static void send(struct log *l, const char *bytes, size_t n)
{
	if (give(l, bytes, n) && slice_is_over(&l->slice))
		file_over(l);
}

static void content_came(void *log, struct wlm_call *c, const void *bytes, size_t n)
{
	struct log *l = log;
	(void)c;
	timer_stop(l->k->config.loop, TAKE(l->first));
	if (l->reading == COUNTS_LINES)
		slice_count(&l->counted, bytes, n);
	else
		send(l, bytes, n);
}

static void count_lines(struct log *l);
static void read_counted(struct log *l);

/* Goes on with the next task: a missing file does not end the log of an array. */
static void say_no_file(struct log *l, struct err e)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text, "[%s]\n", e.text);
	if (give(l, str_text(&text), text.len))
		file_over(l);
}

static void reading_ended(void *log, struct err e, const struct wlm_answer *a)
{
	struct log *l = log;
	(void)a;
	l->relay.call = NULL;
	timer_stop(l->k->config.loop, TAKE(l->first));
	timer_stop(l->k->config.loop, TAKE(l->timer));
	bool is_older = l->reading == READS_LAST_LINES && e.code == GRPC_UNIMPLEMENTED;
	if (l->reading == COUNTS_LINES && l->options.follow && e.kind == ERR_NOT_FOUND)
		e = OK; /* the file may still appear */
	if (is_older)
		count_lines(l);
	else if (l->next_task && (e.kind == ERR_NOT_FOUND || e.kind == ERR_DENIED))
		say_no_file(l, e);
	else if (failed(e))
		log_fail_with(l, e);
	else if (l->reading == COUNTS_LINES)
		read_counted(l);
	else if (slice_lacks_bytes(&l->slice))
		log_fail(l, 500, "the file became shorter while it was read: read it again");
	else
		file_over(l);
}

static bool job_goes_on(const struct log *l)
{
	struct kubelet_pod p;
	return l->k->config.find(l->k->config.ctx, l->ns, l->pod, &p) && str_eq(p.uid, l->uid) &&
		!p.ended;
}

static void await_end_of_job(struct log *l);

/* After the end of the job, the rest of its file is still sent. */
static void look_at_job(void *log)
{
	struct log *l = log;
	l->timer = NULL;
	begin(l);
	if (job_goes_on(l))
		await_end_of_job(l);
	else
		wlm_tail_finish(l->relay.call);
}

static void await_end_of_job(struct log *l)
{
	l->timer = timer_start(l->k->config.loop, LOOK_MS, look_at_job, l);
}

struct wlm_caller log_caller(struct log *l, int64_t timeout_ms,
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer))
{
	return (struct wlm_caller){ l->red_box, timeout_ms, done, content_came, NULL, l };
}

static void nothing_came(void *log)
{
	struct log *l = log;
	l->first = NULL;
	log_fail(l, 500, "red-box does not answer: it sends no bytes of the file");
}

static void await_first(struct log *l)
{
	l->first = timer_start(l->k->config.loop, l->k->config.patience_ms, nothing_came, l);
}

static void open_file(struct log *l)
{
	const struct wlm_caller by = log_caller(l, READ_MS, reading_ended);
	l->relay.call = wlm_open(&by, l->path, 0);
	await_first(l);
}

static void tail_file(struct log *l)
{
	const struct wlm_caller by = log_caller(l, READ_MS, reading_ended);
	l->relay.call = wlm_tail(&by, l->path);
	await_end_of_job(l);
}

static void read_forwards(struct log *l)
{
	l->reading = READS_FORWARDS;
	if (slice_is_over(&l->slice))
		file_over(l);
	else if (l->options.follow)
		tail_file(l);
	else
		open_file(l);
}

static void read_last_lines(struct log *l)
{
	const struct wlm_caller by = log_caller(l, READ_MS, reading_ended);
	l->reading = READS_LAST_LINES;
	l->relay.call = wlm_tail_lines(&by, l->path, l->options.tail_lines, l->options.follow);
	await_first(l);
	if (l->options.follow)
		await_end_of_job(l);
}

/* An old red-box cannot read the last lines, so the file is read twice. */
static void count_lines(struct log *l)
{
	l->reading = COUNTS_LINES;
	open_file(l);
}

static void read_counted(struct log *l)
{
	l->slice = slice_begin(&l->options, &l->counted);
	read_forwards(l);
}

void log_read_file(struct log *l)
{
	l->options.follow = l->options.follow && job_goes_on(l);
	l->slice = slice_begin(&l->options, NULL);
	if (l->options.tail_lines >= 0)
		read_last_lines(l);
	else
		read_forwards(l);
}

/* ---- the tasks of an array ---- */

static void say_left_out(struct log *l)
{
	AUTO(str_free) struct str text = { 0 };
	if (l->tasks.left_out)
		str_addf(&text,
			"\n[%zu more tasks of the array have begun, and are left out here]\n",
			l->tasks.left_out);
	if (give(l, str_text(&text), text.len))
		log_finish(l);
}

/* Adds a header like that of tail(1) with several files. */
static void add_head(const struct log *l, const struct task_file *f, struct str *out)
{
	str_addf(out, "%s==> ", l->next_task ? "\n" : "");
	if (f->number >= 0)
		str_addf(out, "task %lld: ", (long long)f->number);
	str_addf(out, "%s <==\n", f->path);
}

static void next_task(struct log *l)
{
	AUTO(str_free) struct str head = { 0 };
	if (l->relay.call)
		wlm_call_cancel(TAKE(l->relay.call));
	timer_stop(l->k->config.loop, TAKE(l->first));
	l->relay.paused = false;
	if (l->next_task)
		l->options.limit_bytes = l->slice.limit_bytes;
	l->slice = slice_begin(&l->options, NULL);
	if (l->next_task == l->tasks.n) {
		say_left_out(l);
		return;
	}
	const struct task_file *f = &l->tasks.of[l->next_task];
	add_head(l, f, &head);
	l->next_task++;
	free(l->path);
	l->path = own_strdup(f->path);
	l->counted = (struct slice_count){ 0 };
	if (!give(l, str_text(&head), head.len))
		return;
	l->options.limit_bytes = l->slice.limit_bytes;
	if (slice_is_over(&l->slice))
		log_finish(l);
	else
		log_read_file(l);
}

void log_read_tasks(struct log *l) { next_task(l); }
