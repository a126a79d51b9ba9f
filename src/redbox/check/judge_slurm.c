/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts about Slurm. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "redbox/check/judge_parts.h"
#include "slurm/refusal.h"

/* Finds the first two tools that report different versions. */
static bool versions_differ(const struct check_facts *f, const struct check_tool **one,
	const struct check_tool **other)
{
	*one = NULL;
	for (size_t i = 0; i < f->n_tools; i++) {
		const struct check_tool *t = *other = &f->tools[i];
		if (t->version && *one && !str_eq((*one)->version, t->version))
			return true;
		*one = t->version && !*one ? t : *one;
	}
	return false;
}

/* Names of the tools for which hold is true, such as "sacct, sbatch". */
static const char *tools_that(struct judge *j, bool (*hold)(const struct check_tool *t))
{
	AUTO(str_free) struct str names = { 0 };
	for (size_t i = 0; i < j->f->n_tools; i++)
		if (hold(&j->f->tools[i]))
			str_addf(&names, "%s%s", names.len ? ", " : "", j->f->tools[i].name);
	return arena_strdup(j->a, str_text(&names));
}
static bool is_missing(const struct check_tool *t) { return t->needed && !t->path; }
static bool is_there(const struct check_tool *t) { return t->path; }
static bool is_silent(const struct check_tool *t) { return t->path && !t->version; }

static const char *why_silent(const struct judge *j)
{
	for (size_t i = 0; i < j->f->n_tools; i++)
		if (is_silent(&j->f->tools[i]) && j->f->tools[i].why)
			return j->f->tools[i].why;
	return "no output within 10 s";
}

static void judge_tools(struct judge *j)
{
	const struct check_tool *one, *other;
	const char *where = j->f->tools_folder ? j->f->tools_folder : "the PATH",
		   *missing = tools_that(j, is_missing), *silent = tools_that(j, is_silent);
	if (*missing)
		WRONG("tools",
			"%s of Slurm cannot be found in %s: install Slurm's client, or name its folder by slurm_folder",
			missing, where);
	else if (versions_differ(j->f, &one, &other))
		WRONG("tools",
			"%s is of Slurm %s and %s of Slurm %s: all of them should be of one version",
			one->path, one->version, other->path, other->version);
	else if (*silent)
		WRONG("tools",
			"%s in %s printed no version of Slurm (-V), which they print only if they find slurm.conf: %s",
			silent, where, why_silent(j));
	else
		WELL("tools", "%s of Slurm %s in %s", tools_that(j, is_there), one->version, where);
}

static bool lacks_tools(const struct check_facts *f)
{
	for (size_t i = 0; i < f->n_tools; i++)
		if (is_missing(&f->tools[i]))
			return true;
	return false;
}

static void not_asked(struct judge *j, const char *what)
{
	if (lacks_tools(j->f))
		UNKNOWN(what, "not checked: tools of Slurm are missing");
	else if (failed(j->f->controller.err))
		UNKNOWN(what, "not checked: slurmctld does not answer");
	else
		UNKNOWN(what, "no answer came in time");
}

static void judge_controller(struct judge *j)
{
	const struct check_answer *c = &j->f->controller;
	if (!c->asked)
		not_asked(j, "slurmctld");
	else if (failed(c->err))
		WRONG("slurmctld",
			"slurmctld does not answer this account: %s; it should run, and slurm.conf and the key of its authentication should be those of the cluster",
			c->err.text);
	else
		WELL("slurmctld", "answers; running since %s", j->f->controller_since);
}

/*
 * True if the refusal is temporary. sbatch --test-only prints other words than sbatch in
 * front of the text of slurmctld.
 */
static bool is_for_now(struct judge *j, const struct err *e)
{
	static const char failure[] = "allocation failure: ";
	const char *said = strstr(e->text, failure);
	const char *text = !said
		? e->text
		: arena_printf(j->a, "Batch job submission failed: %s", said + strlen(failure));
	enum slurm_refusal what = slurm_refusal_of(text);
	return what == REFUSAL_FOR_NOW || (!said && e->kind == ERR_RETRY);
}

/* Names of the partitions that accept jobs of the account (take), or refuse them. */
static const char *partitions_that(struct judge *j, bool take, const struct check_answer **first)
{
	AUTO(str_free) struct str names = { 0 };
	*first = NULL;
	for (size_t i = 0; i < j->f->n_partitions; i++) {
		const struct check_partition *p = &j->f->partition[i];
		if ((p->takes.asked && !failed(p->takes.err)) != take)
			continue;
		str_addf(&names, "%s%s", names.len ? ", " : "", p->name);
		*first = *first ? *first : &p->takes;
	}
	return arena_strdup(j->a, str_text(&names));
}

/* One partition that accepts jobs of the account is enough. */
static void judge_partitions(struct judge *j)
{
	const char *user = j->f->user;
	const struct check_answer *yes, *no;
	const char *good = partitions_that(j, true, &yes), *bad = partitions_that(j, false, &no);
	const char *why = !no ? "" : no->asked ? no->err.text : "sbatch did not answer";
	if (yes && no)
		WELL("jobs", "Slurm takes jobs of %s in %s; not in %s: %s", user, good, bad, why);
	else if (yes)
		WELL("jobs", "Slurm takes jobs of %s in %s", user, good);
	else if (!no->asked || is_for_now(j, &no->err))
		UNKNOWN("jobs", "Slurm takes no job of %s now, in %s: %s", user, bad, why);
	else
		WRONG("jobs",
			"Slurm takes no job of %s in %s: %s; the account should have an association, and a partition that admits it",
			user, bad, why);
}

static void judge_jobs(struct judge *j)
{
	const struct check_facts *f = j->f;
	if (!f->partitions.asked)
		not_asked(j, "jobs");
	else if (failed(f->partitions.err))
		WRONG("jobs", "Slurm does not show its partitions to this account: %s",
			f->partitions.err.text);
	else if (!f->n_partitions)
		WRONG("jobs",
			"Slurm shows no partition to this account: it should be in AllowGroups or AllowAccounts of one");
	else
		judge_partitions(j);
}

static void judge_accounts(struct judge *j)
{
	const struct check_answer *c = &j->f->accounts;
	if (!c->asked)
		not_asked(j, "slurmdbd");
	else if (failed(c->err))
		WRONG("slurmdbd",
			"slurmdbd does not answer: %s; it should run, because without it a key that may have a job is not submitted",
			c->err.text);
	else if (j->f->no_accounts)
		WELL("slurmdbd", "this Slurm has no accounting, and needs no slurmdbd");
	else
		WELL("slurmdbd", "answers");
}

void judge_slurm(struct judge *j)
{
	judge_tools(j);
	judge_controller(j);
	judge_jobs(j);
	judge_accounts(j);
}
