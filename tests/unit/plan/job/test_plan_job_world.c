/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One SlurmJob in a small world where everything goes wrong in an order that a seed
 * draws: views are old, answers come late or never, managers crash and others go on with
 * what they had seen, users delete the pod. It has one pod ever, and in the end one pod.
 *
 * Left out is what takes minutes: a creation that arrives after the pod before it was
 * made, told, and deleted.
 */
#include "lib/given_job.h"

enum { REQUESTS = 6, STEPS = 100, CALM_STEPS = 100, SEEDS = 1000 };

struct toy_pod {
	bool there, held, terminating;
	int uid, version;
	enum pod_phase phase;
};

struct request {
	bool open, late; /* late: its manager is not there any more */
	struct operation operation;
	const char *body, *version; /* version: that the object must have; NULL: any */
	enum guard_read read;
};

/* The versions that a manager has seen, and its lists. */
struct eyes {
	const struct json *object;
	struct toy_pod pod;
	bool listed, pods_listed;
};

struct toy {
	struct job_world w; /* w.g.object: as the API server has it */
	struct toy_pod pod;
	int version, pods_made;
	bool gone;                 /* the object */
	struct eyes eyes, standby; /* of the manager that acts, and of the next one */
	struct request requests[REQUESTS];
	uint32_t random;
	bool careless; /* nothing is read before what may happen once only */
};

static uint32_t draw(struct toy *t, uint32_t n)
{
	t->random = t->random * 1664525 + 1013904223;
	return (t->random >> 8) % n;
}

static void new_version(struct toy *t)
{
	given_edited(&t->w.g,
		arena_printf(&t->w.g.arena, "{\"metadata\":{\"resourceVersion\":\"%d\"}}",
			++t->version));
}

static const char *version_of(const struct json *object)
{
	return json_str(json_at(object, "metadata", "resourceVersion"), "");
}

static bool under_way(const struct toy *t, bool pods)
{
	for (int i = 0; i < REQUESTS; i++)
		if (t->requests[i].open && !t->requests[i].late &&
			(t->requests[i].operation.resource == RES_POD) == pods)
			return true;
	return false;
}

/* ---- the API server ---- */

static void settle_pod(struct toy *t)
{
	if (t->pod.terminating && !t->pod.held)
		t->pod.there = false;
}

static void settle_object(struct toy *t)
{
	const struct json *m = json_get(t->w.g.object, "metadata");
	t->gone |= json_get(m, "deletionTimestamp") && !json_count(json_get(m, "finalizers"));
}

static void pod_written(struct toy *t, const struct request *r)
{
	bool right = t->pod.there && atoi(r->version) == t->pod.version;
	if (r->operation.verb == VERB_CREATE && !t->pod.there) {
		t->pod = (struct toy_pod){ true, true, false, ++t->pods_made, ++t->version,
			POD_PENDING };
	} else if (r->operation.verb == VERB_PATCH && right) {
		t->pod.held = false;
		t->pod.version = ++t->version;
	} else if (r->operation.verb == VERB_DELETE && right) {
		t->pod.terminating = true;
		t->pod.version = ++t->version;
	}
	settle_pod(t);
}

static void object_written(struct toy *t, const struct request *r)
{
	if (t->gone || !str_eq(version_of(t->w.g.object), r->version))
		return;
	given_edited(&t->w.g, r->body);
	new_version(t);
	settle_object(t);
}

/* A manager that is not there any more sends nothing after its read. */
static bool holds(const struct toy *t, const struct request *r)
{
	if (r->late || t->gone)
		return false;
	return r->read == READ_NO_POD ? !t->pod.there
				      : str_eq(version_of(t->w.g.object), r->version);
}

/*
 * The next thing happens to a request: its read, or itself. Its sender gets the answer.
 */
static void go_on(struct toy *t, struct request *r)
{
	bool pods = r->operation.resource == RES_POD;
	if (r->read != READ_NOTHING) {
		r->open = holds(t, r);
		r->read = READ_NOTHING;
		return;
	}
	if (pods)
		pod_written(t, r);
	else
		object_written(t, r);
	r->open = false;
	if (!r->late && pods)
		t->eyes.pod = t->pod;
	else if (!r->late)
		t->eyes.object = t->gone ? NULL : t->w.g.object;
}

/* ---- the manager ---- */

static void send(struct toy *t, const struct action *a)
{
	bool pods = a->operation.resource == RES_POD;
	if (a->operation.verb == VERB_TELL || under_way(t, pods))
		return;
	for (int i = 0; i < REQUESTS; i++) {
		struct request *r = &t->requests[i];
		if (r->open)
			continue;
		*r = (struct request){ true, false, a->operation, a->body,
			a->guard.resource_version, t->careless ? READ_NOTHING : a->guard.read };
		if (!pods)
			r->version = version_of(t->eyes.object);
		return;
	}
}

