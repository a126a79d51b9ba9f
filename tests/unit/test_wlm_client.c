/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of red-box as our client makes them, and what each end of them allows. */
#include "grpc/server.h"
#include "lib/grpc_world.h"
#include "lib/hex.h"
#include "lib/raw_client.h"
#include "wlm/client.h"

/* A red-box that says what the test wants, whatever it is asked. */
struct box {
	struct grpc_world w; /* its loop, its socket */
	struct grpc_client *client;
	const char *answers[3]; /* messages, in hex; up to a NULL */
	enum grpc_status status;
	const char *text;
	bool hangs;
	char method[32];
	struct str asked; /* all messages, one after the other */
	/* What the caller is told. */
	int done;
	struct err e;
	int64_t job_id;
	size_t things; /* jobs, steps, names, features */
	struct str content;
	int pieces;
	bool cancels; /* at the first content */
	int writable;
};

static void keep(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct box *b = world;
	(void)c;
	if (n)
		str_add_bytes(&b->asked, bytes, n);
}

static void answer(void *world, struct grpc_call *c)
{
	struct box *b = world;
	uint8_t bytes[512];
	for (int i = 0; i < 3 && b->answers[i]; i++)
		grpc_send(c, bytes, bytes_of(b->answers[i], bytes));
	if (!b->hangs)
		grpc_finish(c, b->status, b->text ? b->text : "");
}

