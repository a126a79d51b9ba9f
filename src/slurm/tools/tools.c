/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of calls. Each call runs a program, waits, or has failed at its start. */
#include "slurm/tools/tools.h"

#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/tools/tools_parts.h"

enum {
	AT_ONCE = 64,
	QUESTIONS_PART = 4, /* one program in four is reserved for reads */
	LIMIT_MS = 30000,
	/*
	 * Limit of new sbatch and scancel for each processor. More are not faster, and
	 * reads share the processors with them. A program that runs longer waits for
	 * slurmctld or for the end of its job (--wait), and does not count.
	 */
	FRESH_OF_EACH = 8,
	FRESH_MS = 1000,
	/*
	 * Time for sbatch to end after it has printed the job id. With "#SBATCH --wait"
	 * it would wait for the end of the job. To stop it has no effect on the job (seen
	 * with 24.11.5: SIGTERM, SIGKILL, SIGPIPE, SIGINT, SIGHUP)
	 */
	NUMBERED_MS = 1000,
};

struct err slurm_tools_new(struct loop *uv_loop, const struct slurm_tools_config *config,
	struct slurm_tools **out)
{
	AUTO(own_free) struct slurm_tools *t = own_alloc(sizeof(*t));
	t->loop = uv_loop;
	t->at_once = config->at_once ? config->at_once : AT_ONCE;
	t->writes_at_once = t->at_once - t->at_once / QUESTIONS_PART;
	t->fresh_at_once = FRESH_OF_EACH * (int)sysconf(_SC_NPROCESSORS_ONLN);
	t->limit_ms = config->limit_ms ? config->limit_ms : LIMIT_MS;
	struct err e = tools_set_up(t, config->folder);
	if (failed(e)) {
		arena_free(&t->texts);
		return e;
	}
	*out = TAKE(t);
	return OK;
}

/* ---- clients ---- */

void tools_call_for(struct slurm_tools_call *call, const char *client)
{
	struct slurm_tools *t = call->tools;
	struct tools_client *found;
	const char *name = client ? client : "";
	DL_FOREACH(t->clients, found)
	if (str_eq(found->name, name))
		break;
	if (!found) {
		found = own_alloc(sizeof(*found));
		found->name = own_strdup(name);
		DL_APPEND(t->clients, found);
	}
	found->calls++;
	call->client = found;
}

static void client_leave(struct slurm_tools_call *c)
{
	struct tools_client *of = TAKE(c->client);
	if (!of || --of->calls)
		return;
	DL_DELETE(c->tools->clients, of);
	free(of->name);
	free(of);
}

static int running_of(const struct slurm_tools_call *c)
{
	return c->client ? c->client->running : 0;
}

/* ---- a call ---- */

static void count_running(struct slurm_tools_call *c, int change)
{
	c->tools->running += change;
	c->tools->writing += c->writing ? change : 0;
	if (c->client)
		c->client->running += change;
}

static void call_free(struct slurm_tools_call *c)
{
	client_leave(c);
	if (c->timer)
		timer_stop(c->tools->loop, c->timer);
	process_cancel(c->process);
	for (int i = 0; i < VALUES; i++)
		free(c->values[i]);
	free(c->input);
	arena_free(&c->a);
	free(c);
}

void slurm_tools_free(struct slurm_tools *t)
{
	if (!t)
		return;
	for (struct slurm_tools_call *c = t->first, *next; c; c = next) {
		next = c->next;
		call_free(c);
	}
	timer_stop(t->loop, t->timer);
	for (size_t i = 0; i < t->n_sizes; i++)
		free(t->sizes[i].partition);
	free(t->sizes);
	arena_free(&t->usable_of);
	arena_free(&t->texts);
	free(t);
}

static void leave_line(struct slurm_tools_call *c)
{
	struct slurm_tools *t = c->tools;
	*(c->prev ? &c->prev->next : &t->first) = c->next;
	*(c->next ? &c->next->prev : &t->last) = c->prev;
	if (c->state == RUNNING)
		count_running(c, -1);
}

struct slurm_tools_call *tools_call_new(struct slurm_tools *t, const struct question *question,
	slurm_tools_done *done, void *ctx)
{
	struct slurm_tools_call *c = own_alloc(sizeof(*c));
	*c = (struct slurm_tools_call){
		.tools = t, .question = question, .prev = t->last, .done = done, .ctx = ctx
	};
	c->told.arena = &c->a;
	*(t->last ? &t->last->next : &t->first) = c;
	t->last = c;
	return c;
}

/* Reports the end of the call, and frees it. The callback may free the tools. */
static void tell(struct slurm_tools_call *c, struct err err)
{
	if (c->done)
		c->done(c->ctx, err, &c->told);
	call_free(c);
}

static void tell_failure(void *ctx)
{
	struct slurm_tools_call *c = ctx;
	c->timer = NULL;
	leave_line(c);
	tell(c, c->err);
}

static void fail_soon(struct slurm_tools_call *c, struct err err)
{
	c->state = FAILED_AT_ONCE;
	c->err = err;
	c->timer = timer_start(c->tools->loop, 0, tell_failure, c);
}

/* ---- the program of a call ---- */

