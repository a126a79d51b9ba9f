/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leader election.
 *
 * Definitions:
 *   renewal  a write of the lease that the API server accepted
 *   free     the lease has no holder, its holder is this process, or its renewal has been
 *            the same for leaseDurationSeconds, by our own clock (is_free)
 *
 * Invariants:
 *   1. At most one request is under way (send asserts it).
 *   2. The lease is written only while it is free or ours, with the resourceVersion that
 *      was read. If two processes write at the same time, one gets a conflict.
 *   3. A process leads for GIVE_UP_MS after it sent its last renewal, and no longer.
 *      Other processes wait LEASE_MS after they saw that renewal, which is later. So two
 *      processes never lead at the same time if their clocks run at similar speed.
 *   4. No request is sent after lost or released is called.
 *
 *   SEEKING --renewed--> LEADING --not_renewed, read_done (taken): lose--> OVER
 *      |                    |
 *      +---lease_release----+--> RELEASING --release_ended--> OVER
 *
 *   step --> GET: read_done --> PUT or POST: write_done --> renewed --> step, RENEW_MS
 *   later; a leader skips the GET if its last write succeeded
 */
#include "kube/lease.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "json/build.h"

enum {
	LEASE_MS = 15000,
	RENEW_MS = 2000,
	GIVE_UP_MS = 10000,
	REQUEST_MS = 5000,
	RELEASE_MS = 3000,
};

enum stage { SEEKING, LEADING, RELEASING, OVER };

struct lease {
	struct kube *kube;
	char *ns, *name, *identity;
	const struct lease_handler *handler;
	void *ctx;

	enum stage stage;
	struct http_call *call;
	struct timer *timer; /* the next step */
	/* Timeout of the request in flight, including its time in the queue */
	struct timer *patience;
	kube_done *awaited;
	/*
	 * When leading: the end of our lease. When releasing: the timeout of the release.
	 */
	struct timer *deadline;
	int64_t sent_ms;       /* when the request in flight was sent */
	struct json_doc *seen; /* the lease as last read or written */
	int64_t seen_ms;       /* when we first saw the holder's last renewal, by our clock */
	struct err last_error;
	struct err trouble; /* for people; does not include conflicts with another holder */
	char *leader;       /* as last logged; NULL: none yet */
	void (*released)(void *ctx);
	void *released_ctx;
};

static void step(void *lease);

/* ---- messages ---- */

static void note_trouble(struct lease *l, struct err e)
{
	const char *remedy = kube_remedy(e);
	if (!failed(e) || e.kind == ERR_CONFLICT || e.kind == ERR_EXISTS) {
		if (failed(l->trouble) && !failed(e))
			log_info("the lease can be read and written again", "lease", l->name);
		if (!failed(e))
			l->trouble = OK;
		return;
	}
	e = err_new(e.kind, "cannot read or write the leader election lease %s/%s: %.240s%s", l->ns,
		l->name, e.text, remedy);
	if (!str_eq(e.text, l->trouble.text))
		log_warn("cannot lead", "why", e.text);
	l->trouble = e;
}

const char *lease_trouble(const struct lease *l) { return l->trouble.text; }

static void note_leader(struct lease *l, const char *leader)
{
	if (str_empty(leader) || str_eq(leader, l->leader))
		return;
	free(l->leader);
	l->leader = own_strdup(leader);
	if (!str_eq(leader, l->identity))
		log_info("standing by: another manager leads", "leader", leader, "lease", l->name);
}

static const struct json *spec(const struct lease *l)
{
	return json_get(json_root(l->seen), "spec");
}
static const char *holder(const struct lease *l)
{
	return json_str(json_get(spec(l), "holderIdentity"), "");
}
static bool is_ours(const struct lease *l) { return str_eq(holder(l), l->identity); }

static void step_after(struct lease *l, int64_t ms)
{
	timer_stop(l->kube->loop, l->timer);
	l->timer = timer_start_urgent(l->kube->loop, ms, step, l);
}

/* ---- ends ---- */

static void stop_all(struct lease *l)
{
	timer_stop(l->kube->loop, TAKE(l->timer));
	timer_stop(l->kube->loop, TAKE(l->deadline));
	timer_stop(l->kube->loop, TAKE(l->patience));
	http_cancel(l->kube->http, TAKE(l->call));
}

static void lose(struct lease *l, struct err why)
{
	stop_all(l);
	l->stage = OVER;
	l->handler->lost(l->ctx, why);
}

