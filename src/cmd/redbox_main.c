/* SPDX-License-Identifier: Apache-2.0 */
/*
 * red-box: a process on a login node, for clients on a unix socket, and by TLS on TCP. It
 * does not change its limits (ulimit), because sbatch passes them on to jobs.
 */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "cmd/endpoints.h"
#include "cmd/redbox_check.h"
#include "cmd/redbox_options.h"
#include "cmd/redbox_settings.h"
#include "cmd/self.h"
#include "redbox/listen.h"
#include "redbox/rest/rest.h"
#include "redbox/service.h"
#include "net/listen.h"

enum {
	END_MS = 30000, /* after SIGTERM; a job of a slower sbatch is found later by its key */
	LOOK_MS = 50,
};

struct red_box {
	struct loop *loop;
	struct redbox_settings settings;
	struct slurm_tools *tools;
	struct folders *folders;
	struct journal *journal;
	struct submitter *submitter;
	struct service *service;
	struct grpc_server *server;
	struct rest *rest;          /* NULL: no REST interface */
	struct endpoints endpoints; /* of metrics, if configured */
	struct str names[3];        /* of the user that it runs as */
	const char *audience[4];
	const char *socket;    /* to remove at the end; NULL: systemd made it */
	struct tls_keys *keys; /* NULL: no TCP */
	struct tls_role role;
	struct timer *end_timer;
	int64_t ending_since_ms;
};

static void fault(struct red_box *b, struct err e) { redbox_settings_fault(&b->settings, e); }

/* ---- start ---- */

/* Enters the first folder: sbatch starts jobs there, and relative paths begin there. */
static void open_folders(struct red_box *b)
{
	const struct redbox_texts given = redbox_settings_folders(&b->settings);
	struct err e = given.n ? folders_new(given.rows, given.n, &b->folders)
			       : err_new(ERR_INVALID, "the account has no home: name its folders");
	if (!failed(e) && chdir(folders_first(b->folders)) != 0)
		e = err_new(ERR_INVALID, "entering %s: %s", folders_first(b->folders),
			strerror(errno));
	fault(b, e);
}

/* Finds our names. A uid may have several names, so $USER counts too. */
static void find_self(struct red_box *b)
{
	const struct passwd *self = getpwuid(geteuid());
	const char *called = getenv("USER");
	if (self)
		str_add(&b->names[0], self->pw_name);
	self = called ? getpwnam(called) : NULL;
	if (self && self->pw_uid == geteuid())
		str_add(&b->names[1], called);
	str_addf(&b->names[2], "%ju", (uintmax_t)geteuid());
	for (size_t i = 0, n = 0; i < LENGTH(b->names); i++)
		if (b->names[i].len)
			b->audience[n++] = str_text(&b->names[i]);
}

/* Only warns: TLS works, but a process that can read the key can pose as red-box. */
static void look_at_key(const char *path)
{
	struct stat st;
	if (stat(path, &st) == 0 && st.st_mode & S_IROTH)
		log_warn("everybody on this machine may read the key of red-box", "file", path,
			"remedy", "make it the account's, with mode 0400");
}

static struct err open_keys(struct red_box *b)
{
	const struct redbox_tcp *t = &b->settings.config.tcp;
	const struct tls_files files = { t->cert_file, t->key_file, t->client_ca_file, 0 };
	b->role = (struct tls_role){
		.protocol = "h2",
		.clients = t->clients.rows,
		.n_clients = t->clients.n,
	};
	if (!t->address)
		return OK;
	look_at_key(t->key_file);
	return tls_keys_new(b->loop, &files, &b->keys);
}

/* Collects all faults, so that they are reported together. */
static void prepare(struct red_box *b, const struct redbox_options *o)
{
	redbox_settings_read(&b->settings, o);
	if (b->settings.warnings.len)
		log_warn("warnings in the configuration", "what", str_text(&b->settings.warnings));
	if (b->settings.faults.len)
		return;
	redbox_settings_find_names(&b->settings);
	find_self(b);
	open_folders(b);
	const struct slurm_tools_config tools = {
		.folder = b->settings.config.slurm_folder,
	};
	fault(b, slurm_tools_new(b->loop, &tools, &b->tools));
	fault(b, open_keys(b));
	fault(b, journal_open(b->loop, b->settings.state_folder, &b->journal));
}

static struct err open_socket(struct red_box *b, const struct redbox_options *o, int *fd)
{
	struct err e = listen_inherited(fd);
	if (failed(e) || *fd >= 0)
		return e;
	e = listen_at(o->socket, b->settings.socket_group, fd);
	if (!failed(e))
		b->socket = o->socket;
	return e;
}

static void open_service(struct red_box *b)
{
	b->submitter = submitter_new(b->loop, b->tools, b->journal);
	b->service = service_new(&(struct service_config){
		.loop = b->loop,
		.config = &b->settings.config,
		.tools = b->tools,
		.folders = b->folders,
		.submitter = b->submitter,
		.users = b->settings.users,
		.n_users = b->settings.config.allow_users.n,
		.groups = b->settings.groups,
		.n_groups = b->settings.config.allow_groups.n,
	});
}

