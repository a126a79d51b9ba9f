/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kubelet's report on containers that do not run. */
#include "engine/pod/pod_halt.h"

#include <string.h>

#include "base/own.h"
#include "object/condition.h"
#include "object/dns.h"

/* ---- nothing has ever started ---- */

static bool has_begun(const struct json *container)
{
	const struct json *state = json_get(container, "state"),
			  *last = json_get(container, "lastState");
	bool waits = json_count(state) == 1 && json_is_obj(json_get(state, "waiting"));
	return !waits || json_count(last) || json_i64(json_get(container, "restartCount"), 0) ||
		json_bool(json_get(container, "started"), false) ||
		!str_empty(json_str(json_get(container, "containerID"), ""));
}

/* True if no container has begun, and the status has as many containers as the spec. */
static bool none_has_begun(const struct json *wanted, const struct json *told)
{
	struct json_iter it = json_iter(told);
	if (json_count(wanted) != json_count(told))
		return false;
	while (json_next(&it))
		if (has_begun(it.value))
			return false;
	return true;
}

bool pod_unstarted(const struct json *pod)
{
	const struct json *spec = json_get(pod, "spec"), *status = json_get(pod, "status");
	return json_count(json_get(spec, "containers")) &&
		!json_count(json_get(status, "ephemeralContainerStatuses")) &&
		none_has_begun(json_get(spec, "containers"),
			json_get(status, "containerStatuses")) &&
		none_has_begun(json_get(spec, "initContainers"),
			json_get(status, "initContainerStatuses"));
}

/* ---- nothing runs ---- */

enum stand { RUNS, BEHIND, HALTED }; /* BEHIND: ended, or not begun */

/*
 * True for "back-off 1s restarting failed container=...", a back-off of less than 10 s. A
 * kubelet reports one if it is configured so (crashLoopBackOff.maxContainerRestartPeriod,
 * Kubernetes 1.32 and newer; ReduceDefaultCrashLoopBackOffDecay).
 */
static bool is_short_back_off(const char *message)
{
	static const char begins[] = "back-off ";
	if (!str_has_prefix(message, begins))
		return false;
	const char *number = message + strlen(begins);
	size_t whole = strspn(number, "0123456789");
	const char *unit = number + strspn(number, "0123456789.");
	bool seconds = *unit == 's', parts = *unit && unit[1] == 's';
	return parts || (seconds && whole < 2);
}

static enum stand stand_of(const struct json *container)
{
	const struct json *state = json_get(container, "state"),
			  *waiting = json_get(state, "waiting");
	const char *why = json_str(json_get(waiting, "reason"), "");
	if (json_count(state) != 1)
		return RUNS;
	if (str_eq(why, "CrashLoopBackOff"))
		return is_short_back_off(json_str(json_get(waiting, "message"), "")) ? RUNS
										     : HALTED;
	if (str_eq(why, "ErrImagePull"))
		return HALTED;
	return str_eq(why, "PodInitializing") || json_is_obj(json_get(state, "terminated")) ? BEHIND
											    : RUNS;
}

static bool add_stands(const struct json *wanted, const struct json *told, size_t n[HALTED + 1])
{
	struct json_iter it = json_iter(told);
	if (json_count(wanted) != json_count(told))
		return false;
	while (json_next(&it))
		n[stand_of(it.value)]++;
	return true;
}

bool pod_halted(const struct json *pod)
{
	size_t n[HALTED + 1] = { 0 };
	const struct json *spec = json_get(pod, "spec"), *status = json_get(pod, "status"),
			  *main = json_get(status, "containerStatuses");
	bool told = add_stands(json_get(spec, "initContainers"),
		json_get(status, "initContainerStatuses"), n);
	/*
	 * A container that has ended and does not wait may be started again at any
	 * moment
	 */
	bool init_halted = n[HALTED];
	size_t behind = n[BEHIND];
	told &= add_stands(json_get(spec, "containers"), main, n);
	bool alone = init_halted || (json_count(main) == 1 && n[BEHIND] == behind);
	return told && alone && n[RUNS] == 0 && n[HALTED] == 1 &&
		!json_count(json_get(status, "ephemeralContainerStatuses"));
}

static const char *end_of_halted(const struct json *told)
{
	struct json_iter it = json_iter(told);
	while (json_next(&it))
		if (stand_of(it.value) == HALTED)
			return json_str(json_at(it.value, "lastState", "terminated", "finishedAt"),
				"");
	return "";
}