#define METHOD(name)                                                 \
	static void begin_##name(void *world, struct grpc_call *c)   \
	{                                                            \
		struct box *b = world;                               \
		(void)c;                                             \
		snprintf(b->method, sizeof(b->method), "%s", #name); \
	}
METHOD(SubmitJob)
METHOD(SubmitJobContainer)
METHOD(CancelJob)
METHOD(JobInfo)
METHOD(JobSteps)
METHOD(OpenFile)
METHOD(TailFile)
METHOD(Resources)
METHOD(Partitions)
METHOD(WorkloadInfo)
METHOD(CreateFile)
METHOD(Zip)
METHOD(Unzip)
#define ROW(name) { "/api.WorkloadManager/" #name, begin_##name, keep, answer, NULL, NULL }
static const struct grpc_method methods[] = { ROW(SubmitJob), ROW(SubmitJobContainer),
	ROW(CancelJob), ROW(JobInfo), ROW(JobSteps), ROW(OpenFile), ROW(TailFile), ROW(Resources),
	ROW(Partitions), ROW(WorkloadInfo), ROW(CreateFile), ROW(Zip), ROW(Unzip), { NULL } };

static void given_a_box(struct box *b)
{
	memset(b, 0, sizeof(*b));
	grpc_world_new(&b->w);
	b->w.config.methods = methods;
	b->w.config.admits = NULL;
	b->w.config.ctx = b;
	grpc_world_start(&b->w);
	const struct grpc_client_config config = { .path = b->w.path };
	assert_false(failed(grpc_client_new(b->w.loop, &config, &b->client)));
}

static void over(struct box *b)
{
	grpc_client_free(b->client);
	grpc_world_free(&b->w);
	str_free(&b->asked);
	str_free(&b->content);
}

static void told(void *box, struct err e, const struct wlm_answer *a)
{
	struct box *b = box;
	b->done++;
	b->e = e;
	b->job_id = a->job_id;
	b->things = a->n_jobs + a->n_steps + a->n_names + a->resources.n_features +
		(a->workload != NULL);
}

static void content(void *box, struct wlm_call *c, const void *bytes, size_t n)
{
	struct box *b = box;
	b->pieces++;
	str_add_bytes(&b->content, bytes, n);
	if (b->cancels)
		wlm_call_cancel(c);
}

static void writable(void *box, struct wlm_call *c)
{
	struct box *b = box;
	(void)c;
	b->writable++;
}

static struct wlm_caller by(struct box *b)
{
	b->done = 0;
	str_clear(&b->asked);
	return (struct wlm_caller){ b->client, 30000, told, content, writable, b };
}

static void when_done(struct box *b)
{
	while (!b->done)
		raw_turn(b->w.loop);
	assert_int_equal(b->done, 1);
}

/* ---- each call ---- */

#define DOES(name, hex, answered, call)                       \
	do {                                                  \
		struct wlm_caller me = by(&b);                \
		b.answers[0] = (answered);                    \
		(void)(call);                                 \
		when_done(&b);                                \
		assert_string_equal(b.e.text, "");            \
		assert_string_equal(b.method, name);          \
		is_hex(str_text(&b.asked), b.asked.len, hex); \
	} while (0)

static void each_call_has_its_method(void **state)
{
	struct box b;
	const struct wlm_container_ask image = { .image = "x" };
	(void)state;
	given_a_box(&b);
	DOES("SubmitJob", "0a01781a0161", "0835", wlm_submit(&me, "x", "", "a", 0));
	assert_int_equal(b.job_id, 53);
	DOES("SubmitJobContainer", "0a01784200", "0836", wlm_submit_container(&me, &image));
	assert_int_equal(b.job_id, 54);
	DOES("CancelJob", "0835", "", wlm_cancel(&me, 53, NULL));
	DOES("CancelJob", "0835120161", "", wlm_cancel(&me, 53, "a"));
	DOES("JobInfo", "120161", "0a040a023533", wlm_job_info(&me, 0, "a"));
	DOES("JobInfo", "0835", "0a040a0235330a040a023534", wlm_job_info(&me, 53, NULL));
	assert_int_equal(b.things, 2);
	DOES("JobSteps", "0835", "", wlm_job_steps(&me, 53));
	assert_int_equal(b.things, 0);
	DOES("Resources", "0a0164", "08032a020a00", wlm_resources(&me, "d"));
	assert_int_equal(b.things, 1);
	DOES("Partitions", "", "0a0164", wlm_partitions(&me));
	assert_int_equal(b.things, 1);
	DOES("WorkloadInfo", "", "", wlm_workload(&me));
	assert_int_equal(b.things, 1);
	DOES("Zip", "0a0161120162", "", wlm_zip(&me, "a", "b"));
	DOES("Unzip", "0a0162120161", "", wlm_unzip(&me, "b", "a"));
	over(&b);
}

static void files_are_read(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	b.answers[1] = "";
	b.answers[2] = "0a0362210a";
	DOES("OpenFile", "0a0161", "0a0161", wlm_open(&me, "a"));
	assert_string_equal(str_text(&b.content), "ab!\n");
	assert_int_equal(b.pieces, 2); /* the empty one is none */
	over(&b);
}

static void a_tail_goes_on_until_it_is_finished(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	struct wlm_call *c = wlm_tail(&me, "a");
	while (b.asked.len < 3)
		raw_turn(b.w.loop);
	assert_int_equal(b.done, 0);
	wlm_tail_finish(c);
	b.answers[0] = "0a0161";
	when_done(&b);
	assert_false(failed(b.e));
	is_hex(str_text(&b.asked), b.asked.len, "1201610801");
	assert_string_equal(str_text(&b.content), "a");

	/* As the original ends it. */
	me = by(&b);
	b.status = GRPC_UNKNOWN;
	b.text = "EOF";
	wlm_tail_finish(wlm_tail(&me, "a"));
	when_done(&b);
	assert_false(failed(b.e));
	over(&b);
}

static void a_file_is_written(void **state)
{
	enum { SIZE = 200000 };
	struct box b;
	char *bytes = own_alloc(SIZE);
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	struct wlm_call *c = wlm_create(&me, "a");
	wlm_create_add(c, bytes, SIZE);
	while (!b.writable)
		raw_turn(b.w.loop);
	wlm_create_add(c, "end", 3);
	wlm_create_finish(c);
	b.answers[0] = "";
	when_done(&b);
	assert_false(failed(b.e));
	is_hex(str_text(&b.asked), 3, "0a0161");
	/* Each piece has a byte before it, and its length: three are of 64 KiB. */
	assert_int_equal(b.asked.len, 3 + SIZE + 3 * (1 + 3) + (1 + 2) + 5);
	free(bytes);
	over(&b);
}

static void a_file_that_pauses_goes_on(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.answers[0] = "0a0161";
	struct wlm_call *c = wlm_open(&me, "a");
	wlm_pause(c);
	for (int i = 0; i < 20; i++)
		raw_turn(b.w.loop);
	assert_int_equal(b.pieces + b.done, 0);
	wlm_resume(c);
	when_done(&b);
	assert_int_equal(b.pieces, 1);
	over(&b);
}

static void a_call_can_be_cancelled_from_its_content(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.answers[0] = b.answers[1] = "0a0161";
	b.hangs = b.cancels = true;
	wlm_open(&me, "a");
	while (!b.pieces)
		raw_turn(b.w.loop);
	for (int i = 0; i < 5; i++)
		raw_turn(b.w.loop);
	over(&b);
	assert_int_equal(b.pieces, 1);
	assert_int_equal(b.done, 0);
}

/* ---- what the end of a call allows ---- */

static void each_status_has_its_kind(void **state)
{
	static const struct {
		enum grpc_status status;
		enum err_kind submission, cancellation, question;
	} rows[] = {
		{ GRPC_UNKNOWN, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_INTERNAL, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_DEADLINE_EXCEEDED, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_CANCELLED, ERR_LOST, ERR_LOST, ERR_RETRY },
		{ GRPC_UNAVAILABLE, ERR_LOST, ERR_RETRY, ERR_RETRY },
		{ GRPC_RESOURCE_EXHAUSTED, ERR_RETRY, ERR_RETRY, ERR_RETRY },
		{ GRPC_INVALID_ARGUMENT, ERR_INVALID, ERR_INVALID, ERR_INVALID },
		{ GRPC_UNIMPLEMENTED, ERR_INVALID, ERR_INVALID, ERR_INVALID },
		{ GRPC_NOT_FOUND, ERR_NOT_FOUND, ERR_NOT_FOUND, ERR_NOT_FOUND },
		{ GRPC_PERMISSION_DENIED, ERR_DENIED, ERR_DENIED, ERR_DENIED },
		{ GRPC_FAILED_PRECONDITION, ERR_EXISTS, ERR_EXISTS, ERR_EXISTS },
		{ GRPC_ABORTED, ERR_CONFLICT, ERR_CONFLICT, ERR_CONFLICT },
	};
	struct box b;
	(void)state;
	given_a_box(&b);
	b.text = "a reason";
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct wlm_caller me = by(&b);
		b.status = rows[i].status;
		wlm_submit(&me, "x", "", "", 0);
		when_done(&b);
		assert_int_equal(b.e.kind, rows[i].submission);
		assert_int_equal(b.e.code, rows[i].status);
		assert_string_equal(b.e.text, "SubmitJob: a reason");
		me = by(&b);
		wlm_cancel(&me, 53, NULL);
		when_done(&b);
		assert_int_equal(b.e.kind, rows[i].cancellation);
		me = by(&b);
		wlm_job_info(&me, 53, NULL);
		when_done(&b);
		assert_int_equal(b.e.kind, rows[i].question);
	}
	over(&b);
}