static struct err serve(struct red_box *b, const struct redbox_options *o)
{
	struct grpc_tcp tcp = { .listen_fd = -1, .keys = b->keys, .role = &b->role };
	int fd;
	struct err e = open_socket(b, o, &fd);
	if (failed(e))
		return e;
	open_service(b);
	struct grpc_config grpc = {
		.listen_fd = fd,
		.tcp = b->keys ? &tcp : NULL,
		.methods = service_methods,
		.admits = service_admits,
		.over = service_over,
		.ctx = b->service,
		.audience = b->audience,
	};
	if (b->keys)
		e = err_wrap(listen_tcp(b->settings.config.tcp.address, &tcp.listen_fd),
			"tcp_address");
	if (!failed(e))
		e = grpc_server_start(b->loop, &grpc, &b->server);
	if (!failed(e))
		return OK;
	close(fd);
	if (tcp.listen_fd >= 0)
		close(tcp.listen_fd);
	return e;
}

/* Always a socket of our own: systemd hands over that of gRPC alone. */
static struct err serve_rest(struct red_box *b, const struct redbox_options *o)
{
	const struct rest_config config = {
		.loop = b->loop,
		.service = b->service,
		.socket = o->rest_socket,
		.group = b->settings.socket_group,
	};
	return o->rest_socket ? err_wrap(rest_new(&config, &b->rest), "--rest-socket") : OK;
}

static void measure(void *ctx)
{
	const struct red_box *b = ctx;
	rest_measure(b->rest);
	service_measure(b->service, b->server, b->journal);
	slurm_tools_measure(b->tools);
}

/* Off by default: every user who logs in to this machine could read the metrics. */
static struct err serve_metrics(struct red_box *b, const struct redbox_options *o)
{
	const char *address = o->metrics_address ? o->metrics_address
						 : b->settings.config.metrics_address;
	const char *cert = o->metrics_cert_path ? o->metrics_cert_path
						: b->settings.config.metrics_cert_path;
	const struct endpoints_config config = {
		.loop = b->loop,
		.probe_address = "0",
		.metrics_address = address,
		.metrics_cert_path = cert,
		.measure = measure,
		.ctx = b,
	};
	return address ? err_wrap(endpoints_open(&b->endpoints, &config), "metrics_address") : OK;
}

/* ---- the end ---- */

static void look_at_end(void *ctx)
{
	struct red_box *b = ctx;
	bool busy = grpc_server_under_way(b->server) || rest_under_way(b->rest) ||
		submitter_under_way(b->submitter);
	b->end_timer = NULL;
	if (!busy || loop_now_ms(b->loop) - b->ending_since_ms >= END_MS)
		loop_uv_stop(b->loop);
	else
		b->end_timer = timer_start(b->loop, LOOK_MS, look_at_end, b);
}

static void on_signal(void *ctx, int signal)
{
	struct red_box *b = ctx;
	(void)signal;
	if (b->ending_since_ms)
		return;
	log_info("ending: calls that are under way are finished first");
	b->ending_since_ms = loop_now_ms(b->loop);
	grpc_server_finish(b->server);
	rest_finish(b->rest);
	service_finish(b->service);
	look_at_end(b);
}

static void let_go(struct red_box *b)
{
	timer_stop(b->loop, b->end_timer);
	if (b->socket)
		unlink(b->socket); /* the locked journal excludes another red-box there */
	if (b->endpoints.config.loop)
		endpoints_close(&b->endpoints);
	grpc_server_free(b->server);
	rest_free(b->rest);
	tls_keys_free(b->keys);
	service_free(b->service);
	submitter_free(b->submitter);
	slurm_tools_free(b->tools);
	journal_free(b->journal);
	folders_free(b->folders);
	for (size_t i = 0; i < LENGTH(b->names); i++)
		str_free(&b->names[i]);
	redbox_settings_free(&b->settings);
	loop_uv_free(b->loop);
	metric_free_all();
}

static int run(const struct redbox_options *o)
{
	struct red_box b = { .loop = loop_uv_new() };
	int status = EX_CONFIG;
	prepare(&b, o);
	if (!b.settings.faults.len) {
		struct err e = serve(&b, o);
		if (!failed(e))
			e = serve_rest(&b, o);
		if (!failed(e))
			e = serve_metrics(&b, o);
		fault(&b, e);
		if (e.kind == ERR_INTERNAL)
			status = EX_OSERR; /* the address may not exist yet: systemd tries again */
	}
	if (b.settings.faults.len) {
		fprintf(stderr, "red-box:\n%s", str_text(&b.settings.faults));
	} else {
		if (geteuid() == 0)
			log_warn("red-box runs as root: each client's jobs are root's");
		if (!beneath_works())
			log_warn("no call about a file will work: there is no openat2", "remedy",
				"Linux 5.6 or newer; a unit without RestrictSUIDSGID=yes");
		log_info("started", "socket", b.socket ? b.socket : "systemd's", "tcp",
			b.keys ? b.settings.config.tcp.address : "none", "rest",
			o->rest_socket ? o->rest_socket : "none", "folder",
			folders_first(b.folders));
		loop_uv_on_signal(b.loop, on_signal, &b);
		loop_uv_run(b.loop);
		log_info("ended");
		status = 0;
	}
	let_go(&b);
	return status;
}

int main(int argc, char **argv)
{
	struct str print AUTO(str_free) = { 0 };
	struct redbox_options options;
	self_hide();
	struct err e = redbox_options_read(argc, argv, &options, &print);
	if (failed(e)) {
		fprintf(stderr, "red-box: %s\n", e.text);
		return EX_USAGE;
	}
	fputs(str_text(&print), stdout);
	if (options.done)
		return fflush(stdout) ? 1 : 0;
	log_set_level(options.log_level);
	log_set_text(options.log_text);
	/* A file that exceeds ulimit -f fails the call, and does not end red-box. */
	signal(SIGXFSZ, SIG_IGN);
	return options.check ? redbox_check(&options) : run(&options);
}
