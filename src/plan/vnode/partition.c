/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the state of a partition to words of Kubernetes, and judges refusals by it. */
#include "plan/vnode/partition.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/refusal.h"

enum { NAMES_MOST = 200 }; /* bytes of a list of names in a sentence */

#define NO_SCHEDULE "NoSchedule"
#define PREFER_NOT "PreferNoSchedule"

const struct vpartition_row vpartition_rows[VPARTITIONS] = {
	[VPARTITION_UNKNOWN] = { NULL, NULL, NULL, "NotReported",
		"has a state that is unknown here: its red-box is too old, or its Slurm is newer" },
	[VPARTITION_UP] = { "UP", NULL, NULL, "PartitionUp", "starts jobs" },
	[VPARTITION_DOWN] = { "DOWN", "partition-down", NO_SCHEDULE, "PartitionDown",
		"is DOWN: Slurm starts no job there until its administrator sets it UP; jobs that run go on" },
	[VPARTITION_DRAIN] = { "DRAIN", "partition-drain", NO_SCHEDULE, "PartitionDrain",
		"is in DRAIN: Slurm takes no new job there until its administrator sets it UP; jobs that are there run" },
	[VPARTITION_INACTIVE] = { "INACTIVE", "partition-inactive", NO_SCHEDULE,
		"PartitionInactive",
		"is INACTIVE: Slurm takes and starts no job there until its administrator sets it UP; jobs that run go on" },
	[VPARTITION_ROOT_ONLY] = { NULL, "root-only", NO_SCHEDULE, "RootOnly",
		"is for root alone (RootOnly): Slurm refuses the jobs of every other account" },
	[VPARTITION_NO_NODES] = { NULL, "no-nodes", PREFER_NOT, "NoNodes",
		"has no node at the moment: Slurm starts a job there when a node comes" },
	[VPARTITION_NODES_DOWN] = { NULL, "nodes-down", PREFER_NOT, "NodesDown",
		"has no node that runs jobs at the moment (each is down, drained or not there yet): Slurm starts a job there when one does" },
};

enum vpartition vpartition_of(const struct wlm_partition *now)
{
	enum vpartition is = VPARTITION_UNKNOWN;
	for (int i = 0; now && i < VPARTITIONS; i++)
		if (vpartition_rows[i].word && str_eq(vpartition_rows[i].word, now->state))
			is = (enum vpartition)i;
	if (is != VPARTITION_UP)
		return is;
	if (now->root_only)
		return VPARTITION_ROOT_ONLY;
	if (now->nodes == 0)
		return VPARTITION_NO_NODES;
	return now->usable_nodes == 0 ? VPARTITION_NODES_DOWN : VPARTITION_UP;
}

/* ---- who may use it ---- */

static const struct {
	size_t member; /* names, separated by commas */
	const char *before;
	bool only;
	const char *name; /* in slurm.conf */
} lists[] = {
	{ offsetof(struct wlm_partition, allow_accounts), "jobs of the accounts", true,
		"AllowAccounts" },
	{ offsetof(struct wlm_partition, deny_accounts), "no jobs of the accounts", false,
		"DenyAccounts" },
	{ offsetof(struct wlm_partition, allow_groups), "jobs of the Unix groups", true,
		"AllowGroups" },
	{ offsetof(struct wlm_partition, allow_qos), "jobs of the QOS", true, "AllowQos" },
	{ offsetof(struct wlm_partition, deny_qos), "no jobs of the QOS", false, "DenyQos" },
};

static const char *list_of(const struct wlm_partition *now, size_t i)
{
	const char *names = *(const char *const *)((const char *)now + lists[i].member);
	return names ? names : "";
}

bool vpartition_is_restricted(const struct wlm_partition *now)
{
	bool restricted = now && now->needs_reservation;
	for (size_t i = 0; now && i < LENGTH(lists); i++)
		restricted |= !str_empty(list_of(now, i));
	return restricted;
}

/* "a,b" as "a, b" */
static void add_names(struct str *out, const char *names)
{
	struct str spaced AUTO(str_free) = { 0 };
	for (const char *at = names; *at; at++) {
		str_add_bytes(&spaced, at, 1);
		if (*at == ',')
			str_add(&spaced, " ");
	}
	str_add_foreign(out, str_text(&spaced), NAMES_MOST);
}

static void add_list(struct str *out, const struct wlm_partition *now, size_t i)
{
	const char *names = list_of(now, i);
	if (str_empty(names))
		return;
	str_addf(out, "%s%s ", out->len ? ", " : "takes ", lists[i].before);
	add_names(out, names);
	str_addf(out, "%s (%s)", lists[i].only ? " only" : "", lists[i].name);
}

const char *vpartition_restriction(struct arena *a, const struct wlm_partition *now)
{
	struct str text AUTO(str_free) = { 0 };
	for (size_t i = 0; i < LENGTH(lists); i++)
		add_list(&text, now, i);
	if (now->needs_reservation)
		str_addf(&text, "%sjobs with a reservation only (ReqResv)",
			text.len ? ", " : "takes ");
	if (!text.len)
		return "takes jobs of every account";
	str_add(&text,
		": Slurm refuses other jobs, or lets them wait for ever; select another partition, or ask the administrator of Slurm for access");
	return arena_strdup(a, str_text(&text));
}

/* ---- refusals ---- */

static bool has_no_node(const struct wlm_partition *now)
{
	return now && (now->nodes == 0 || now->usable_nodes == 0);
}

bool vrefusal_is_final(struct err e, const struct wlm_partition *now)
{
	bool answered = e.kind == ERR_INVALID || e.kind == ERR_DENIED;
	switch (slurm_refusal_of(e.text)) {
	case REFUSAL_FOR_NOW:
	case REFUSAL_BY_PARTITION:
		return false;
	case REFUSAL_BY_NODES:
		return answered && !has_no_node(now);
	case REFUSAL_FOR_GOOD:
	case REFUSAL_DENIED:
		return answered;
	case REFUSAL_NONE:
	case REFUSAL_UNKNOWN:
		break;
	}
	return e.kind == ERR_INVALID || e.kind == ERR_TOO_LARGE;
}

bool vrefusal_is_by_nodes(const char *text) { return slurm_refusal_of(text) == REFUSAL_BY_NODES; }

bool vrefusal_is_for_now(const char *text)
{
	enum slurm_refusal what = slurm_refusal_of(text);
	return what == REFUSAL_FOR_NOW || what == REFUSAL_BY_PARTITION || what == REFUSAL_BY_NODES;
}
