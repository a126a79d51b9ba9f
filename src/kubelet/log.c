/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One log: red-box is asked which file it is, and reads it; what comes is handed on as
 * fast as it is taken. While the reader takes nothing, red-box is told to wait.
 *
 * The head of the answer goes out with the first bytes, or when the file is known to be
 * empty: until then an error still has a status of its own. The status is 400, 403 or
 * 500: "kubectl logs" shows the sentence with these; of others the API server passes on
 * the number only.
 */
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "kubelet/file.h"
#include "kubelet/parts.h"
#include "kubelet/relay.h"
#include "kubelet/slice.h"

enum {
	MOST_LOGS = 64,
	MOST_LOGS_OF_ONE = 16, /* with a token; an API server asks for everybody */
	LOOK_MS = 1000,        /* whether a job that is followed has ended */
};
/* A reader may take days. A red-box that dies meanwhile is noticed in seconds. */
static const int64_t READ_MS = INT64_C(30) * 24 * 3600 * 1000;

/* The call of red-box that reads the file. */
enum reading {
	READS_FORWARDS, /* from its beginning */
	READS_LAST_LINES,
	COUNTS_LINES, /* all of them, for a red-box that only reads forwards */
};

struct log {
	struct log *prev, *next; /* utlist */
	struct kubelet *k;
	struct relay relay;
	struct log_options options;
	char *ns, *pod, *uid, *who;
	bool by_token;
	int64_t job_id;
	struct grpc_client *red_box;
	char *path;          /* of the file; at first the one that the pod has, or "" */
	int64_t start_s;     /* the same */
	struct timer *timer; /* to look at the job */
	struct timer *first; /* until something has come */
	enum reading reading;
	struct slice_count counted;
	struct slice slice;
};

/* ---- its end ---- */

static void log_free(struct log *l)
{
	if (l->relay.call)
		wlm_call_cancel(TAKE(l->relay.call));
	timer_stop(l->k->config.loop, l->timer);
	timer_stop(l->k->config.loop, l->first);
	DL_DELETE(l->k->logs, l);
	free(l->ns);
	free(l->pod);
	free(l->uid);
	free(l->who);
	free(l->path);
	free(l);
}

static void gone(void *log) { log_free(log); }

/* After a status 200 the reason of the end goes into the log: nothing else is shown. */
static void fail(struct log *l, int status, const char *sentence)
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

static void fail_with(struct log *l, struct err e)
{
	fail(l, e.kind == ERR_DENIED ? 403 : 500, e.text);
}

static void drained(void *log) { relay_drained(&((struct log *)log)->relay); }

static void begin(struct log *l) { relay_begin(&l->relay, KUBELET_TEXT, gone, drained, l); }

static void finish(struct log *l)
{
	struct exchange *x = l->relay.x;
	begin(l);
	log_free(l);
	exchange_end(x);
}

/* ---- reading ---- */

