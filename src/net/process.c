/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes on the loop: their pipes, time limits and ends. */
#include "net/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/fd.h"
#include "net/loop_uv.h"

enum {
	LIMIT_MS = 30000,
	GRACE_MS = 2000,
	KILLED_MS = 2000,
	LINGER_MS = 200,
	OUTPUT_BYTES = 1 << 20,
	PIECE_BYTES = 16 << 10,
	FULL_PIPE = 4, /* pieces */
};

/* Our end of one of the child's first three descriptors; fd -1: closed. */
struct end {
	struct process *process;
	int fd;
	struct fd_watch *watch;
	struct str bytes;
	size_t sent; /* bytes of the input that were sent */
};

struct process {
	struct loop_child child; /* first: a struct loop_child * is this */
	struct loop *loop;
	char *name;
	struct end ends[3];
	size_t max_output_bytes;
	int64_t grace_ms;
	struct timer *timer; /* time limit, then grace period, then the wait for leftover output */
	struct process_end how;
	bool exited;
	struct err why; /* why we end the child */
	process_done *done;
	void (*heard)(void *ctx, const char *output);
	void *ctx;
};

/* ---- ending ---- */

static void close_end(struct end *e)
{
	fd_watch_stop(TAKE(e->watch));
	if (e->fd >= 0)
		close(e->fd);
	e->fd = -1;
}

static void let_go(struct process *p)
{
	timer_stop(p->loop, TAKE(p->timer));
	for (size_t i = 0; i < LENGTH(p->ends); i++)
		close_end(&p->ends[i]);
}

static void free_process(struct process *p)
{
	for (size_t i = 0; i < LENGTH(p->ends); i++) {
		if (p->ends[i].bytes.text)
			explicit_bzero(p->ends[i].bytes.text, p->ends[i].bytes.cap);
		str_free(&p->ends[i].bytes);
	}
	free(p->name);
	free(p);
}

static void tell(struct process *p)
{
	const struct str *output = &p->ends[STDOUT_FILENO].bytes,
			 *errors = &p->ends[STDERR_FILENO].bytes;
	let_go(p);
	p->how.output = str_text(output);
	p->how.output_bytes = output->len;
	p->how.errors = str_text(errors);
	p->how.errors_bytes = errors->len;
	TAKE(p->done)(p->ctx, p->why, &p->how);
	if (p->exited)
		free_process(p);
}

static void tell_when_ended(struct process *p)
{
	if (p->exited && p->ends[STDOUT_FILENO].fd < 0 && p->ends[STDERR_FILENO].fd < 0)
		tell(p);
}

static void left_behind(void *ctx);

static void exited(struct loop_child *child, const int *status)
{
	struct process *p = (struct process *)child;
	p->exited = true;
	/* also kill processes that the child started */
	if (status && (failed(p->why) || !p->done))
		kill(-child->pid, SIGKILL);
	if (!status || !p->done) { /* cancelled, or given up */
		free_process(p);
		return;
	}
	p->how.code = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
	p->how.signal = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
	timer_stop(p->loop, p->timer);
	p->timer = timer_start(p->loop, LINGER_MS, left_behind, p);
	tell_when_ended(p);
}

/*
 * Stops waiting for a killed child that hangs in the kernel, for example on a dead file
 * server.
 */
static void give_up(void *ctx)
{
	struct process *p = ctx;
	p->timer = NULL;
	p->how.code = -1;
	p->how.signal = SIGKILL;
	tell(p);
}

static void grace_over(void *ctx)
{
	struct process *p = ctx;
	kill(-p->child.pid, SIGKILL);
	p->timer = timer_start(p->loop, KILLED_MS, give_up, p);
}

static void end_it(struct process *p, struct err why)
{
	if (failed(p->why))
		return;
	p->why = why;
	if (p->exited)
		return;
	kill(-p->child.pid, SIGTERM);
	timer_stop(p->loop, p->timer);
	p->timer = timer_start(p->loop, p->grace_ms, grace_over, p);
}

