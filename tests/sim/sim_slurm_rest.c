/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurmrestd: what it answers, as measured with 24.11.5 and 26.05.5. Nodes:
 * sim_slurm_nodes.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_slurm_ask.h"
#include "slurm/rest/mint.h"

static void add_error(struct ask *a, int number, const char *text)
{
	yyjson_mut_val *e = yyjson_mut_arr_add_obj(a->d, a->errors);
	yyjson_mut_obj_add_strcpy(a->d, e, "description", text);
	yyjson_mut_obj_add_int(a->d, e, "error_number", number);
	yyjson_mut_obj_add_strcpy(a->d, e, "error", text);
	yyjson_mut_obj_add_str(a->d, e, "source", "slurmrestd");
}

void sim_ask_refuse(struct ask *a, int status, int number, const char *text)
{
	a->out->status = status;
	add_error(a, number, text);
}

void sim_ask_plain(struct sim_reply *out, int status, const char *text)
{
	out->status = status;
	str_clear(&out->body);
	str_add(&out->body, text);
}

void sim_ask_number(struct ask *a, yyjson_mut_val *object, const char *key, bool infinite,
	int64_t number)
{
	yyjson_mut_val *v = yyjson_mut_obj_add_obj(a->d, object, key);
	yyjson_mut_obj_add_bool(a->d, v, "set", !infinite);
	yyjson_mut_obj_add_bool(a->d, v, "infinite", infinite);
	yyjson_mut_obj_add_int(a->d, v, "number", infinite ? 0 : number);
}

void sim_ask_last_update(struct ask *a)
{
	sim_ask_number(a, a->root, "last_update", false, sim_slurm_clock_s(a->s));
}

void sim_slurm_fault_body(int status, struct str *out)
{
	if (status != 200)
		return;
	str_add(out,
		"{\"nodes\":[],\"jobs\":[],\"last_update\":{\"set\":true,\"infinite\":false,"
		"\"number\":0},\"errors\":[{\"description\":\"Zero "
		"Bytes were transmitted "
		"or received\",\"error_number\":1006,\"error\":\"Zero Bytes were transmitted or "
		"received\",\"source\":\"slurm_load_node\"}],\"warnings\":[]}");
}

/* ---- slow lists ---- */

static int64_t list_ms(struct sim_slurm *s, const char *path)
{
	const char *nodes = strstr(path, "/nodes/");
	bool slow = nodes ? s->slow_unchanged || !sim_ask_unchanged(s, path)
			  : strstr(path, "/jobs/state") != NULL;
	return slow && s->list_ms
		? sim_rand_range(&s->list_rand,
			  s->list_least_ms ? s->list_least_ms : s->list_ms / 2, s->list_ms)
		: 0;
}

int64_t sim_slurm_works_ms(void *ctx, const char *method, const char *path)
{
	struct sim_slurm *s = ctx;
	return s->lists_begin_late && strcmp(method, "GET") == 0 ? list_ms(s, path) : 0;
}

/* ---- jobs ---- */

static const char *const job_states[] = { "PENDING", "RUNNING", "SUSPENDED", "COMPLETING",
	"COMPLETED" };

static void add_job_state(struct ask *a, yyjson_mut_val *o, const char *key,
	const struct sim_job *j)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(a->d, o, key);
	bool odd = a->s->odd_words && j->id % 2;
	if (j->state == JOB_COMPLETING)
		yyjson_mut_arr_add_str(a->d, list, j->again ? "PENDING" : "COMPLETED");
	yyjson_mut_arr_add_str(a->d, list,
		odd && j->state == JOB_SUSPENDED ? "HIBERNATED" : job_states[j->state]);
	if (odd && j->state == JOB_RUNNING)
		yyjson_mut_arr_add_str(a->d, list, "SIGNALING");
}

void sim_ask_states(struct ask *a)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(a->d, a->root, "jobs");
	for (const struct sim_job *j = a->s->jobs; j; j = j->next) {
		yyjson_mut_val *o = yyjson_mut_arr_add_obj(a->d, list);
		char id[24];
		snprintf(id, sizeof(id), "%lld", (long long)j->id);
		if (a->s->id_text)
			yyjson_mut_obj_add_strcpy(a->d, o, "job_id", id);
		else
			yyjson_mut_obj_add_int(a->d, o, "job_id", j->id);
		add_job_state(a, o, "state", j);
	}
}

/*
 * "a-1,a-2,b-0" as Slurm writes it: "a-[1-2],b-0". Names of the simulator end in "-" and
 * a small number.
 */
static void compress(const char *hosts, struct str *out)
{
	char stem[256] = "";
	long first = -1, last = -1;
	for (const char *at = hosts;; at += *at == ',') {
		size_t n = strcspn(at, ","), digits = n;
		while (digits > 0 && at[digits - 1] >= '0' && at[digits - 1] <= '9')
			digits--;
		long number = digits < n ? strtol(at + digits, NULL, 10) : -1;
		if (n > 0 && first >= 0 && number == last + 1 && strlen(stem) == digits &&
			strncmp(stem, at, digits) == 0) {
			last = number;
			at += n;
			continue;
		}
		if (first >= 0 && first == last)
			str_addf(out, "%s%s%ld", out->len ? "," : "", stem, first);
		else if (first >= 0)
			str_addf(out, "%s%s[%ld-%ld]", out->len ? "," : "", stem, first, last);
		if (n == 0)
			return;
		snprintf(stem, sizeof(stem), "%.*s", (int)digits, at);
		first = last = number;
		if (number < 0)
			str_addf(out, "%s%s", out->len ? "," : "", stem);
		at += n;
	}
}

