/* SPDX-License-Identifier: Apache-2.0 */
/* Logs through red-box itself: its service reads real files, only Slurm is played. */
/* That of fake_http.h has the same name. */
#define fake_end fake_tool_end
#include "lib/fake_slurm_tools.h"
#undef fake_end
#include "lib/kubelet_world.h"

#include "redbox/listen.h"
#include "redbox/service.h"
#include "redbox/submit/journal.h"
#include "redbox/submit/submit.h"

#define LOG "/containerLogs/ns/cow-job/jt1"

struct box_world {
	struct world *w;
	struct fake_tools tools;
	struct test_folder files;
	struct folders *folders;
	struct journal *journal;
	struct submitter *submitter;
	struct service *service;
	struct grpc_server *server;
	struct grpc_client *client;
};

static int given_a_red_box(void **state)
{
	struct box_world *b = own_alloc(sizeof(*b));
	struct grpc_config grpc = { .methods = service_methods };
	void *world;
	given_a_kubelet(&world);
	b->w = world;
	b->files = folder_make();
	const char *path = b->files.path, *socket = folder_path(&b->files, "s");
	assert_false(failed(folders_new(&path, 1, &b->folders)));
	assert_false(failed(listen_at(socket, (gid_t)-1, &grpc.listen_fd)));
	const char *state_folder = folder_path(&b->files, "state");
	assert_false(failed(journal_open(b->w->grpc.loop, state_folder, &b->journal)));
	b->submitter = submitter_new(b->w->grpc.loop, (struct slurm_tools *)&b->tools, b->journal);
	grpc.ctx = b->service = service_new(&(struct service_config){
		.loop = b->w->grpc.loop,
		.tools = (struct slurm_tools *)&b->tools,
		.folders = b->folders,
		.submitter = b->submitter,
	});
	assert_false(failed(grpc_server_start(b->w->grpc.loop, &grpc, &b->server)));
	assert_false(failed(grpc_client_new(b->w->grpc.loop,
		&(struct grpc_client_config){ .path = socket }, &b->client)));
	b->w->pod.red_box = b->client;
	b->w->pod.key = ""; /* by its number: no key is looked up */
	*state = b;
	return 0;
}

static int free_box(void **state)
{
	struct box_world *b = *state;
	void *world = b->w;
	kubelet_free(TAKE(b->w->kubelet));
	grpc_client_free(b->client);
	grpc_server_free(b->server);
	service_free(b->service);
	submitter_free(b->submitter);
	journal_free(b->journal);
	folders_free(b->folders);
	free_world(&world);
	folder_remove(&b->files);
	assert_null(b->tools.calls);
	free(b);
	return 0;
}

/* Slurm says that the job writes to a file of the folder. */
static struct client *asks(struct box_world *b, const char *path, const char *file)
{
	struct slurm_job_shown job = b->w->box.jobs[0];
	int before = b->tools.seen[FAKE_JOB];
	struct client *c = get(b->w, path);
	job.std_out = folder_path(&b->files, file);
	while (b->tools.seen[FAKE_JOB] == before)
		turn(b->w);
	fake_says(fake_call(&b->tools, FAKE_JOB), OK,
		&(struct slurm_tools_told){ .jobs = &job, .n = 1 });
	return c;
}

static void a_file_of_the_disk_is_the_log(void **state)
{
	struct box_world *b = *state;
	AUTO(str_free) struct str large = { 0 };
	for (int i = 0; i < 300000; i++)
		str_addf(&large, "%09d\n", i);
	folder_put(&b->files, "out", "w", str_text(&large));
	struct client *c = asks(b, LOG, "out");
	until_ended(b->w, c);
	assert_int_equal(strlen(body_of(c)), large.len);
	assert_string_equal(body_of(c), str_text(&large));
	c = asks(b, LOG "?tailLines=2", "out");
	until_ended(b->w, c);
	is_answer(c, 200, "000299998\n000299999\n");
	refuses(b->w, asks(b, LOG, "none"), 500, "none");
	refuses(b->w, asks(b, LOG, "../etc"), 403, "../etc");
}

static void a_file_is_followed_to_the_end_of_its_job(void **state)
{
	struct box_world *b = *state;
	folder_put(&b->files, "out", "w", "one\ntwo\n");
	struct client *c = asks(b, LOG "?follow=true&tailLines=1", "out");
	until_got(b->w, c, "two\n");
	folder_put(&b->files, "out", "a", "three\nfo");
	until_got(b->w, c, "two\nthree\nfo");
	b->w->pod.ended = true; /* what was written last still comes */
	folder_put(&b->files, "out", "a", "ur");
	until_ended(b->w, c);
	is_answer(c, 200, "two\nthree\nfour");
	b->w->pod.ended = false;
	c = asks(b, LOG "?follow=true&tailLines=5", "late"); /* waits for the file */
	until_got(b->w, c, "200 OK");
	folder_put(&b->files, "late", "w", "here\n");
	until_got(b->w, c, "here\n");
	service_finish(b->service);
	until_ended(b->w, c);
	assert_non_null(strstr(body_of(c),
		"here\n\n[the log ends here, there may be more of it: "));
}

/* From 5 GiB no more than the lines comes, also to a client that follows. */
static void the_last_lines_of_a_large_file_are_read_from_its_end(void **state)
{
	struct box_world *b = *state;
	folder_put(&b->files, "out", "w", "");
	assert_int_equal(truncate(folder_path(&b->files, "out"), (off_t)5 << 30), 0);
	folder_put(&b->files, "out", "a", "\none\ntwo\nthree\n");
	struct client *c = asks(b, LOG "?tailLines=2", "out");
	until_ended(b->w, c);
	is_answer(c, 200, "two\nthree\n");
	c = asks(b, LOG "?tailLines=2&limitBytes=5&sinceTime=2020-01-01T00:00:00Z", "out");
	until_ended(b->w, c);
	is_answer(c, 200, "two\nt");
	c = asks(b, LOG "?tailLines=1&follow=true", "out");
	until_got(b->w, c, "three\n");
	folder_put(&b->files, "out", "a", "four\n");
	until_got(b->w, c, "four\n");
	b->w->pod.ended = true;
	until_ended(b->w, c);
	is_answer(c, 200, "three\nfour\n");
	c = asks(b, LOG "?tailLines=1&follow=true&limitBytes=3", "out");
	until_ended(b->w, c);
	is_answer(c, 200, "fou");
}

#define BOX_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_red_box, free_box)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOX_TEST(a_file_of_the_disk_is_the_log),
		BOX_TEST(a_file_is_followed_to_the_end_of_its_job),
		BOX_TEST(the_last_lines_of_a_large_file_are_read_from_its_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