static void limit_over(void *ctx)
{
	struct process *p = ctx;
	p->timer = NULL;
	end_it(p, err_new(ERR_RETRY, "%s did not end in time", p->name));
}

/* ---- input and output ---- */

static void take_piece(struct end *e, const char *piece, size_t n)
{
	struct process *p = e->process;
	size_t room = p->max_output_bytes - e->bytes.len;
	str_add_bytes(&e->bytes, piece, n < room ? n : room);
	if (p->heard && e == &p->ends[STDOUT_FILENO])
		p->heard(p->ctx, str_text(&e->bytes));
	if (n <= room || e == &p->ends[STDERR_FILENO])
		return;
	close_end(e);
	end_it(p,
		err_new(ERR_TOO_LARGE, "%s printed more than %zu bytes", p->name,
			p->max_output_bytes));
}

/* False when no more bytes are available now. */
static bool read_piece(struct end *e)
{
	char piece[PIECE_BYTES];
	ssize_t n = e->fd < 0 ? 0 : read(e->fd, piece, sizeof(piece));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		close_end(e);
		return false;
	}
	take_piece(e, piece, (size_t)n);
	explicit_bzero(piece, (size_t)n);
	return true;
}

static void readable(void *ctx, int events)
{
	struct end *e = ctx;
	(void)events;
	read_piece(e);
	tell_when_ended(e->process);
}

/*
 * Called when a child exited, but other processes hold its output open. Reads the bytes
 * in the pipes, and reports the end.
 */
static void left_behind(void *ctx)
{
	struct process *p = ctx;
	p->timer = NULL;
	for (int number = STDOUT_FILENO; number <= STDERR_FILENO; number++)
		for (int i = 0; i < FULL_PIPE && read_piece(&p->ends[number]); i++)
			;
	tell(p);
}

static void writable(void *ctx, int events)
{
	struct end *e = ctx;
	ssize_t n = write(e->fd, str_text(&e->bytes) + e->sent, e->bytes.len - e->sent);
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	e->sent += n > 0 ? (size_t)n : 0;
	if (n < 0 || e->sent == e->bytes.len) /* the child need not read all input */
		close_end(e);
}

/* ---- starting ---- */

/* Finds the first executable file of that name in PATH, as execvp does. */
static int find_program(const char *name, struct str *path)
{
	const char *at = getenv("PATH");
	int why = UV_ENOENT;
	if (strchr(name, '/')) {
		str_add(path, name);
		return 0;
	}
	for (at = at ? at : "/bin:/usr/bin"; name[0]; at++) {
		size_t n = strcspn(at, ":");
		struct stat about;
		str_clear(path);
		str_addf(path, "%.*s/%s", n ? (int)n : 1, n ? at : ".", name);
		if (stat(str_text(path), &about) == 0 && S_ISREG(about.st_mode)) {
			if (access(str_text(path), X_OK) == 0)
				return 0;
			why = UV_EACCES;
		}
		at += n;
		if (!*at)
			break;
	}
	return why;
}

