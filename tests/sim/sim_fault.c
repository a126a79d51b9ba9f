/* SPDX-License-Identifier: Apache-2.0 */
/* Which request meets which fault: by chance, or by the list of a replay. */
#include "sim/sim_fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"

/* How often a point of that name has come. */
struct sim_point_name {
	uint32_t hash, times;
};

const char *const sim_fault_names[FAULT_KINDS] = {
	[FAULT_NONE] = "none",
	[FAULT_REFUSED] = "refused",
	[FAULT_LOST_BEFORE] = "lost-before",
	[FAULT_LOST_AFTER] = "lost-after",
	[FAULT_500] = "500",
	[FAULT_503] = "503",
	[FAULT_429] = "429",
	[FAULT_INSIDE] = "error-inside",
	[FAULT_SLOW] = "slow",
	[FAULT_CRASH_BEFORE] = "crash-before",
	[FAULT_CRASH_AFTER] = "crash-after",
	[FAULT_WATCH_DELAY] = "watch-delay",
	[FAULT_WATCH_REPEAT] = "watch-repeat",
	[FAULT_WATCH_CUT] = "watch-cut",
	[FAULT_WATCH_EXPIRED] = "watch-expired",
};

void sim_faults_rough(struct sim_faults *f)
{
	static const int rough[FAULT_KINDS] = {
		[FAULT_REFUSED] = 15,
		[FAULT_LOST_BEFORE] = 15,
		[FAULT_LOST_AFTER] = 25,
		[FAULT_500] = 10,
		[FAULT_503] = 5,
		[FAULT_429] = 5,
		[FAULT_INSIDE] = 10,
		[FAULT_SLOW] = 30,
		[FAULT_CRASH_BEFORE] = 4,
		[FAULT_CRASH_AFTER] = 6,
		[FAULT_WATCH_DELAY] = 15,
		[FAULT_WATCH_REPEAT] = 20,
		[FAULT_WATCH_CUT] = 10,
		[FAULT_WATCH_EXPIRED] = 5,
	};
	memcpy(f->per_mille, rough, sizeof(rough));
}

void sim_faults_swarm(struct sim_faults *f, struct sim_rand rand)
{
	static const int times[] = { 0, 1, 1, 3 };
	sim_faults_rough(f);
	for (int k = 0; k < FAULT_KINDS; k++)
		f->per_mille[k] *= times[sim_rand_range(&rand, 0, LENGTH(times) - 1)];
}

static bool fits(enum sim_fault_kind kind, enum sim_fault_point where)
{
	if (kind == FAULT_NONE)
		return false;
	return (kind >= FAULT_WATCH_DELAY) == (where == POINT_DELIVERY);
}

static enum sim_fault_kind draw(struct sim_faults *f, enum sim_fault_point where)
{
	int64_t dice = sim_rand_range(&f->rand, 0, 999);
	for (int k = 0; k < FAULT_KINDS; k++) {
		if (!fits((enum sim_fault_kind)k, where))
			continue;
		if (dice < f->per_mille[k])
			return (enum sim_fault_kind)k;
		dice -= f->per_mille[k];
	}
	return FAULT_NONE;
}

static enum sim_fault_kind given(const struct sim_faults *f, uint32_t point, uint32_t id,
	enum sim_fault_point where)
{
	for (size_t i = 0; i < f->n_given; i++)
		if ((f->given[i].point == point || f->given[i].point == id) &&
			fits(f->given[i].kind, where))
			return f->given[i].kind;
	return FAULT_NONE;
}

