/* SPDX-License-Identifier: Apache-2.0 */
/* Reads spec.results, and finds its faults. */
#include "api/job_results.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "object/condition.h"

enum { USUAL_UID = 65532 };

/* Other types give access to Secrets, servers or folders, or make claims: SECURITY.md. */
static const char *const usual_volumes[] = { "persistentVolumeClaim", NULL };

const struct job_options job_options_usual = {
	.uid = USUAL_UID,
	.gid = USUAL_UID,
	.volumes = usual_volumes,
};

static const struct json *results_of(const struct job *j)
{
	return json_at(j->object, "spec", "results");
}

static const char *word_of(const struct job *j, const char *key, const char *usual)
{
	const struct json *v = json_get(results_of(j), key);
	return json_is_null(v) ? usual : json_str(v, "");
}

struct job_results job_results_of(const struct job *j)
{
	return (struct job_results){
		.asked = !json_is_null(results_of(j)),
		.mount = json_get(results_of(j), "mount"),
		.of_failed = str_eq(word_of(j, "when", ""), "Ended"),
		.flat = str_eq(word_of(j, "layout", ""), "Flat"),
	};
}

/* Every other reason is final, or waits for a human. */
bool job_results_awaited(const struct job *j)
{
	static const char *const goes_on[] = { "", "Collecting", "CollectionDelayed",
		"CollectorNotMade", "CollectorNameTaken", "NoResultsServer" };
	const struct json *said = json_get(j->status, "conditions");
	const struct json *c = condition_find(said, "ResultsCollected");
	const char *reason = json_str(json_get(c, "reason"), "");
	bool ended = condition_is(condition_find(said, "Ended"), "True");
	for (size_t i = 0; ended && job_results_of(j).asked && i < LENGTH(goes_on); i++)
		if (str_eq(reason, goes_on[i]))
			return true;
	return false;
}

/* ---- faults ---- */

static struct err check_words(const struct job *j)
{
	static const struct {
		const char *key, *usual, *other;
	} rows[] = {
		{ "when", "Succeeded", "Ended" },
		{ "layout", "PerJob", "Flat" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *word = word_of(j, rows[i].key, rows[i].usual);
		if (!str_eq(word, rows[i].usual) && !str_eq(word, rows[i].other))
			return err_new(ERR_INVALID,
				"spec.results.%s is \"%.40s\", and must be %s or %s", rows[i].key,
				word, rows[i].usual, rows[i].other);
	}
	return OK;
}

/* The last part of the path becomes the name of the copy. */
static struct err check_from(const struct job *j)
{
	const char *from = word_of(j, "from", "");
	size_t end = strlen(from), last;
	while (end > 0 && from[end - 1] == '/')
		end--;
	for (last = end; last > 0 && from[last - 1] != '/';)
		last--;
	size_t dots = strspn(from + last, ".");
	if (str_empty(from) || (last < end && (dots > 2 || last + dots < end)))
		return OK;
	return err_new(ERR_INVALID,
		"spec.results.from is \"%.200s\", and should end with the name of a file or folder",
		from);
}

struct job_fault job_results_fault(const struct job *j, const struct job_options *options)
{
	struct job_results results = job_results_of(j);
	if (!results.asked)
		return (struct job_fault){ 0 };
	struct err e = check_words(j);
	if (!failed(e))
		e = check_from(j);
	if (!failed(e) && !json_is_obj(results.mount))
		e = err_new(ERR_INVALID,
			"spec.results.mount is missing: name the volume into which results are copied");
	if (failed(e))
		return (struct job_fault){ "InvalidResults", e };
	e = job_mount_check("results", results.mount, options);
	return failed(e) ? (struct job_fault){ "VolumeNotAllowed", e } : (struct job_fault){ 0 };
}
