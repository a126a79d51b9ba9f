/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the report: a function for each kind of fact. */
#include "redbox/check/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "redbox/check/judge_parts.h"

/* Adds a WRONG line for each line of the text. */
static void each_is_wrong(struct judge *j, const char *what, const char *text)
{
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		WRONG(what, "%.*s", (int)(end - at), at);
	}
}

/* ---- the configuration ---- */

static void judge_config(struct judge *j)
{
	const struct check_facts *f = j->f;
	if (f->faults && *f->faults)
		each_is_wrong(j, "config", f->faults);
	else if (f->warnings && *f->warnings)
		WELL("config", "%s", f->warnings);
	else if (f->config)
		WELL("config", "%s", f->config);
	else
		WELL("config", "none: the limits are those of Slurm");
}

static void judge_users(struct judge *j)
{
	if (*j->f->name_faults)
		each_is_wrong(j, "users", j->f->name_faults);
	else
		WELL("users", "the users and groups of the configuration are there");
}

/* Warns if the check ran as another user: it tested the permissions of that user. */
static void judge_account(struct judge *j)
{
	const struct check_facts *f = j->f;
	bool answered = f->box.asked && !failed(f->box.err);
	if (answered && f->box_uid != f->uid)
		WRONG("account",
			"the red-box of %s runs as %s, but this check as %s, which has other permissions: run it as %s or as root",
			f->socket.path, f->box_user, f->user, f->box_user);
	else if (f->uid == 0 && answered)
		WELL("account", "root: every client's jobs run as root");
	else if (f->uid == 0)
		UNKNOWN("account",
			"no red-box answers, so its account is unknown, and this check ran as root, who may do everything: run it as the account of red-box, by runuser -u ACCOUNT -- red-box check");
	else
		WELL("account", "%s", f->user);
}

/* ---- the red-box at the socket ---- */

static void judge_tcp(struct judge *j)
{
	if (!j->f->tcp_address)
		return;
	if (failed(j->f->tcp))
		WRONG("tcp", "%s: %s", j->f->tcp_address, j->f->tcp.text);
	else
		WELL("tcp", "%s: its certificate, key and authorities can be used",
			j->f->tcp_address);
}

static void judge_socket(struct judge *j)
{
	const struct check_place *p = &j->f->socket;
	if (!p->looked)
		UNKNOWN("socket", "%s did not answer within 10 s", p->path);
	else if (p->error == ENOENT)
		WRONG("socket",
			"there is no %s: start red-box, by systemctl start red-box.socket where it is a service, or name its socket by --socket",
			p->path);
	else if (p->error)
		WRONG("socket", "%s cannot be looked at by %s: %s", p->path, j->f->user,
			strerrordesc_np(p->error));
	else if (p->kind != CHECK_SOCKET)
		WRONG("socket", "%s is no socket: remove it, or name another --socket", p->path);
	else if (p->mode & JUDGE_OTHERS_WRITE)
		WRONG("socket",
			"everybody on this machine may submit jobs by %s (%s:%s, mode %04" PRIo32
			"): its mode should be 0660, and its group that of the clients",
			p->path, p->owner, p->group, p->mode);
	else
		WELL("socket", "%s (%s:%s, mode %04" PRIo32 ")", p->path, p->owner, p->group,
			p->mode);
}

static void judge_box(struct judge *j)
{
	const struct check_facts *f = j->f;
	if (f->connect_error == ENOENT)
		UNKNOWN("red-box", "not checked: there is no socket");
	else if (f->connect_error == EACCES || f->connect_error == EPERM)
		UNKNOWN("red-box", "%s may not open %s: run this check as root", f->user,
			f->socket.path);
	else if (f->connect_error)
		WRONG("red-box",
			"no red-box listens on %s: %s; start it, and look into its log when it ends",
			f->socket.path, strerrordesc_np(f->connect_error));
	else if (!f->box.asked)
		UNKNOWN("red-box", "%s was not checked", f->socket.path);
	else if (failed(f->box.err))
		WRONG("red-box",
			"the program that listens on %s does not answer as red-box should: %s; see the log of red-box",
			f->socket.path, f->box.err.text);
	else
		WELL("red-box", "answers as %s, of Slurm %s", f->box_user, f->box_slurm);
}

struct check_report check_judge(const struct check_facts *f, struct arena *a)
{
	static void (*const parts[])(struct judge *) = {
		judge_users,
		judge_account,
		judge_slurm,
		judge_places,
		judge_tcp,
		judge_socket,
		judge_box,
	};
	struct judge all = { .f = f, .a = a }, *j = &all;
	judge_config(j);
	if (f->faults && *f->faults) {
		UNKNOWN("the rest", "red-box does not start until this is corrected");
		return all.r;
	}
	for (size_t i = 0; i < LENGTH(parts); i++)
		parts[i](j);
	return all.r;
}

bool check_is_well(const struct check_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->lines[i].verdict != CHECK_OK)
			return false;
	return true;
}
