/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual nodes between an API server and a red-box: their life, and what a test does. */
#include "lib/vnode_world.h"

#include "lib/vnode_world_parts.h"
#include "json/build.h"

/* ---- its life ---- */

int given_vnodes(void **state)
{
	struct vnode_world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->http, &w->loop);
	w->http.forgets = true;
	w->resources = (struct wlm_resources){ 4, 8, -1, 0, NULL, 0 };
	when_begun(w);
	when_time_passed(w, 3000);
	*state = w;
	return 0;
}

void when_begun(struct vnode_world *w)
{
	static const char *const names[] = { NULL, "a1", "a2" };
	struct vnode_box boxes[WORLD_BOXES];
	for (int i = 0; i < WORLD_BOXES; i++) {
		w->boxes[i].w = w;
		boxes[i] = (struct vnode_box){ "hpc", (struct grpc_client *)&w->boxes[i],
			(struct grpc_client *)&w->boxes[i], names[i] };
	}
	const struct vnode_config config = {
		.kube = &w->kube,
		.loop = &w->loop.loop,
		.boxes = boxes,
		.n_boxes = 1 + (size_t)w->accounts,
		.spaces = w->spaces,
		.n_spaces = w->n_spaces,
		.require_account = w->require_account,
		.address = w->no_address ? NULL : "10.0.0.7",
		.calls = &played_calls,
	};
	w->vnode = vnode_new(&config);
}

void when_killed(struct vnode_world *w)
{
	vnode_free(TAKE(w->vnode));
	for (int i = 0; i < WORLD_CALLS; i++)
		assert_false(w->calls[i].open);
}

int free_vnodes(void **state)
{
	struct vnode_world *w = *state;
	when_killed(w);
	free_kube(&w->http, &w->loop);
	for (int i = 0; i < WORLD_PODS; i++) {
		json_free(w->pods[i].pod);
		json_free(w->pods[i].owner);
	}
	json_free(w->node);
	str_free(&w->events);
	str_free(&w->closed);
	free(w);
	return 0;
}

void when_time_passed(struct vnode_world *w, int64_t ms)
{
	enum { STEP_MS = 100 };
	for (int64_t left = ms; left > 0; left -= STEP_MS) {
		for (int i = 0; i < 8; i++) {
			sim_loop_pass(&w->loop, 0);
			play_kube(w);
			play_red_box(w);
		}
		sim_loop_pass(&w->loop, left < STEP_MS ? left : STEP_MS);
	}
}

/* ---- objects ---- */

struct world_pod *world_pod_of(struct vnode_world *w, const char *name)
{
	for (int i = 0; i < WORLD_PODS; i++)
		if (str_eq(w->pods[i].name, name))
			return &w->pods[i];
	fail_msg("there is no %s", name);
	return NULL;
}

static void merge(struct jdoc *d, struct jval *to, const struct json *patch)
{
	for (struct json_iter it = json_iter(patch); json_next(&it);) {
		if (json_is_null(it.value))
			j_del(to, it.key);
		else if (json_is_obj(it.value))
			merge(d, j_child(d, to, it.key), it.value);
		else
			j_set(d, to, it.key, j_copy(d, it.value));
	}
}

void world_change(struct vnode_world *w, struct json_doc **doc, const struct json *patch)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *object = *doc ? j_copy(d, json_root(*doc)) : j_obj(d);
	merge(d, object, patch);
	j_set_str(d, j_child(d, object, "metadata"), "resourceVersion",
		arena_printf(&a, "%llu", (unsigned long long)++w->version));
	const char *text = j_text(d, object);
	json_free(TAKE(*doc));
	assert_false(failed(json_parse(text, strlen(text), SIZE_MAX, doc)));
}

static void change_by(struct vnode_world *w, struct json_doc **doc, const char *members)
{
	struct json_doc *patch AUTO(json_auto) = NULL;
	assert_false(failed(json_parse(members, strlen(members), SIZE_MAX, &patch)));
	world_change(w, doc, json_root(patch));
}

void given_pod_changed(struct vnode_world *w, const char *name, const char *members)
{
	struct world_pod *p = world_pod_of(w, name);
	change_by(w, &p->pod, members);
	tell_pod(w, p, "MODIFIED");
}

void given_owner(struct vnode_world *w, const char *name, const char *members)
{
	change_by(w, &world_pod_of(w, name)->owner, members);
}

void given_node_changed(struct vnode_world *w, const char *members)
{
	change_by(w, &w->node, members);
	tell_node(w, "MODIFIED");
}

void given_no_owner(struct vnode_world *w, const char *name)
{
	json_free(TAKE(world_pod_of(w, name)->owner));
}

