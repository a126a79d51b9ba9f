/* SPDX-License-Identifier: Apache-2.0 */
/* The service as a client sees it: real calls, a Slurm that is played. */
#include "lib/fake_slurm_tools.h"
#include "lib/grpc_client.h"
#include "lib/redbox_folder.h"

#include <signal.h>
#include <sys/resource.h>

#include "daemons/redbox/listen.h"
#include "daemons/redbox/service.h"
#include "wlm/wlm.pb-c.h"

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

static void start(struct world *w, size_t n_users)
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
	struct grpc_config grpc = { .methods = service_methods, .admits = service_admits };
	struct err e = listen_at(folder_path(&w->folder, "s"), (gid_t)-1, &grpc.listen_fd);
	assert_false(failed(e));
	grpc.ctx = w->service = service_new(&config);
	assert_false(failed(grpc_server_start(w->loop, &grpc, &w->server)));
	w->client = client_open(w->loop, folder_path(&w->folder, "s"));
}

static int given_a_service(void **state)
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

static int free_world(void **state)
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

#define PACKED(type, init, ...)                                                  \
	struct str request = { 0 };                                              \
	type m_ = init;                                                          \
	__VA_ARGS__;                                                             \
	str_reserve(&request, protobuf_c_message_get_packed_size(&m_.base) + 1); \
	request.len = protobuf_c_message_pack(&m_.base, (uint8_t *)request.text)

static struct reply *call(struct world *w, const char *method, const void *bytes, size_t n)
{
	char path[96];
	snprintf(path, sizeof(path), "/api.WorkloadManager/%s", method);
	struct reply *r = client_call(w->client, path, NULL);
	client_send(r, bytes, n);
	return r;
}

static struct reply *whole_call(struct world *w, const char *method, const char *bytes, size_t n)
{
	struct reply *r = call(w, method, bytes, n);
	client_end(r);
	return r;
}

/* Until Slurm's tool is called. */
static struct slurm_tools_call *tool(struct world *w, enum fake_kind kind)
{
	for (int i = 0; i < 1000 && !w->tools.calls; i++)
		client_turn(w->client);
	return fake_call(&w->tools, kind);
}

static void ends(struct reply *r, enum grpc_status status, const char *sentence)
{
	client_wait(r);
	assert_int_equal(r->status, status);
	if (!strstr(r->message ? r->message : "", sentence))
		fail_msg("\"%s\" is not in: %s", sentence, r->message);
}

static void answers(struct reply *r, const char *bytes, size_t n)
{
	size_t length;
	ends(r, GRPC_OK, "");
	const void *message = reply_message(r, 0, &length);
	assert_int_equal(length, n);
	assert_memory_equal(message, bytes, n);
}

/* ---- jobs ---- */

static void a_job_is_submitted(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "SubmitJob",
		"\x0a\x01x\x12\x05"
		"debug",
		10);
	struct slurm_tools_call *c = tool(w, FAKE_SUBMIT);
	assert_string_equal(c->script, "x");
	assert_string_equal(c->partition, "debug");
	assert_null(c->key);
	fake_says(c, OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
}

static void a_key_is_looked_at_first(void **state)
{
	struct world *w = *state;
	ends(whole_call(w, "SubmitJob", "", 0), GRPC_INVALID_ARGUMENT, "the script is empty");
	ends(whole_call(w, "SubmitJob",
		     "\x0a\x01x\x1a\x03"
		     "a b",
		     8),
		GRPC_INVALID_ARGUMENT, "letters");
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL); /* the journal is young */
	fake_says(tool(w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(r, "\x08\x35", 2);
	answers(whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6), "\x08\x35", 2);
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 1);
}

/* Of that many letters, or of this one alone. */
static void is_no_partition(struct world *w, size_t letters, const char *name)
{
	AUTO(str_free) struct str partition = { 0 };
	for (size_t i = 0; i < letters; i++)
		str_add(&partition, "p");
	str_add(&partition, name);
	PACKED(Api__SubmitJobRequest, API__SUBMIT_JOB_REQUEST__INIT,
		m_.script = (char *)(uintptr_t)"x", m_.partition = partition.text);
	ends(whole_call(w, "SubmitJob", request.text, request.len), GRPC_INVALID_ARGUMENT,
		"a partition has 1024 bytes at most");
	str_free(&request);
}

