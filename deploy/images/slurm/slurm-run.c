/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm-run [-ar] [-g SECONDS] [-i PID] [-n NAME] [-s PROGRAM] PROGRAM [ARG...] [-- PROGRAM [ARG...]]...
 *
* Process 1 of a container: starts the programs, reaps orphans, forwards signals, and
 * exits with the exit code of the program that ended first.
 *
 * A Slurm daemon that reconfigures starts its successor, reports the successor's process id in
 * the protocol of systemd (MAINPID=, NOTIFY_SOCKET), and ends. This does not count as an end.
 *
* -a          restarts a program that ended by itself while processes that it left behind are
 *             alive: slurmd then finds the steps of its jobs again
 * -g SECONDS  for the other programs to end, after one has ended or after TERM; 10 if unset
 * -i PID      a process that existed before, and does not count as left behind
 * -r          does not start the last program with the others. That program replaces slurm-run
 *             when another program has exited with 75 and all have ended: the daemon restarts in
 *             its container, without the pause of the kubelet for a container that has ended
 *             several times
 * -n NAME     name of the socket, /run/slurm/NAME.notify, and of the only program
 * -s PROGRAM  runs once on TERM or INT; the programs get TERM when it has ended. The next TERM
 *             ends the wait for it
 */
#define _GNU_SOURCE
#define PROGRAM "slurm-run"
#include "program.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAMS_MAX = 8, PAUSE_MAX_S = 15 };

struct program {
	char **argv;
	const char *name;
	pid_t pid;        /* 0 after its end */
	time_t start_at;  /* time of its restart; 0 if none */
	unsigned pause_s; /* pause before its next start */
};

static struct program programs[PROGRAMS_MAX];
static int programs_n;
static bool again;
static long not_counted; /* a process that existed before the programs */
static char **anew;      /* command that replaces slurm-run */
static bool told_to_stop;
static char *before_stop;
static pid_t before_stop_pid;
static bool stopping;   /* after TERM or INT, or after the final end of a program */
static time_t kill_at;  /* time at which remaining programs are killed; 0: never */
static int result = -1; /* exit code of the program that ended first */
static long going_s = 10;
static sigset_t handled;

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		sigprocmask(SIG_UNBLOCK, &handled, NULL);
		execvp(argv[0], argv);
		say("cannot run %s: %s", argv[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		say("cannot start %s: %s", argv[0], strerror(errno));
	return pid < 0 ? 0 : pid;
}

static void signal_programs(int sig)
{
	for (int i = 0; i < programs_n; i++)
		if (programs[i].pid > 0)
			kill(programs[i].pid, sig);
}

static bool any_program(void)
{
	for (int i = 0; i < programs_n; i++)
		if (programs[i].pid > 0)
			return true;
	return false;
}

/* Sends TERM to the running programs, and cancels restarts. */
static void stop_programs(void)
{
	stopping = true;
	for (int i = 0; i < programs_n; i++)
		programs[i].start_at = 0;
	signal_programs(SIGTERM);
}

static void take_signal(int sig)
{
	if (sig != SIGTERM && sig != SIGINT) {
		signal_programs(sig);
		return;
	}
	told_to_stop = true;
	if (!stopping && before_stop) {
		stopping = true;
		before_stop_pid = start((char *[]){ before_stop, NULL });
		if (before_stop_pid > 0)
			return;
	}
	stop_programs();
}

/* A program that ended by TERM during a stop has succeeded. */
static int code_of(int status)
{
	if (stopping && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Whether the programs left processes behind. An orphan becomes our child. */
static bool orphans(void)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	bool found = false;
	long pid;

	while (f && fscanf(f, "%ld", &pid) == 1)
		found = found || pid != not_counted;
	if (f)
		fclose(f);
	return found;
}

static void program_ended(struct program *p, int status)
{
	int code = code_of(status);

	p->pid = 0;
	if (again && !stopping && orphans()) {
		say("%s ended (%d); it is started again in %u s beside what it left running",
			p->name, code, p->pause_s);
		p->start_at = now() + p->pause_s;
		p->pause_s = p->pause_s * 2 < PAUSE_MAX_S ? p->pause_s * 2 : PAUSE_MAX_S;
		result = code;
		return;
	}
	if (!stopping)
		say("%s ended (%d)", p->name, code);
	if (result < 0 || programs_n == 1)
		result = code;
	if (!kill_at)
		kill_at = now() + going_s;
	if (!before_stop_pid && any_program())
		stop_programs();
}

static void reap(void)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == before_stop_pid) {
			before_stop_pid = 0;
			stop_programs();
		}
		for (int i = 0; i < programs_n; i++)
			if (pid == programs[i].pid)
				program_ended(&programs[i], status);
	}
}

/* Reads "READY=1\nMAINPID=7" from the process that was the program so far. */
static void take_notice(char *text, pid_t from)
{
	char *line = strstr(text, "MAINPID=");
	pid_t pid = line ? (pid_t)strtol(line + strlen("MAINPID="), NULL, 10) : 0;

	for (int i = 0; pid > 1 && i < programs_n; i++)
		if (programs[i].pid == from) {
			programs[i].pid = pid;
			/* a successor during the stop has not received TERM yet */
			if (stopping)
				kill(pid, SIGTERM);
		}
}

