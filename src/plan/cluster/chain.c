/* SPDX-License-Identifier: Apache-2.0 */
/* The first broken link of the chain behind a Cluster. */
#include "plan/cluster/chain.h"

#include <string.h>

#include "base/str.h"
#include "plan/mounts.h"

/*
 * Maximum time that a pod may be unready: TROUBLE_MS if it reports why, else SILENCE_MS.
 */
enum { TROUBLE_MS = 10000, SILENCE_MS = 60000 };

static const struct {
	const char *reason, *daemon;
} rows[DAEMON_COUNT] = {
	[DAEMON_DATABASE] = { "DatabaseNotReady", "the database" },
	[DAEMON_SLURMDBD] = { "SlurmdbdNotReady", "slurmdbd" },
	[DAEMON_SLURMCTLD] = { "SlurmctldNotReady", "slurmctld" },
	[DAEMON_SLURMRESTD] = { "SlurmrestdNotReady", "slurmrestd" },
};

void chain_add(struct chain *c, const struct pod_fact *pod)
{
	const struct pod_fact **broken = &c->links[pod->daemon].broken;
	if (pod->daemon == DAEMON_NONE || pod->terminating || pod_phase_over(pod->phase))
		return;
	c->known = true;
	if (!str_empty(pod->refused))
		c->refusing = pod;
	c->links[pod->daemon].ready |= pod->ready;
	if (!pod->ready && (!*broken || strcmp(pod->name, (*broken)->name) < 0))
		*broken = pod;
}

static const char *message_of(const struct pod_fact *p, struct arena *a)
{
	const char *daemon = rows[p->daemon].daemon;
	if (!str_empty(p->ending))
		return arena_printf(a,
			"%s is not ready: container %s of pod %s %s; see kubectl -n %s logs %s -c %s",
			daemon, p->container, p->name, p->ending, p->ns, p->name, p->container);
	if (!str_empty(p->why))
		return arena_printf(a,
			"%s is not ready: pod %s: %s; see kubectl -n %s describe pod %s", daemon,
			p->name, p->why, p->ns, p->name);
	if (!str_empty(p->container))
		return arena_printf(a,
			"%s is not ready: container %s of pod %s runs, and the pod is not ready; see kubectl -n %s logs %s -c %s",
			daemon, p->container, p->name, p->ns, p->name, p->container);
	if (!str_empty(p->mounts))
		return arena_printf(a, "%s is not ready: pod %s: %s", daemon, p->name,
			mounts_sentence(p, a));
	return arena_printf(a,
		"%s is not ready: no container of pod %s has begun; see kubectl -n %s describe pod %s",
		daemon, p->name, p->ns, p->name);
}

struct broken_link chain_broken(const struct chain *c, int64_t now_wall_ms, struct arena *a)
{
	for (int i = DAEMON_NONE + 1; i < DAEMON_COUNT; i++) {
		const struct pod_fact *p = c->links[i].broken;
		if (!p || c->links[i].ready)
			continue;
		bool says = !str_empty(p->ending) || !str_empty(p->why);
		if (now_wall_ms - p->unready_since_ms < (says ? TROUBLE_MS : SILENCE_MS))
			return (struct broken_link){ NULL, NULL };
		return (struct broken_link){ rows[i].reason, message_of(p, a) };
	}
	return (struct broken_link){ NULL, NULL };
}