static void not_renewed(void *lease)
{
	struct lease *l = lease;
	struct err e = l->last_error;
	l->deadline = NULL;
	if (!failed(e))
		e = err_new(ERR_LOST, "no answer from the API server");
	lose(l,
		err_wrap(e, "the lease %s/%s was not renewed for %d s", l->ns, l->name,
			GIVE_UP_MS / 1000));
}

static void release_ended(struct lease *l)
{
	stop_all(l);
	l->stage = OVER;
	if (l->released)
		l->released(l->released_ctx);
}

static void release_waited(void *lease)
{
	struct lease *l = lease;
	l->deadline = NULL;
	release_ended(l);
}

/* ---- the lease as read ---- */

static void remember(struct lease *l, const struct json *object)
{
	const struct json *was = spec(l), *is = json_get(object, "spec");
	bool same = l->seen && json_equal(json_get(was, "renewTime"), json_get(is, "renewTime")) &&
		str_eq(holder(l), json_str(json_get(is, "holderIdentity"), ""));
	struct json_doc *copy = json_copy(object);
	if (!same)
		l->seen_ms = loop_now_ms(l->kube->loop);
	json_free(l->seen);
	l->seen = copy;
}

/*
 * True if the lease has no other holder, or that holder has not renewed it in time.
 * Clocks of machines differ, so the time is measured from when we first read the last
 * renewal.
 */
static bool is_free(const struct lease *l)
{
	int64_t seconds = json_i64(json_get(spec(l), "leaseDurationSeconds"), LEASE_MS / 1000);
	if (holder(l)[0] == 0 || is_ours(l))
		return true;
	if (seconds < 1 || seconds > 3600)
		seconds = LEASE_MS / 1000;
	return loop_now_ms(l->kube->loop) >= l->seen_ms + seconds * 1000;
}

/* ---- the lease as written ---- */

static void write_times(struct lease *l, struct jdoc *d, struct jval *to)
{
	char now[TIME_RFC3339_BYTES];
	int64_t transitions = json_i64(json_get(spec(l), "leaseTransitions"), 0);
	time_format_micro(loop_wall_ms(l->kube->loop), now);
	j_set_str(d, to, "renewTime", now);
	if (l->seen && is_ours(l))
		return;
	j_set_str(d, to, "acquireTime", now);
	if (l->stage != RELEASING)
		j_set_int(d, to, "leaseTransitions", l->seen ? transitions + 1 : 0);
}

static struct jval *base_object(struct lease *l, struct jdoc *d)
{
	if (l->seen)
		/* Keeps the fields of others, and the resourceVersion as precondition */
		return j_copy(d, json_root(l->seen));
	struct jval *o = j_obj(d);
	j_set_str(d, o, "apiVersion", resource_rows[RES_LEASE].api_version);
	j_set_str(d, o, "kind", resource_rows[RES_LEASE].kind);
	struct jval *meta = j_set(d, o, "metadata", j_obj(d));
	j_set_str(d, meta, "name", l->name);
	j_set_str(d, meta, "namespace", l->ns);
	return o;
}

static void no_answer(void *lease)
{
	struct lease *l = lease;
	l->patience = NULL;
	http_cancel(l->kube->http, TAKE(l->call));
	l->awaited(l, err_new(ERR_LOST, "no answer within %d s", REQUEST_MS / 1000), NULL, -1);
}

static void call_over(struct lease *l)
{
	l->call = NULL;
	timer_stop(l->kube->loop, TAKE(l->patience));
}

static void send(struct lease *l, const char *method, const char *body, kube_done *done)
{
	struct arena a AUTO(arena_free) = { 0 };
	bool create = str_eq(method, "POST");
	struct kube_request r = {
		.method = method,
		.path = resource_path(&a, RES_LEASE, l->ns, create ? NULL : l->name, NULL),
		.body = body,
		.timeout_ms = REQUEST_MS,
	};

	assert(!l->call && l->stage != OVER);
	l->sent_ms = loop_now_ms(l->kube->loop);
	l->awaited = done;
	l->patience = timer_start_urgent(l->kube->loop, REQUEST_MS, no_answer, l);
	l->call = kube_send(l->kube, &r, done, l);
}

static void write_lease(struct lease *l, kube_done *done)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *object = base_object(l, d);
	struct jval *to = j_child(d, object, "spec");
	bool release = l->stage == RELEASING;
	write_times(l, d, to);
	j_set_str(d, to, "holderIdentity", release ? "" : l->identity);
	j_set_int(d, to, "leaseDurationSeconds", release ? 1 : LEASE_MS / 1000);
	send(l, l->seen ? "PUT" : "POST", j_text(d, object), done);
}

/* ---- the steps ---- */

