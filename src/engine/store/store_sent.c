/* SPDX-License-Identifier: Apache-2.0 */
/* The store's facts about actions in flight. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/store/store_parts.h"
#include "object/metadata.h"

static void set_in_flight(struct entry *e, bool in_flight)
{
	e->rec.in_flight = in_flight;
	e->creating &= in_flight;
	if (e->pod)
		e->pod->in_flight = in_flight;
}

/*
 * Makes a record of an object that does not exist yet, so that its name is taken from the
 * moment when the creation is sent.
 */
static void creation_sent(struct store *s, enum resource r, const char *ns, const char *name,
	const char *body, const char *owner_uid)
{
	struct json_doc *doc = NULL;
	if (failed(json_parse_cut(body, strlen(body), SIZE_MAX, &doc)))
		return;
	struct entry *e = entry_new(s, r, ns, name);
	e->rec.in_flight = true;
	entry_fill(s, e, json_root(doc));
	e->rec.version = 0;
	if (owner_uid)
		entry_owned_by(s, e, owner_uid);
	json_free(doc);
}

uint64_t store_sent(struct store *s, enum resource r, const char *ns, const char *name,
	const char *create_body, const char *owner_uid)
{
	struct entry *e = store_find(s, r, ns, name);
	if (!e && create_body)
		creation_sent(s, r, ns, name, create_body, owner_uid);
	else if (e)
		set_in_flight(e, true);
	e = store_find(s, r, ns, name);
	if (!e)
		return ++s->tickets;
	e->creating = create_body && r != RES_POD;
	return e->ticket = ++s->tickets;
}

/*
 * A pod has a grace period, and the watch reports its end. Any other object without a
 * deletionTimestamp is gone.
 */
static void deletion_answered(struct store *s, struct entry *e, bool accepted)
{
	bool ending = e->pod ||
		!json_is_null(json_at(e->rec.object, "metadata", "deletionTimestamp"));
	if (accepted && !ending) {
		entry_drop(s, e);
		return;
	}
	if (accepted && e->pod)
		e->pod->terminating = true;
	entry_changed(s, e);
}

void store_deletion_sent(struct store *s, enum resource r, const char *ns, const char *name)
{
	struct entry *e = store_find(s, r, ns, name);
	if (e && e->pod)
		e->pod->deletion_sent_ms = loop_now_ms(s->loop);
}

void store_outcome(struct store *s, uint64_t ticket, enum resource r, const char *ns,
	const char *name, const struct json *answered, bool deletion_accepted)
{
	struct entry *e = store_find(s, r, ns, name);
	const struct json *m = json_get(answered, "metadata");
	/*
	 * An older action, on a predecessor of the same name, does not concern the action
	 * in flight now.
	 */
	bool newest = e && e->ticket == ticket, creation = newest && !e->rec.version,
	     creating = newest && e->creating;
	struct overtaken_pod pod = { name, json_str(json_get(m, "uid"), ""),
		controller_uid(answered) };
	bool made = overtaken_ended(&s->overtaken, ticket, &pod) || creation || creating;
	bool same = e && str_eq(pod.uid, e->rec.uid);
	if (newest)
		set_in_flight(e, false);
	if (made && answered && store_made_before_list(s, r, answered))
		made = same = false;
	if (answered && (made || same))
		entry_put(s, r, answered);
	else if (creation) {
		entry_drop(s, e);
		return;
	}
	if ((e = store_find(s, r, ns, name)))
		deletion_answered(s, e, newest && deletion_accepted);
}
