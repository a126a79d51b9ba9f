/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates many nodes in one request. Slurm reads a name as a host list expression, "ALL"
 * as every node, and the name of a NodeSet (slurm.conf) as all of its nodes. So only
 * plain names are sent.
 */
#include "slurm/rest/parts.h"

#include <string.h>

#include "base/own.h"
#include "json/build.h"

enum { COMMENTS = 2 }; /* requests in flight */
enum { CHUNK = 1000, NAME_MAX_BYTES = 253, TEXT_MAX_BYTES = 4096, UPDATE_MS = 30000 };

static const struct {
	const char *state, *text_key;
	bool needs_text;
} kinds[] = {
	[SLURM_DRAIN] = { "DRAIN", "reason", true },
	[SLURM_UNDRAIN] = { "UNDRAIN", "reason", false },
	[SLURM_RESUME] = { "RESUME", "reason", false },
	[SLURM_COMMENT] = { NULL, "comment", false },
};

struct update {
	struct slurm_op op; /* first */
	enum slurm_update what;
	char **names;
	size_t n, sent, sending; /* of the n names: answered; in flight */
	char *text;
	struct err refused; /* the error of a refused chunk; the others are still sent */
	bool waits;         /* for other comments to end */
	bool counted;       /* in slurm->comments */
	slurm_done *done;
	void *ctx;
};

static void update_release(struct slurm_op *op)
{
	struct update *u = (struct update *)op;
	for (size_t i = 0; i < u->n; i++)
		free(u->names[i]);
	free(u->names);
	free(u->text);
	free(u);
}

/* The update is cancelled or over, so another comment may be sent. */
static void update_stop(struct slurm_op *op)
{
	struct update *u = (struct update *)op;
	if (u->counted)
		op->slurm->comments--;
	u->counted = u->waits = false;
}

static const struct op_kind comment_kind;

/* Starts comments in order; a comment over the limit waits again. */
static void comments_go_on(struct slurm *s)
{
	for (struct slurm_op *op = s->ops; op && s->comments < COMMENTS; op = op->next) {
		struct update *u = (struct update *)op;
		if (op->kind != &comment_kind || !u->waits)
			continue;
		u->waits = false;
		op_start(op);
	}
}

static void finish(struct update *u, struct err err)
{
	struct slurm *s = u->op.slurm;
	slurm_done *done = u->done;
	void *ctx = u->ctx;
	update_stop(&u->op);
	op_leave(&u->op);
	update_release(&u->op);
	comments_go_on(s);
	done(ctx, failed(err) ? err_wrap(err, "updating nodes of Slurm") : OK);
}

static void update_end(struct slurm_op *op, struct verdict v)
{
	finish((struct update *)op, v.err);
}

static const char *body(const struct update *u, struct arena *a)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *root = j_obj(d);
	struct jval *names = j_set(d, root, "name", j_arr(d));
	for (size_t i = 0; i < u->sending; i++)
		j_push(d, names, j_str(d, u->names[u->sent + i]));
	if (kinds[u->what].state)
		j_push(d, j_set(d, root, "state", j_arr(d)), j_str(d, kinds[u->what].state));
	/* An empty comment clears the comment; an empty reason is not sent. */
	if (!str_empty(u->text) || !kinds[u->what].state)
		j_set_str(d, root, kinds[u->what].text_key, u->text ? u->text : "");
	return j_text(d, root);
}

/*
 * True if Slurm refused this chunk because of a node in it: other chunks may still
 * succeed. A refusal takes precedence over an unknown node in the report, because a
 * person has to act.
 */
static bool of_this_chunk(struct update *u, const struct verdict *v)
{
	bool said_no = v->err.kind == ERR_INVALID || v->err.kind == ERR_CONFLICT;
	bool refused = v->health == SLURM_UP && said_no;
	bool unknown = v->err.kind == ERR_NOT_FOUND;
	if (refused || (unknown && !failed(u->refused)))
		u->refused = v->err;
	return refused || unknown;
}

