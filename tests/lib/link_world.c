/* SPDX-License-Identifier: Apache-2.0 */
/* The link to a Slurm cluster, between two servers (see link_world.h). */
#include "lib/link_world.h"

#include "base/codec.h"
#include "json/json.h"
#include "object/metadata.h"
#include "slurm/rest/mint.h"

static void changed(void *ctx, struct slurm_link *l)
{
	struct world *w = ctx;
	struct slurm_fact f = slurm_link_slurm(l);
	w->changes++;
	w->jobs_troubles += f.usable == YES && f.jobs_trouble[0];
}

static void new_token(void *ctx, struct slurm_link *l)
{
	(void)l, ((struct world *)ctx)->new_tokens++;
}

static struct err give_http(void *ctx, const struct http_config *config, struct http **out)
{
	struct world *w = ctx;
	w->refuses_local = config->refuse_local;
	w->clients++;
	*out = &w->rest.http;
	return OK;
}

void given_rules(struct world *w, struct server_rules rules)
{
	struct link_config config = {
		.kube = &w->kube,
		.loop = &w->loop.loop,
		.http_new = give_http,
		.http_ctx = w,
		.changed = changed,
		.new_token = new_token,
		.ctx = w,
		.servers = rules,
		.memory = &w->memory,
	};
	slurm_link_free(TAKE(w->link));
	w->link = slurm_link_new(&config, "ns", "slurm");
}

int given_a_link(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->api, &w->loop);
	fake_http_init(&w->rest, &w->loop);
	w->rest.shared = true;
	w->memory.limit = 64 << 20;
	given_rules(w, (struct server_rules){ 0 });
	w->secret = SECRET("dG9rZW4=");
	w->nodes = NODES(IDLE);
	w->jobs = "{\"jobs\":[],\"errors\":[],\"warnings\":[]}";
	*state = w;
	return 0;
}

int free_world(void **state)
{
	struct world *w = *state;
	slurm_link_free(w->link);
	assert_int_equal(w->memory.used, 0);
	free_kube(&w->api, &w->loop);
	fake_http_clear(&w->rest);
	if (w->log)
		fclose(w->log);
	free(w);
	return 0;
}

/* Updates wait until the test answers them. */
struct http_call *first_open(struct fake_http *f)
{
	bool waits = false;
	for (int i = 0; i < f->n; i++) {
		bool update = str_eq(f->calls[i].method, "POST");
		update = update && !strstr(f->calls[i].path, "/node/slurm-operator-rights");
		if (f->calls[i].open && !update && !f->calls[i].later)
			return &f->calls[i];
		waits |= f->calls[i].open;
	}
	if (!waits)
		fake_http_clear(f); /* there is room for a few only */
	return NULL;
}

/* As of now: facts carry the time at which they were asked for. */
void answer(struct world *w, struct http_call *c, int status, const char *body)
{
	struct http_answer a = { status, body, strlen(body), w->loop.now_ms, -1 };
	fake_end(c, OK, &a);
}

/* Another client has changed the object meanwhile, or it is another one: a conflict. */
static bool is_of_version(struct world *w, const struct json *patch)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(w->recipient, strlen(w->recipient), SIZE_MAX, &doc)));
	struct metadata is = metadata_of(json_root(doc)), meant = metadata_of(patch);
	return str_eq(is.uid, meant.uid) && str_eq(is.resource_version, meant.resource_version);
}

static void recipient_written(struct world *w, struct http_call *c)
{
	static const char expires[] = "slinky.slurm.net/token-expires";
	AUTO(json_auto) struct json_doc *doc = NULL;
	assert_false(failed(json_parse(c->body, strlen(c->body), SIZE_MAX, &doc)));
	const struct json *patch = json_root(doc);
	if (!is_of_version(w, patch)) {
		answer(w, c, 409, "{\"kind\":\"Status\",\"reason\":\"Conflict\",\"code\":409}");
		return;
	}
	snprintf(w->recipient, sizeof(w->recipient),
		RECIPIENT("%d", TOKEN_OF_SLURM ",\"%s\":\"%s\"", "%s"), 100 + ++w->writes, expires,
		json_str(json_at(patch, "metadata", "annotations", expires), ""),
		json_str(json_at(patch, "data", "auth-token"), ""));
	if (w->write_fails == ERR_LOST)
		fake_fail(c, ERR_LOST);
	else
		answer(w, c, 200, w->recipient);
}

