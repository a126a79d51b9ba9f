/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which Events are written, and limits their number. */
#include "kube/event.h"

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "kube/event_parts.h"

enum { NEW_FOR_ONE_OBJECT = 25, OCCASION_MS = 600000 };

static bool may_make_one(struct topic *t) { return t->made++ < NEW_FOR_ONE_OBJECT; }

static void say(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message, bool promised)
{
	struct said *s = said_find(e, about, warning, reason, message);
	int64_t now = loop_now_ms(e->kube->loop);
	bool known = s;
	if (!known)
		s = said_add(e, about, warning, reason, message);
	s->counted = false;
	s->promised = promised;
	s->count++;
	s->last_wall_ms = loop_wall_ms(e->kube->loop);
	s->said_ms = now;
	said_used(s);
	if (known && (s->call || now - s->written_ms < EVENT_REPEAT_MS))
		said_write_later(s);
	else
		said_write(s);
}

void events_emit(struct events *e, const struct object_ref *about, bool warning, const char *reason,
	const char *message)
{
	bool known = said_find(e, about, warning, reason, message);
	if (known || may_make_one(topic_of(e, about, false)))
		say(e, about, warning, reason, message, false);
	else
		log_info("too many Events for one object: only logged", "object", about->name,
			"reason", reason, "message", message);
}

/* Keeps the row, so that each occasion is counted once. */
static void count(struct events *e, const struct object_ref *about, struct topic *all,
	const char *reason, const char *message)
{
	struct said *s = said_find(e, about, true, reason, message);
	struct str text AUTO(str_free) = { 0 };
	if (!s)
		s = said_add(e, about, true, reason, message);
	s->counted = true;
	s->said_ms = loop_now_ms(e->kube->loop);
	str_addf(&text,
		"more than %d in five minutes: this Event counts the others, the log of the manager has each; the first of them: %s",
		NEW_FOR_ONE_OBJECT, message);
	if (!all->rest)
		all->rest = str_take(&text);
	say(e, about, true, reason, all->rest, true);
}

void events_emit_promised(struct events *e, const struct object_ref *about, const char *reason,
	const char *message)
{
	struct said *s = said_find(e, about, true, reason, message);
	struct topic *all;
	int64_t now = loop_now_ms(e->kube->loop);
	if (s && now - s->said_ms < OCCASION_MS) {
		s->said_ms = now;
		return;
	}
	log_warn(message, "namespace", about->ns, "name", about->name, "reason", reason);
	all = topic_of(e, about, true);
	if ((s && !s->counted) || may_make_one(all))
		say(e, about, true, reason, message, true);
	else
		count(e, about, all, reason, message);
}

struct events *events_new(struct kube *k, const char *const components[RES_COUNT])
{
	struct events *e = own_alloc(sizeof(*e));
	e->kube = k;
	e->components = components;
	return e;
}

void events_free(struct events *e)
{
	if (!e)
		return;
	timer_stop(e->kube->loop, e->sweep);
	while (e->said)
		said_free(e->said);
	while (e->topics)
		topic_free(e, e->topics);
	free(e);
}
