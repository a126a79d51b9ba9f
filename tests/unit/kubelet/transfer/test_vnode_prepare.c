/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a job, as a virtual node takes them of the pod that brings them. */
#include "lib/kubelet_world.h"

#define USER(name, audience)                                                           \
	"{\"status\":{\"authenticated\":true,\"audiences\":[\"wlm.sylabs.io/" audience \
	"\"],\"user\":{\"username\":\"system:serviceaccount:ns:default\",\"extra\":{"  \
	"\"authentication.kubernetes.io/pod-name\":[\"" name "\"],"                    \
	"\"authentication.kubernetes.io/pod-uid\":[\"c1\"]}}}}"
#define POD                                                                                 \
	"{\"metadata\":{\"name\":\"cow-job-prepare\",\"namespace\":\"ns\",\"uid\":\"c1\","  \
	"\"ownerReferences\":[{\"controller\":true,\"kind\":\"SlurmJob\",\"name\":\"cow\"," \
	"\"uid\":\"k1\"}]}}"
#define OWNER(more)                                                                                \
	"{\"metadata\":{\"name\":\"cow\",\"namespace\":\"ns\",\"uid\":\"k1\"},\"spec\":{" more "}" \
	"}"
#define INPUTS "\"prepare\":{\"to\":\"/home/a\",\"mount\":{\"name\":\"in\"}}"
#define SUM "abababababababababababababababababababababababababababababababab"
#define PLACE "/prepare/ns/cow-job"
#define PIECE_OF(path, offset, size) \
	PLACE "/file?path=" path "&offset=" offset "&size=" size "&mode=416&sha256=" SUM

static struct world *given_a_preparer(void **state)
{
	struct world *w = *state;
	w->review = USER("cow-job-prepare", "prepare");
	w->collector = POD;
	w->owner = OWNER(INPUTS);
	w->pod.key = "";
	w->pod.job_id = 0;
	return w;
}

static struct client *get_of(struct world *w, const char *path)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "GET %s", path);
	return ask_as(w, NULL, str_text(&line), "Authorization: Bearer t0ken\r\n");
}

static struct client *put_of(struct world *w, const char *path, const char *body)
{
	AUTO(str_free) struct str text = { 0 };
	str_addf(&text,
		"PUT %s HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer t0ken\r\n"
		"Content-Length: %zu\r\n\r\n%s",
		path, strlen(body), body);
	return send_as(w, NULL, str_text(&text));
}

static void puts_it(struct world *w, const char *path, const char *body)
{
	struct client *c = put_of(w, path, body);
	until_ended(w, c);
	is_answer(c, 200, "taken\n");
}

/* Acceptance: input-6 */
static void a_file_goes_to_red_box_piece_by_piece(void **state)
{
	struct world *w = given_a_preparer(state);
	puts_it(w, PIECE_OF("a/b.txt", "0", "6"), "one");
	assert_int_equal(w->box.made, 0);
	puts_it(w, PIECE_OF("a/b.txt", "3", "6"), "two");
	assert_int_equal(w->box.made, 1);
	assert_string_equal(w->box.path, "/home/a/in/a/b.txt");
	assert_string_equal(str_text(&w->box.taken), "onetwo");
	assert_int_equal(w->box.mode, 0640);
	assert_int_equal(w->box.sha256[31], 0xab);

	/* one without a byte is a file, too */
	puts_it(w, PIECE_OF("empty", "0", "0"), "");
	assert_int_equal(w->box.made, 2);
	assert_string_equal(w->box.path, "/home/a/in/empty");
}

/* Acceptance: input-8 */
static void what_came_twice_is_taken_once(void **state)
{
	struct world *w = given_a_preparer(state);
	puts_it(w, PIECE_OF("a", "0", "9"), "one");
	puts_it(w, PIECE_OF("a", "3", "9"), "two");
	puts_it(w, PIECE_OF("a", "3", "9"), "two"); /* its answer was lost */
	puts_it(w, PIECE_OF("a", "6", "9"), "six");
	assert_string_equal(str_text(&w->box.taken), "onetwosix");
}

/* Acceptance: input-8 */
static void what_does_not_fit_is_sent_from_its_beginning(void **state)
{
	struct world *w = given_a_preparer(state);
	refuses(w, put_of(w, PIECE_OF("a", "3", "9"), "two"), 409, "from its beginning");
	puts_it(w, PIECE_OF("a", "0", "9"), "one");
	refuses(w, put_of(w, PIECE_OF("a", "6", "9"), "six"), 409, "from its beginning");
	refuses(w, put_of(w, PIECE_OF("b", "3", "9"), "two"), 409, "from its beginning");
	refuses(w, put_of(w, PIECE_OF("a", "3", "8"), "two"), 409, "from its beginning");
	/* a client that begins anew has the file before dropped */
	puts_it(w, PIECE_OF("b", "0", "3"), "one");
	assert_string_equal(w->box.path, "/home/a/in/b");
	assert_int_equal(w->box.made, 1);
	refuses(w, put_of(w, PIECE_OF("a", "3", "9"), "two"), 409, "from its beginning");
	assert_int_equal(w->box.dropped, 2);
}

