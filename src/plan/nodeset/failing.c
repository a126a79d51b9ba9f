/* SPDX-License-Identifier: Apache-2.0 */
/* Describes actions that keep failing, with advice. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/worksheet.h"

static const struct {
	struct operation operation;
	const char *fails;
} attempts[] = {
	{ { VERB_CREATE, RES_POD }, "creating pods fails" },
	{ { VERB_PATCH, RES_POD }, "writing to pods fails" },
	{ { VERB_DELETE, RES_POD }, "deleting pods fails" },
	{ { VERB_CREATE, RES_PVC }, "creating claims fails" },
	{ { VERB_PATCH, RES_PVC }, "writing to claims fails" },
	{ { VERB_CREATE, RES_REVISION }, "creating the revision of the template fails" },
	{ { VERB_PATCH, RES_REVISION }, "writing to a revision fails" },
	{ { VERB_DELETE, RES_REVISION }, "deleting an old revision fails" },
	{ { VERB_PATCH, RES_NODESET }, "writing the finalizer fails" },
	{ { VERB_DRAIN, RES_SLURM_NODE }, "draining Slurm nodes fails" },
	{ { VERB_UNDRAIN, RES_SLURM_NODE }, "lifting the drain of Slurm nodes fails" },
	{ { VERB_RESUME, RES_SLURM_NODE }, "resuming Slurm nodes fails" },
	{ { VERB_COMMENT, RES_SLURM_NODE }, "commenting Slurm nodes fails" },
	{ { VERB_REMOVE, RES_SLURM_NODE }, "removing Slurm nodes of pods that are gone fails" },
	{ { VERB_PATCH_STATUS, RES_NODESET }, "writing the status fails" },
};

static const char *what_fails(struct operation d)
{
	for (size_t i = 0; i < LENGTH(attempts); i++)
		if (operation_is(attempts[i].operation, d))
			return attempts[i].fails;
	return "an action of the NodeSet fails";
}

static bool about_slurm(struct operation d) { return operation_backend(d) == BACKEND_SLURM; }

/* Advice by the kind of the error and a part of its text. */
static const struct {
	bool slurm;
	enum err_kind kind;
	const char *says, *advice;
} remedies[] = {
	{ true, ERR_DENIED, "",
		"; the token of the Cluster must be of a user who may change nodes (SlurmUser, or an operator or administrator of Slurm)" },
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
		if (remedies[i].slurm == about_slurm(f->operation) &&
			remedies[i].kind == f->error && strstr(f->sentence, remedies[i].says))
			return remedies[i].advice;
	return "";
}

const char *actions_failing_sentence(struct worksheet *w)
{
	struct str text AUTO(str_free) = { 0 };
	for (size_t i = 0; i < w->view->n_failing; i++) {
		const struct failing_action *f = &w->view->failing[i];
		if (about_slurm(f->operation) && !w->usable)
			continue; /* expected while Slurm is not usable */
		str_addf(&text, "%s%s: %s: ", text.len ? "; " : "", what_fails(f->operation),
			f->name);
		str_add_foreign(&text, f->sentence, 300);
		str_add(&text, remedy_of(f));
	}
	return text.len ? arena_strdup(w->arena, str_text(&text)) : NULL;
}