static void answers_that_are_none_leave_it_open(void **state)
{
	static const struct {
		const char *first, *second, *text;
	} rows[] = {
		{ NULL, NULL, "SubmitJob: the server ended without an answer" },
		{ "", NULL, "SubmitJob: reading a SubmitJobResponse: the number of the job" },
		{ "0affff", NULL, "SubmitJob: this is no SubmitJobResponse" },
		{ "0835", "0836", "SubmitJob: the server answered twice" },
	};
	struct box b;
	(void)state;
	given_a_box(&b);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct wlm_caller me = by(&b);
		b.answers[0] = rows[i].first;
		b.answers[1] = rows[i].second;
		wlm_submit(&me, "x", "", "", 0);
		when_done(&b);
		assert_int_equal(b.e.kind, ERR_LOST);
		if (!strstr(b.e.text, rows[i].text))
			fail_msg("%s", b.e.text);
	}
	struct wlm_caller me = by(&b);
	b.answers[0] = "0a00"; /* a job without a number would have succeeded */
	b.answers[1] = NULL;
	wlm_job_info(&me, 53, NULL);
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_RETRY);
	me = by(&b);
	b.answers[0] = "0aff";
	wlm_open(&me, "a");
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_RETRY);
	over(&b);
}

static void what_was_not_sent_may_be_sent_again(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	grpc_server_free(TAKE(b.w.server));
	struct wlm_caller me = by(&b);
	me.timeout_ms = 20;
	wlm_submit(&me, "x", "", "", 0);
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_RETRY);
	over(&b);
}

static void what_was_sent_and_not_answered_is_lost(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.hangs = true;
	wlm_submit(&me, "x", "", "", 0);
	while (!b.asked.len)
		raw_turn(b.w.loop);
	grpc_server_free(TAKE(b.w.server));
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_LOST);
	me = by(&b);
	wlm_submit(&me, "x", "", "", 0);
	grpc_client_free(TAKE(b.client));
	assert_int_equal(b.done, 1);
	assert_int_equal(b.e.kind, ERR_CANCELLED);
	over(&b);
}

static void a_path_that_is_no_socket_s_is_refused(void **state)
{
	char path[200] = "";
	struct grpc_client *c = NULL;
	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	const struct grpc_client_config config = { .path = path };
	struct err e = grpc_client_new(NULL, &config, &c);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "1 to 107 bytes, and this has 199"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_has_its_method),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(a_tail_goes_on_until_it_is_finished),
		cmocka_unit_test(a_file_is_written),
		cmocka_unit_test(a_file_that_pauses_goes_on),
		cmocka_unit_test(a_call_can_be_cancelled_from_its_content),
		cmocka_unit_test(each_status_has_its_kind),
		cmocka_unit_test(answers_that_are_none_leave_it_open),
		cmocka_unit_test(what_was_not_sent_may_be_sent_again),
		cmocka_unit_test(what_was_sent_and_not_answered_is_lost),
		cmocka_unit_test(a_path_that_is_no_socket_s_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
