/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the error of a failed tool by its messages, because the exit codes of Slurm's
 * tools have no meaning. The messages are those of slurm_strerror and of the tools (24.11
 * and 26.05; older versions have the same). slurm/refusal.h judges refusals of sbatch by
 * slurmctld.
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/refusal.h"
#include "slurm/tools/tools_parts.h"

enum { SENTENCE_BYTES = 300 };

/*
 * The first row that matches counts. ERR_LOST: the request may have been sent, but no
 * response was understood; a call that only reads gets ERR_RETRY instead. ERR_RETRY here:
 * slurmctld cannot have accepted the request.
 */
static const struct {
	const char *sentence;
	enum err_kind kind;
} meanings[] = {
	{ "Invalid job id specified", ERR_NOT_FOUND },
	{ "Access/permission denied", ERR_DENIED },
	{ "Invalid user id", ERR_DENIED },
	{ "Socket timed out on send/recv operation", ERR_LOST },
	{ "Zero Bytes were transmitted or received", ERR_LOST },
	{ "(send failure)", ERR_LOST },
	{ "(receive failure)", ERR_LOST },
	{ "(shutdown failure)", ERR_LOST },
	{ "Message send failure", ERR_LOST },
	{ "Message receive failure", ERR_LOST },
	{ "Communication shutdown failure", ERR_LOST },
	{ "Unexpected message received", ERR_LOST },
	{ "Unexpected missing socket error", ERR_LOST },
	{ "Insane message length", ERR_LOST },
	{ "Unspecified error", ERR_LOST },
	{ "Protocol authentication error", ERR_LOST }, /* perhaps of the response */
	{ "Connection reset by peer", ERR_LOST },
	{ "Connection timed out", ERR_LOST },
	{ "No route to host", ERR_LOST },
	{ "Broken pipe", ERR_LOST },
	{ "Resource temporarily unavailable", ERR_LOST },
	{ "Unable to contact slurm controller", ERR_RETRY }, /* "(connect failure)" */
	{ "Communication connection failure", ERR_RETRY },
	{ "Connection refused", ERR_RETRY },
	{ "Can't find an address", ERR_RETRY },
	{ "Unable to process configuration file", ERR_RETRY },
	/*
	 * During an upgrade of Slurm the versions of tools, libraries and slurmctld
	 * differ
	 */
	{ "error while loading shared libraries", ERR_RETRY },
	{ "failed to initialize", ERR_RETRY },
	{ "Incompatible versions of client and server code", ERR_RETRY },
	{ "configuration source", ERR_RETRY },
	{ "standby mode", ERR_RETRY },
	{ "Rate limit exceeded", ERR_RETRY },
	{ "temporarily unable to accept job", ERR_RETRY },
};

static const char *without_prefix(const char *line, const char *prefix)
{
	return str_has_prefix(line, prefix) ? line + strlen(prefix) : line;
}

/*
 * Removes "sbatch: error: " from a line, and appends the line: a sentence may have
 * several lines.
 */
static void add_line(struct str *all, const char *line, const char *name)
{
	static const char *const prefixes[] = { ": ", "error: ", "fatal: " };
	const char *said = without_prefix(line, name);
	for (size_t i = 0; i < LENGTH(prefixes); i++)
		said = without_prefix(said, prefixes[i]);
	said += strspn(said, " \t\r");
	if (!*said)
		return;
	bool begins = *said >= 'A' && *said <= 'Z';
	str_addf(all, "%s%s", !all->len ? "" : begins ? "; " : " ", said);
}

/*
 * Keeps the end of a sentence that is too long. A plug-in of the site may print before
 * it. The words of slurmctld are never cut, because a virtual node judges a refusal by
 * them.
 */
static const char *end_of(const struct str *all)
{
	const char *text = str_text(all), *refusal = slurm_refusal_in(text);
	if (all->len <= SENTENCE_BYTES || !refusal)
		return text;
	const char *end = text + all->len - SENTENCE_BYTES;
	return end < refusal ? end : refusal;
}

/* The error output of the program as one line. */
static void add_sentence(struct str *out, const char *errors, const char *name)
{
	AUTO(str_free) struct str all = { 0 };
	for (const char *end; *errors; errors = *end ? end + 1 : end) {
		end = strchrnul(errors, '\n');
		AUTO(own_free) char *line = own_strndup(errors, (size_t)(end - errors));
		add_line(&all, line, name);
	}
	const char *end = end_of(&all);
	str_add(out, end > str_text(&all) ? "..." : "");
	str_add_foreign(out, end, SENTENCE_BYTES);
}

static enum err_kind kind_of(const char *errors, enum err_kind otherwise)
{
	for (size_t i = 0; i < LENGTH(meanings); i++)
		if (strstr(errors, meanings[i].sentence))
			return meanings[i].kind;
	return otherwise;
}

/*
 * An error of sbatch itself concerns the script, and is final. An unknown error of
 * slurmctld may be one of the connection: the job may have been created.
 */
static enum err_kind kind_of_submission(const char *errors)
{
	static const enum err_kind kinds[] = {
		[REFUSAL_FOR_NOW] = ERR_RETRY,
		[REFUSAL_BY_PARTITION] = ERR_INVALID,
		[REFUSAL_BY_NODES] = ERR_INVALID,
		[REFUSAL_FOR_GOOD] = ERR_INVALID,
		[REFUSAL_DENIED] = ERR_DENIED,
	};
	enum slurm_refusal what = slurm_refusal_of(errors);
	if (what == REFUSAL_NONE || what == REFUSAL_UNKNOWN)
		return kind_of(errors, what == REFUSAL_NONE ? ERR_INVALID : ERR_LOST);
	return kinds[what];
}

struct err tools_why(const struct slurm_tools_call *call, struct err err,
	const struct process_end *end)
{
	const struct question *q = call->question;
	const char *name = tool_names[q->tool];
	enum err_kind lost = q->writes ? ERR_LOST : ERR_RETRY;
	if (failed(err)) {
		if (q->writes)
			err.kind = ERR_LOST;
		return err;
	}
	if (end->signal)
		return err_new(lost, "%s was ended by signal %d", name, end->signal);
	if (end->code == 0)
		return OK;
	AUTO(str_free) struct str said = { 0 };
	add_sentence(&said, end->errors, name);
	if (!said.len && !q->writes) /* "Partition x not found" */
		add_sentence(&said, end->output, name);
	if (!said.len)
		return err_new(lost, "%s ended with code %d, without a message", name, end->code);
	enum err_kind kind = q->tool == TOOL_SBATCH ? kind_of_submission(end->errors)
						    : kind_of(end->errors, ERR_RETRY);
	return err_new(kind == ERR_LOST ? lost : kind, "%s: %s", name, str_text(&said));
}

bool tools_no_accounts(const struct process_end *end)
{
	return end->code != 0 && strstr(end->errors, "accounting storage is disabled");
}

bool tools_no_field(const struct process_end *end)
{
	return end->code != 0 &&
		(strstr(end->errors, "Invalid field requested") ||
			strstr(end->errors, "unrecognized option"));
}
