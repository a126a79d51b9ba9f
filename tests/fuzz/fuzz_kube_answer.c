/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of an API server to single requests: objects and their absence, Status errors,
 * the Lease, Events. The input: one byte for what is done, then the answers
 * (lib/fuzz_peer.h).
 */
#include <string.h>

#include "base/str.h"
#include "lib/fuzz_peer.h"
#include "kube/event.h"
#include "kube/lease.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int ends;

static void read_done(void *ctx, struct err e, const struct json *object, int64_t retry_after_ms)
{
	(void)ctx, (void)retry_after_ms;
	ends++;
	if (failed(e) && (object || !e.text[0]))
		abort();
}

static void ask(struct kube *k, struct fuzz_peer *p)
{
	static const char *const methods[] = { "GET", "POST", "PATCH", "DELETE" };
	for (size_t i = 0; i < LENGTH(methods); i++) {
		struct kube_request r = {
			.method = methods[i],
			.path = "/api/v1/namespaces/ns/pods/foo-0",
			.body = i ? "{}" : NULL,
		};
		kube_send(k, &r, read_done, NULL);
		peer_run(p, 1);
	}
	if (ends != (int)LENGTH(methods))
		abort();
}

/* Leading begins and ends at most once each, and never ends before it began. */
static int led, lost_;
static void leading(void *ctx) { (void)ctx, led++; }
static void lost(void *ctx, struct err why)
{
	(void)ctx;
	lost_++;
	if (!failed(why) || !led)
		abort();
}
static void released(void *ctx) { (void)ctx, ends++; }

static void lead(struct kube *k, struct fuzz_peer *p)
{
	static const struct lease_handler handler = { leading, lost };
	led = lost_ = 0;
	struct lease *l = lease_new(k, "ns", "lease", "me", &handler, NULL);
	peer_run(p, 16);
	if (led > 1 || lost_ > 1)
		abort();
	lease_release(l, released, NULL);
	peer_run(p, 8);
	if (ends != 1)
		abort();
	lease_free(l);
}

static void tell(struct kube *k, struct fuzz_peer *p)
{
	const struct object_ref about = { RES_NODESET, "ns", "foo", "uid" };
	struct events *e = events_new(k, NULL);
	for (int i = 0; i < 8; i++) {
		size_t n;
		AUTO(own_free) char *message = piece_take(&p->input, &n, true);
		events_emit(e, &about, i & 1, "Reason", message);
		peer_run(p, 2);
	}
	events_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 1)
		return 0;
	static struct fuzz_peer p;
	peer_begin(&p, bytes + 1, n - 1);
	struct kube kube = { &p.http.http, &p.loop.loop };
	ends = 0;
	if (bytes[0] % 3 == 0)
		ask(&kube, &p);
	else if (bytes[0] % 3 == 1)
		lead(&kube, &p);
	else
		tell(&kube, &p);
	peer_end(&p);
	return 0;
}
