/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls TailFile and TailLines of red-box over a folder of real files. For one test
 * program, which includes this once.
 *
 *     folder_put(&w->folder, "f", "w", "one\n");
 *     struct reply *r = tail(w, "f");
 *     hears(r, "one\n");
 */
#ifndef TESTS_LIB_TAIL_WORLD_H
#define TESTS_LIB_TAIL_WORLD_H

#include "lib/fake_slurm_tools.h"
#include "lib/grpc_client.h"
#include "lib/redbox_folder.h"

#include "redbox/listen.h"
#include "redbox/service.h"
#include "wlm/answer.h"
#include "wlm/ask.h"

struct world {
	struct loop *loop;
	struct test_folder folder; /* files, and the socket */
	struct folders *folders;
	struct service *service;
	struct grpc_server *server;
	struct grpc_client *client;
};

static inline int given_a_service(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	struct grpc_config grpc = { .methods = service_methods };
	w->loop = loop_uv_new();
	w->folder = folder_make();
	const char *path = w->folder.path;
	assert_false(failed(folders_new(&path, 1, &w->folders)));
	assert_false(failed(listen_at(folder_path(&w->folder, "s"), (gid_t)-1, &grpc.listen_fd)));
	w->service = service_new(&(struct service_config){
		.loop = w->loop, .folders = w->folders });
	grpc.ctx = w->service;
	assert_false(failed(grpc_server_start(w->loop, &grpc, &w->server)));
	w->client = client_open(w->loop, folder_path(&w->folder, "s"));
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	client_close(w->client);
	grpc_server_free(w->server);
	service_free(w->service);
	folders_free(w->folders);
	folder_remove(&w->folder);
	loop_uv_free(w->loop);
	free(w);
	return 0;
}

static inline void say(struct reply *r, const char *path, bool to_the_end)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_tail(&message, to_the_end, path, 0);
	client_send(r, str_text(&message), message.len);
}

static inline struct reply *tail(struct world *w, const char *path)
{
	struct reply *r = client_call(w->client, "/api.WorkloadManager/TailFile", NULL);
	say(r, path, false);
	return r;
}

/* The last lines, with what is added or as they are. */
static inline struct reply *tail_lines(struct world *w, const char *path, int64_t lines,
	bool follow)
{
	struct reply *r = client_call(w->client, "/api.WorkloadManager/TailLines", NULL);
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_tail(&message, !follow, path, lines);
	client_send(r, str_text(&message), message.len);
	if (!follow)
		client_end(r);
	return r;
}

static inline size_t heard(const struct reply *r, struct str *text)
{
	str_clear(text);
	for (size_t i = 0; i < reply_messages(r); i++) {
		size_t n;
		const void *bytes = reply_message(r, i, &n);
		AUTO(arena_free) struct arena a = { 0 };
		struct wlm_answer piece;
		assert_false(failed(wlm_answer_read(WLM_ANSWER_CHUNK, bytes, n, &a, &piece)));
		assert_in_range(piece.content_bytes, 0, PIECE_BYTES);
		str_add_bytes(text, piece.content, piece.content_bytes);
	}
	return text->len;
}

/* Waits until so many bytes came, and looks at them. */
static inline void hears(struct reply *r, const char *text)
{
	struct str all AUTO(str_free) = { 0 };
	while (heard(r, &all) < strlen(text) && !r->closed)
		client_turn(r->client);
	assert_string_equal(str_text(&all), text);
}

static inline void ends(struct reply *r, int status, const char *sentence)
{
	client_wait(r);
	assert_int_equal(r->status, status);
	if (!strstr(r->message ? r->message : "", sentence))
		fail_msg("\"%s\" is not in: %s", sentence, r->message);
}

#define TAIL_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

#endif
