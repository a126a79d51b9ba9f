/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the options of virtual-node fit together. */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "cmd/values.h"
#include "cmd/virtual_node.h"

/* True if an entry of the list has this text, of n bytes, before its "=". */
static bool has_entry(char **list, const char *text, size_t n)
{
	for (; list && *list; list++)
		if (strncmp(*list, text, n) == 0 && (*list)[n] == '=')
			return true;
	return false;
}

static const char *where_of(const char *box)
{
	const char *where = strchr(box, '=') + 1;
	size_t user = value_red_box_user(where);
	return user ? where + user + 1 : where;
}

/* A red-box runs as one account, with one journal, so two accounts cannot share it. */
static struct err check_where(const struct virtual_node_config *c, char **box)
{
	const char *where = where_of(*box);
	bool again = false;
	for (char **other = c->red_boxes; *other; other++)
		again |= str_eq(where_of(*other), where);
	for (char **other = c->account_boxes; other != box; other++)
		again |= str_eq(where_of(*other), where);
	return again
		? err_new(ERR_INVALID,
			  "--account-red-box=%s: another red-box is there already; each account has one of its own",
			  *box)
		: OK;
}

static struct err check_account(const struct virtual_node_config *c, const char *entry)
{
	AUTO(str_free) struct str box = { 0 };
	size_t slurm = strcspn(entry, "/");
	const char *name = strchr(entry, '=') + 1;
	if (!has_entry(c->red_boxes, entry, slurm))
		return err_new(ERR_INVALID,
			"--account=%s is of a Slurm that --red-box does not name", entry);
	str_addf(&box, "%.*s/%s", (int)slurm, entry, name);
	return !*name || has_entry(c->account_boxes, str_text(&box), box.len)
		? OK
		: err_new(ERR_INVALID,
			  "--account=%s needs --account-red-box=%s=WHERE: where the red-box of that account is",
			  entry, str_text(&box));
}

static struct err check_accounts(const struct virtual_node_config *c)
{
	for (char **box = c->account_boxes; box && *box; box++) {
		if (!has_entry(c->red_boxes, *box, strcspn(*box, "/")))
			return err_new(ERR_INVALID,
				"--account-red-box=%s is of a Slurm that --red-box does not name",
				*box);
		struct err e = check_where(c, box);
		if (failed(e))
			return e;
	}
	for (char **a = c->accounts; a && *a; a++) {
		struct err e = check_account(c, *a);
		if (failed(e))
			return e;
	}
	return c->require_account && !c->accounts
		? err_new(ERR_INVALID,
			  "--require-account refuses all jobs without --account: name the namespaces that have one")
		: OK;
}

static bool has_remote(char **boxes)
{
	for (; boxes && *boxes; boxes++)
		if (*where_of(*boxes) != '/')
			return true;
	return false;
}

struct err virtual_node_check(const struct virtual_node_config *c)
{
	if (!c->red_boxes)
		return err_new(ERR_INVALID,
			"virtual-node needs --red-box=NAME=PATH or NAME=HOST:PORT: where red-box is, and a name for its Slurm");
	bool remote = has_remote(c->red_boxes) || has_remote(c->account_boxes);
	if (remote && !c->red_box_cert_dir)
		return err_new(ERR_INVALID,
			"a red-box at HOST:PORT needs --red-box-cert-dir: a folder with tls.crt, tls.key and ca.crt");
	if (!remote && (c->red_box_cert_dir || c->red_box_server_name))
		return err_new(ERR_INVALID,
			"--red-box-cert-dir and --red-box-server-name do nothing without a red-box at HOST:PORT");
	return check_accounts(c);
}