static void recipient_answers(struct world *w, struct http_call *c)
{
	bool written = str_eq(c->method, "PATCH");
	if (!w->recipient[0])
		answer(w, c, 404, "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"code\":404}");
	else if (written && w->write_fails == ERR_DENIED)
		answer(w, c, 403,
			"{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"secrets "
			"\\\"r\\\" is forbidden\",\"code\":403}");
	else if (written)
		recipient_written(w, c);
	else
		answer(w, c, 200, w->recipient);
}

void api_answers(struct world *w, struct http_call *c)
{
	if (strstr(c->path, "/secrets/r") && !w->api_forbids) {
		recipient_answers(w, c);
		return;
	}
	w->secrets++;
	if (w->api_forbids)
		answer(w, c, 403,
			"{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"secrets "
			"\\\"t\\\" is forbidden\",\"code\":403}");
	else if (w->secret)
		answer(w, c, 200, w->secret);
	else
		answer(w, c, 404, "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"code\":404}");
}

static void list_answers(struct world *w, struct http_call *c)
{
	w->lists++;
	fake_answer_later(c, w->list_takes_ms, 200, w->nodes);
}

static void one_answers(struct world *w, struct http_call *c)
{
	w->single++;
	answer(w, c, 200, w->one ? w->one : NO_SUCH_NODE);
}

static void job_answers(struct world *w, struct http_call *c)
{
	AUTO(str_free) struct str body = { 0 };
	str_addf(&body,
		"{\"jobs\":[{\"job_id\":%d,\"job_state\":[\"SUSPENDED\"],\"nodes\":\"%s\"}],"
		"\"errors\":[],\"warnings\":[]}",
		atoi(strstr(c->path, "/job/") + 5), w->job_nodes ? w->job_nodes : "");
	answer(w, c, 200, w->job_nodes ? str_text(&body) : w->job);
}

static void partitions_answer(struct world *w, struct http_call *c)
{
	bool unchanged = w->unchanged && !w->partitions_again && strstr(c->path, "update_time=");
	w->partition_reads++;
	if (w->partitions)
		answer(w, c, unchanged ? 304 : 200, unchanged ? "" : w->partitions);
	else
		fake_fail(c, ERR_RETRY);
}

static void queue_answer(struct world *w, struct http_call *c)
{
	w->queue_reads++;
	w->loop.now_ms += w->queue_takes_ms;
	bool unchanged = w->unchanged && strstr(c->path, "update_time=");
	if (w->queue)
		fake_answer_later(c, w->queue_later_ms, unchanged ? 304 : 200,
			unchanged ? "" : w->queue);
	else
		fake_fail(c, ERR_RETRY);
}

/* Slurm signs what it says, and compares; and its time is not over. */
static bool is_of_key(struct world *w, const char *token, const char *key)
{
	const char *from = strchr(token, '.'), *to = from ? strchr(from + 1, '.') : NULL;
	AUTO(own_free) char *claims = NULL, *other = NULL;
	AUTO(json_auto) struct json_doc *doc = NULL;
	AUTO(str_free) struct str middle = { 0 };
	size_t n = 0;
	if (!to)
		return false;
	str_add_bytes(&middle, from + 1, (size_t)(to - from - 1));
	while (middle.len % 4)
		str_add(&middle, "=");
	assert_true(base64_decode(str_text(&middle), middle.len, &claims, &n));
	assert_false(failed(json_parse(claims, n, SIZE_MAX, &doc)));
	int64_t begins_s = json_i64(json_get(json_root(doc), "iat"), 0),
		ends_s = json_i64(json_get(json_root(doc), "exp"), 0);
	assert_false(failed(token_mint(key, json_str(json_get(json_root(doc), "sun"), ""), begins_s,
		ends_s - begins_s, &other)));
	return str_eq(token, other) && loop_wall_ms(&w->loop.loop) / 1000 < ends_s;
}

