/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes calls of red-box, by a table with a row for each method, and maps their results.
 */
#include "wlm/client.h"

#include <string.h>

#include "base/metric.h"
#include "base/own.h"

enum { PIECE_BYTES = 64 << 10 };

/* The effect of a call on the server. */
enum effect { READS, CHANGES, SUBMITS };

struct method {
	const char *path;
	enum wlm_answer_kind answer;
	enum effect effect;
	bool streams; /* the server sends any number of messages */
};

#define ROW(name) "/api.WorkloadManager/" #name
static const struct method submit_job = { ROW(SubmitJob), WLM_ANSWER_JOB_ID, SUBMITS, false };
static const struct method submit_container = { ROW(SubmitJobContainer), WLM_ANSWER_JOB_ID, SUBMITS,
	false };
static const struct method cancel_job = { ROW(CancelJob), WLM_ANSWER_EMPTY, CHANGES, false };
static const struct method close_submission = { ROW(CloseSubmission), WLM_ANSWER_EMPTY, CHANGES,
	false };
static const struct method job_info = { ROW(JobInfo), WLM_ANSWER_JOBS, READS, false };
static const struct method resources = { ROW(Resources), WLM_ANSWER_RESOURCES, READS, false };
static const struct method partitions = { ROW(Partitions), WLM_ANSWER_NAMES, READS, false };
static const struct method workload = { ROW(WorkloadInfo), WLM_ANSWER_WORKLOAD, READS, false };
static const struct method open_file = { ROW(OpenFile), WLM_ANSWER_CHUNK, READS, true };
static const struct method tail_file = { ROW(TailFile), WLM_ANSWER_CHUNK, READS, true };
static const struct method tail_lines = { ROW(TailLines), WLM_ANSWER_CHUNK, READS, true };
static const struct method create_file = { ROW(CreateFile), WLM_ANSWER_EMPTY, CHANGES, false };
static const struct method list_files = { ROW(ListFiles), WLM_ANSWER_FILE, READS, true };
static const struct method checksum = { ROW(FileChecksum), WLM_ANSWER_CHECKSUM, READS, false };

struct wlm_call {
	struct grpc_ask *ask;
	const struct method *method;
	struct wlm_caller by;
	bool answered; /* the response has arrived, or the end of a list */
	struct arena arena;
	struct wlm_answer answer;
};

/* ---- metrics ---- */

METRIC(calls_total, "slurm_operator_virtual_node_red_box_calls_total", METRIC_COUNTER,
	"Finished calls of red-box, by gRPC status: UNAVAILABLE if red-box is down or cannot query Slurm, DEADLINE_EXCEEDED if it did not answer in time.",
	"method,code", METRIC_OF_VIRTUAL_NODE);
METRIC(call_seconds, "slurm_operator_virtual_node_red_box_call_duration_seconds", METRIC_HISTOGRAM,
	"Time from the start of a call, including its wait in the queue of the client, to its end. A file call lasts as long as its reader reads.",
	"method", METRIC_OF_VIRTUAL_NODE, grpc_took_bounds, GRPC_TOOK_BOUNDS);

static const char *name_of(const struct method *m) { return strrchr(m->path, '/') + 1; }

static void count(const struct method *m, const struct grpc_outcome *o)
{
	metric_add(&calls_total, 1, name_of(m), grpc_status_name(o->status));
	metric_observe(&call_seconds, (double)o->took_ms / 1000, name_of(m));
}

/* ---- errors ---- */

/* The kind of error if the outcome of a call is unknown. */
static enum err_kind lost(const struct method *m)
{
	return m->effect == READS ? ERR_RETRY : ERR_LOST;
}

/*
 * The kind of error for a status of the server. A status without a row means that the
 * outcome is unknown. For a submission UNAVAILABLE means the same, because red-box also
 * sends it while it does not know the outcome of a key.
 */
static enum err_kind kind_answered(enum grpc_status status, const struct method *m)
{
	static const enum err_kind kinds[GRPC_STATUSES] = {
		[GRPC_INVALID_ARGUMENT] = ERR_INVALID,
		[GRPC_NOT_FOUND] = ERR_NOT_FOUND,
		[GRPC_ALREADY_EXISTS] = ERR_EXISTS,
		[GRPC_PERMISSION_DENIED] = ERR_DENIED,
		[GRPC_RESOURCE_EXHAUSTED] = ERR_RETRY,
		[GRPC_FAILED_PRECONDITION] = ERR_EXISTS,
		[GRPC_ABORTED] = ERR_CONFLICT,
		[GRPC_OUT_OF_RANGE] = ERR_INVALID,
		[GRPC_UNIMPLEMENTED] = ERR_INVALID,
		[GRPC_UNAUTHENTICATED] = ERR_DENIED,
	};
	if (status == GRPC_UNAVAILABLE && m->effect != SUBMITS)
		return ERR_RETRY;
	return kinds[status] != ERR_NONE ? kinds[status] : lost(m);
}