/* Opens a pipe; *theirs becomes the child's end. */
static int open_end(struct process *p, int number, int *theirs)
{
	struct end *e = &p->ends[number];
	int ends[2];
	bool reads = number != STDIN_FILENO;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	e->fd = ends[reads ? 0 : 1];
	*theirs = fcntl(ends[reads ? 1 : 0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(ends[reads ? 1 : 0]);
	if (*theirs < 0)
		return -errno;
	fcntl(e->fd, F_SETFL, O_NONBLOCK);
	struct err joined = fd_watch_start(p->loop, e->fd, reads ? FD_READABLE : FD_WRITABLE,
		reads ? readable : writable, e, &e->watch);
	return failed(joined) ? UV_ENOMEM : 0;
}

/* Opens the child's first three descriptors; the caller closes theirs. */
static int open_ends(struct process *p, const struct process_config *c, int theirs[static 3],
	posix_spawn_file_actions_t *files)
{
	const bool wanted[3] = { c->input, true, !c->errors_are_ours };
	int code = 0;
	for (int i = 0; i < 3 && code == 0; i++) {
		if (wanted[i])
			code = open_end(p, i, &theirs[i]);
		if (wanted[i] && code == 0)
			code = -posix_spawn_file_actions_adddup2(files, theirs[i], i);
		else if (!wanted[i] && i == STDIN_FILENO)
			code = -posix_spawn_file_actions_addopen(files, i, "/dev/null", O_RDONLY,
				0);
	}
	return code;
}

/*
 * Uses posix_spawn, because uv_spawn forks. fork copies the page tables of the process,
 * and blocks the loop five times as long.
 */
static int run(struct process *p, const struct process_config *c, const char *path,
	const posix_spawn_file_actions_t *files)
{
	posix_spawnattr_t how;
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how,
		POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&how, &all);
	posix_spawnattr_setsigmask(&how, &none);
	/* Libraries open descriptors that would stay open in the child. */
	close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	int code = -posix_spawn(&p->child.pid, path, files, &how, (char *const *)c->argv,
		c->env ? (char *const *)c->env : environ);
	posix_spawnattr_destroy(&how);
	return code;
}

static int spawn(struct process *p, const struct process_config *c)
{
	AUTO(str_free) struct str path = { 0 };
	posix_spawn_file_actions_t files;
	int theirs[3] = { -1, -1, -1 };
	posix_spawn_file_actions_init(&files);
	int code = find_program(p->name, &path);
	if (code == 0)
		code = open_ends(p, c, theirs, &files);
	if (code == 0)
		code = loop_uv_children_open(p->loop);
	if (code == 0)
		code = run(p, c, str_text(&path), &files);
	if (code == 0)
		loop_uv_child_join(p->loop, &p->child);
	posix_spawn_file_actions_destroy(&files);
	for (int i = 0; i < 3; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	return code;
}

static struct err not_started(const char *name, int code)
{
	bool ran_out = code == UV_EAGAIN || code == UV_ENOMEM || code == UV_EMFILE ||
		code == UV_ENFILE;
	const char *why = code == UV_ENOENT ? "there is no such program"
		: code == -ENOEXEC
		? "the machine cannot run it as a program; a script begins with #!, for example #!/bin/sh"
		: uv_strerror(code);
	return err_new(ran_out ? ERR_RETRY : ERR_INVALID, "%s cannot be started: %s", name, why);
}

static struct process *process_new(struct loop *l, const struct process_config *c,
	process_done *done, void *ctx)
{
	struct process *p = own_alloc(sizeof(*p));
	p->child.ended = exited;
	p->loop = l;
	p->name = own_strdup(c->argv[0]);
	p->max_output_bytes = c->max_output_bytes ? c->max_output_bytes : OUTPUT_BYTES;
	p->grace_ms = c->grace_ms ? c->grace_ms : GRACE_MS;
	p->done = done;
	p->heard = c->heard;
	p->ctx = ctx;
	for (size_t i = 0; i < LENGTH(p->ends); i++) {
		p->ends[i].process = p;
		p->ends[i].fd = -1;
	}
	if (c->input)
		str_add_bytes(&p->ends[STDIN_FILENO].bytes, c->input, c->input_bytes);
	return p;
}

struct err process_start(struct loop *uv_loop, const struct process_config *config,
	process_done *done, void *ctx, struct process **out)
{
	struct process *p = process_new(uv_loop, config, done, ctx);
	int code = spawn(p, config);
	if (code != 0) {
		struct err e = not_started(p->name, code);
		let_go(p);
		free_process(p);
		return e;
	}
	p->timer = timer_start(uv_loop, config->limit_ms ? config->limit_ms : LIMIT_MS, limit_over,
		p);
	*out = p;
	return OK;
}

void process_stop(struct process *p)
{
	end_it(p, err_new(ERR_CANCELLED, "%s was stopped", p->name));
}

void process_cancel(struct process *p)
{
	if (!p)
		return;
	let_go(p);
	p->done = NULL;
	if (p->exited)
		free_process(p);
	else
		kill(-p->child.pid, SIGKILL);
}
