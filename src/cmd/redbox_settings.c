/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the options and the configuration of red-box, and looks up names in them. */
#include "cmd/redbox_settings.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "cmd/values.h"

#define REDBOX_STATE "/var/lib/red-box"

void redbox_settings_fault(struct redbox_settings *s, struct err e)
{
	if (failed(e))
		str_addf(&s->faults, "%s\n", e.text);
}

static struct err read_file(const char *path, struct str *text)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return err_new(ERR_INVALID, "reading %s: %s", path, strerror(errno));
	str_reserve(text, REDBOX_CONFIG_BYTES + 1);
	text->len = fread(text->text, 1, REDBOX_CONFIG_BYTES + 1, f);
	bool bad = ferror(f);
	fclose(f);
	if (bad)
		return err_new(ERR_INVALID, "reading %s: %s", path, strerror(errno));
	return text->len <= REDBOX_CONFIG_BYTES
		? OK
		: err_new(ERR_TOO_LARGE, "%s has more than 1 MiB", path);
}

static void read_config(struct redbox_settings *s, const char *path)
{
	AUTO(str_free) struct str text = { 0 };
	if (!path)
		return;
	struct err e = read_file(path, &text);
	redbox_settings_fault(s, e);
	if (failed(e))
		return;
	redbox_config_read(path, str_text(&text), text.len, &s->config, &s->faults, &s->warnings);
}

/* A group by name or number, like value_uid. */
static bool gid_of(const char *name, gid_t *out)
{
	int64_t number;
	const struct group *g = NULL;
	if (str_to_i64(name, 0, UINT32_MAX - 1, &number))
		*out = (gid_t)number;
	else if ((g = getgrnam(name)))
		*out = g->gr_gid;
	else
		return false;
	return true;
}

void redbox_settings_find_names(struct redbox_settings *s)
{
	const struct redbox_texts *users = &s->config.allow_users,
				  *groups = &s->config.allow_groups;
	s->users = own_alloc((users->n + 1) * sizeof(*s->users));
	s->groups = own_alloc((groups->n + 1) * sizeof(*s->groups));
	s->socket_group = (gid_t)-1;
	for (size_t i = 0; i < users->n; i++)
		if (!value_uid(users->rows[i], &s->users[i]))
			str_addf(&s->faults, "allow_users: there is no user %s\n", users->rows[i]);
	for (size_t i = 0; i < groups->n; i++)
		if (!gid_of(groups->rows[i], &s->groups[i]))
			str_addf(&s->faults, "allow_groups: there is no group %s\n",
				groups->rows[i]);
	if (s->config.socket_group && !gid_of(s->config.socket_group, &s->socket_group))
		str_addf(&s->faults, "socket_group: there is no group %s\n",
			s->config.socket_group);
}

void redbox_settings_read(struct redbox_settings *s, const struct redbox_options *o)
{
	*s = (struct redbox_settings){ 0 };
	read_config(s, o->config);
	redbox_tcp_override(&s->config, &o->tcp);
	redbox_settings_fault(s, redbox_tcp_check(&s->config.tcp));
	s->state_folder = o->state_folder ? o->state_folder
		: s->config.state_folder  ? s->config.state_folder
					  : REDBOX_STATE;
}

struct redbox_texts redbox_settings_folders(struct redbox_settings *s)
{
	struct redbox_texts *folders = &s->config.folders;
	const struct passwd *self = folders->n ? NULL : getpwuid(geteuid());
	if (folders->n || !self || str_empty(self->pw_dir))
		return *folders;
	folders->rows = arena_array(&s->config.arena, const char *, 1);
	folders->rows[folders->n++] = arena_strdup(&s->config.arena, self->pw_dir);
	return *folders;
}

void redbox_settings_free(struct redbox_settings *s)
{
	free(s->users);
	free(s->groups);
	redbox_config_free(&s->config);
	str_free(&s->faults);
	str_free(&s->warnings);
}