static void a_partition_is_looked_at_first(void **state)
{
	struct world *w = *state;
	is_no_partition(w, 1024, "p");
	is_no_partition(w, 200000, "");
	is_no_partition(w, 0, "a\nb");
	ends(whole_call(w, "Resources",
		     "\x0a\x03"
		     "a\nb",
		     5),
		GRPC_INVALID_ARGUMENT, "no control characters");
	assert_int_equal(w->tools.seen[FAKE_SUBMIT], 0);
	assert_int_equal(w->tools.seen[FAKE_PARTITIONS], 0);
}

static void a_client_that_left_finds_its_job_again(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6);
	fake_says(tool(w, FAKE_FIND), OK, NULL);
	tool(w, FAKE_SUBMIT);
	client_cancel(r);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(grpc_server_under_way(w->server), 0);
	fake_says(tool(w, FAKE_SUBMIT), OK, &(struct slurm_tools_told){ .job_id = 53 });
	answers(whole_call(w, "SubmitJob", "\x0a\x01x\x1a\x01k", 6), "\x08\x35", 2);
}

static void a_job_is_cancelled(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "CancelJob", "\x08\x35", 2);
	struct slurm_tools_call *c = tool(w, FAKE_CANCEL);
	assert_int_equal(c->number, 53);
	fake_says(c, OK, NULL);
	answers(r, "", 0);
	r = whole_call(w, "CancelJob", "\x08\x35", 2);
	fake_says(tool(w, FAKE_CANCEL), err_new(ERR_DENIED, "it is not yours"), NULL);
	ends(r, GRPC_PERMISSION_DENIED, "CancelJob of job 53: it is not yours");
}

static void what_slurm_tells_of_a_job_comes_back(void **state)
{
	struct world *w = *state;
	const struct slurm_job_shown jobs[] = { { .id = 7, .state = "RUNNING" },
		{ .id = 8, .state = "PENDING" } };
	struct reply *r = whole_call(w, "JobInfo", "\x08\x07", 2);
	fake_says(tool(w, FAKE_JOB), OK, &(struct slurm_tools_told){ .jobs = jobs, .n = 2 });
	ends(r, GRPC_OK, "");
	size_t n;
	const void *bytes = reply_message(r, 0, &n);
	Api__JobInfoResponse *m = api__job_info_response__unpack(NULL, n, bytes);
	assert_non_null(m);
	assert_int_equal(m->n_info, 2);
	assert_string_equal(m->info[1]->id, "8");
	api__job_info_response__free_unpacked(m, NULL);
	r = whole_call(w, "JobInfo", "\x08\x07", 2);
	fake_says(tool(w, FAKE_JOB), OK, NULL);
	ends(r, GRPC_NOT_FOUND, "Slurm tells nothing of it");
}

static void steps_may_be_none(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "JobSteps", "\x08\x07", 2);
	fake_says(tool(w, FAKE_STEPS), OK, NULL);
	answers(r, "", 0);
}

static void partitions_come_in_slurms_order(void **state)
{
	struct world *w = *state;
	const struct slurm_partition_shown rows[] = { { .name = "b" }, { .name = "a" } };
	struct reply *r = whole_call(w, "Partitions", "", 0);
	struct slurm_tools_call *c = tool(w, FAKE_PARTITIONS);
	assert_null(c->key);
	fake_says(c, OK, &(struct slurm_tools_told){ .partitions = rows, .n = 2 });
	answers(r,
		"\x0a\x01"
		"b\x0a\x01"
		"a",
		6);
}

static void resources_are_merged(void **state)
{
	struct world *w = *state;
	const struct slurm_partition_shown row = { "debug", 8, 1, 512, 1800 };
	struct reply *r = whole_call(w, "Resources",
		"\x0a\x05"
		"debug",
		7);
	struct slurm_tools_call *c = tool(w, FAKE_PARTITIONS);
	assert_string_equal(c->key, "debug");
	fake_says(c, OK, &(struct slurm_tools_told){ .partitions = &row, .n = 1 });
	answers(r,
		"\x08\x02\x10\x01\x18\x80\x04\x20\x88\x0e\x2a\x0a\x0a\x04"
		"cuda\x12\x02"
		"10",
		22);
	ends(whole_call(w, "Resources", "", 0), GRPC_INVALID_ARGUMENT, "no partition");
}

