/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks which Slurm answers, and since when this manager acts. */
#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

void link_note_cluster(struct slurm_link *l)
{
	const char *name = l->slurm ? slurm_cluster_name(l->slurm) : "";
	if (str_empty(name) || str_eq(name, l->answers))
		return;
	free(l->answers);
	l->answers = own_strdup(name);
	if (!str_empty(l->meant))
		return;
	free(l->meant);
	l->meant = own_strdup(name);
	slurm_expect_cluster(l->slurm, name);
	log_info("this Slurm is the expected one from now on", "namespace", l->ns, "cluster",
		l->cluster, "slurm", name);
}

bool link_another_answers(const struct slurm_link *l)
{
	return !str_empty(l->meant) && !str_empty(l->answers) && !str_eq(l->answers, l->meant);
}

void link_take_over(struct slurm_link *l) { l->alone_since_ms = loop_now_ms(l->config.loop); }
