/* SPDX-License-Identifier: Apache-2.0 */
/* The backend to Kubernetes: decides which writes may be sent now. */
#include "engine/act/executor_parts.h"
#include "engine/act/slow_start.h"
#include "engine/act/waits.h"

static bool in_flight(const struct executor *x, const struct action *a)
{
	const struct record *rec = store_get(x->config.store, a->operation.resource, a->ns,
		a->name);
	return rec && rec->in_flight;
}

int64_t backend_kube(struct executor *x, const struct delivery *d)
{
	enum { END_OF_BATCH_MS = 1000 };
	char starts[128];
	const struct action *a = d->action;
	bool in_numbers = operation_in_numbers(a->operation);
	int64_t left_ms = in_numbers
		? waits_left_ms(x->waits, starts_key(starts, d->about->uid), now_of(x))
		: 0;
	if (left_ms)
		return left_ms;
	if (in_flight(x, a))
		return 0; /* its outcome makes a new plan */
	if (in_numbers && !slow_start_take(&x->starts, d->about->uid))
		return END_OF_BATCH_MS; /* the end of the batch makes a new plan earlier */
	if (a->guard.node.name)
		return backend_look(x, d);
	if (a->guard.read != READ_NOTHING)
		return backend_once(x, d);
	kube_send_sent_action(kube_begin(x, d), a->body, &a->guard);
	return 0;
}
