/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service of red-box with a client of its own: real calls through a socket, a Slurm
 * that is played. For one test program, which includes this once.
 */
#ifndef TESTS_LIB_REDBOX_WORLD_H
#define TESTS_LIB_REDBOX_WORLD_H

#include "lib/fake_slurm_tools.h"
#include "lib/grpc_client.h"
#include "lib/journal_steps.h"
#include "lib/redbox_folder.h"

#include "redbox/listen.h"
#include "redbox/service.h"

struct world {
	struct loop *loop;
	struct fake_tools tools;
	struct test_folder folder; /* state, files, the socket */
	struct journal *journal;
	struct folders *folders;
	struct submitter *submitter;
	struct redbox_config config;
	struct service *service;
	struct grpc_server *server;
	struct grpc_client *client;
	uid_t user;
};

static inline void start(struct world *w, size_t n_users)
{
	struct service_config config = {
		.loop = w->loop,
		.config = &w->config,
		.tools = (struct slurm_tools *)&w->tools,
		.folders = w->folders,
		.submitter = w->submitter,
		.users = &w->user,
		.n_users = n_users,
	};
	struct grpc_config grpc = {
		.methods = service_methods,
		.admits = service_admits,
		.over = service_over,
	};
	struct err e = listen_at(folder_path(&w->folder, "s"), (gid_t)-1, &grpc.listen_fd);
	assert_false(failed(e));
	grpc.ctx = w->service = service_new(&config);
	assert_false(failed(grpc_server_start(w->loop, &grpc, &w->server)));
	w->client = client_open(w->loop, folder_path(&w->folder, "s"));
}

static inline int given_a_service(void **state)
{
	static const char yaml[] = "debug: {nodes: 2, additional_features: [{name: cuda, "
				   "version: 10}]}";
	struct world *w = own_alloc(sizeof(*w));
	struct str faults = { 0 };
	w->loop = loop_uv_new();
	w->folder = folder_make();
	assert_int_equal(mkdir(folder_path(&w->folder, "files"), 0755), 0);
	const char *files = folder_path(&w->folder, "files");
	assert_false(failed(folders_new(&files, 1, &w->folders)));
	struct err e = journal_open(w->loop, folder_path(&w->folder, "state"), &w->journal);
	assert_false(failed(e));
	redbox_config_read("f", yaml, strlen(yaml), &w->config, &faults, &faults);
	w->submitter = submitter_new(w->loop, (struct slurm_tools *)&w->tools, w->journal);
	start(w, 0);
	str_free(&faults);
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	client_close(w->client);
	grpc_server_free(w->server);
	service_free(w->service);
	submitter_free(w->submitter);
	journal_free(w->journal);
	folders_free(w->folders);
	redbox_config_free(&w->config);
	assert_null(w->tools.calls);
	folder_remove(&w->folder);
	loop_uv_free(w->loop);
	free(w);
	return 0;
}

/* Restarts red-box with other settings, or in another process, as it were. */
static inline void restart(struct world *w, size_t n_users)
{
	client_close(w->client);
	grpc_server_free(w->server);
	service_free(w->service);
	unlink(folder_path(&w->folder, "s"));
	start(w, n_users);
}

/* Root of this machine plays another user of it. */
static inline struct grpc_client *another_user(struct world *w)
{
	enum { OTHER = 65534 };
	assert_int_equal(chmod(folder_path(&w->folder, "."), 0755), 0);
	assert_int_equal(chmod(folder_path(&w->folder, "s"), 0777), 0);
	assert_int_equal(seteuid(OTHER), 0);
	struct grpc_client *other = client_open(w->loop, folder_path(&w->folder, "s"));
	assert_int_equal(seteuid(0), 0);
	return other;
}

#define PACKED(type, init, ...)                                                  \
	struct str request = { 0 };                                              \
	type m_ = init;                                                          \
	__VA_ARGS__;                                                             \
	str_reserve(&request, protobuf_c_message_get_packed_size(&m_.base) + 1); \
	request.len = protobuf_c_message_pack(&m_.base, (uint8_t *)request.text)

static inline struct reply *call(struct world *w, const char *method, const void *bytes, size_t n)
{
	char path[96];
	snprintf(path, sizeof(path), "/api.WorkloadManager/%s", method);
	struct reply *r = client_call(w->client, path, NULL);
	client_send(r, bytes, n);
	return r;
}

static inline struct reply *whole_call(struct world *w, const char *method, const char *bytes,
	size_t n)
{
	struct reply *r = call(w, method, bytes, n);
	client_end(r);
	return r;
}

static inline bool is_called(const struct world *w, enum fake_kind kind)
{
	const struct slurm_tools_call *c;
	DL_FOREACH(w->tools.calls, c)
	if (c->kind == kind)
		return true;
	return false;
}

/* Until Slurm's tool is called. */
static inline struct slurm_tools_call *tool(struct world *w, enum fake_kind kind)
{
	for (int i = 0; i < 1000 && !is_called(w, kind); i++)
		client_turn(w->client);
	return fake_call(&w->tools, kind);
}

/* slurmctld answers the next one who asks since when it runs. */
static inline void slurmctld_lives(struct world *w)
{
	const struct slurm_tools_told told = { .controller = { 1000, 60, 300 } };
	fake_says(tool(w, FAKE_CONTROLLER), OK, &told);
}

static inline void ends(struct reply *r, enum grpc_status status, const char *sentence)
{
	client_wait(r);
	assert_int_equal(r->status, status);
	if (!strstr(r->message ? r->message : "", sentence))
		fail_msg("\"%s\" is not in: %s", sentence, r->message);
}

static inline void answers(struct reply *r, const char *bytes, size_t n)
{
	size_t length;
	ends(r, GRPC_OK, "");
	const void *message = reply_message(r, 0, &length);
	assert_int_equal(length, n);
	assert_memory_equal(message, bytes, n);
}

#endif
