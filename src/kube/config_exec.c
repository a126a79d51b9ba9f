/* SPDX-License-Identifier: Apache-2.0 */
/* Credential plug-ins: a program of the user that prints an ExecCredential. */
#include "kube/config_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/time.h"

extern char **environ;

struct plugin {
	pid_t pid; /* also its process group */
	int fd;    /* its standard output */
	struct str output;
	const char *command; /* the configuration's */
};

static int64_t clock_ms(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- starting ---- */

static size_t count(char **list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

static bool names(const char *pair, const char *other)
{
	size_t n = strcspn(pair, "=");
	return strncmp(pair, other, n) == 0 && other[n] == '=';
}

/*
 * Our environment, overridden by the plug-in's own, and what it is told about us. Only
 * the array is the caller's to free.
 */
static char **environment(const struct kube_config *c, char *info)
{
	char **all = own_alloc((count(environ) + count(c->exec_env) + 2) * sizeof(char *));
	size_t n = 0;
	for (char **p = environ; *p; p++) {
		bool replaced = names(info, *p);

		for (char **own = c->exec_env; own && *own && !replaced; own++)
			replaced = names(*own, *p);
		if (!replaced)
			all[n++] = *p;
	}
	for (char **own = c->exec_env; own && *own; own++)
		all[n++] = *own;
	all[n] = info;
	return all;
}

static void set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, int output)
{
	sigset_t defaults;

	posix_spawn_file_actions_init(files);
	posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(files, output, STDOUT_FILENO);
	posix_spawnattr_init(attributes);
	sigfillset(&defaults);
	sigdelset(&defaults, SIGKILL);
	sigdelset(&defaults, SIGSTOP);
	posix_spawnattr_setsigdefault(attributes, &defaults);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn(struct plugin *p, const struct kube_config *c, int output)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	AUTO(str_free) struct str info = { 0 };
	int code;

	str_addf(&info,
		"KUBERNETES_EXEC_INFO={\"apiVersion\":\"%s\",\"kind\":\"ExecCredential\",\"spec\":{"
		"\"interactive\":false}}",
		c->exec_api_version);
	char **env = environment(c, info.text);
	set_up(&files, &attributes, output);
	code = posix_spawnp(&p->pid, c->exec[0], &files, &attributes, c->exec, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	free(env);
	return code;
}

static int make_pipe(int ends[2])
{
	if (pipe(ends) != 0)
		return errno;
	for (int i = 0; i < 2; i++)
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return 0;
}

struct err plugin_start(const struct kube_config *c, struct plugin **out)
{
	int ends[2];
	int code = make_pipe(ends);
	if (code)
		return err_new(ERR_INTERNAL, "no pipe for the credential plug-in: %s",
			strerror(code));
	struct plugin *p = own_alloc(sizeof(*p));
	p->command = c->exec[0];
	p->fd = ends[0];
	code = spawn(p, c, ends[1]);
	close(ends[1]);
	if (code) {
		p->pid = 0;
		plugin_free(p);
		return err_new(ERR_INVALID, "the credential plug-in %s cannot be started: %s",
			c->exec[0], strerror(code));
	}
	*out = p;
	return OK;
}

/* ---- its answer ---- */

static bool same_kind(const struct kube_config *c, const struct json *v)
{
	return str_eq(json_str(json_get(v, "kind"), ""), "ExecCredential") &&
		str_eq(json_str(json_get(v, "apiVersion"), ""), c->exec_api_version);
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = own_strdup(with);
}

struct err plugin_parse(struct kube_config *c, const char *text, size_t n, char **token,
	int64_t *expires_in_ms)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct err e = json_parse(text, n, CONFIG_TOKEN_BYTES, &doc);
	const char *name = c->exec ? c->exec[0] : "";
	int64_t until;
	if (failed(e)) /* not the parser's words: they may show a piece of a secret */
		return err_new(ERR_INVALID,
			"the credential plug-in %s printed something that is no JSON", name);
	const struct json *status = json_get(json_root(doc), "status");
	const char *given = json_str(json_get(status, "token"), NULL);
	const char *cert = json_str(json_get(status, "clientCertificateData"), NULL),
		   *key = json_str(json_get(status, "clientKeyData"), NULL);
	if (!same_kind(c, json_root(doc)))
		return err_new(ERR_INVALID,
			"the credential plug-in %s printed no ExecCredential of %s", name,
			c->exec_api_version);
	if (str_empty(given) && (str_empty(cert) || str_empty(key)))
		return err_new(ERR_INVALID,
			"the credential plug-in %s gave neither a token nor a certificate with its "
			"key",
			name);
	if (given && strpbrk(given, " \t\r\n"))
		return err_new(ERR_INVALID,
			"the credential plug-in %s gave a token that is not one word", name);
	if (!str_empty(cert) && !str_empty(key)) {
		replace(&c->cert_pem, cert);
		replace(&c->key_pem, key);
	}
	*token = str_empty(given) ? NULL : own_strdup(given);
	*expires_in_ms = -1;
	if (time_parse(json_str(json_get(status, "expirationTimestamp"), ""), &until)) {
		*expires_in_ms = until - clock_ms(CLOCK_REALTIME);
		*expires_in_ms = *expires_in_ms < 0 ? 0 : *expires_in_ms;
	}
	return OK;
}

/* Its output is whole: it has closed it. What remains is how it ended. */
static struct err finish(struct plugin *p, struct kube_config *c, char **token,
	int64_t *expires_in_ms)
{
	int status = 0;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return plugin_parse(c, str_text(&p->output), p->output.len, token, expires_in_ms);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_new(ERR_INVALID,
			"the credential plug-in %s cannot be started: there is no such program",
			p->command);
	if (WIFEXITED(status))
		return err_new(ERR_DENIED, "the credential plug-in %s ended with code %d",
			p->command, WEXITSTATUS(status));
	return err_new(ERR_DENIED, "the credential plug-in %s was ended by signal %d", p->command,
		WTERMSIG(status));
}

/* Reads what is there. True at the end of its output. */
static bool read_output(struct plugin *p)
{
	char piece[4096];
	ssize_t n;
	while ((n = read(p->fd, piece, sizeof(piece))) > 0) {
		if (p->output.len > CONFIG_TOKEN_BYTES)
			return true;
		str_add_bytes(&p->output, piece, (size_t)n);
	}
	return n == 0 || (errno != EAGAIN && errno != EINTR);
}

struct err plugin_step(struct plugin *p, int wait_ms, bool *ended, struct kube_config *c,
	char **token, int64_t *expires_in_ms)
{
	int64_t until = clock_ms(CLOCK_MONOTONIC) + wait_ms;
	int64_t left = wait_ms;
	do {
		struct pollfd in = { .fd = p->fd, .events = POLLIN };

		poll(&in, 1, (int)left);
		*ended = read_output(p);
		left = until - clock_ms(CLOCK_MONOTONIC);
	} while (!*ended && left > 0);
	if (!*ended)
		return OK;
	if (p->output.len > CONFIG_TOKEN_BYTES)
		return err_new(ERR_TOO_LARGE,
			"the credential plug-in %s printed more than %d bytes", p->command,
			CONFIG_TOKEN_BYTES);
	return finish(p, c, token, expires_in_ms);
}

void plugin_free(struct plugin *p)
{
	if (!p)
		return;
	close(p->fd);
	if (p->pid > 0) {
		kill(-p->pid, SIGKILL);
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (p->output.text) /* it may hold a token */
		explicit_bzero(p->output.text, p->output.len);
	str_free(&p->output);
	free(p);
}