static bool is_refused(struct world *w, const char *token)
{
	return w->token_refused || (w->good_token && !str_eq(token, w->good_token)) ||
		(w->good_key && !is_of_key(w, token, w->good_key));
}

void slurmrestd_answers(struct world *w, struct http_call *c)
{
	snprintf(w->token, sizeof(w->token), "%s", c->token);
	if (w->rest_down || (w->checks_lost && strstr(c->path, "update_time=4000000000")))
		fake_fail(c, ERR_RETRY);
	else if (strstr(c->path, "/openapi"))
		answer(w, c, 200, "{\"paths\":{\"/slurm/v0.0.42/nodes/\":{}}}");
	else if (strstr(c->path, "/ping/"))
		answer(w, c, 200,
			"{\"pings\":[{\"pinged\":\"UP\",\"responding\":true}],\"errors\":[],"
			"\"warnings\":[]}");
	else if (is_refused(w, c->token))
		answer(w, c, 511,
			w->refusal ? w->refusal
				   : "{\"errors\":[{\"error_number\":1007,\"error\":\"Protocol "
				     "authentication error\"}]}");
	else if (strstr(c->path, "update_time=4000000000") ||
		(w->unchanged && strstr(c->path, "/nodes/?update_time=")))
		answer(w, c, 304, "");
	else if (strstr(c->path, "/node/slurm-operator-rights"))
		answer(w, c, 500, "{\"errors\":[{\"error_number\":2018}]}");
	else if (strstr(c->path, "/node/"))
		one_answers(w, c);
	else if (strstr(c->path, "/jobs/state"))
		answer(w, c, 200, w->jobs);
	else if (strstr(c->path, "/jobs/"))
		queue_answer(w, c);
	else if (strstr(c->path, "/job/"))
		job_answers(w, c);
	else if (strstr(c->path, "/partitions/"))
		partitions_answer(w, c);
	else if (strstr(c->path, "/nodes/"))
		list_answers(w, c);
	else
		fail_msg("the slurmrestd of the test does not know %s", c->path);
}

/* Lets ms pass, in which all servers answer at once. */
void when_passed(struct world *w, int64_t ms)
{
	for (int64_t end = w->loop.now_ms + ms; w->loop.now_ms <= end;) {
		struct http_call *c;
		sim_loop_pass(&w->loop, 0);
		if ((c = first_open(&w->api)))
			api_answers(w, c);
		else if ((c = first_open(&w->rest)))
			slurmrestd_answers(w, c);
		else
			sim_loop_pass(&w->loop, 100);
	}
}

void given_up(struct world *w)
{
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

void given_up_by_key(struct world *w)
{
	slurm_link_set_minting(w->link, "http://slurm:6820", "k", "slurm");
	when_passed(w, 1000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

void when_wanted(struct world *w, enum slurm_need need, bool jobs)
{
	slurm_link_demand(w->link, NULL,
		&(struct demand){
			.of[ASK_NODES] = { .need = need }, .of[ASK_JOBS] = { .wanted = jobs } });
}

struct slurm_node_fact node(struct world *w, const char *name)
{
	return slurm_link_expect(w->link, &(struct slurm_who){ name, "" });
}

void then_health(struct world *w, enum slurm_health health)
{
	assert_true(slurm_link_fact(w->link).checked);
	assert_int_equal(slurm_link_fact(w->link).health, health);
}

void given_log(struct world *w)
{
	w->log = tmpfile();
	w->stderr_before = dup(STDERR_FILENO);
	dup2(fileno(w->log), STDERR_FILENO);
}

void then_logged(struct world *w, const char *text, int times)
{
	char line[2000];
	int n = 0;
	if (w->stderr_before) {
		dup2(w->stderr_before, STDERR_FILENO);
		close(w->stderr_before);
		w->stderr_before = 0;
	}
	rewind(w->log);
	while (fgets(line, sizeof(line), w->log))
		n += strstr(line, text) != NULL;
	assert_int_equal(n, times);
}
