/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self. Names and meanings are those of the Prometheus clients. */
#include "cmd/process_metrics.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/metric.h"
#include "base/own.h"

#define GAUGE(variable, name, help) METRIC(variable, name, METRIC_GAUGE, help, "", METRIC_OF_EACH)

GAUGE(resident, "process_resident_memory_bytes", "Resident memory size in bytes.");
GAUGE(virtual_bytes, "process_virtual_memory_bytes", "Virtual memory size in bytes.");
GAUGE(open_fds, "process_open_fds", "Number of open file descriptors.");
GAUGE(max_fds, "process_max_fds", "Maximum number of open file descriptors.");
GAUGE(start_time, "process_start_time_seconds",
	"Start time of the process since unix epoch in seconds.");
METRIC(cpu_seconds, "process_cpu_seconds_total", METRIC_COUNTER,
	"Total user and system CPU time spent in seconds.", "", METRIC_OF_EACH);
METRIC(build_info, "slurm_operator_build_info", METRIC_GAUGE, "1. The labels identify the build.",
	"version,compiler,arch", METRIC_OF_EACH);

static void memory(double *virtual_size, double *resident_size)
{
	long total = 0, kept = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	*virtual_size = *resident_size = 0;
	if (!f)
		return;
	if (fscanf(f, "%ld %ld", &total, &kept) == 2) {
		*virtual_size = (double)total * (double)sysconf(_SC_PAGESIZE);
		*resident_size = (double)kept * (double)sysconf(_SC_PAGESIZE);
	}
	fclose(f);
}

/* Does not count ".", ".." and the descriptor that reads the folder. */
static double count_fds(void)
{
	enum { NOT_OURS = 3 };
	double n = -NOT_OURS;
	DIR *d = opendir("/proc/self/fd");
	if (!d)
		return 0;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

struct process_facts process_facts(void)
{
	struct process_facts f = { .open_fds = count_fds() };
	struct rlimit files;
	memory(&f.virtual_bytes, &f.resident_bytes);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		f.max_fds = (double)files.rlim_cur;
	return f;
}

/* The start in ticks since boot, field 22. Field 2 is in brackets and may have spaces. */
static double start_ticks(void)
{
	enum { FIELD = 20 }; /* fields after field 2 */
	char text[1024] = "", *at;
	unsigned long long ticks = 0;
	FILE *f = fopen("/proc/self/stat", "re");
	if (!f)
		return 0;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	at = strrchr(text, ')');
	for (int i = 0; at && i < FIELD; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", &ticks) == 1 ? (double)ticks : 0;
}

static double since_epoch(void)
{
	struct timespec wall, boot;
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (double)(wall.tv_sec - boot.tv_sec) + (double)(wall.tv_nsec - boot.tv_nsec) / 1e9 +
		start_ticks() / (double)sysconf(_SC_CLK_TCK);
}

static double cpu(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

void process_measure(void)
{
	const struct process_facts f = process_facts();
	struct utsname machine = { 0 };
	uname(&machine);
	metric_set(&resident, f.resident_bytes);
	metric_set(&virtual_bytes, f.virtual_bytes);
	metric_set(&open_fds, f.open_fds);
	metric_set(&max_fds, f.max_fds);
	metric_set(&start_time, since_epoch());
	metric_clear(&cpu_seconds);
	metric_add(&cpu_seconds, cpu());
	metric_set(&build_info, 1, OPERATOR_VERSION, __VERSION__, machine.machine);
}
