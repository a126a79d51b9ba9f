/* SPDX-License-Identifier: Apache-2.0 */
/* The options of sbatch. */
#include "slurm/sbatch/sbatch_parts.h"

#include <string.h>

#include "base/own.h"

#define ALONE(name, letter) { name, letter, HAS_NO_VALUE, ASKS_NOTHING }
#define VALUE(name, letter) { name, letter, HAS_VALUE, ASKS_NOTHING }
#define MAYBE(name, letter) { name, letter, MAY_HAVE_VALUE, ASKS_NOTHING }
#define ASKS(name, letter, what) { name, letter, HAS_VALUE, what }

/*
 * The options that sbatch passes to getopt_long, of 24.11.5 and 26.05.5 together.
 * "get-user-env" lost its value and "requeue" got one in between. An optional value is in
 * the same word, so both versions still agree on which words are options.
 */
static const struct sbatch_option options[] = {
	VALUE("account", 'A'),
	VALUE("acctg-freq", 0),
	ASKS("array", 'a', ASKS_ARRAY),
	VALUE("autocomplete", 0),
	VALUE("batch", 0),
	VALUE("bb", 0),
	VALUE("bbf", 0),
	VALUE("begin", 'b'),
	VALUE("chdir", 'D'),
	VALUE("cluster", 0),
	VALUE("cluster-constraint", 0),
	VALUE("clusters", 'M'),
	VALUE("comment", 0),
	ALONE("consolidate-segments", 0),
	VALUE("constraint", 'C'),
	VALUE("container", 0),
	VALUE("container-id", 0),
	VALUE("container-type", 0),
	VALUE("context", 0),
	ALONE("contiguous", 0),
	VALUE("core-spec", 'S'),
	VALUE("cores-per-socket", 0),
	VALUE("cpu-freq", 0),
	VALUE("cpus-per-gpu", 0),
	ASKS("cpus-per-task", 'c', ASKS_CPUS),
	VALUE("deadline", 0),
	VALUE("delay-boot", 0),
	VALUE("dependency", 'd'),
	VALUE("distribution", 'm'),
	VALUE("error", 'e'),
	VALUE("exclude", 'x'),
	MAYBE("exclusive", 0),
	VALUE("export", 0),
	VALUE("export-file", 0),
	ALONE("external", 0),
	VALUE("extra", 0),
	VALUE("extra-node-info", 'B'),
	MAYBE("get-user-env", 0),
	VALUE("gid", 0),
	VALUE("gpu-bind", 0),
	VALUE("gpu-freq", 0),
	VALUE("gpus", 'G'),
	VALUE("gpus-per-node", 0),
	VALUE("gpus-per-socket", 0),
	VALUE("gpus-per-task", 0),
	VALUE("gres", 0),
	VALUE("gres-flags", 0),
	ALONE("help", 'h'),
	VALUE("hint", 0),
	ALONE("hold", 'H'),
	ALONE("ignore-pbs", 0),
	VALUE("input", 'i'),
	VALUE("job-name", 'J'),
	VALUE("kill-on-invalid-dep", 0),
	VALUE("licenses", 'L'),
	VALUE("mail-type", 0),
	VALUE("mail-user", 0),
	VALUE("mcs-label", 0),
	ASKS("mem", 0, ASKS_MEMORY),
	VALUE("mem-bind", 0),
	VALUE("mem-per-cpu", 0),
	VALUE("mem-per-gpu", 0),
	VALUE("mem-update", 0),
	VALUE("mincpus", 0),
	VALUE("network", 0),
	MAYBE("nice", 0),
	MAYBE("no-kill", 'k'),
	ALONE("no-requeue", 0),
	VALUE("nodefile", 'F'),
	VALUE("nodelist", 'w'),
	ASKS("nodes", 'N', ASKS_NODES),
	ASKS("ntasks", 'n', ASKS_TASKS),
	VALUE("ntasks-per-core", 0),
	VALUE("ntasks-per-gpu", 0),
	ASKS("ntasks-per-node", 0, ASKS_TASKS_PER_NODE),
	VALUE("ntasks-per-socket", 0),
	VALUE("ntasks-per-tres", 0),
	MAYBE("oom-kill-step", 0),
	VALUE("open-mode", 0),
	VALUE("output", 'o'),
	ALONE("overcommit", 'O'),
	ALONE("oversubscribe", 's'),
	ALONE("parsable", 0),
	ASKS("partition", 'p', ASKS_PARTITION),
	VALUE("prefer", 0),
	VALUE("priority", 0),
	VALUE("profile", 0),
	MAYBE("propagate", 0),
	VALUE("qos", 'q'),
	ALONE("quiet", 'Q'),
	ALONE("reboot", 0),
	MAYBE("requeue", 0),
	VALUE("reservation", 0),
	VALUE("resources", 0),
	MAYBE("resv-ports", 0),
	VALUE("segment", 0),
	VALUE("signal", 0),
	VALUE("sockets-per-node", 0),
	ALONE("spread-job", 0),
	ALONE("spread-segments", 0),
	ALONE("stepmgr", 0),
	VALUE("switches", 0),
	ASKS("tasks-per-node", 0, ASKS_TASKS_PER_NODE),
	ALONE("test-only", 0),
	VALUE("thread-spec", 0),
	VALUE("threads-per-core", 0),
	ASKS("time", 't', ASKS_TIME),
	VALUE("time-min", 0),
	VALUE("tmp", 0),
	VALUE("tres-bind", 0),
	VALUE("tres-per-task", 0),
	VALUE("uid", 0),
	ALONE("usage", 0),
	ALONE("use-min-nodes", 0),
	ALONE("verbose", 'v'),
	ALONE("version", 'V'),
	ALONE("wait", 'W'),
	VALUE("wait-all-nodes", 0),
	VALUE("wckey", 0),
	VALUE("wrap", 0),
};

const struct sbatch_option *sbatch_option_short(char letter)
{
	for (size_t i = 0; i < LENGTH(options); i++)
		if (letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

static bool is_beginning_of(const struct sbatch_option *option, const char *name, size_t n)
{
	/* The first comparison is for speed, with megabytes of options. */
	return option->name[0] == name[0] && strncmp(option->name, name, n) == 0;
}

static struct err ambiguous(const char *name, size_t n)
{
	AUTO(str_free) struct str all = { 0 };
	for (size_t i = 0; i < LENGTH(options); i++)
		if (is_beginning_of(&options[i], name, n))
			str_addf(&all, "%s--%s", all.len ? ", " : "", options[i].name);
	return err_new(ERR_INVALID,
		"--%.*s is ambiguous, because it may mean %s: write the whole name", (int)n, name,
		str_text(&all));
}

struct err sbatch_option_long(const char *name, size_t n, const struct sbatch_option **out)
{
	size_t fitting = 0;
	*out = NULL;
	for (size_t i = 0; i < LENGTH(options); i++) {
		if (!is_beginning_of(&options[i], name, n))
			continue;
		*out = &options[i];
		if (options[i].name[n] == '\0')
			return OK;
		fitting++;
	}
	return fitting > 1 ? ambiguous(name, n) : OK;
}