static void read_notice(int fd)
{
	char text[512], control[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(8 * sizeof(int))];
	struct iovec part = { text, sizeof(text) - 1 };
	struct msghdr m = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	pid_t from = 0;

	if (n < 0)
		return;
	text[n] = '\0';
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		int *fds = (int *)(void *)CMSG_DATA(c);

		if (c->cmsg_type == SCM_CREDENTIALS)
			from = ((struct ucred *)(void *)CMSG_DATA(c))->pid;
		/* BARRIER=1 sends a pipe: closing it confirms that all earlier messages were read */
		for (size_t i = 0; c->cmsg_type == SCM_RIGHTS &&
			CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len;
			i++)
			close(fds[i]);
	}
	take_notice(text, from);
}

/* Lets a daemon that is not root write to the socket, by the group of the directory. */
static void share_with_group(const char *path, const char *dir)
{
	struct stat of_dir;

	if (geteuid() == 0 && stat(dir, &of_dir) == 0 &&
		(chown(path, (uid_t)-1, of_dir.st_gid) < 0 || chmod(path, 0770) < 0))
		say("%s is for root alone: %s", path, strerror(errno));
}

static int open_socket(const char *name)
{
	static const char *const dirs[] = { "/run/slurm", "/run", "/tmp" };
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &(int){ 1 }, sizeof(int));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(a.sun_path, sizeof(a.sun_path), "%s/%s.notify", dirs[i], base);
		unlink(a.sun_path);
		if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0) {
			share_with_group(a.sun_path, dirs[i]);
			setenv("NOTIFY_SOCKET", a.sun_path, 1);
			return fd;
		}
	}
	say("no directory for its socket can be written: %s", strerror(errno));
	exit(1);
}

static const char *read_options(int argc, char **argv)
{
	const char *name = NULL;
	bool last_is_anew = false;
	int opt;

	while ((opt = getopt(argc, argv, "+arg:i:n:s:")) != -1) {
		if (opt == 'a')
			again = true;
		else if (opt == 'r')
			last_is_anew = true;
		else if (opt == 'g')
			going_s = atol(optarg);
		else if (opt == 'i')
			not_counted = atol(optarg);
		else if (opt == 'n')
			name = optarg;
		else if (opt == 's')
			before_stop = optarg;
		else
			exit(64);
	}
	for (bool first = true; optind < argc; optind++) {
		if (strcmp(argv[optind], "--") == 0) {
			argv[optind] = NULL;
			first = true;
		} else if (first && programs_n < PROGRAMS_MAX) {
			programs[programs_n++] = (struct program){ argv + optind, argv[optind],
				.pause_s = 1 };
			first = false;
		}
	}
	if (last_is_anew && programs_n > 0)
		anew = programs[--programs_n].argv;
	if (programs_n == 0) {
		say("which program?");
		exit(64);
	}
	if (name && programs_n == 1)
		programs[0].name = name;
	return name ? name : programs[0].name;
}

static int catch_signals(void)
{
	sigfillset(&handled);
	for (int sig = 1; sig < NSIG; sig++)
		if (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE ||
			sig == SIGABRT || sig == SIGTTIN || sig == SIGTTOU || sig == SIGTSTP)
			sigdelset(&handled, sig);
	sigprocmask(SIG_BLOCK, &handled, NULL);
	return signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void start_what_is_due(void)
{
	for (int i = 0; i < programs_n; i++) {
		struct program *p = &programs[i];

		if (p->start_at && !orphans())
			p->start_at = 0;
		if (p->start_at && p->start_at <= now()) {
			p->start_at = 0;
			p->pid = start(p->argv);
		}
	}
}

static bool over(void)
{
	for (int i = 0; i < programs_n; i++)
		if (programs[i].pid > 0 || programs[i].start_at)
			return kill_at && now() >= kill_at;
	return before_stop_pid == 0;
}

/* Whether TERM or INT arrived after the last read of signals. */
static bool stop_is_pending(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
		(sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

/*
* Returns if there is nothing to restart, or the restart fails. A daemon that was reconfiguring
 * may have left its successor, which must not run next to the new daemon: then the container ends.
 */
static void begin_anew(void)
{
	if (!anew || result != BEGIN_ANEW || told_to_stop || any_program() || orphans() ||
		stop_is_pending())
		return;
	sigprocmask(SIG_UNBLOCK, &handled, NULL);
	execvp(anew[0], anew);
	say("cannot run %s: %s", anew[0], strerror(errno));
}

int main(int argc, char **argv)
{
	const char *name = read_options(argc, argv);
	int signals = catch_signals(), notices = open_socket(name);
	struct pollfd fds[] = { { .fd = signals, .events = POLLIN },
		{ .fd = notices, .events = POLLIN } };
	struct signalfd_siginfo s;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < programs_n; i++)
		programs[i].pid = start(programs[i].argv);
	while (!over()) {
		poll(fds, 2, 1000);
		/* read the messages of a process before its end is handled */
		while (recv(notices, &(char){ 0 }, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
			read_notice(notices);
		while (read(signals, &s, sizeof(s)) == sizeof(s))
			if (s.ssi_signo != SIGCHLD)
				take_signal((int)s.ssi_signo);
		reap();
		start_what_is_due();
	}
	begin_anew();
	return result < 0 ? 1 : result;
}