/* Acceptance: input-9 */
static void what_red_box_says_of_the_file_is_told(void **state)
{
	static const struct {
		enum grpc_status status;
		int http;
	} rows[] = { { GRPC_ABORTED, 409 }, { GRPC_PERMISSION_DENIED, 403 },
		{ GRPC_INVALID_ARGUMENT, 400 }, { GRPC_UNAVAILABLE, 503 } };
	struct world *w = given_a_preparer(state);
	w->box.sentence = "no, because";
	for (size_t i = 0; i < LENGTH(rows); i++) {
		w->box.take_status = rows[i].status;
		refuses(w, put_of(w, PIECE_OF("a", "0", "3"), "one"), rows[i].http, "no, because");
	}
}

/* Acceptance: input-8 */
static void who_leaves_has_the_file_dropped(void **state)
{
	struct world *w = given_a_preparer(state);
	w->box.hangs = true;
	struct client *c = put_of(w, PIECE_OF("a", "0", "3"), "one");
	while (!w->box.taken.len)
		turn(w);
	client_drop(c);
	while (!w->box.dropped)
		turn(w);
	/* and so has one whose virtual node ends between two pieces */
	puts_it(w, PIECE_OF("a", "0", "9"), "one");
	kubelet_free(TAKE(w->kubelet));
	while (w->box.dropped < 2)
		raw_turn(w->grpc.loop);
	assert_int_equal(w->box.made, 0);
}

/* Acceptance: input-8 */
static void the_checksum_of_what_is_there_is_told(void **state)
{
	struct world *w = given_a_preparer(state);
	w->box.sum = (struct wlm_checksum){ .sha256 = { 1 }, .size = 5, .modified_ns = 7 };
	struct client *c = get_of(w, PLACE "/checksum?path=a");
	until_ended(w, c);
	assert_int_equal(status_of(c), 200);
	assert_non_null(strstr(body_of(c), "\"size\":5"));
	assert_string_equal(w->box.path, "/home/a/in/a");
	w->box.file_status = GRPC_NOT_FOUND;
	w->box.sentence = "no such file";
	c = get_of(w, PLACE "/checksum?path=a");
	until_ended(w, c);
	is_answer(c, 204, "");
}

/* Acceptance: input-7 */
static void a_wrong_piece_is_refused(void **state)
{
	static const struct {
		const char *query, *says;
	} rows[] = {
		{ "", "path is missing" },
		{ "path=../a", "has \".\" or \"..\"" },
		{ "path=/a", "has an empty part" },
		{ "path=a", "size should be" },
		{ "path=a&size=1073741825", "size should be" },
		{ "path=a&size=3", "offset should be" },
		{ "path=a&size=3&offset=4", "offset should be" },
		{ "path=a&size=3&offset=0&mode=512", "mode should be" },
		{ "path=a&size=3&offset=0&mode=420&sha256=AB", "sha256 should be" },
		{ "path=a&size=2&offset=0&mode=420&sha256=" SUM, "3 bytes came" },
	};
	struct world *w = given_a_preparer(state);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str path = { 0 };
		str_addf(&path, PLACE "/file?%s", rows[i].query);
		refuses(w, put_of(w, str_text(&path), "one"), 400, rows[i].says);
	}
	refuses(w, put_of(w, PIECE_OF("a", "0", "3"), ""), 400, "0 bytes came");
	refuses(w, get_of(w, PIECE_OF("a", "0", "3")), 405, "PUT");
	refuses(w, put_of(w, PLACE "/checksum?path=a", ""), 405, "GET");
	refuses(w, get_of(w, PLACE), 404, "inputs are below");
	assert_string_equal(w->box.path, "");
}

/* The first piece of a file of this job, which goes on. */
static struct client *begins_one(struct world *w, const char *ns, int number)
{
	static char name[32], review[600];
	AUTO(str_free) struct str text = { 0 };
	snprintf(name, sizeof(name), "job-%d", number);
	snprintf(review, sizeof(review),
		"{\"status\":{\"authenticated\":true,\"audiences\":[\"wlm.sylabs.io/prepare\"],"
		"\"user\":{\"username\":\"system:serviceaccount:%s:default\",\"extra\":{"
		"\"authentication.kubernetes.io/pod-name\":[\"%s-prepare\"],"
		"\"authentication.kubernetes.io/pod-uid\":[\"c1\"]}}}}",
		ns, name);
	w->review = review;
	w->pod.ns = ns;
	w->pod.name = name;
	str_addf(&text,
		"PUT /prepare/%s/%s/file?path=a&offset=0&size=9&mode=416&sha256=" SUM
		" HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer %s-%s\r\nContent-Length: "
		"3\r\n\r\none",
		ns, name, ns, name);
	struct client *c = send_as(w, NULL, str_text(&text));
	until_ended(w, c);
	return c;
}

