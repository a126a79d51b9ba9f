/* SPDX-License-Identifier: Apache-2.0 */
/* Actions that keep failing, in words, and what helps. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/world.h"

static const char *const attempts[ACT_KINDS] = {
	[ACT_CREATE_POD] = "creating pods fails",
	[ACT_PATCH_POD] = "writing to pods fails",
	[ACT_DELETE_POD] = "deleting pods fails",
	[ACT_CREATE_PVC] = "creating claims fails",
	[ACT_PATCH_PVC] = "writing to claims fails",
	[ACT_CREATE_REVISION] = "creating the revision of the template fails",
	[ACT_PATCH_REVISION] = "writing to a revision fails",
	[ACT_DELETE_REVISION] = "deleting an old revision fails",
	[ACT_PATCH_OBJECT] = "writing the finalizer fails",
	[ACT_DRAIN_NODES] = "draining Slurm nodes fails",
	[ACT_UNDRAIN_NODES] = "lifting the drain of Slurm nodes fails",
	[ACT_RESUME_NODES] = "resuming Slurm nodes fails",
	[ACT_COMMENT_NODE] = "commenting Slurm nodes fails",
	[ACT_DELETE_NODE] = "removing Slurm nodes of pods that are gone fails",
	[ACT_PATCH_STATUS] = "writing the status fails",
	[ACT_EMIT_EVENT] = "writing Events fails",
};

static bool about_slurm(enum action_kind k)
{
	return k == ACT_DRAIN_NODES || k == ACT_UNDRAIN_NODES || k == ACT_RESUME_NODES ||
		k == ACT_COMMENT_NODE || k == ACT_DELETE_NODE;
}

/* What helps, by what the answer says. */
static const struct {
	bool slurm;
	enum err_kind kind;
	const char *says, *advice;
} remedies[] = {
	{ true, ERR_DENIED, "",
		"; the token of the Cluster must be of a user who may change nodes (SlurmUser, or "
		"an operator or administrator of Slurm)" },
	{ true, ERR_INVALID, "deleting node",
		"; see whether a reservation has the node (scontrol show reservation)" },
	{ false, ERR_DENIED, "exceeded quota", "; raise the ResourceQuota or lower spec.replicas" },
	{ false, ERR_DENIED, " cannot ",
		"; give the manager the roles that \"slurm-operator rbac\" prints" },
	{ false, ERR_INVALID, "", "; correct spec.template or spec.volumeClaimTemplates" },
};

static const char *remedy_of(const struct failing_action *f)
{
	for (size_t i = 0; i < LENGTH(remedies); i++)
		if (remedies[i].slurm == about_slurm(f->kind) && remedies[i].kind == f->error &&
			strstr(f->sentence, remedies[i].says))
			return remedies[i].advice;
	return "";
}

const char *actions_failing_sentence(struct world *w)
{
	struct str text AUTO(str_free) = { 0 };
	for (size_t i = 0; i < w->view->n_failing; i++) {
		const struct failing_action *f = &w->view->failing[i];
		if (about_slurm(f->kind) && !w->usable)
			continue; /* no wonder */
		str_addf(&text, "%s%s: %s: ", text.len ? "; " : "", attempts[f->kind], f->name);
		str_add_foreign(&text, f->sentence, 300);
		str_add(&text, remedy_of(f));
	}
	return text.len ? arena_strdup(w->arena, str_text(&text)) : NULL;
}