void given_pod_gone(struct vnode_world *w, const char *name)
{
	struct world_pod *p = world_pod_of(w, name);
	tell_pod(w, p, "DELETED");
	json_free(TAKE(p->pod));
}

static struct world_pod *free_place(struct vnode_world *w, const char *name)
{
	struct world_pod *p = w->pods;
	while (*p->name && !str_eq(p->name, name))
		p++;
	assert_true(p < w->pods + WORLD_PODS);
	snprintf(p->name, sizeof(p->name), "%s", name);
	return p;
}

void given_a_job_in(struct vnode_world *w, const char *ns, const char *name, const char *kind)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct world_pod *p = free_place(w, name);
	p->group = w->group ? w->group : "wlm.sylabs.io";
	bool image = str_eq(kind, "WlmJob");
	change_by(w, &p->owner,
		arena_printf(&a,
			"{\"kind\":\"%s\",\"metadata\":{\"name\":\"%.*s\",\"namespace\":\"%s\","
			"\"uid\":\"uid-%s\"},\"spec\":{%s}}",
			kind, owner_name_bytes(name), name, ns, name,
			image ? "\"image\":\"library://cow\""
			      : "\"batch\":\"#!/bin/sh\\nhostname\\n\""));
	change_by(w, &p->pod,
		arena_printf(&a,
			"{\"metadata\":{\"name\":\"%s-job\",\"namespace\":\"%s\",\"uid\":\"pod-%"
			"s\","
			"\"ownerReferences\":[{\"apiVersion\":\"%s/v1alpha1\",\"kind\":"
			"\"%s\",\"name\":\"%.*s\",\"uid\":\"uid-%s\",\"controller\":true}]},"
			"\"spec\":"
			"{"
			"\"nodeName\":\"" NODE_NAME
			"\",\"containers\":[{\"name\":\"jt1\",\"image\":"
			"\"no-image\"}]},\"status\":{\"phase\":\"Pending\",\"conditions\":[{"
			"\"type\":"
			"\"PodScheduled\",\"status\":\"True\",\"lastProbeTime\":null}]}}",
			name, ns, name, p->group, kind, owner_name_bytes(name), name, name));
	tell_pod(w, p, "ADDED");
}

void given_a_job(struct vnode_world *w, const char *name, const char *kind)
{
	given_a_job_in(w, "ns", name, kind);
}

/* ---- what is looked at ---- */

struct slurm_job *slurm_job(struct vnode_world *w, const char *name)
{
	char key[64];
	snprintf(key, sizeof(key), "uid-%s", name);
	for (size_t i = 0; i < w->n_jobs; i++)
		if (str_eq(w->jobs[i].key, key))
			return &w->jobs[i];
	fail_msg("Slurm has no job %s", key);
	return NULL;
}

char *pod_json(struct vnode_world *w, const char *name)
{
	return json_text(json_root(world_pod_of(w, name)->pod), NULL);
}

bool pod_is_there(struct vnode_world *w, const char *name) { return world_pod_of(w, name)->pod; }

/* Along the keys, a number of a list among them. */
static const char *text_at(const struct json *v, const char *path)
{
	static char number[32];
	char keys[128], *rest = keys;
	snprintf(keys, sizeof(keys), "%s", path);
	for (char *key; (key = strsep(&rest, "."));)
		v = json_is_arr(v) ? json_item(v, (size_t)atoi(key)) : json_get(v, key);
	snprintf(number, sizeof(number), "%lld", (long long)json_i64(v, 0));
	return json_is_int(v) ? number : json_str(v, "");
}

const char *pod_text(struct vnode_world *w, const char *name, const char *path)
{
	return text_at(json_root(world_pod_of(w, name)->pod), path);
}

const char *node_text(struct vnode_world *w, const char *path)
{
	return text_at(json_root(w->node), path);
}

const char *pod_note(struct vnode_world *w, const char *name, const char *annotation)
{
	const struct json *pod = json_root(world_pod_of(w, name)->pod);
	return json_str(json_get(json_at(pod, "metadata", "annotations"), annotation), "");
}

void then_phase(struct vnode_world *w, const char *name, const char *phase)
{
	assert_string_equal(pod_text(w, name, "status.phase"), phase);
}

bool event_was_told(const struct vnode_world *w, const char *reason)
{
	char word[64];
	snprintf(word, sizeof(word), " %s ", reason);
	return strstr(str_text(&w->events), word);
}

void given_a_running_job(struct vnode_world *w)
{
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	slurm_job(w, "cow")->state = "RUNNING";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Running");
}
