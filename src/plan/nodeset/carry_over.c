/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the next pod of an ordinal inherits from the previous one: the cordon of a
 * user, and how many pods in a row ended soon. An annotation of the NodeSet records it
 * before the old pod is deleted, because no other record is left when the new pod is
 * created:
 *
 *     cordoned:3,7-9 ended-4:0-99
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "plan/nodeset/worksheet.h"

enum {
	MAX_ORDINAL = 2 * NODESET_MAX_REPLICAS, /* no notes for ordinals from here on */
	NOTE_PATIENCE_MS = 120000,
	MAX_TEXT = 100000, /* all annotations of an object together may have 262,144 bytes */
};

/* ---- the annotation ---- */

static bool read_number(const char **at, int64_t *out)
{
	const char *s = *at;
	*out = 0;
	for (; *s >= '0' && *s <= '9' && *out < MAX_ORDINAL; s++)
		*out = *out * 10 + (*s - '0');
	bool any = s > *at;
	*at = s;
	return any;
}

/*
 * Reads a list of ordinals. times 0: ordinals with a user's cordon. False at the first
 * unexpected character.
 */
static bool read_ordinals(struct worksheet *w, const char **at, int64_t times)
{
	int64_t from, to = -1;
	do {
		int64_t least = to + 1;
		/* Ordinals ascend, so that each is read once */
		if (!read_number(at, &from) || from < least)
			return false;
		to = from;
		if (**at == '-' && (++*at, !read_number(at, &to)))
			return false;
		for (int64_t i = from; i <= to && i < w->n_noted; i++) {
			w->noted[i].cordoned |= times == 0;
			w->noted[i].ended = times ? times : w->noted[i].ended;
		}
	} while (**at == ',' && ++*at);
	return **at == '\0' || **at == ' ';
}

/* A user may have edited the note: reading ends at the first error. */
static void read_noted(struct worksheet *w, const char *s)
{
	static const char cordoned[] = "cordoned:", ended[] = "ended-";
	for (bool good = true; good && *s; s += *s == ' ') {
		int64_t times = 0;
		if (str_has_prefix(s, cordoned))
			s += strlen(cordoned);
		else if (str_has_prefix(s, ended) &&
			(s += strlen(ended), read_number(&s, &times)) && *s == ':')
			s++;
		else
			return;
		good = times <= POD_MAX_ENDED && read_ordinals(w, &s, times);
	}
}

static bool is_in(const struct carry_over *h, int64_t times)
{
	return times ? h->ended == times : h->cordoned;
}

/* Adds the title and "0-99,105", or nothing if no ordinal matches. */
static void write_ordinals(struct str *s, const char *title, const struct carry_over *list,
	int64_t n, int64_t times)
{
	bool any = false;
	for (int64_t from = 0, to; from < n; from = to + 1) {
		to = from;
		if (!is_in(&list[from], times))
			continue;
		while (to + 1 < n && is_in(&list[to + 1], times))
			to++;
		str_addf(s, "%s%s%lld",
			any              ? ","
				: s->len ? " "
					 : "",
			any ? "" : title, (long long)from);
		if (to > from)
			str_addf(s, "-%lld", (long long)to);
		any = true;
	}
}

/* Cordons come first. Counts for which there is no room are left out. */
static const char *write_noted(struct worksheet *w, const struct carry_over *list)
{
	AUTO(str_free) struct str s = { 0 };
	write_ordinals(&s, "cordoned:", list, w->n_noted, 0);
	for (int64_t times = 1; times <= POD_MAX_ENDED; times++) {
		size_t before = s.len;
		char title[32];
		snprintf(title, sizeof(title), "ended-%lld:", (long long)times);
		write_ordinals(&s, title, list, w->n_noted, times);
		if (s.len > MAX_TEXT) {
			s.len = before;
			s.text[before] = '\0';
		}
	}
	return arena_strdup(w->arena, str_text(&s));
}

/* ---- the notes ---- */