/* The number of this point that does not depend on what else happens. */
static uint32_t number_of(struct sim_faults *f, const char *what)
{
	uint32_t hash = fnv1_32(FNV1_START, what, strlen(what));
	size_t i = 0;
	while (i < f->n_names && f->names[i].hash != hash)
		i++;
	if (i == f->n_names && f->n_names == f->cap_names) {
		f->cap_names = f->cap_names ? f->cap_names * 2 : 64;
		f->names = own_realloc(f->names, f->cap_names * sizeof(*f->names));
	}
	if (i == f->n_names)
		f->names[f->n_names++] = (struct sim_point_name){ .hash = hash };
	f->names[i].times++;
	return UINT32_C(0x80000000) | fnv1_32(hash, &f->names[i].times, sizeof(f->names[i].times));
}

enum sim_fault_kind sim_faults_next(struct sim_faults *f, enum sim_fault_point where,
	const char *what, uint32_t *id)
{
	uint32_t point = f->points++;
	*id = number_of(f, what);
	if (f->off)
		return FAULT_NONE;
	enum sim_fault_kind kind = f->replay ? given(f, point, *id, where) : draw(f, where);
	if (kind == FAULT_NONE)
		return kind;
	if (f->n_happened == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 32;
		f->happened = own_realloc(f->happened, f->cap * sizeof(*f->happened));
	}
	f->happened[f->n_happened++] = (struct sim_fault){ .point = *id, .kind = kind };
	if (f->on_fault)
		f->on_fault(f->ctx, sim_fault_names[kind], what);
	return kind;
}

void sim_faults_free(struct sim_faults *f)
{
	free(f->happened);
	f->happened = NULL;
	f->n_happened = f->cap = 0;
	free(f->names);
	f->names = NULL;
	f->n_names = f->cap_names = 0;
}

/* One pass of leaving out pieces of the given size; the length after it. */
static size_t leave_out(struct sim_fault *list, size_t n, size_t piece, sim_fails *fails, void *ctx)
{
	AUTO(own_free) struct sim_fault *rest = own_alloc((n + 1) * sizeof(*rest));
	for (size_t at = 0; at < n;) {
		size_t cut = piece < n - at ? piece : n - at;
		memcpy(rest, list, at * sizeof(*list));
		memcpy(rest + at, list + at + cut, (n - at - cut) * sizeof(*list));
		if (fails(ctx, rest, n - cut)) {
			memcpy(list, rest, (n - cut) * sizeof(*list));
			n -= cut;
		} else {
			at += cut;
		}
	}
	return n;
}

size_t sim_faults_shrink(struct sim_fault *list, size_t n, sim_fails *fails, void *ctx)
{
	for (size_t piece = n; piece > 0;) {
		size_t shorter = leave_out(list, n, piece, fails, ctx);
		/*
		 * single faults are tried again until none can go: leaving out one may
		 * have freed another
		 */
		if (piece > 1 || shorter == n)
			piece /= 2;
		n = shorter;
		if (piece > n)
			piece = n;
	}
	return n;
}

void sim_faults_print(const struct sim_fault *list, size_t n, struct str *out)
{
	for (size_t i = 0; i < n; i++)
		str_addf(out, "%s%u:%s", i ? " " : "", list[i].point,
			sim_fault_names[list[i].kind]);
}

static bool parse_one(const char *text, size_t n, struct sim_fault *out)
{
	char *end = NULL;
	unsigned long point = strtoul(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	const char *name = end + 1;
	size_t left = n - (size_t)(name - text);
	for (int k = 1; k < FAULT_KINDS; k++) {
		if (strlen(sim_fault_names[k]) != left ||
			strncmp(sim_fault_names[k], name, left) != 0)
			continue;
		*out = (struct sim_fault){
			.point = (uint32_t)point,
			.kind = (enum sim_fault_kind)k,
		};
		return true;
	}
	return false;
}

long sim_faults_parse(const char *text, struct sim_fault *out, size_t cap)
{
	size_t n = 0;
	while (*text) {
		size_t word = strcspn(text, " ");
		if (word > 0 && (n == cap || !parse_one(text, word, &out[n++])))
			return -1;
		text += word;
		text += strspn(text, " ");
	}
	return (long)n;
}