/* Half of what the others leave: so no namespace takes all places. */
static void files_of_one_namespace_leave_places_for_others(void **state)
{
	enum { PLACES = 64 };
	struct world *w = given_a_preparer(state);
	for (int i = 0; i < PLACES / 2; i++)
		is_answer(begins_one(w, "ns", i), 200, "taken\n");
	refuses(w, begins_one(w, "ns", PLACES), 429, "too many files are being copied");
	/* a job that sends another file instead has its place */
	is_answer(begins_one(w, "ns", 0), 200, "taken\n");
	for (int i = 0; i < PLACES / 4; i++)
		is_answer(begins_one(w, "other", i), 200, "taken\n");
	refuses(w, begins_one(w, "other", PLACES), 429, "too many files are being copied");
	is_answer(begins_one(w, "third", 0), 200, "taken\n");
}

/* The client waits with its bytes until it is told to send them. */
#define HEAD(token)                                                                               \
	"PUT " PIECE_OF("a", "0", "3") " HTTP/1.1\r\nHost: x\r\n"                                 \
				       "Authorization: Bearer " token "\r\nContent-Length: 3\r\n" \
				       "Expect: 100-continue\r\n\r\n"

/* Nothing of it is read before: who has no right would fill our memory with it. */
static void bytes_are_taken_when_it_is_known_who_brings_them(void **state)
{
	struct world *w = given_a_preparer(state);
	w->review = USER("cow-job-collect", "prepare");
	struct client *c = send_as(w, NULL, HEAD("one"));
	refuses(w, c, 403, "not belong to the pod that sends");
	assert_null(strstr(str_text(&c->got), "100 Continue"));
	w->review = USER("cow-job-prepare", "prepare");
	c = send_as(w, NULL, HEAD("two"));
	until_got(w, c, "100 Continue");
	assert_int_equal(SSL_write(c->tls, "one", 3), 3);
	until_got(w, c, "200 OK");
	assert_string_equal(str_text(&w->box.taken), "one");
	/* and those of no other pod are */
	c = send_as(w, &w->authority,
		"POST /exec/ns/cow-job/x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
		"Expect: 100-continue\r\n\r\n");
	refuses(w, c, 501, "srun");
	assert_null(strstr(str_text(&c->got), "100 Continue"));
}

/* Acceptance: input-7 */
static void who_is_not_that_pod_brings_nothing(void **state)
{
	struct world *w = given_a_preparer(state);
	/* The pod that copies results, and the one of inputs with a token for results */
	w->review = USER("cow-job-collect", "prepare");
	refuses(w, put_of(w, PIECE_OF("a", "0", "3"), "one"), 403,
		"not belong to the pod that sends");
	w->review = USER("cow-job-prepare", "results");
	refuses(w, ask_as(w, NULL, "GET " PLACE "/checksum?path=a", "Authorization: Bearer a\r\n"),
		401, "as one for wlm.sylabs.io/prepare");
	w->review = USER("cow-job-prepare", "prepare");
	w->owner = OWNER("");
	refuses(w, ask_as(w, NULL, "GET " PLACE "/checksum?path=a", "Authorization: Bearer b\r\n"),
		403, "requests no inputs");
	assert_string_equal(w->box.path, "");
}

/* Acceptance: input-2 */
static void to_a_job_that_was_submitted_nothing_is_brought(void **state)
{
	struct world *w = given_a_preparer(state);
	puts_it(w, PIECE_OF("a", "0", "6"), "one");
	const struct kubelet_pod noted = w->pod;
	w->pod.red_box = NULL; /* the account is not noted in the pod yet */
	refuses(w, put_of(w, PIECE_OF("a", "3", "6"), "two"), 503, "no red-box is known");
	w->pod = noted;
	w->pod.key = "k1";
	refuses(w, put_of(w, PIECE_OF("a", "3", "6"), "two"), 403, "the job is already submitted");
	assert_int_equal(w->box.made, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KUBELET_TEST(a_file_goes_to_red_box_piece_by_piece),
		KUBELET_TEST(what_came_twice_is_taken_once),
		KUBELET_TEST(what_does_not_fit_is_sent_from_its_beginning),
		KUBELET_TEST(what_red_box_says_of_the_file_is_told),
		KUBELET_TEST(who_leaves_has_the_file_dropped),
		KUBELET_TEST(the_checksum_of_what_is_there_is_told),
		KUBELET_TEST(a_wrong_piece_is_refused),
		KUBELET_TEST(files_of_one_namespace_leave_places_for_others),
		KUBELET_TEST(bytes_are_taken_when_it_is_known_who_brings_them),
		KUBELET_TEST(who_is_not_that_pod_brings_nothing),
		KUBELET_TEST(to_a_job_that_was_submitted_nothing_is_brought),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