static void plan(struct toy *t)
{
	if (!t->eyes.listed || !t->eyes.pods_listed || !t->eyes.object)
		return;
	struct job_world *w = &t->w;
	struct job_view view = {
		.resource = RES_SLURMJOB,
		.object = t->eyes.object,
		.in_flight = under_way(t, false),
		.pods_known = true,
		.options = &job_options_usual,
		.server = { .url = "", .key = "" },
	};
	if (t->eyes.pod.there || under_way(t, true)) {
		given_job_pod(w, t->eyes.pod.phase)->in_flight = under_way(t, true);
		w->pod.terminating = t->eyes.pod.terminating;
		w->pod.unreported_at = t->eyes.pod.held ? 0 : -1;
		w->pod.resource_version = arena_printf(&w->g.arena, "%d", t->eyes.pod.version);
		view.pod = &w->pod;
	}
	struct plan made = { .arena = &w->g.arena };
	job_plan(&view, GIVEN_WALL_MS, &made);
	for (size_t i = 0; i < made.n; i++)
		send(t, &made.actions[i]);
}

static void object_heard(struct toy *t, struct eyes *by)
{
	by->object = t->gone ? NULL : t->w.g.object;
	by->listed = true;
}

static void pods_heard(struct toy *t, struct eyes *by)
{
	by->pod = t->pod;
	by->pods_listed = true;
}

static void hear_of_object(struct toy *t) { object_heard(t, &t->eyes); }
static void hear_of_pods(struct toy *t) { pods_heard(t, &t->eyes); }
static void standby_hears_of_object(struct toy *t) { object_heard(t, &t->standby); }
static void standby_hears_of_pods(struct toy *t) { pods_heard(t, &t->standby); }

/* The next one goes on with what its watches had brought, each as old as it may be. */
static void crash(struct toy *t)
{
	for (int i = 0; i < REQUESTS; i++)
		t->requests[i].late = true;
	t->eyes = t->standby;
	t->standby = (struct eyes){ 0 };
}

/* ---- others ---- */

static bool creation_is_late(const struct toy *t)
{
	for (int i = 0; i < REQUESTS; i++)
		if (t->requests[i].open && t->requests[i].late &&
			operation_is(t->requests[i].operation, DO(CREATE, POD)))
			return true;
	return false;
}

static void delete_pod(struct toy *t)
{
	if (creation_is_late(t) || !t->pod.there)
		return;
	t->pod.terminating = true;
	t->pod.version = ++t->version;
	settle_pod(t);
}

static void run_job(struct toy *t)
{
	if (t->pod.there && t->pod.phase < POD_SUCCEEDED) {
		t->pod.phase++;
		t->pod.version = ++t->version;
	}
}

static void delete_object(struct toy *t)
{
	if (draw(t, 30) || t->gone)
		return;
	given_edited(&t->w.g, "{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"}}");
	new_version(t);
	settle_object(t);
}

static void some_request(struct toy *t)
{
	struct request *r = &t->requests[draw(t, REQUESTS)];
	for (int i = 0; i < REQUESTS && !r->open; i++)
		r = &t->requests[i];
	if (r->open && r->late && draw(t, 2))
		r->open = false; /* it was never sent */
	else if (r->open)
		go_on(t, r);
}

/* ---- seeds ---- */

static void given_world(struct toy *t, uint32_t seed, bool careless)
{
	*t = (struct toy){ .random = seed, .version = 7, .careless = careless };
	given_job(&t->w, "", "");
}

static void when_all_goes_wrong(struct toy *t)
{
	static void (*const happens[])(struct toy *) = { plan, plan, plan, some_request,
		some_request, some_request, some_request, hear_of_object, hear_of_pods, crash,
		standby_hears_of_object, standby_hears_of_pods, delete_pod, run_job,
		delete_object };
	for (int i = 0; i < STEPS; i++)
		happens[draw(t, LENGTH(happens))](t);
}

static void when_the_faults_end(struct toy *t)
{
	for (int i = 0; i < CALM_STEPS && !t->gone; i++) {
		plan(t);
		some_request(t);
		hear_of_object(t);
		hear_of_pods(t);
	}
}

/* Acceptance: job-3 */
static void test_whatever_crashes_it_has_one_pod_ever(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		struct toy t;
		given_world(&t, seed, false);
		when_all_goes_wrong(&t);
		when_the_faults_end(&t);
		bool deleted = json_at(t.w.g.object, "metadata", "deletionTimestamp") != NULL;
		if (t.pods_made > 1 || (!deleted && t.pods_made != 1))
			fail_msg("seed %u: %d pods were made", seed, t.pods_made);
		if (deleted && (!t.gone || t.pod.there))
			fail_msg("seed %u: it is being deleted, and does not go", seed);
		job_world_end(&t.w);
	}
}

/* A test of the test: watches of different ages alone would make a second pod. */
/* Acceptance: job-3 */
static void test_without_the_read_before_it_a_second_pod_would_be_made(void **state)
{
	(void)state;
	int found = 0;
	for (uint32_t seed = 0; seed < 10 * SEEDS && !found; seed++) {
		struct toy t;
		given_world(&t, seed, true);
		when_all_goes_wrong(&t);
		found = t.pods_made > 1;
		job_world_end(&t.w);
	}
	assert_true(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whatever_crashes_it_has_one_pod_ever),
		cmocka_unit_test(test_without_the_read_before_it_a_second_pod_would_be_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
