/* SPDX-License-Identifier: Apache-2.0 */
/* Reads objects again that were short of room. */
#include "engine/store/refill.h"

#include "base/own.h"

enum { LOOK_MS = 2000 };

struct refill {
	struct kube *kube;
	struct store *store;
	struct timer *timer;
	struct http_call *call;
	enum resource resource; /* of the call */
	char *ns;               /* namespace of the last turn */
};

struct refill *refill_new(struct kube *kube, struct store *store)
{
	struct refill *f = own_alloc(sizeof(*f));
	*f = (struct refill){ .kube = kube, .store = store, .ns = own_strdup("") };
	return f;
}

void refill_free(struct refill *f)
{
	if (!f)
		return;
	timer_stop(f->kube->loop, f->timer);
	http_cancel(f->kube->http, f->call);
	free(f->ns);
	free(f);
}

static void look(void *refill);

static void look_later(struct refill *f)
{
	if (!f->timer && !f->call && rooms_short(store_rooms(f->store)))
		f->timer = timer_start(f->kube->loop, LOOK_MS, look, f);
}

void refill_wake(struct refill *f) { look_later(f); }

static void next_of(struct refill *f, const char *ns);

/*
 * An object that could not be read, or is still short of room, waits until the other
 * namespaces have had their turns.
 */
static void read_again(void *refill, struct err e, const struct json *object,
	int64_t retry_after_ms)
{
	struct refill *f = refill;
	(void)retry_after_ms;
	f->call = NULL;
	if (!failed(e) && store_read_again(f->store, f->resource, object))
		next_of(f, f->ns);
	look_later(f);
}

/* Reads the next object of this namespace. */
static void next_of(struct refill *f, const char *ns)
{
	const struct record *rec = store_could_grow(f->store, ns);
	if (!rec)
		return;
	struct arena a AUTO(arena_free) = { 0 };
	struct kube_request r = {
		.method = "GET",
		.path = resource_path(&a, rec->resource, rec->ns, rec->name, NULL),
	};
	f->resource = rec->resource;
	f->call = kube_send(f->kube, &r, read_again, f);
}

static void look(void *refill)
{
	struct refill *f = refill;
	const char *ns = rooms_next_short(store_rooms(f->store), f->ns);
	f->timer = NULL;
	if (ns) {
		free(f->ns);
		f->ns = own_strdup(ns);
		next_of(f, f->ns);
	}
	look_later(f);
}
