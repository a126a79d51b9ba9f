/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that clients of other languages talk to: prints the path of its socket,
 * serves until SIGTERM, and fails when a call that began was not told gone.
 */
#include <stdio.h>

#include "lib/grpc_world.h"

static void stop(void *loop, int signal)
{
	(void)signal;
	loop_uv_stop(loop);
}

int main(void)
{
	static struct grpc_world w;
	grpc_world_new(&w);
	grpc_world_start(&w);
	loop_uv_on_signal(w.loop, stop, w.loop);
	puts(w.path);
	fflush(stdout);
	loop_uv_run(w.loop);
	grpc_world_free(&w);
	return 0;
}
