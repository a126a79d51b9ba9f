/* SPDX-License-Identifier: Apache-2.0 */
/* The API server of the world of virtual nodes. */
#include "lib/vnode_world_parts.h"

#define CONFLICT "{\"kind\":\"Status\",\"code\":409,\"reason\":\"Conflict\",\"message\":\"old\"}"

/* As an API server says it: of a kind that it does not know it gives no name. */
static void answer_not_found(struct vnode_world *w, struct http_call *c)
{
	struct str text AUTO(str_free) = { 0 };
	const char *name = strrchr(c->path, '/') + 1;
	bool unknown = w->no_crd && strstr(c->path, "jobs/");
	str_add(&text, "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"");
	if (unknown)
		str_add(&text, "the server could not find the requested resource\"}");
	else
		str_addf(&text, "things \\\"%s\\\" not found\"}", name);
	fake_answer(c, 404, str_text(&text));
}

/* ---- watches ---- */

static void tell(struct vnode_world *w, const char *part, const struct json_doc *doc,
	const char *type)
{
	struct str event AUTO(str_free) = { 0 };
	char *text AUTO(own_free) = json_text(json_root(doc), NULL);
	str_addf(&event, "{\"type\":\"%s\",\"object\":%s}\n", type, text);
	for (int i = 0; i < FAKE_CALLS && !w->deaf; i++) {
		struct http_call *c = &w->http.calls[i];
		if (c->open && strstr(c->path, part) && strstr(c->path, "watch=true"))
			fake_data(c, str_text(&event));
	}
}

void tell_pod(struct vnode_world *w, const struct world_pod *p, const char *type)
{
	tell(w, "/pods?", p->pod, type);
}

void tell_node(struct vnode_world *w, const char *type) { tell(w, "/nodes?", w->node, type); }

static void answer_list(struct vnode_world *w, struct http_call *c, bool pods)
{
	struct str text AUTO(str_free) = { 0 };
	str_addf(&text, "{\"metadata\":{\"resourceVersion\":\"%llu\"},\"items\":[",
		(unsigned long long)++w->version);
	const char *between = "";
	for (int i = 0; i < WORLD_PODS; i++) {
		const struct json_doc *doc = pods ? w->pods[i].pod : i ? NULL : w->node;
		char *item AUTO(own_free) = doc ? json_text(json_root(doc), NULL) : NULL;
		if (!doc)
			continue;
		str_addf(&text, "%s%s", between, item);
		between = ",";
	}
	str_add(&text, "]}");
	fake_answer(c, 200, str_text(&text));
}

/* ---- objects ---- */

static void answer_doc(struct vnode_world *w, struct http_call *c, int status,
	const struct json_doc *doc)
{
	char *text AUTO(own_free) = doc ? json_text(json_root(doc), NULL) : NULL;
	if (doc)
		fake_answer(c, status, text);
	else
		answer_not_found(w, c);
}

/* With the preconditions of uid and version. */
static bool is_of_now(const struct json *patch, const struct json *object)
{
	static const char *const keys[] = { "uid", "resourceVersion" };
	for (int i = 0; i < 2; i++) {
		const char *wanted = json_str(json_at(patch, "metadata", keys[i]), NULL);
		if (wanted && !str_eq(wanted, json_str(json_at(object, "metadata", keys[i]), "")))
			return false;
	}
	return true;
}

/* The object that a request finds. */
struct found {
	struct json_doc **doc;
	struct world_pod *pod; /* whose; NULL: the node */
};

static void tell_change(struct vnode_world *w, const struct found *f, const char *type)
{
	if (f->pod && f->doc == &f->pod->pod)
		tell_pod(w, f->pod, type);
	else if (!f->pod)
		tell_node(w, type);
}

/* As the manager does: the status of the owner follows the end of its pod. */
static void hear_end(struct vnode_world *w, const struct world_pod *p)
{
	const char *phase = json_str(json_at(json_root(p->pod), "status", "phase"), "");
	char status[64];
	if (w->unheard || !p->owner || (!str_eq(phase, "Succeeded") && !str_eq(phase, "Failed")))
		return;
	snprintf(status, sizeof(status), "{\"status\":{\"status\":\"%s\"}}", phase);
	given_owner(w, p->name, status);
}

static void answer_patch(struct vnode_world *w, struct http_call *c, const struct found *f)
{
	struct json_doc *patch AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(c->body, strlen(c->body), SIZE_MAX, &patch)));
	if (!*f->doc) {
		answer_not_found(w, c);
		return;
	}
	if (!is_of_now(json_root(patch), json_root(*f->doc))) {
		fake_answer(c, 409, CONFLICT);
		return;
	}
	w->pod_writes += f->pod != NULL;
	w->node_writes += f->pod == NULL;
	world_change(w, f->doc, json_root(patch));
	tell_change(w, f, "MODIFIED");
	answer_doc(w, c, 200, *f->doc);
	if (f->pod && f->doc == &f->pod->pod)
		hear_end(w, f->pod);
	if (w->strips && f->pod)
		given_pod_changed(w, f->pod->name, w->strips);
}

