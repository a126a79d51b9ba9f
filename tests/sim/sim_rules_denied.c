/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that the program wants to write and cannot: what becomes of them is no fault. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_oracle.h"

static size_t find_denied(const struct sim_oracle *o, const char *claim)
{
	size_t i = 0;
	while (i < o->n_denied && strcmp(o->denied[i].claim, claim) != 0)
		i++;
	return i;
}

static void note_denied(struct sim_oracle *o, const char *claim, int64_t until_ms)
{
	size_t i = find_denied(o, claim);
	if (i == o->n_denied) {
		o->denied = own_realloc(o->denied, (o->n_denied + 1) * sizeof(*o->denied));
		o->denied[o->n_denied++] = (struct oracle_denied){ .claim = own_strdup(claim) };
	}
	if (o->denied[i].until_ms < until_ms)
		o->denied[i].until_ms = until_ms;
}

void sim_oracle_on_denied(void *ctx, enum resource r, const char *ns, const char *name)
{
	char key[OBJECT_KEY_BYTES];
	if (r == RES_PVC)
		note_denied(ctx, object_key(key, ns, name), INT64_MAX);
}

/* A lost answer is noticed after seconds, and the next try waits for longer each time. */
void sim_oracle_on_lost(struct sim_oracle *o, const char *what)
{
	enum { PATIENCE_MS = 30000 };
	char ns[64], name[256], key[OBJECT_KEY_BYTES];
	if (sscanf(what, "PATCH /api/v1/namespaces/%63[^/]/persistentvolumeclaims/%255[^/ ]", ns,
		    name) == 2)
		note_denied(o, object_key(key, ns, name), o->kube->loop->now_ms + PATIENCE_MS);
}

bool sim_oracle_claim_denied(const struct sim_oracle *o, const struct sim_version *claim)
{
	char key[OBJECT_KEY_BYTES];
	size_t i = find_denied(o, object_key(key, claim->ns, claim->name));
	return i < o->n_denied && o->denied[i].until_ms >= o->kube->loop->now_ms;
}

void sim_oracle_claim_written(struct sim_oracle *o, const struct sim_version *claim)
{
	char key[OBJECT_KEY_BYTES];
	size_t i = find_denied(o, object_key(key, claim->ns, claim->name));
	if (i == o->n_denied)
		return;
	free(o->denied[i].claim);
	o->denied[i] = o->denied[--o->n_denied];
}

void sim_oracle_denied_free(struct sim_oracle *o)
{
	for (size_t i = 0; i < o->n_denied; i++)
		free(o->denied[i].claim);
	free(o->denied);
}