static struct err error_of(const struct method *m, const struct grpc_outcome *o)
{
	enum err_kind kind = lost(m);
	if (o->effect == GRPC_ANSWERED)
		kind = kind_answered(o->status, m);
	else if (o->effect == GRPC_NOT_SENT)
		kind = o->status == GRPC_CANCELLED ? ERR_CANCELLED : ERR_RETRY;
	struct err e = err_new(kind, "%s", *o->message ? o->message : "the server gave no reason");
	e.code = (int)o->status;
	return e;
}

/*
 * True if the tail is complete: the original red-box ends a complete tail with this
 * error.
 */
static bool is_end_of_tail(const struct method *m, const struct grpc_outcome *o)
{
	return m == &tail_file && o->effect == GRPC_ANSWERED && o->status == GRPC_UNKNOWN &&
		str_eq(o->message, "EOF");
}

/* ---- responses ---- */

static void call_free(struct wlm_call *c)
{
	arena_free(&c->arena);
	free(c);
}

static void tell(struct wlm_call *c, struct err e)
{
	static const struct wlm_answer nothing = { 0 };
	if (failed(e))
		e = err_wrap(e, "%s", name_of(c->method));
	if (c->by.done)
		c->by.done(c->by.ctx, e, failed(e) ? &nothing : &c->answer);
	call_free(c);
}

/* Ends a call whose server breaks the protocol, so that its outcome is unknown. */
static void give_up(struct wlm_call *c, const char *why)
{
	grpc_ask_cancel(TAKE(c->ask));
	tell(c, err_new(lost(c->method), "%s", why));
}

static void take_content(struct wlm_call *c, const void *bytes, size_t n)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct wlm_answer piece;
	struct err e = wlm_answer_read(WLM_ANSWER_CHUNK, bytes, n, &a, &piece);
	if (failed(e))
		give_up(c, e.text);
	else if (c->by.content && (piece.content_bytes || c->method == &tail_lines))
		c->by.content(c->by.ctx, c, piece.content, piece.content_bytes);
}

static void take_file(struct wlm_call *c, const void *bytes, size_t n)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct wlm_answer one;
	struct err e = wlm_answer_read(WLM_ANSWER_FILE, bytes, n, &a, &one);
	if (!failed(e) && c->answered)
		e = err_new(ERR_INVALID, "a message came after the end of the list");
	if (failed(e)) {
		give_up(c, e.text);
	} else if (!*one.file.path) {
		c->answered = true;
		c->answer.left_out = one.left_out;
	} else if (c->by.file) {
		c->by.file(c->by.ctx, c, &one.file);
	}
}

static void message_came(void *call, struct grpc_ask *a, const void *bytes, size_t n)
{
	struct wlm_call *c = call;
	(void)a;
	if (c->method == &list_files) {
		take_file(c, bytes, n);
		return;
	}
	if (c->method->streams) {
		take_content(c, bytes, n);
		return;
	}
	struct err e = c->answered
		? err_new(ERR_INVALID, "the server answered twice")
		: wlm_answer_read(c->method->answer, bytes, n, &c->arena, &c->answer);
	c->answered = true;
	if (failed(e))
		give_up(c, e.text);
}

static void writable(void *call, struct grpc_ask *a)
{
	struct wlm_call *c = call;
	(void)a;
	if (c->by.writable)
		c->by.writable(c->by.ctx, c);
}

static void ask_done(void *call, const struct grpc_outcome *o)
{
	struct wlm_call *c = call;
	bool well = o->effect == GRPC_ANSWERED && o->status == GRPC_OK;
	c->ask = NULL;
	count(c->method, o);
	if (!well && !is_end_of_tail(c->method, o))
		tell(c, error_of(c->method, o));
	else if (!c->answered && c->method == &list_files)
		tell(c, err_new(ERR_RETRY, "the list is incomplete"));
	else if (!c->answered && !c->method->streams)
		tell(c, err_new(lost(c->method), "the server ended without an answer"));
	else
		tell(c, OK);
}

/* ---- requests ---- */