const char *pod_halted_end(const struct json *pod)
{
	const struct json *status = json_get(pod, "status");
	const char *end = end_of_halted(json_get(status, "initContainerStatuses"));
	return str_empty(end) ? end_of_halted(json_get(status, "containerStatuses")) : end;
}

/* ---- Secrets that it cannot start without ---- */

/* Adds only whole and valid names: a part of a name would name another Secret. */
static void add_secret(struct str *out, const struct json *source, const char *key)
{
	enum { MOST = 500 };
	const char *name = json_str(json_get(source, key), "");
	if (json_bool(json_get(source, "optional"), false) || !is_dns_name(name) ||
		out->len + 1 + strlen(name) > MOST)
		return;
	str_add(out, out->len ? "," : "");
	str_add(out, name);
}

/* A kubelet ignores volumes that no container mounts. */
static bool mounts(const struct json *containers, const char *volume)
{
	struct json_iter it = json_iter(containers);
	while (json_next(&it)) {
		struct json_iter mount = json_iter(json_get(it.value, "volumeMounts"));
		while (json_next(&mount))
			if (str_eq(json_str(json_get(mount.value, "name"), ""), volume))
				return true;
	}
	return false;
}

static void add_secrets_of(struct str *out, const struct json *volume)
{
	add_secret(out, json_get(volume, "secret"), "secretName");
	struct json_iter from = json_iter(json_at(volume, "projected", "sources"));
	while (json_next(&from))
		add_secret(out, json_get(from.value, "secret"), "name");
}

void pod_secrets(const struct json *pod, struct str *out)
{
	const struct json *spec = json_get(pod, "spec"), *main = json_get(spec, "containers"),
			  *init = json_get(spec, "initContainers");
	/* The first of several containers may run unreported while an image is pulled */
	if (!pod_unstarted(pod) || json_count(main) != 1)
		return;
	struct json_iter it = json_iter(json_get(spec, "volumes"));
	while (json_next(&it)) {
		const char *name = json_str(json_get(it.value, "name"), "");
		if (mounts(main, name) || mounts(init, name))
			add_secrets_of(out, it.value);
	}
}

/* ---- objects that its volumes need ---- */

/* The members with which a volume, or a source of a projected one, names an object. */
static const struct source_row {
	const char *member, *name, *projected_name, *kind;
} source_rows[] = {
	{ "configMap", "name", "name", "configmap" },
	{ "secret", "secretName", "name", "secret" },
};

/* True if the list has the word: two volumes may need the same object. */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = strstr(words, word); at; at = strstr(at + n, word))
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

static void add_source(struct str *out, const char *kind, const struct json *source,
	const char *name_key)
{
	enum { MOST = 400 };
	const char *name = json_str(json_get(source, name_key), "");
	if (json_bool(json_get(source, "optional"), false) || !is_dns_name(name))
		return;
	struct str word AUTO(str_free) = { 0 };
	str_addf(&word, "%s/%s", kind, name);
	if (has_word(str_text(out), str_text(&word)) || out->len + 1 + word.len > MOST)
		return;
	str_add(out, out->len ? " " : "");
	str_add(out, str_text(&word));
}

static void add_sources(struct str *out, const struct source_row *row, const struct json *volume)
{
	add_source(out, row->kind, json_get(volume, row->member), row->name);
	struct json_iter from = json_iter(json_at(volume, "projected", "sources"));
	while (json_next(&from))
		add_source(out, row->kind, json_get(from.value, row->member), row->projected_name);
}

static bool is_before_its_sandbox(const struct json *pod)
{
	const struct json *conditions = json_at(pod, "status", "conditions");
	return condition_is(condition_find(conditions, "PodReadyToStartContainers"), "False") &&
		pod_unstarted(pod);
}

void pod_mounts(const struct json *pod, struct str *out)
{
	const struct json *spec = json_get(pod, "spec"), *main = json_get(spec, "containers"),
			  *init = json_get(spec, "initContainers");
	if (!is_before_its_sandbox(pod))
		return;
	for (size_t i = 0; i < LENGTH(source_rows); i++) {
		struct json_iter it = json_iter(json_get(spec, "volumes"));
		while (json_next(&it)) {
			const char *name = json_str(json_get(it.value, "name"), "");
			if (mounts(main, name) || mounts(init, name))
				add_sources(out, &source_rows[i], it.value);
		}
	}
}
