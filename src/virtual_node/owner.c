/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes struct vowner, the owner of a pod as last read, and counts slots
 * (plan/vnode/room.h).
 */
#include <assert.h>

#include "api/job_inputs.h"
#include "api/names.h"
#include "base/own.h"
#include "virtual_node/parts.h"
#include "object/metadata.h"

void owner_new(struct vpod *p, const struct json *pod)
{
	const struct json *owner = controller_of(pod);
	const char *name = json_str(json_get(owner, "name"), "");
	p->owner.none = str_empty(vpod_wanted_key(pod)) || str_empty(name);
	if (!str_empty(vpod_wanted_key(pod)))
		p->owner_resource = resource_of_owner(owner);
	if (!p->owner.none)
		p->owner_name = own_strdup(name);
}

/* Sets counted, because the red-box of the pod may change before the slot is released. */
void owner_take_slot(struct vpod *p)
{
	if (p->slots++ == 0)
		p->counted = p->box;
	assert(p->slots <= 2); /* one read, and one kept script */
	p->space->slots++;
	p->counted->slots++;
	p->counted->all->slots++;
}

void owner_leave_slot(struct vpod *p)
{
	p->slots--;
	p->space->slots--;
	p->counted->slots--;
	p->counted->all->slots--;
	assert(p->slots >= 0 && p->space->slots >= 0 && p->counted->slots >= 0);
}

void owner_drop_script(struct vpod *p)
{
	if (!p->owner_doc)
		return;
	json_free(TAKE(p->owner_doc));
	p->owner.script = NULL;
	owner_leave_slot(p);
}

static void keep_script(struct vpod *p, const struct json *owner)
{
	owner_drop_script(p);
	p->owner_doc = owner_kept(owner);
	p->owner.script = json_root(p->owner_doc);
	if (p->owner_doc)
		owner_take_slot(p);
}

static bool has_end(const struct job *j)
{
	return str_eq(j->pod_phase, "Succeeded") || str_eq(j->pod_phase, "Failed");
}

void owner_was_read(struct vpod *p, const struct json *owner)
{
	struct metadata m = metadata_of(owner);
	bool same = str_eq(m.uid, p->object.key);
	struct job j;
	job_read(p->owner_resource, owner, &j);
	struct vowner *o = &p->owner;
	o->is = !same ? VOWNER_GONE : m.deleting ? VOWNER_DELETING : VOWNER_LIVE;
	o->asked_ms = p->attempt.sent_ms;
	o->told = same && has_end(&j);
	o->copies = same && job_results_awaited(&j);
	o->orphans |= same && m.deleting && has_finalizer(owner, FINALIZER_ORPHAN);
	o->inputs |= same && job_inputs_of(&j).asked;
	o->pod_read = false;
	o->unserved_ms = 0;
	if (o->is == VOWNER_LIVE)
		keep_script(p, owner);
}

void owner_was_not_read(struct vpod *p, bool no_kind)
{
	int64_t since_ms = p->owner.unserved_ms ? p->owner.unserved_ms : p->attempt.sent_ms;
	p->owner.unserved_ms = no_kind ? since_ms : 0;
}

void owner_pod_was_read(struct vpod *p) { p->owner.pod_read = true; }

void owner_is_outdated(struct vpod *p) { p->owner.asked_ms = 0; }

void owner_free(struct vpod *p)
{
	owner_drop_script(p);
	while (p->slots) /* slots of a running read */
		owner_leave_slot(p);
	free(p->owner_name);
}