static void the_version_is_told(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "WorkloadInfo", "", 0);
	fake_says(tool(w, FAKE_VERSION), OK, &(struct slurm_tools_told){ .version = "24.11.5" });
	ends(r, GRPC_OK, "");
	size_t n;
	const void *bytes = reply_message(r, 0, &n);
	Api__WorkloadInfoResponse *m = api__workload_info_response__unpack(NULL, n, bytes);
	assert_string_equal(m->name, "slurm");
	assert_string_equal(m->version, "24.11.5");
	assert_int_equal(m->uid, geteuid());
	api__workload_info_response__free_unpacked(m, NULL);
}

static void calls_without_sense_are_refused(void **state)
{
	struct world *w = *state;
	ends(whole_call(w, "JobInfo", "", 0), GRPC_INVALID_ARGUMENT, "number from 1 on");
	ends(whole_call(w, "JobInfo", "\xff", 1), GRPC_INVALID_ARGUMENT, "no JobInfoRequest");
	struct reply *r = client_call(w->client, "/api.WorkloadManager/JobInfo", NULL);
	client_end(r);
	ends(r, GRPC_INVALID_ARGUMENT, "no message came");
	r = call(w, "JobInfo", "\x08\x07", 2);
	client_send(r, "\x08\x07", 2);
	ends(r, GRPC_INVALID_ARGUMENT, "a second message came");
	assert_null(w->tools.calls); /* its question was given up */
	ends(whole_call(w, "SubmitJobContainer", "", 0), GRPC_UNIMPLEMENTED, "call SubmitJob");
	ends(whole_call(w, "Zip", "", 0), GRPC_UNIMPLEMENTED, "one by one");
	ends(whole_call(w, "Unzip", "", 0), GRPC_UNIMPLEMENTED, "one by one");
}

static void a_question_ends_with_its_client(void **state)
{
	struct world *w = *state;
	struct reply *r = whole_call(w, "JobInfo", "\x08\x07", 2);
	tool(w, FAKE_JOB);
	client_cancel(r);
	for (int i = 0; i < 1000 && w->tools.calls; i++)
		client_turn(w->client);
	assert_int_equal(w->tools.cancelled, 1);
}

/* The same with other settings, or in another process, as it were. */
static void restart(struct world *w, size_t n_users)
{
	client_close(w->client);
	grpc_server_free(w->server);
	service_free(w->service);
	unlink(folder_path(&w->folder, "s"));
	start(w, n_users);
}

static void strangers_are_not_admitted(void **state)
{
	struct world *w = *state;
	const struct grpc_peer self = { 1, geteuid(), getegid() }, root = { 1, 0, 0 },
			       friend = { 1, 4711, 100 }, stranger = { 1, 4712, 100 };
	assert_true(service_admits(w->service, &stranger)); /* the socket's mode decides */
	w->user = 4711;
	restart(w, 1);
	assert_true(service_admits(w->service, &self));
	assert_true(service_admits(w->service, &root));
	assert_true(service_admits(w->service, &friend));
	assert_false(service_admits(w->service, &stranger));
}

/* ---- files ---- */

static struct reply *path_call(struct world *w, const char *method, const char *path)
{
	PACKED(Api__OpenFileRequest, API__OPEN_FILE_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)path);
	struct reply *r = call(w, method, request.text, request.len);
	str_free(&request);
	return r;
}

static struct reply *tail_call(struct world *w, const char *path)
{
	PACKED(Api__TailFileRequest, API__TAIL_FILE_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)path);
	struct reply *r = call(w, "TailFile", request.text, request.len);
	str_free(&request);
	return r;
}

/* What the chunks hold, without the field around each. */
static void holds(struct reply *r, const char *text)
{
	struct str all = { 0 };
	for (size_t i = 0; i < reply_messages(r); i++) {
		size_t n;
		const void *bytes = reply_message(r, i, &n);
		Api__Chunk *c = api__chunk__unpack(NULL, n, bytes);
		assert_non_null(c);
		str_add_bytes(&all, c->content.data, c->content.len);
		api__chunk__free_unpacked(c, NULL);
	}
	assert_int_equal(all.len, strlen(text));
	assert_memory_equal(str_text(&all), text, all.len);
	str_free(&all);
}

static void a_file_is_read_to_its_end(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str large = { 0 };
	for (int i = 0; i < 100000; i++)
		str_addf(&large, "%09d\n", i);
	folder_put(&w->folder, "files/large", "w", str_text(&large));
	folder_put(&w->folder, "files/empty", "w", "");
	struct reply *r = path_call(w, "OpenFile", "large");
	client_end(r);
	ends(r, GRPC_OK, "");
	holds(r, str_text(&large));
	assert_int_equal(reply_messages(r), (large.len + PIECE_BYTES - 1) / PIECE_BYTES);
	r = path_call(w, "OpenFile", folder_path(&w->folder, "files/empty"));
	ends(r, GRPC_OK, "");
	assert_int_equal(reply_messages(r), 0);
}

