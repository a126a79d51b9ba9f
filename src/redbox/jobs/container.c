/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the script from tables: a row for each number, text and flag of the message. */
#include "redbox/jobs/container.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"

/* Runs one task for the whole job; Slurm chooses its node. */
#define ONCE "srun --nodes=1 --ntasks=1 "

#define OF(member) offsetof(struct wlm_container, member)

static const struct {
	const char *field, *directive;
	size_t member;
} numbers[CONTAINER_NUMBERS] = {
	[CONTAINER_TIME] = { "wallTime", "--time=0:", OF(wall_time_s) },
	[CONTAINER_MEMORY] = { "memPerNode", "--mem=", OF(mem_per_node_mb) },
	[CONTAINER_NODES] = { "nodes", "--nodes=", OF(nodes) },
	[CONTAINER_CPUS] = { "cpuPerNode", "--cpus-per-task=", OF(cpu_per_node) },
};

static const struct {
	const char *field, *option;
	size_t member;
} texts[] = {
	{ "app", "--app=", OF(app) },
	{ "hostName", "--hostname=", OF(hostname) },
};

static const struct {
	const char *option;
	size_t member;
} flags[] = {
	/* wlm-operator writes -c, which means --contain instead */
	{ "--cleanenv", OF(clean_env) },
	{ "-f", OF(fake_root) },
	{ "-i", OF(ipc) },
	{ "-p", OF(pid) },
	{ "--no-privs", OF(no_privs) },
	{ "-w", OF(writable) },
};

static int64_t number_of(const struct wlm_container *c, size_t row)
{
	return *(const int64_t *)((const char *)c + numbers[row].member);
}

static const char *text_of(const struct wlm_container *c, size_t row)
{
	return *(char *const *)((const char *)c + texts[row].member);
}

/* ---- checks of the request ---- */

static struct err check_binds(const struct wlm_container *c)
{
	struct err e = OK;
	if (c->n_binds > CONTAINER_BINDS)
		return err_new(ERR_INVALID, "there are more than %d binds", CONTAINER_BINDS);
	for (size_t i = 0; !failed(e) && i < c->n_binds; i++)
		e = container_check_bind("a bind", c->binds[i]);
	return e;
}

static struct err check(const struct wlm_container *c)
{
	struct err e = container_check_image("imageName", c->image);
	for (size_t i = 0; !failed(e) && i < LENGTH(texts); i++)
		e = container_check_text(texts[i].field, text_of(c, i));
	if (!failed(e))
		e = check_binds(c);
	for (size_t i = 0; !failed(e) && i < LENGTH(numbers); i++)
		e = container_check_number((enum container_number)i, numbers[i].field,
			number_of(c, i));
	return e;
}

bool container_takes_command(const char *command)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._+/";
	bool named = *command && *command != '-' && strlen(command) <= CONTAINER_TEXT_BYTES;
	return named && command[strspn(command, plain)] == '\0' &&
		(*command == '/' || !strchr(command, '/'));
}

/* ---- the script ---- */

/* Inside single quotes a shell interprets only the single quote. */
static void add_quoted(struct str *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			str_add(out, "'\\''");
		else
			str_add_bytes(out, text, 1);
}

static void add_word(struct str *out, const char *option, const char *text)
{
	str_add(out, option);
	str_add(out, "'");
	add_quoted(out, text);
	str_add(out, "'");
}

static void add_directives(struct str *out, const struct wlm_container *c)
{
	str_add(out, "#!/bin/sh\n");
	for (size_t i = 0; i < LENGTH(numbers); i++)
		if (number_of(c, i) > 0)
			str_addf(out, "#SBATCH %s%" PRId64 "\n", numbers[i].directive,
				number_of(c, i));
}

static void add_verify(struct str *out, const char *command, const char *image)
{
	str_addf(out, ONCE "%s verify ", command);
	add_word(out, "", image);
	str_add(out, " || exit\n");
}

/*
 * A signal ends a shell without its EXIT trap, so the script turns it into an exit. After
 * a requeue because its node died, the job finds the file of its first run, hence
 * --force. A site may set the variables, which would send the image to another folder.
 */
static void add_pull(struct str *out, const struct wlm_container *c, const char *command,
	const char *file)
{
	str_addf(out, "trap 'rm -f ./%s' EXIT\n", file);
	str_add(out, "trap 'exit 143' HUP INT TERM\n");
	str_add(out,
		"unset SINGULARITY_PULLDIR SINGULARITY_PULLFOLDER APPTAINER_PULLDIR APPTAINER_PULLFOLDER\n");
	str_addf(out, ONCE "%s pull --force%s --name %s ", command, c->allow_unsigned ? " -U" : "",
		file);
	add_word(out, "", c->image);
	str_add(out, " || exit\n");
}

/* Passes the CPUs of a task to srun, which does not take them from the job. */
static void add_run(struct str *out, const struct wlm_container *c, const char *command,
	const char *image)
{
	str_add(out, "srun ");
	if (c->cpu_per_node > 0)
		str_addf(out, "--cpus-per-task=%" PRId64 " ", c->cpu_per_node);
	str_addf(out, "%s run ", command);
	for (size_t i = 0; i < LENGTH(texts); i++)
		if (*text_of(c, i)) {
			add_word(out, texts[i].option, text_of(c, i));
			str_add(out, " ");
		}
	for (size_t i = 0; i < c->n_binds; i++) {
		str_add(out, i ? "," : "--bind='");
		add_quoted(out, c->binds[i]);
	}
	str_add(out, c->n_binds ? "' " : "");
	for (size_t i = 0; i < LENGTH(flags); i++)
		if (*((const char *)c + flags[i].member))
			str_addf(out, "%s ", flags[i].option);
	add_word(out, "", image);
	str_add(out, " || exit\n");
}

struct err container_script(const struct wlm_container *c, const char *command, const char *file,
	struct str *out)
{
	struct err e = check(c);
	if (failed(e))
		return e;
	bool local = str_has_prefix(c->image, CONTAINER_LOCAL);
	const char *image = local ? c->image + strlen(CONTAINER_LOCAL) : file;
	add_directives(out, c);
	if (!local)
		add_pull(out, c, command, file);
	else if (!c->allow_unsigned)
		add_verify(out, command, image);
	add_run(out, c, command, image);
	return OK;
}
