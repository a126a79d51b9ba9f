/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the state of its Slurm node that a pod shows. */
#include "engine/pod/pod_shown.h"

#include <string.h>

#include "base/str.h"
#include "object/condition.h"
#include "slurm/state_shown.h"

/* The row of a condition; -1: to be removed, because it is not True or a duplicate. */
static int row_of(const struct shown_fact *s, const struct json *condition, const char *type)
{
	int row = condition_is(condition, "True") ? state_shown_row_of(type) : -1;
	return row >= 0 && (s->states & state_shown_rows[row].bit) ? -1 : row;
}

static void take(struct shown_fact *s, const struct json *condition, size_t at, const char *reason)
{
	const char *type = json_str(json_get(condition, "type"), "");
	const char *message = json_str(json_get(condition, "message"), "");
	if (!str_has_prefix(type, STATE_CONDITION_PREFIX))
		return;
	if (s->n == SHOWN_MOST || at > UINT8_MAX) {
		s->cut = true;
		return;
	}
	int row = row_of(s, condition, type);
	s->of[s->n].at = (uint8_t)at;
	s->of[s->n++].row = (int8_t)row;
	if (row < 0) {
		s->whole = false;
		return;
	}
	s->states |= state_shown_rows[row].bit;
	s->whole &= str_eq(message, state_shown_rows[row].has_reason ? reason : "");
}

struct shown_fact pod_shown(const struct json *pod)
{
	const struct json *m = json_get(pod, "metadata"),
			  *conditions = json_at(pod, "status", "conditions"),
			  *label = json_at(m, "labels", LABEL_SLURM_STATE),
			  *note = json_at(m, "annotations", ANNOTATION_SLURM_REASON);
	const char *reason = json_str(note, "");
	struct shown_fact s = {
		.whole = true,
		.listed = json_is_arr(conditions),
		.labelled = label != NULL,
		.noted = note != NULL,
	};
	size_t at = 0;
	for (struct json_iter it = json_iter(conditions); json_next(&it); at++)
		take(&s, it.value, at, reason);
	s.whole &= str_eq(json_str(label, ""), state_shown_word(s.states)) &&
		(str_empty(reason) || state_shown_has_reason(s.states));
	return s;
}