/* The stored lease may be outdated, so the next step reads before it writes. */
static void forget(struct lease *l, struct err e)
{
	l->last_error = e;
	if (e.kind == ERR_NOT_FOUND) {
		json_free(l->seen);
		l->seen = NULL;
	}
}

static void renewed(struct lease *l)
{
	bool first = l->stage == SEEKING;
	/*
	 * Counts from when the renewal was sent. Other processes count from when they see
	 * it, which is later.
	 */
	int64_t until_ms = l->sent_ms + GIVE_UP_MS, left = until_ms - loop_now_ms(l->kube->loop);
	l->stage = LEADING;
	l->last_error = OK;
	timer_stop(l->kube->loop, l->deadline);
	l->deadline = timer_start_urgent(l->kube->loop, left > 0 ? left : 0, not_renewed, l);
	step_after(l, RENEW_MS);
	if (l->handler->holds)
		l->handler->holds(l->ctx, until_ms);
	if (first)
		l->handler->leading(l->ctx);
}

static void write_done(void *lease, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct lease *l = lease;
	(void)retry_after_ms;
	call_over(l);
	if (!failed(e) && !json_is_obj(object))
		e = err_new(ERR_LOST, "the answer of the API server is empty");
	note_trouble(l, e);
	if (failed(e)) {
		forget(l, e);
		/* another manager wrote the lease: read at once whether we still lead */
		step_after(l, l->stage == LEADING && e.kind == ERR_CONFLICT ? 0 : RENEW_MS);
		return;
	}
	remember(l, object);
	renewed(l);
}

static void read_done(void *lease, struct err e, const struct json *object, int64_t retry_after_ms)
{
	struct lease *l = lease;
	(void)retry_after_ms;
	call_over(l);
	if (!failed(e))
		remember(l, object);
	else
		forget(l, e);
	bool absent = failed(e) && e.kind == ERR_NOT_FOUND;
	/* In that case write_done reports the result. */
	bool writes = absent || (!failed(e) && is_free(l));
	if (!writes)
		note_trouble(l, e);
	if (!failed(e))
		note_leader(l, holder(l));
	if (failed(e) && !absent) {
		step_after(l, RENEW_MS);
	} else if (l->stage == LEADING && !absent && !is_ours(l)) {
		lose(l,
			err_new(ERR_CONFLICT, "the lease %s/%s was taken by %s", l->ns, l->name,
				holder(l)[0] ? holder(l) : "nobody"));
	} else if (absent || is_free(l)) {
		write_lease(l, write_done);
	} else {
		step_after(l, RENEW_MS);
	}
}

static void step(void *lease)
{
	struct lease *l = lease;
	l->timer = NULL;
	if (l->stage == LEADING && !failed(l->last_error))
		write_lease(l, write_done); /* a conflict shows that another process wrote */
	else
		send(l, "GET", NULL, read_done);
}

/* ---- release ---- */

static void release_written(void *lease, struct err e, const struct json *object,
	int64_t retry_after_ms)
{
	struct lease *l = lease;
	(void)e, (void)object, (void)retry_after_ms;
	call_over(l);
	release_ended(l);
}

static void release_read(void *lease, struct err e, const struct json *object,
	int64_t retry_after_ms)
{
	struct lease *l = lease;
	(void)retry_after_ms;
	call_over(l);
	if (!failed(e))
		remember(l, object);
	if (failed(e) || !is_ours(l))
		release_ended(l);
	else
		write_lease(l, release_written);
}

void lease_release(struct lease *l, void (*done)(void *ctx), void *ctx)
{
	bool leading = l->stage == LEADING;
	stop_all(l);
	l->stage = RELEASING;
	l->released = done;
	l->released_ctx = ctx;
	l->deadline = timer_start_urgent(l->kube->loop, leading ? RELEASE_MS : 0, release_waited,
		l);
	if (leading)
		/* A renewal may have been in flight: read its result */
		send(l, "GET", NULL, release_read);
}

struct lease *lease_new(struct kube *k, const char *ns, const char *name, const char *identity,
	const struct lease_handler *h, void *ctx)
{
	struct lease *l = own_alloc(sizeof(*l));
	l->kube = k;
	l->ns = own_strdup(ns);
	l->name = own_strdup(name);
	l->identity = own_strdup(identity);
	l->handler = h;
	l->ctx = ctx;
	step_after(l, 0);
	return l;
}

void lease_free(struct lease *l)
{
	if (!l)
		return;
	stop_all(l);
	json_free(l->seen);
	free(l->ns);
	free(l->name);
	free(l->identity);
	free(l->leader);
	free(l);
}