static void what_is_no_file_of_ours_is_not_read(void **state)
{
	struct world *w = *state;
	ends(path_call(w, "OpenFile", "none"), GRPC_NOT_FOUND, "none");
	ends(path_call(w, "OpenFile", "/etc/passwd"), GRPC_PERMISSION_DENIED, "/etc/passwd");
	ends(path_call(w, "OpenFile", "."), GRPC_INVALID_ARGUMENT, "no regular file");
	ends(call(w, "OpenFile",
		     "\x0a\x02"
		     "a\0",
		     4),
		GRPC_INVALID_ARGUMENT, "NUL byte");
}

static void a_file_is_made(void **state)
{
	struct world *w = *state;
	struct reply *r = path_call(w, "CreateFile", "in/put");
	client_send(r,
		"\x12\x03"
		"one",
		5);
	client_send(r,
		"\x12\x03"
		"two",
		5);
	client_end(r);
	answers(r, "", 0);
	AUTO(own_free) char *text = folder_get(&w->folder, "files/in/put");
	assert_string_equal(text, "onetwo");
}

static void a_file_whose_client_leaves_is_not_made(void **state)
{
	struct world *w = *state;
	struct reply *r = path_call(w, "CreateFile", "put");
	client_send(r,
		"\x12\x03"
		"one",
		5);
	for (int i = 0; i < 1000 && folder_count(&w->folder, "files") == 0; i++)
		client_turn(w->client);
	client_cancel(r);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(folder_count(&w->folder, "files"), 0);
	ends(path_call(w, "CreateFile", "../put"), GRPC_INVALID_ARGUMENT, "..");
}

/* A file may grow to so many bytes: as on a disk that is full. */
static void room_for(rlim_t bytes)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

static void a_file_that_does_not_fit_ends_its_call_only(void **state)
{
	struct world *w = *state;
	signal(SIGXFSZ, SIG_IGN);
	struct reply *r = path_call(w, "CreateFile", "put");
	room_for(2);
	client_send(r,
		"\x12\x03"
		"one",
		5);
	ends(r, GRPC_RESOURCE_EXHAUSTED, "put");
	room_for(RLIM_INFINITY);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(folder_count(&w->folder, "files"), 0);
	r = path_call(w, "CreateFile", "put");
	client_end(r);
	answers(r, "", 0);
}

static void files_leave_descriptors_for_slurms_tools(void **state)
{
	enum { DESCRIPTORS = 80 };
	struct world *w = *state;
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	const struct rlimit few = { DESCRIPTORS, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	restart(w, 0);
	for (int i = 0; i < DESCRIPTORS / 2; i++) /* wait for a file that never comes */
		tail_call(w, "none");
	ends(tail_call(w, "none"), GRPC_RESOURCE_EXHAUSTED, "40 files are open");
	assert_int_equal(grpc_server_under_way(w->server), DESCRIPTORS / 2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

#define CALLS_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(a_job_is_submitted),
		CALLS_TEST(a_key_is_looked_at_first),
		CALLS_TEST(a_partition_is_looked_at_first),
		CALLS_TEST(a_client_that_left_finds_its_job_again),
		CALLS_TEST(a_job_is_cancelled),
		CALLS_TEST(what_slurm_tells_of_a_job_comes_back),
		CALLS_TEST(steps_may_be_none),
		CALLS_TEST(partitions_come_in_slurms_order),
		CALLS_TEST(resources_are_merged),
		CALLS_TEST(the_version_is_told),
		CALLS_TEST(calls_without_sense_are_refused),
		CALLS_TEST(a_question_ends_with_its_client),
		CALLS_TEST(strangers_are_not_admitted),
		CALLS_TEST(a_file_is_read_to_its_end),
		CALLS_TEST(what_is_no_file_of_ours_is_not_read),
		CALLS_TEST(a_file_is_made),
		CALLS_TEST(a_file_whose_client_leaves_is_not_made),
		CALLS_TEST(a_file_that_does_not_fit_ends_its_call_only),
		CALLS_TEST(files_leave_descriptors_for_slurms_tools),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
