/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of the test's own, with files that a configuration names. */
#ifndef TESTS_LIB_CONFIG_GIVEN_H
#define TESTS_LIB_CONFIG_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "lib/fake_peer.h"
#include "kube/config_parts.h"

struct world {
	char folder[64];
	struct kube_config config;
	struct err err;
	struct str path; /* of the file written last */
};

static inline int given_a_folder(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	const char template[] = "/tmp/kubeconfig-XXXXXX";
	memcpy(w->folder, template, sizeof(template));
	assert_non_null(mkdtemp(w->folder));
	unsetenv("KUBECONFIG");
	unsetenv("KUBERNETES_SERVICE_HOST");
	setenv("HOME", w->folder, 1);
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	DIR *folder = opendir(w->folder);
	struct dirent *entry;

	while ((entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	rmdir(w->folder);
	kube_config_free(&w->config);
	str_free(&w->path);
	free(w);
	return 0;
}

static inline const char *path_of(struct world *w, const char *name)
{
	str_clear(&w->path);
	str_addf(&w->path, "%s/%s", w->folder, name);
	return str_text(&w->path);
}

static inline const char *given_file(struct world *w, const char *name, const char *text)
{
	FILE *f = fopen(path_of(w, name), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return str_text(&w->path);
}

static inline void load(struct world *w, const char *path, const char *context)
{
	kube_config_free(&w->config);
	w->err = kube_config_load(path, context, &w->config);
}

static inline void loaded(struct world *w)
{
	if (failed(w->err))
		fail_msg("%s", w->err.text);
}

static inline void refused(struct world *w, enum err_kind kind, const char *says)
{
	if (w->err.kind != kind || !strstr(w->err.text, says))
		fail_msg("%s: %s\n(should be %s: %s)", err_kind_name(w->err.kind), w->err.text,
			err_kind_name(kind), says);
}

#define CLUSTER                                                                               \
	"apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: " \
	"{cluster: k, user: u, namespace: lab}\n"                                             \
	"clusters:\n- name: k\n  cluster:\n    server: https://host:6443/\n"
#define USER CLUSTER "users:\n- name: u\n  user:\n"

/* ---- an API server that knows no token ---- */

static inline void answered(void *ctx, struct err e, const struct http_answer *a)
{
	assert_false(failed(e));
	assert_int_equal(a->status, 401);
	loop_uv_stop(ctx);
}

static inline void given_a_user(struct world *w, int port, const char *user)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nusers: "
		"[{name: u, user: %s}]\n"
		"clusters: [{name: k, cluster: {server: 'http://127.0.0.1:%d/prefix'}}]\n",
		user, port);
	load(w, given_file(w, "a", str_text(&text)), NULL);
	loaded(w);
}

#define CONFIG_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_folder, free_world)

#endif