static struct wlm_call *begin(const struct wlm_caller *by, const struct method *m,
	const struct str *message)
{
	static const struct grpc_ask_events events = { message_came, writable, ask_done };
	struct wlm_call *c = own_alloc(sizeof(*c));
	c->method = m;
	c->by = *by;
	c->ask = grpc_ask_start(by->client, m->path, by->timeout_ms, &events, c);
	grpc_ask_send(c->ask, str_text(message), message->len);
	return c;
}

/* Starts a call whose request is one message. */
static struct wlm_call *ask(const struct wlm_caller *by, const struct method *m,
	const struct str *message)
{
	struct wlm_call *c = begin(by, m, message);
	grpc_ask_end(c->ask);
	return c;
}

static struct wlm_call *ask_of_job(const struct wlm_caller *by, const struct method *m,
	int64_t job_id, const char *key)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_job(&message, job_id, key);
	return ask(by, m, &message);
}

struct wlm_call *wlm_submit(const struct wlm_caller *by, const char *script, const char *partition,
	const char *key, int64_t job_id)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_submit(&message, script, partition, key, job_id);
	return ask(by, &submit_job, &message);
}

struct wlm_call *wlm_submit_container(const struct wlm_caller *by,
	const struct wlm_container_ask *container)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_container(&message, container);
	return ask(by, &submit_container, &message);
}

struct wlm_call *wlm_cancel(const struct wlm_caller *by, int64_t job_id, const char *key)
{
	return ask_of_job(by, &cancel_job, job_id, key);
}

struct wlm_call *wlm_close(const struct wlm_caller *by, const char *key)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_close(&message, key);
	return ask(by, &close_submission, &message);
}

struct wlm_call *wlm_job_info(const struct wlm_caller *by, int64_t job_id, const char *key)
{
	return ask_of_job(by, &job_info, job_id, key);
}

struct wlm_call *wlm_resources(const struct wlm_caller *by, const char *partition)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_resources(&message, partition);
	return ask(by, &resources, &message);
}

struct wlm_call *wlm_partitions(const struct wlm_caller *by)
{
	return ask(by, &partitions, &(struct str){ 0 });
}

struct wlm_call *wlm_workload(const struct wlm_caller *by)
{
	return ask(by, &workload, &(struct str){ 0 });
}

/* ---- files ---- */

struct wlm_call *wlm_open(const struct wlm_caller *by, const char *path, int64_t offset)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_open(&message, path, offset);
	return ask(by, &open_file, &message);
}

static struct wlm_call *ask_of_path(const struct wlm_caller *by, const struct method *m,
	const char *path)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_path(&message, path);
	return ask(by, m, &message);
}

struct wlm_call *wlm_list_files(const struct wlm_caller *by, const char *path)
{
	return ask_of_path(by, &list_files, path);
}

struct wlm_call *wlm_checksum(const struct wlm_caller *by, const char *path)
{
	return ask_of_path(by, &checksum, path);
}

struct wlm_call *wlm_tail(const struct wlm_caller *by, const char *path)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_tail(&message, false, path, 0);
	return begin(by, &tail_file, &message);
}

struct wlm_call *wlm_tail_lines(const struct wlm_caller *by, const char *path, int64_t lines,
	bool follow)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_tail(&message, !follow, path, lines);
	return follow ? begin(by, &tail_lines, &message) : ask(by, &tail_lines, &message);
}

void wlm_tail_finish(struct wlm_call *c)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_tail(&message, true, "", 0);
	grpc_ask_send(c->ask, str_text(&message), message.len);
	grpc_ask_end(c->ask);
}

void wlm_pause(struct wlm_call *c) { grpc_ask_pause(c->ask); }
void wlm_resume(struct wlm_call *c) { grpc_ask_resume(c->ask); }

struct wlm_call *wlm_create(const struct wlm_caller *by, const struct wlm_new_file *file)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_new_file(&message, file);
	return begin(by, &create_file, &message);
}

void wlm_create_add(struct wlm_call *c, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n) {
		AUTO(str_free) struct str message = { 0 };
		size_t piece = n < PIECE_BYTES ? n : PIECE_BYTES;
		wlm_ask_content(&message, at, piece);
		grpc_ask_send(c->ask, str_text(&message), message.len);
		at += piece;
		n -= piece;
	}
}

void wlm_create_finish(struct wlm_call *c) { grpc_ask_end(c->ask); }

void wlm_call_cancel(struct wlm_call *c)
{
	grpc_ask_cancel(c->ask);
	call_free(c);
}