static void add_job(struct ask *a, yyjson_mut_val *list, const struct sim_job *j)
{
	struct str hosts = { 0 };
	compress(j->hosts, &hosts);
	yyjson_mut_val *o = yyjson_mut_arr_add_obj(a->d, list);
	yyjson_mut_obj_add_int(a->d, o, "job_id", j->id);
	add_job_state(a, o, "job_state", j);
	yyjson_mut_obj_add_strcpy(a->d, o, "nodes", str_text(&hosts));
	str_free(&hosts);
	sim_ask_number(a, o, "start_time", false, j->start_s);
	sim_ask_number(a, o, "time_limit", j->limit_min == 0, j->limit_min);
	sim_ask_number(a, o, "node_count", false, j->want);
	yyjson_mut_obj_add_str(a->d, o, "partition", "all");
	yyjson_mut_obj_add_str(a->d, o, "user_name", "alice");
	yyjson_mut_obj_add_str(a->d, o, "state_reason",
		j->state != JOB_PENDING ? "None"
			: j->only       ? "ReqNodeNotAvail"
					: "Resources");
	yyjson_mut_obj_add_int(a->d, o, "cpus", j->want);
	yyjson_mut_obj_add_strcpy(a->d, o, "required_nodes", j->only ? j->only : "");
	yyjson_mut_arr_add_str(a->d, yyjson_mut_obj_add_arr(a->d, o, "shared"), "none");
}

void sim_ask_jobs(struct ask *a)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(a->d, a->root, "jobs");
	for (const struct sim_job *j = a->s->jobs; j; j = j->next)
		add_job(a, list, j);
	sim_ask_last_update(a);
}

void sim_ask_job(struct ask *a, const char *id)
{
	const struct sim_job *j = sim_slurm_job(a->s, strtoll(id, NULL, 10));
	if (!j) {
		sim_ask_refuse(a, 404, 2017, "Invalid job id specified");
		return;
	}
	add_job(a, yyjson_mut_obj_add_arr(a->d, a->root, "jobs"), j);
	sim_ask_last_update(a);
}

/* ---- whom to ask ---- */

static void openapi(struct sim_slurm *s, struct sim_reply *out)
{
	static const char *const paths[] = { "ping", "diag", "nodes", "node/{node_name}", "jobs",
		"jobs/state", "job/{job_id}" };
	out->status = 200;
	str_add(&out->body,
		"{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"Slurm REST API\"},\"paths\":{");
	for (int v = s->oldest; v <= s->newest; v++)
		for (size_t i = 0; i < LENGTH(paths); i++)
			str_addf(&out->body, "%s\"/slurm/v0.0.%d/%s%s\":{}",
				v == s->oldest && i == 0 ? "" : ",", v, paths[i], i % 2 ? "" : "/");
	str_add(&out->body, "}}");
}

static bool takes(const struct sim_slurm *s, const char *token)
{
	int64_t begins_s, ends_s;
	if (strcmp(token, s->token) == 0)
		return true;
	return s->key && token_is_minted(token, s->key, "slurm", &begins_s, &ends_s) &&
		s->loop->wall_ms / 1000 < ends_s;
}

static void ping(struct ask *a)
{
	bool up = !a->s->ctld_down && a->rq->slurm_token && takes(a->s, a->rq->slurm_token);
	yyjson_mut_val *one = yyjson_mut_arr_add_obj(a->d,
		yyjson_mut_obj_add_arr(a->d, a->root, "pings"));
	yyjson_mut_obj_add_str(a->d, one, "hostname", "slurm-controller");
	yyjson_mut_obj_add_str(a->d, one, "pinged", up ? "UP" : "DOWN");
	yyjson_mut_obj_add_bool(a->d, one, "responding", up);
	yyjson_mut_obj_add_str(a->d, one, "mode", "primary");
	a->out->delay_ms = 40;
}

static bool is_path(const struct ask *a, const char *method, const char *path)
{
	size_t n = strlen(path), m = strcspn(a->rest, "?");
	if (m > 0 && a->rest[m - 1] == '/')
		m--;
	return strcmp(a->rq->method, method) == 0 && m == n && strncmp(a->rest, path, n) == 0;
}

/* The name after a prefix such as "node/". */
static bool is_item(const struct ask *a, const char *method, const char *prefix, char *name,
	size_t cap)
{
	size_t n = strlen(prefix);
	if (strcmp(a->rq->method, method) != 0 || strncmp(a->rest, prefix, n) != 0)
		return false;
	snprintf(name, cap, "%.*s", (int)strcspn(a->rest + n, "/?"), a->rest + n);
	return *name != '\0';
}

