/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of red-box from its options and its configuration. */
#ifndef CMD_REDBOX_SETTINGS_H
#define CMD_REDBOX_SETTINGS_H

#include "cmd/redbox_options.h"
#include "redbox/config.h"

struct redbox_settings {
	struct redbox_config config;
	const char *state_folder;
	struct str faults, warnings; /* a line each; with a fault config is incomplete */
	/* Ids of config.allow_users, allow_groups and socket_group */
	uid_t *users;
	gid_t *groups, socket_group;
};

/* Reads the file of --config; options override it. */
void redbox_settings_read(struct redbox_settings *s, const struct redbox_options *o);
/* Looks up the users and groups on this machine. An unknown name is a fault. */
void redbox_settings_find_names(struct redbox_settings *s);
/* The folders of clients; default: the home of this account; empty if it has none. */
struct redbox_texts redbox_settings_folders(struct redbox_settings *s);
/* Adds the error to the faults; no effect when e is OK. */
void redbox_settings_fault(struct redbox_settings *s, struct err e);
void redbox_settings_free(struct redbox_settings *s);

#endif