static void answer_deletion(struct vnode_world *w, struct http_call *c, const struct found *f)
{
	assert_has(c->body, "\"gracePeriodSeconds\":0");
	assert_has(c->body, "\"preconditions\":{\"uid\":\"pod-");
	if (!*f->doc) {
		answer_not_found(w, c);
		return;
	}
	tell_change(w, f, "DELETED");
	json_free(TAKE(*f->doc));
	fake_answer(c, 200, "{}");
}

static struct found find(struct vnode_world *w, const char *path)
{
	static struct json_doc *nothing;
	for (int i = 0; i < WORLD_PODS; i++) {
		struct world_pod *p = &w->pods[i];
		char pod[128], owner[128], group[128];
		if (!*p->name)
			break;
		snprintf(pod, sizeof(pod), "/pods/%s-job", p->name);
		snprintf(owner, sizeof(owner), "jobs/%.*s", owner_name_bytes(p->name), p->name);
		if (strstr(path, pod))
			return (struct found){ &p->pod, p };
		snprintf(group, sizeof(group), "/apis/%s/v1alpha1/", p->group ? p->group : "");
		if (strstr(path, owner))
			return (struct found){ strstr(path, group) ? &p->owner : &nothing, p };
	}
	assert_has(path, "/nodes/" NODE_NAME);
	return (struct found){ &w->node, NULL };
}

static void make_node(struct vnode_world *w, struct http_call *c)
{
	struct json_doc *body AUTO(json_auto) = NULL, *uid AUTO(json_auto) = NULL;
	static const char text[] = "{\"metadata\":{\"uid\":\"node\"}}";
	assert_null(w->node);
	assert_false(failed(json_parse(c->body, strlen(c->body), SIZE_MAX, &body)));
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, &uid)));
	world_change(w, &w->node, json_root(body));
	world_change(w, &w->node, json_root(uid));
	w->node_writes++;
	tell_node(w, "ADDED");
	answer_doc(w, c, 201, w->node);
}

static void note_event(struct vnode_world *w, struct http_call *c)
{
	struct json_doc *body AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(c->body, strlen(c->body), SIZE_MAX, &body)));
	str_addf(&w->events, " %s %s\n", json_str(json_get(json_root(body), "reason"), ""),
		json_str(json_get(json_root(body), "message"), ""));
	snprintf(w->event_about, sizeof(w->event_about), "%s",
		json_str(json_at(json_root(body), "involvedObject", "apiVersion"), ""));
	fake_answer(c, 201, c->body);
}

static void answer(struct vnode_world *w, struct http_call *c)
{
	char asked[512];
	snprintf(asked, sizeof(asked), "%s %s", c->method, c->path);
	bool gets = str_eq(c->method, "GET");
	w->owner_reads += gets && strstr(c->path, "jobs/");
	if (w->keeps && strstr(asked, w->keeps))
		return;
	if (w->refuses && strstr(asked, w->refuses))
		fake_answer(c, 500, "{}");
	else if (strstr(c->path, "watch=true"))
		return;
	else if (gets && strstr(c->path, "limit="))
		answer_list(w, c, strstr(c->path, "/pods?"));
	else if (strstr(c->path, "/leases"))
		w->leases++, fake_answer(c, 200, "{}");
	else if (strstr(c->path, "/events"))
		note_event(w, c);
	else if (str_eq(c->method, "POST"))
		make_node(w, c);
	else {
		struct found f = find(w, c->path);
		if (gets)
			answer_doc(w, c, 200,
				w->no_crd && strstr(c->path, "jobs/") ? NULL : *f.doc);
		else if (str_eq(c->method, "PATCH"))
			answer_patch(w, c, &f);
		else
			answer_deletion(w, c, &f);
	}
}

void play_kube(struct vnode_world *w)
{
	for (int i = 0; i < FAKE_CALLS; i++)
		if (w->http.calls[i].open)
			answer(w, &w->http.calls[i]);
}
