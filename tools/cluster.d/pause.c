/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the namespaces of a pod. As process 1 of a pod with a shared pid namespace it
 * also gathers orphans.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int sig)
{
	(void)sig;
	_exit(0);
}

static void reap(int sig)
{
	(void)sig;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

int main(void)
{
	signal(SIGINT, leave);
	signal(SIGTERM, leave);
	signal(SIGCHLD, reap);
	for (;;)
		pause();
}