static void updated(void *ctx, struct err err, const struct http_answer *answer)
{
	struct update *u = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(u->op.slurm, err, answer, true, &doc);
	u->op.call = NULL;
	if (v.other_version) {
		op_restart(&u->op, v);
		return;
	}
	if (!failed(v.err) && !json_is_arr(json_get(json_root(doc), "errors")))
		v.err = answer_vague();
	rights_refused(u->op.slurm, &v.err);
	if (failed(v.err) && !of_this_chunk(u, &v)) {
		finish(u, v.err);
		return;
	}
	u->sent += u->sending;
	if (u->sent < u->n)
		op_start(&u->op);
	else
		finish(u, u->refused);
}

static void update_start(struct slurm_op *op)
{
	struct update *u = (struct update *)op;
	struct arena a = { 0 };
	u->sending = u->n - u->sent < CHUNK ? u->n - u->sent : CHUNK;
	struct slurm_request r = {
		.method = "POST",
		.path = "/nodes/",
		.body = body(u, &a),
		.timeout_ms = UPDATE_MS,
	};
	op->call = op_send(op, &r, updated, u);
	arena_free(&a);
}

static void comment_start(struct slurm_op *op)
{
	struct update *u = (struct update *)op;
	u->waits = !u->counted && op->slurm->comments >= COMMENTS;
	if (u->waits)
		return;
	if (!u->counted)
		op->slurm->comments++;
	u->counted = true;
	update_start(op);
}

static const struct op_kind comment_kind = {
	.writes = true,
	.start = comment_start,
	.end = update_end,
	.stop = update_stop,
	.release = update_release,
};

struct err node_name_check(const char *name)
{
	size_t n = name
		? strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
		: 0;
	if (!n || name[n])
		return err_new(ERR_INVALID,
			"\"%.80s\" is not the name of one node: use letters, digits, \".\", \"_\" and \"-\"",
			name ? name : "");
	if (n > NAME_MAX_BYTES)
		return err_new(ERR_INVALID,
			"the node name \"%.40s...\" is longer than %d characters", name,
			NAME_MAX_BYTES);
	if (strcasecmp(name, "ALL") == 0)
		return err_new(ERR_INVALID,
			"\"%s\" means every node to Slurm and cannot be the name of one", name);
	return OK;
}

static struct err check_text(enum slurm_update what, const char *text)
{
	size_t n = 0;
	if (kinds[what].needs_text && str_empty(text))
		return err_new(ERR_INVALID, "a drain needs a reason");
	for (; text && text[n]; n++)
		if ((unsigned char)text[n] < ' ' || text[n] == 127)
			return err_new(ERR_INVALID,
				"the %s has a line end or another control character at position %zu",
				kinds[what].text_key, n + 1);
	if (n > TEXT_MAX_BYTES)
		return err_new(ERR_INVALID, "the %s has %zu bytes, more than %d",
			kinds[what].text_key, n, TEXT_MAX_BYTES);
	return OK;
}

static struct err check(enum slurm_update what, const char *const *names, size_t n,
	const char *text)
{
	struct err e = check_text(what, text);
	if (!failed(e) && n == 0)
		e = err_new(ERR_INVALID, "no node is named");
	for (size_t i = 0; i < n && !failed(e); i++)
		e = node_name_check(names[i]);
	return e;
}

void slurm_update_nodes(struct slurm *s, enum slurm_update what, const char *const *names, size_t n,
	const char *text, slurm_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.writes = true,
		.start = update_start,
		.end = update_end,
		.release = update_release,
	};
	struct update *u = own_alloc(sizeof(*u));
	*u = (struct update){
		.what = what,
		.names = own_alloc(n * sizeof(char *)),
		.n = n,
		.text = own_strdup(text),
		.done = done,
		.ctx = ctx,
	};
	for (size_t i = 0; i < n; i++)
		u->names[i] = own_strdup(names[i]);
	struct err e = check(what, names, n, text);
	if (failed(e))
		op_begin_failed(s, &u->op, &kind, e);
	else
		op_begin(s, &u->op, what == SLURM_COMMENT ? &comment_kind : &kind);
}
