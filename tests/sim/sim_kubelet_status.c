/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a pod by the simulated kubelet. */
#include <string.h>

#include "base/time.h"
#include "sim/sim_kubelet_parts.h"

struct sim_version *kubelet_version_of(const struct sim_kubelet_pod *p)
{
	struct sim_version *v = sim_store_find(&p->k->kube->store, RES_POD, p->ns, p->name);
	return v && strcmp(v->uid, p->uid) == 0 ? v : NULL;
}

static void put_str(yyjson_mut_doc *d, yyjson_mut_val *object, const char *key, const char *value)
{
	yyjson_mut_obj_put(object, yyjson_mut_strcpy(d, key), yyjson_mut_strcpy(d, value));
}

/* One condition of the list; the others, of any writer, stay. */
static void put_condition(yyjson_mut_doc *d, yyjson_mut_val *list, const char *type, bool is,
	const char *now)
{
	yyjson_mut_val *c, *found = NULL;
	yyjson_mut_arr_iter it = yyjson_mut_arr_iter_with(list);
	while ((c = yyjson_mut_arr_iter_next(&it)))
		if (yyjson_mut_equals_str(yyjson_mut_obj_get(c, "type"), type))
			found = c;
	if (found &&
		yyjson_mut_equals_str(yyjson_mut_obj_get(found, "status"), is ? "True" : "False"))
		return;
	if (!found) {
		found = yyjson_mut_arr_add_obj(d, list);
		put_str(d, found, "type", type);
	}
	put_str(d, found, "status", is ? "True" : "False");
	put_str(d, found, "lastTransitionTime", now);
}

static yyjson_mut_val *list_of(yyjson_mut_doc *d, yyjson_mut_val *object, const char *key)
{
	yyjson_mut_val *v = yyjson_mut_obj_get(object, key);
	return v ? v : yyjson_mut_obj_add_arr(d, object, key);
}

static void put_containers(const struct sim_kubelet_pod *p, yyjson_mut_doc *d, yyjson_mut_val *root,
	yyjson_mut_val *status, bool ready, const char *waits)
{
	yyjson_mut_val *list = yyjson_mut_arr(d), *container;
	yyjson_mut_arr_iter it =
		yyjson_mut_arr_iter_with(yyjson_mut_obj_get(yyjson_mut_obj_get(root, "spec"),
			"containers"));
	while ((container = yyjson_mut_arr_iter_next(&it))) {
		yyjson_mut_val *c = yyjson_mut_arr_add_obj(d, list);
		put_str(d, c, "name", yyjson_mut_get_str(yyjson_mut_obj_get(container, "name")));
		yyjson_mut_obj_add_bool(d, c, "ready", ready);
		yyjson_mut_obj_add_int(d, c, "restartCount", p->restarts);
		if (waits)
			put_str(d,
				yyjson_mut_obj_add_obj(d, yyjson_mut_obj_add_obj(d, c, "state"),
					"waiting"),
				"reason", waits);
		if (waits && strcmp(waits, "CrashLoopBackOff") == 0)
			put_str(d,
				yyjson_mut_obj_add_obj(d, yyjson_mut_obj_add_obj(d, c, "lastState"),
					"terminated"),
				"finishedAt", p->ended);
	}
	yyjson_mut_obj_put(status, yyjson_mut_str(d, "containerStatuses"), list);
}

void kubelet_report(const struct sim_kubelet_pod *p, const char *phase, bool ready,
	const char *waits)
{
	struct sim_kube *kube = p->k->kube;
	struct sim_version *v = kubelet_version_of(p);
	if (!v)
		return;
	char now[TIME_RFC3339_BYTES];
	time_format(sim_loop_server_ms(kube->loop), now);
	yyjson_mut_doc *d = yyjson_doc_mut_copy(v->doc, NULL);
	yyjson_mut_val *root = yyjson_mut_doc_get_root(d),
		       *status = yyjson_mut_obj_get(root, "status");
	if (!status)
		status = yyjson_mut_obj_add_obj(d, root, "status");
	put_str(d, status, "phase", phase);
	yyjson_mut_val *conditions = list_of(d, status, "conditions");
	put_condition(d, conditions, "PodScheduled", true, now);
	put_condition(d, conditions, "Initialized", true, now);
	put_condition(d, conditions, "ContainersReady", ready, now);
	put_condition(d, conditions, "Ready", ready, now);
	put_containers(p, d, root, status, ready, waits);
	if (strcmp(phase, "Running") == 0)
		put_str(d, status, "podIP", p->address);
	sim_finish_update(kube, (struct sim_origin){ .actor = ACTOR_KUBELET }, v, "update", d,
		"status");
	yyjson_mut_doc_free(d);
}