/* An argument without its value is left out. */
static const char **make_argv(struct slurm_tools_call *c, struct arena *a)
{
	const char **argv = arena_array(a, const char *, MAX_ARGUMENTS + 2);
	size_t n = 0;
	argv[n++] = c->tools->paths[c->question->tool];
	for (const struct argument *arg = c->question->arguments; arg->text; arg++) {
		if (arg->value == NO_VALUE)
			argv[n++] = arg->text;
		else if (c->values[arg->value])
			argv[n++] = arena_printf(a, "%s%s", arg->text, c->values[arg->value]);
	}
	return argv;
}

static void program_ended(void *ctx, struct err err, const struct process_end *end);

static void wait_no_longer(void *ctx)
{
	struct slurm_tools_call *c = ctx;
	c->timer = NULL;
	process_stop(c->process);
}

/* sbatch has printed the job id. */
static void heard(void *ctx, const char *output)
{
	struct slurm_tools_call *c = ctx;
	int64_t id;
	if (!c->timer && printed_submitted(output, &id))
		c->timer = timer_start(c->tools->loop, NUMBERED_MS, wait_no_longer, c);
}

static void start_program(struct slurm_tools_call *c)
{
	const struct slurm_tools *t = c->tools;
	struct arena a AUTO(arena_free) = { 0 };
	const struct process_config config = {
		.argv = make_argv(c, &a),
		.env = c->question->tool == TOOL_SBATCH ? t->env_of_jobs : t->env_to_read,
		.input = c->input,
		.input_bytes = c->input ? strlen(c->input) : 0,
		.max_output_bytes = c->question->max_output_bytes,
		.limit_ms = t->limit_ms * c->question->limits,
		.heard = c->question->tool == TOOL_SBATCH ? heard : NULL,
	};
	struct err e = process_start(t->loop, &config, program_ended, c, &c->process);
	if (failed(e)) {
		/* The tool existed at our start: an upgrade of Slurm is in progress */
		e.kind = ERR_RETRY;
		fail_soon(c, e);
		return;
	}
	c->state = RUNNING;
}

/* ---- the queue ---- */

static void start(struct slurm_tools_call *c)
{
	start_program(c);
	if (c->state != RUNNING)
		return;
	c->started_ms = loop_now_ms(c->tools->loop);
	c->writing = c->question->writes;
	count_running(c, 1);
}

static int count_fresh(const struct slurm_tools *t)
{
	int n = 0;
	for (const struct slurm_tools_call *c = t->first; c; c = c->next)
		n += c->state == RUNNING && c->question->writes &&
			loop_now_ms(t->loop) - c->started_ms < FRESH_MS;
	return n;
}

static void look_again(void *ctx);

/*
 * The oldest waiting call of the client with the fewest running calls; NULL: none waits.
 */
static struct slurm_tools_call *next_writer(const struct slurm_tools *t)
{
	struct slurm_tools_call *next = NULL;
	for (struct slurm_tools_call *c = t->first; c; c = c->next)
		if (c->state == WAITING && c->question->writes &&
			(!next || running_of(c) < running_of(next)))
			next = c;
	return next;
}

static void start_writers(struct slurm_tools *t)
{
	struct slurm_tools_call *next = next_writer(t);
	int fresh = next ? count_fresh(t) : 0;
	while (next && t->running < t->at_once && t->writing < t->writes_at_once &&
		fresh < t->fresh_at_once) {
		start(next);
		fresh++;
		next = next_writer(t);
	}
	if (next && fresh >= t->fresh_at_once && !t->timer)
		t->timer = timer_start(t->loop, FRESH_MS, look_again, t);
}

/* Calls that write have a limit of their own, so that neither kind starves the other. */
static void start_those_who_wait(struct slurm_tools *t)
{
	start_writers(t);
	for (struct slurm_tools_call *c = t->first; c && t->running < t->at_once; c = c->next)
		if (c->state == WAITING && !c->question->writes)
			start(c);
}

static void look_again(void *ctx)
{
	struct slurm_tools *t = ctx;
	t->timer = NULL;
	start_those_who_wait(t);
}

/* The output has been read: runs the next program of the call, or reports the result. */
static void goes_on_or_tells(struct slurm_tools_call *c, struct err err)
{
	struct slurm_tools *t = c->tools;
	if (c->goes_on && !failed(err)) { /* without waiting in the queue */
		count_running(c, -1);
		start(c);
		start_those_who_wait(t); /* the start may have failed */
		return;
	}
	leave_line(c);
	start_those_who_wait(t);
	tell(c, err);
}

static void program_ended(void *ctx, struct err err, const struct process_end *end)
{
	struct slurm_tools_call *c = ctx;
	const char *command = tool_names[c->question->tool];
	c->process = NULL;
	timer_stop(c->tools->loop, TAKE(c->timer));
	c->goes_on = false;
	err = c->question->read(c, tools_why(c, err, end), end);
	tools_count(c, command, err);
	goes_on_or_tells(c, err);
}

struct slurm_tools_call *tools_call_begin(struct slurm_tools_call *call, struct err err)
{
	if (failed(err))
		fail_soon(call, err);
	else
		start_those_who_wait(call->tools);
	return call;
}

void slurm_tools_call_cancel(struct slurm_tools_call *call)
{
	if (!call)
		return;
	if (call->state == RUNNING && call->question->writes) {
		call->done = NULL;
		return;
	}
	struct slurm_tools *t = call->tools;
	leave_line(call);
	call_free(call);
	start_those_who_wait(t);
}