static void send(struct log *l, const char *bytes, size_t n)
{
	slice_take(&l->slice, &bytes, &n);
	if (n)
		begin(l);
	if (!relay_send(&l->relay, bytes, n))
		fail(l, 500, "red-box sends more at once than this program keeps");
	else if (slice_is_over(&l->slice))
		finish(l);
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

static void reading_ended(void *log, struct err e, const struct wlm_answer *a)
{
	struct log *l = log;
	(void)a;
	l->relay.call = NULL;
	timer_stop(l->k->config.loop, TAKE(l->first));
	timer_stop(l->k->config.loop, TAKE(l->timer));
	bool is_older = l->reading == READS_LAST_LINES && e.code == GRPC_UNIMPLEMENTED;
	if (l->reading == COUNTS_LINES && l->options.follow && e.kind == ERR_NOT_FOUND)
		e = OK; /* it is waited for */
	if (is_older)
		count_lines(l);
	else if (failed(e))
		fail_with(l, e);
	else if (l->reading == COUNTS_LINES)
		read_counted(l);
	else if (slice_lacks_bytes(&l->slice))
		fail(l, 500, "the file became shorter while it was read: read it again");
	else
		finish(l);
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

static struct wlm_caller caller(struct log *l, int64_t timeout_ms,
	void (*done)(void *ctx, struct err e, const struct wlm_answer *answer))
{
	return (struct wlm_caller){ l->red_box, timeout_ms, done, content_came, NULL, l };
}

static void nothing_came(void *log)
{
	struct log *l = log;
	l->first = NULL;
	fail(l, 500, "red-box does not answer: it gives nothing of the file");
}

static void await_first(struct log *l)
{
	l->first = timer_start(l->k->config.loop, l->k->config.patience_ms, nothing_came, l);
}

static void open_file(struct log *l)
{
	const struct wlm_caller by = caller(l, READ_MS, reading_ended);
	l->relay.call = wlm_open(&by, l->path, 0);
	await_first(l);
}

static void tail_file(struct log *l)
{
	const struct wlm_caller by = caller(l, READ_MS, reading_ended);
	l->relay.call = wlm_tail(&by, l->path);
	await_end_of_job(l);
}

static void read_forwards(struct log *l)
{
	l->reading = READS_FORWARDS;
	if (slice_is_over(&l->slice))
		finish(l);
	else if (l->options.follow)
		tail_file(l);
	else
		open_file(l);
}

static void read_last_lines(struct log *l)
{
	const struct wlm_caller by = caller(l, READ_MS, reading_ended);
	l->reading = READS_LAST_LINES;
	l->relay.call = wlm_tail_lines(&by, l->path, l->options.tail_lines, l->options.follow);
	await_first(l);
	if (l->options.follow)
		await_end_of_job(l);
}

/* An older red-box: the file is read twice. */
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

static void read_file(struct log *l)
{
	l->options.follow = l->options.follow && job_goes_on(l);
	l->slice = slice_begin(&l->options, NULL);
	if (l->options.tail_lines >= 0)
		read_last_lines(l);
	else
		read_forwards(l);
}

/* ---- which file ---- */

static void look_at_since(struct log *l, const struct log_file *f)
{
	bool none;
	struct err e = log_file_since(f, l->options.since_s, &none);
	if (failed(e))
		fail(l, 400, e.text);
	else if (none)
		finish(l);
	else
		read_file(l);
}

/* Slurm forgets a job some minutes after its end. Its file is where it was. */
static void use_remembered(struct log *l, struct err e)
{
	const struct log_file f = { l->path, l->start_s > 0 ? l->start_s : -1, -1 };
	if (!str_empty(l->path)) {
		look_at_since(l, &f);
	} else if (e.kind == ERR_NOT_FOUND && !l->job_id) {
		fail(l, 400,
			"Slurm has no job of this pod, so there is no log: it is not submitted "
			"yet, was refused, or is forgotten; \"kubectl describe pod\" says which");
	} else if (e.kind == ERR_NOT_FOUND) {
		e = err_new(e.kind,
			"Slurm does not know job %lld any more, and nobody has noted to which file "
			"it has written",
			(long long)l->job_id);
		fail_with(l, e);
	} else {
		fail_with(l, e);
	}
}

static void job_told(void *log, struct err e, const struct wlm_answer *a)
{
	struct log *l = log;
	struct log_file f;
	l->relay.call = NULL;
	if (failed(e)) {
		use_remembered(l, e);
		return;
	}
	e = log_file_choose(a->jobs, a->n_jobs, l->options.standard_error, &f);
	if (e.kind == ERR_NOT_FOUND && !str_empty(l->path)) {
		use_remembered(l, e);
		return;
	}
	if (failed(e)) {
		fail(l, 400, e.text);
		return;
	}
	free(l->path);
	l->path = own_strdup(f.path);
	look_at_since(l, &f);
}

/* ---- its beginning ---- */

/* NULL: there is room for one more. */
static const char *why_no_room(const struct kubelet *k, const struct gate_answer *by)
{
	const struct log *l;
	int n = 0, same = 0;
	DL_FOREACH(k->logs, l)
	{
		n++;
		same += by->by_token && l->by_token && str_eq(l->who, by->who);
	}
	if (same >= MOST_LOGS_OF_ONE)
		return "you are reading 16 logs already: end one of them, or try again later";
	return n >= MOST_LOGS ? "64 logs are being read already: try again later" : NULL;
}

static struct log *log_new(struct kubelet *k, struct exchange *x, const struct kubelet_pod *p,
	const struct log_options *options, const struct gate_answer *by)
{
	struct log *l = own_alloc(sizeof(*l));
	*l = (struct log){
		.k = k,
		.relay.x = x,
		.options = *options,
		.ns = own_strdup(p->ns),
		.pod = own_strdup(p->name),
		.uid = own_strdup(p->uid),
		.who = own_strdup(by->who),
		.by_token = by->by_token,
		.job_id = p->job_id,
		.red_box = p->red_box,
		.path = own_strdup(options->standard_error ? p->std_err : p->std_out),
		.start_s = p->start_s,
	};
	DL_APPEND(k->logs, l);
	return l;
}

void log_start(struct kubelet *k, struct exchange *x, const struct kubelet_pod *p,
	const struct log_options *options, const struct gate_answer *by)
{
	const char *full = why_no_room(k, by);
	if (!p->is_job) {
		kubelet_say(x, 400, "the pod stands for no job of Slurm: it has no log");
	} else if (!p->job_id && str_empty(p->key)) {
		kubelet_say(x, 400, "the job has not been given to Slurm yet: it has no log");
	} else if (!p->red_box) {
		kubelet_say(x, 503, KUBELET_NO_RED_BOX);
	} else if (full) {
		kubelet_say(x, 429, full);
	} else {
		struct log *l = log_new(k, x, p, options, by);
		const struct wlm_caller ask = caller(l, k->config.patience_ms, job_told);
		exchange_later(x, gone, l);
		l->relay.call = wlm_job_info(&ask, p->job_id, p->key);
	}
}