static void route(struct ask *a)
{
	char name[256];
	a->out->status = 200;
	if (is_path(a, "GET", "ping"))
		ping(a);
	else if (a->s->ctld_down) {
		sim_ask_refuse(a, 502, 1800,
			"Unable to contact slurm controller (connect failure)");
		a->out->delay_ms = 9000;
	} else if (!takes(a->s, a->rq->slurm_token))
		sim_ask_refuse(a, 511, 1007, "Protocol authentication error");
	else if (is_path(a, "GET", "diag"))
		yyjson_mut_obj_add_int(a->d, yyjson_mut_obj_add_obj(a->d, a->root, "statistics"),
			"jobs_running", (int64_t)sim_slurm_running(a->s));
	else if (is_path(a, "GET", "nodes"))
		sim_ask_nodes(a);
	else if (is_path(a, "GET", "partitions"))
		sim_ask_partitions(a);
	else if (is_path(a, "POST", "nodes"))
		sim_ask_update(a, NULL);
	else if (is_path(a, "GET", "jobs"))
		sim_ask_jobs(a);
	else if (is_path(a, "GET", "jobs/state"))
		sim_ask_states(a);
	else if (is_item(a, "GET", "node/", name, sizeof(name)))
		sim_ask_node(a, name);
	else if (is_item(a, "POST", "node/", name, sizeof(name)))
		sim_ask_update(a, name);
	else if (is_item(a, "DELETE", "node/", name, sizeof(name)))
		sim_ask_delete(a, name);
	else if (is_item(a, "GET", "job/", name, sizeof(name)))
		sim_ask_job(a, name);
	else
		sim_ask_plain(a->out, 404,
			"Unable find requested URL. Please view /openapi/v3 for API reference.");
}

/* "/slurm/v0.0.42/" to 42, and what follows; 0: anything else. */
static int version_of(const char *path, const char **rest)
{
	int version = 0, used = 0;
	if (sscanf(path, "/slurm/v0.0.%d/%n", &version, &used) != 1 || used == 0)
		return 0;
	*rest = path + used;
	return version;
}

static void add_meta(struct ask *a)
{
	yyjson_mut_val *slurm = yyjson_mut_obj_add_obj(a->d,
		yyjson_mut_obj_add_obj(a->d, a->root, "meta"), "slurm");
	yyjson_mut_obj_add_str(a->d, slurm, "release", a->s->newest > 42 ? "26.05.5" : "24.11.5");
	yyjson_mut_obj_add_str(a->d, slurm, "cluster", a->s->cluster);
}

static void write_body(struct ask *a)
{
	size_t n;
	if (a->out->status == 304 || a->out->body.len > 0)
		return;
	add_meta(a);
	/* what an update is answered with need not be read as news of who answers */
	if (strcmp(a->rq->method, "GET") == 0 && (a->s->stranger || !a->out->seen.what))
		a->out->seen = (struct sim_seen){
			.what = a->s->stranger ? SIM_SEEN_STRANGER : SIM_SEEN_SLURM,
			.value = a->s->loop->now_ms,
		};
	char *text = yyjson_mut_write(a->d, 0, &n);
	str_add_bytes(&a->out->body, text, n);
	free(text);
}

void sim_slurm_serve(void *ctx, const struct sim_request *rq, struct sim_reply *out)
{
	struct ask a = { .s = ctx, .rq = rq, .out = out };
	int version = version_of(rq->path, &a.rest);
	if (a.s->on_request)
		a.s->on_request(a.s->ctx, rq);
	if (a.s->stand_in) {
		a.s->stand_in->key = a.s->key;
		sim_slurm_serve(a.s->stand_in, rq, out);
		out->seen.by = a.s;
		return;
	}
	if (!rq->slurm_token || !*rq->slurm_token) {
		sim_ask_plain(out, 401, "Authentication failure");
	} else if (strncmp(rq->path, "/openapi/v3", 11) == 0) {
		openapi(a.s, out);
	} else if (version < a.s->oldest || version > a.s->newest) {
		sim_ask_plain(out, 404,
			"Unable find requested URL. Please view /openapi/v3 for API reference.");
	} else {
		a.d = yyjson_mut_doc_new(NULL);
		a.root = yyjson_mut_obj(a.d);
		yyjson_mut_doc_set_root(a.d, a.root);
		a.errors = yyjson_mut_arr(a.d);
		a.warnings = yyjson_mut_arr(a.d);
		route(&a);
		yyjson_mut_obj_add_val(a.d, a.root, "errors", a.errors);
		yyjson_mut_obj_add_val(a.d, a.root, "warnings", a.warnings);
		write_body(&a);
		yyjson_mut_doc_free(a.d);
	}
	if (!a.s->lists_begin_late && strcmp(rq->method, "GET") == 0)
		out->delay_ms += list_ms(a.s, rq->path);
	out->seen.by = a.s;
	sim_slurm_note(a.s, "%s %s %.*s -> %d", rq->method, rq->path, (int)rq->body_bytes, rq->body,
		out->status);
}
