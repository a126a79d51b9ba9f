/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that clients of other languages talk to: prints the path of its socket,
 * serves until SIGTERM, and fails when a call that began was not told gone. With a folder
 * that has box.crt, box.key and ca.crt it serves clients by TLS, too, and prints the
 * address.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/str.h"
#include "lib/grpc_world.h"
#include "net/listen.h"

static void stop(void *loop, int signal)
{
	(void)signal;
	loop_uv_stop(loop);
}

static struct tls_keys *keys_of(struct loop *l, const char *folder)
{
	struct str paths[3] = { 0 };
	static const char *const names[] = { "box.crt", "box.key", "ca.crt" };
	struct tls_keys *keys;
	for (int i = 0; i < 3; i++)
		str_addf(&paths[i], "%s/%s", folder, names[i]);
	const struct tls_files files = { str_text(&paths[0]), str_text(&paths[1]),
		str_text(&paths[2]), 0 };
	if (failed(tls_keys_new(l, &files, &keys)))
		abort();
	for (int i = 0; i < 3; i++)
		str_free(&paths[i]);
	return keys;
}

/* The port. */
static int listens(int *fd)
{
	struct sockaddr_in at;
	socklen_t n = sizeof(at);
	if (failed(listen_tcp("127.0.0.1:0", fd)) ||
		getsockname(*fd, (struct sockaddr *)&at, &n) != 0)
		abort();
	return ntohs(at.sin_port);
}

int main(int argc, char **argv)
{
	static const char *const clients[] = { "go" };
	static const struct tls_role role = { "h2", NULL, clients, 1 };
	static struct grpc_world w;
	struct grpc_tcp tcp = { .role = &role };
	int port = 0;
	grpc_world_new(&w);
	if (argc > 1) {
		tcp.keys = keys_of(w.loop, argv[1]);
		port = listens(&tcp.listen_fd);
		w.config.tcp = &tcp;
	}
	grpc_world_start(&w);
	loop_uv_on_signal(w.loop, stop, w.loop);
	puts(w.path);
	if (port)
		printf("localhost:%d\n", port);
	fflush(stdout);
	loop_uv_run(w.loop);
	grpc_server_free(w.server);
	w.server = NULL;
	tls_keys_free(tcp.keys);
	grpc_world_free(&w);
	return 0;
}