struct carry_over carry_over_noted(const struct worksheet *w, int64_t ordinal)
{
	bool is_there = ordinal >= 0 && ordinal < w->n_noted;
	return is_there ? w->noted[ordinal] : (struct carry_over){ 0 };
}

/*
 * Only a pod that we replace passes its cordon on. A user who deletes a pod that they
 * cordoned needs the cordon no more.
 */
static struct carry_over carry_over_of(const struct pod *p)
{
	bool replaced = p->leave != STAY && p->leave != LEAVE_SCALE_IN &&
		p->leave != LEAVE_DELETION;
	return (struct carry_over){
		.cordoned = replaced && p->cordoned && !p->cordoned_by_us,
		.ended = pod_ended(p) ? p->ended : 0,
	};
}

static int64_t n_ordinals(struct worksheet *w, int64_t not_again)
{
	int64_t n = not_again;
	for (size_t i = 0; i < w->n_pods; i++)
		n = w->pods[i].ordinal >= n ? w->pods[i].ordinal + 1 : n;
	return n < MAX_ORDINAL ? n : MAX_ORDINAL;
}

/*
 * The note stays for a terminating pod, because an earlier plan made it, and for a pod
 * whose creation may still fail.
 */
static struct carry_over wanted_of(const struct worksheet *w, const struct pod *p)
{
	bool judged_now = pod_live(p) && !str_empty(p->fact->resource_version);
	return judged_now ? carry_over_of(p) : carry_over_noted(w, p->ordinal);
}

/*
 * The notes to write, by ordinal. An ordinal whose pod is missing, and will be created,
 * keeps its note.
 */
static struct carry_over *wanted(struct worksheet *w, int64_t not_again)
{
	struct carry_over *list = arena_array(w->arena, struct carry_over, w->n_noted + 1);
	for (int64_t i = 0; i < w->n_noted && i < not_again; i++)
		list[i] = w->noted[i];
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		bool again = pod_live(p) || p->ordinal < not_again;
		if (again && p->ordinal >= 0 && p->ordinal < w->n_noted)
			list[p->ordinal] = wanted_of(w, p);
	}
	return list;
}

static void order_note(struct worksheet *w, const char *text)
{
	struct jval *patch = own_patch(w);
	struct jval *annotations = j_child(w->d, patch_metadata(w->d, patch), "annotations");
	j_set_str(w->d, annotations, ANNOTATION_NEXT_PODS, str_empty(text) ? NULL : text);
	order_own(w, DO(PATCH, NODESET), "the state that the next pods inherit has changed",
		j_text(w->d, patch));
}

void step_carry_over(struct worksheet *w)
{
	const struct json *annotations = json_at(w->set.object, "metadata", "annotations");
	const char *text = json_str(json_get(annotations, ANNOTATION_NEXT_PODS), "");
	bool any = !str_empty(text);
	for (size_t i = 0; i < w->n_pods && !any; i++) {
		struct carry_over h = carry_over_of(&w->pods[i]);
		any = h.cordoned || h.ended;
	}
	if (w->set.deleting || !any)
		return;
	int64_t not_again = first_not_made_again(w);
	w->n_noted = n_ordinals(w, not_again);
	w->noted = arena_array(w->arena, struct carry_over, w->n_noted + 1);
	read_noted(w, text);
	const char *now = write_noted(w, wanted(w, not_again));
	if (!str_eq(now, text) && !w->view->in_flight)
		order_note(w, now);
}

bool carry_over_settled(struct worksheet *w, const struct pod *p)
{
	struct carry_over is = carry_over_of(p), noted = carry_over_noted(w, p->ordinal);
	bool in_reach = p->ordinal >= 0 && p->ordinal < w->n_noted;
	if (!in_reach || w->set.deleting)
		return true;
	if (is.cordoned && !noted.cordoned)
		return false;
	int64_t left_ms = NOTE_PATIENCE_MS - (w->now_ms - p->phase_seen_ms);
	bool wanted = p->leave == LEAVE_ENDED && is.ended > noted.ended && left_ms > 0;
	if (wanted)
		plan_again(w->out, left_ms + 1);
	return !wanted;
}
