/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the socket first, because as root it needs the account of red-box there. */
#include "cmd/redbox_check.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "base/metric.h"
#include "base/own.h"
#include "cmd/redbox_settings.h"
#include "net/tls.h"
#include "redbox/check/ask.h"
#include "redbox/check/judge.h"
#include "redbox/check/look.h"

enum {
	LIMIT_MS = 10000,   /* for each query and each path */
	ALL_MS = 45000,     /* then the known facts are judged */
	LAST_RESORT_S = 60, /* SIGALRM, for example if a lookup of a user hangs */
};

struct check {
	const struct redbox_options *o;
	struct loop *loop;
	struct redbox_settings settings;
	struct arena arena;
	struct check_facts facts;
	const char *socket; /* absolute */
	int left;           /* checks of Slurm and of paths that have not ended */
	struct timer *all;  /* of look_at_rest */
};

static void stop(void *ctx) { loop_uv_stop(((struct check *)ctx)->loop); }

static void one_less(void *ctx)
{
	struct check *c = ctx;
	if (--c->left == 0)
		loop_uv_stop(c->loop);
}

static void time_over(void *ctx)
{
	struct check *c = ctx;
	c->all = NULL;
	loop_uv_stop(c->loop);
}

static const char *name_of(struct check *c, int64_t uid)
{
	const struct passwd *p = getpwuid((uid_t)uid);
	return p ? arena_strdup(&c->arena, p->pw_name)
		 : arena_printf(&c->arena, "uid %jd", (intmax_t)uid);
}

/* Leaves the folder of the start, which another account may be unable to read. */
static void leave_folder(struct check *c)
{
	char here[4096];
	c->socket = c->o->socket;
	if (*c->socket != '/' && getcwd(here, sizeof(here)))
		c->socket = arena_printf(&c->arena, "%s/%s", here, c->o->socket);
	if (chdir("/") != 0)
		perror("red-box check: /");
}

/* Becomes this user for good. An account without an entry has no other groups. */
static bool become(int64_t uid)
{
	const struct passwd *p = getpwuid((uid_t)uid);
	gid_t gid = p ? p->pw_gid : (gid_t)uid;
	bool groups = p ? initgroups(p->pw_name, gid) == 0 : setgroups(0, NULL) == 0;
	return groups && setresgid(gid, gid, gid) == 0 &&
		setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) == 0;
}

static void ask_box(struct check *c)
{
	struct check_facts *f = &c->facts;
	const struct check_ask by = { c->loop, f, &c->arena, LIMIT_MS, stop, c };
	struct check_box_ask *box = check_ask_box(&by, c->socket);
	loop_uv_run(c->loop);
	check_box_ask_free(box);
	f->box_user = name_of(c, f->box_uid);
	if (geteuid() == 0 && f->box.asked && !failed(f->box.err) && f->box_uid > 0 &&
		!become(f->box_uid))
		perror("red-box check: becoming the account of red-box");
	f->uid = geteuid();
	f->user = name_of(c, f->uid);
}

static void look_at_keys(struct check *c)
{
	const struct redbox_tcp *t = &c->settings.config.tcp;
	const struct tls_files files = { t->cert_file, t->key_file, t->client_ca_file, 0 };
	struct tls_keys *keys = NULL;
	c->facts.tcp_address = t->address;
	if (t->address)
		c->facts.tcp = tls_keys_new(c->loop, &files, &keys);
	tls_keys_free(keys);
}

/* Returns true if the loop can be freed. */
static bool look_at_rest(struct check *c)
{
	const struct redbox_texts folders = redbox_settings_folders(&c->settings);
	const struct check_paths paths = { folders.rows, folders.n, c->settings.state_folder,
		c->socket };
	const struct check_ask by = { c->loop, &c->facts, &c->arena, LIMIT_MS, one_less, c };
	look_at_keys(c);
	c->left = 2;
	struct check_slurm_ask *slurm = check_ask_slurm(&by, c->settings.config.slurm_folder);
	struct check_looks *looks = check_look(c->loop, &paths, LIMIT_MS, &c->facts, &c->arena,
		one_less, c);
	c->all = timer_start(c->loop, ALL_MS, time_over, c);
	loop_uv_run(c->loop);
	timer_stop(c->loop, c->all);
	check_slurm_ask_free(slurm);
	return check_looks_free(looks);
}

static void read_settings(struct check *c)
{
	struct redbox_settings *s = &c->settings;
	redbox_settings_read(s, c->o);
	c->facts.config = c->o->config;
	c->facts.faults = arena_strdup(&c->arena, str_text(&s->faults));
	c->facts.warnings = arena_strdup(&c->arena, str_text(&s->warnings));
	str_clear(&s->faults);
	redbox_settings_find_names(s);
	c->facts.name_faults = str_text(&s->faults);
}

static bool print(struct check *c)
{
	const struct check_report r = check_judge(&c->facts, &c->arena);
	const char *text = c->o->check_json ? check_json(&r, &c->arena) : check_text(&r, &c->arena);
	fputs(text, stdout);
	return fflush(stdout) == 0 && check_is_well(&r);
}

int redbox_check(const struct redbox_options *o)
{
	struct check c = { .o = o };
	bool ends = true;
	alarm(LAST_RESORT_S);
	c.loop = loop_uv_new();
	read_settings(&c);
	if (!*c.facts.faults) {
		leave_folder(&c);
		ask_box(&c);
		ends = look_at_rest(&c);
	}
	bool well = print(&c);
	if (!ends)
		_exit(!well);
	redbox_settings_free(&c.settings);
	arena_free(&c.arena);
	loop_uv_free(c.loop);
	metric_free_all();
	return !well;
}
