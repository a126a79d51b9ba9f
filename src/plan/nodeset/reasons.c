/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons with which the operator drains Slurm nodes, and the owner of a reason. */
#include "plan/nodeset/reasons.h"

#include <stdio.h>
#include <string.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"

enum { TEXT_BYTES = 1024 }; /* a namespace has at most 63 characters, a name 253 */

/* A reason is the prefix, the kind, the namespace and name in brackets, and this text. */
static const struct {
	const char *kind, *what;
	enum reason_class whose;
} texts[] = {
	{ "NodeSet", " is letting the pod go", REASON_OURS },
	{ "NodeSet", ": the pod is cordoned by its annotation", REASON_OURS },
	{ "NodeSet", " keeps the pod", REASON_EMPTY }, /* left by an UNDRAIN of 0.1 or older */
	{ "Pod", " is cordoned", REASON_OURS },        /* these three are from Slinky's operator */
	{ "Pod", " has been cordoned", REASON_OURS },
	{ "Pod", " is uncordoned", REASON_EMPTY },
};

const char *reason_going(struct arena *a, const char *ns, const char *nodeset)
{
	return arena_printf(a, DRAIN_REASON_PREFIX " NodeSet (%s/%s)%s", ns, nodeset,
		texts[0].what);
}

const char *reason_cordoned(struct arena *a, const char *ns, const char *nodeset)
{
	return arena_printf(a, DRAIN_REASON_PREFIX " NodeSet (%s/%s)%s", ns, nodeset,
		texts[1].what);
}

/*
 * Texts that Slurm appends each time the node is lost or rebooted. They do not change the
 * drain, which still holds when the node is back.
 */
static const char *const added[] = { " : Not responding", " : reboot issued" };

static size_t length_without(const char *reason, size_t n, const char *tail)
{
	size_t m = strlen(tail);
	return n >= m && strncmp(reason + n - m, tail, m) == 0 ? n - m : n;
}

static size_t length_as_written(const char *reason)
{
	size_t n = strlen(reason), before;
	do {
		before = n;
		for (size_t i = 0; i < LENGTH(added); i++)
			n = length_without(reason, n, added[i]);
	} while (n != before);
	return n;
}

static bool is(const char *reason, size_t n, const char *text)
{
	return strlen(text) == n && strncmp(reason, text, n) == 0;
}

bool reason_says_going(const char *reason, const char *ns, const char *nodeset)
{
	char text[TEXT_BYTES];
	snprintf(text, sizeof(text), DRAIN_REASON_PREFIX " NodeSet (%s/%s)%s", ns, nodeset,
		texts[0].what);
	return !str_empty(reason) && is(reason, length_as_written(reason), text);
}

/* deploy/images/slurm/slurmd-node writes this text, with the host name. */
bool reason_says_ended(const char *reason, const char *node)
{
	char text[TEXT_BYTES];
	snprintf(text, sizeof(text), "slurmd: pod %s is ending", node);
	return !str_empty(reason) && is(reason, length_as_written(reason), text);
}

bool reason_says_lost(const char *reason)
{
	size_t n = reason ? strlen(reason) : 0;
	return length_without(reason, n, added[0]) != n;
}

/*
 * Reasons that slurmctld and slurmd write when they drain a node (24.11). An
 * administrator who drains a node with another text knows that it is drained.
 */
static const char *const of_slurm[] = { "Prolog error", "Epilog error", "Kill task failed",
	"batch job complete failure", "Duplicate jobid", "Low RealMemory", "Low CPUs",
	"Low socket*core*thread count", "Low TmpDisk" };
/* Behind the name of a GRES: slurmd found fewer of them than slurm.conf has. */
static const char few_gres[] = " count reported lower than configured";

bool reason_is_of_slurm(const char *reason)
{
	for (size_t i = 0; reason && i < LENGTH(of_slurm); i++)
		if (strncmp(reason, of_slurm[i], strlen(of_slurm[i])) == 0)
			return true;
	return reason && strstr(reason, few_gres);
}

enum reason_class reason_class_of(const char *reason, const char *ns, const char *nodeset,
	const char *pod)
{
	char text[TEXT_BYTES];
	if (str_empty(reason))
		return REASON_EMPTY;
	size_t n = length_as_written(reason);
	if (is(reason, n, REASON_RETURNED))
		return REASON_EMPTY;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		const char *name = str_eq(texts[i].kind, "Pod") ? pod : nodeset;
		snprintf(text, sizeof(text), DRAIN_REASON_PREFIX " %s (%s/%s)%s", texts[i].kind, ns,
			name, texts[i].what);
		if (is(reason, n, text))
			return texts[i].whose;
	}
	return REASON_FOREIGN;
}
