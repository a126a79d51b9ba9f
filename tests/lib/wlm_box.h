/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A red-box with the answers of a test, and our client of it. For one test program, which
 * includes this once.
 */
#ifndef TESTS_LIB_WLM_BOX_H
#define TESTS_LIB_WLM_BOX_H

#include "grpc/server.h"
#include "lib/grpc_world.h"
#include "lib/hex.h"
#include "lib/raw_client.h"
#include "wlm/client.h"

/* A red-box that says what the test wants, whatever it is asked. */
struct box {
	struct grpc_world w; /* its loop, its socket */
	struct grpc_client *client;
	const char *answers[3]; /* messages, in hex; up to a NULL */
	enum grpc_status status;
	const char *text;
	bool hangs;
	char method[32];
	struct str asked; /* all messages, one after the other */
	/* The answer for the caller. */
	int done;
	struct err e;
	int64_t job_id;
	size_t things; /* jobs, steps, names, features */
	int64_t left_out;
	struct wlm_checksum checksum;
	struct str content; /* of a file; of a list the paths */
	int pieces;
	bool cancels; /* at the first content */
	int writable;
};

static inline void keep(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct box *b = world;
	(void)c;
	if (n)
		str_add_bytes(&b->asked, bytes, n);
}

static inline void answer(void *world, struct grpc_call *c)
{
	struct box *b = world;
	uint8_t bytes[512];
	for (int i = 0; i < 3 && b->answers[i]; i++)
		grpc_send(c, bytes, bytes_of(b->answers[i], bytes));
	if (!b->hangs)
		grpc_finish(c, b->status, b->text ? b->text : "");
}

#define METHOD(name)                                                      \
	static inline void begin_##name(void *world, struct grpc_call *c) \
	{                                                                 \
		struct box *b = world;                                    \
		(void)c;                                                  \
		snprintf(b->method, sizeof(b->method), "%s", #name);      \
	}
METHOD(SubmitJob)
METHOD(SubmitJobContainer)
METHOD(CancelJob)
METHOD(JobInfo)
METHOD(JobSteps)
METHOD(OpenFile)
METHOD(TailFile)
METHOD(Resources)
METHOD(Partitions)
METHOD(WorkloadInfo)
METHOD(CreateFile)
METHOD(Zip)
METHOD(Unzip)
METHOD(ListFiles)
METHOD(FileChecksum)
METHOD(CloseSubmission)
METHOD(TailLines)
#define ROW(name) { "/api.WorkloadManager/" #name, begin_##name, keep, answer, NULL, NULL }
static const struct grpc_method methods[] = { ROW(SubmitJob), ROW(SubmitJobContainer),
	ROW(CancelJob), ROW(JobInfo), ROW(JobSteps), ROW(OpenFile), ROW(TailFile), ROW(Resources),
	ROW(Partitions), ROW(WorkloadInfo), ROW(CreateFile), ROW(Zip), ROW(Unzip), ROW(ListFiles),
	ROW(FileChecksum), ROW(CloseSubmission), ROW(TailLines), { NULL } };

static inline void given_a_box(struct box *b)
{
	memset(b, 0, sizeof(*b));
	grpc_world_new(&b->w);
	b->w.config.methods = methods;
	b->w.config.admits = NULL;
	b->w.config.ctx = b;
	grpc_world_start(&b->w);
	const struct grpc_client_config config = { .path = b->w.path };
	assert_false(failed(grpc_client_new(b->w.loop, &config, &b->client)));
}

static inline void over(struct box *b)
{
	grpc_client_free(b->client);
	grpc_world_free(&b->w);
	str_free(&b->asked);
	str_free(&b->content);
}

static inline void told(void *box, struct err e, const struct wlm_answer *a)
{
	struct box *b = box;
	b->done++;
	b->e = e;
	b->job_id = a->job_id;
	b->left_out = a->left_out;
	b->checksum = a->checksum;
	b->things = a->n_jobs + a->n_names + a->resources.n_features + (a->workload != NULL);
}

static inline void content(void *box, struct wlm_call *c, const void *bytes, size_t n)
{
	struct box *b = box;
	b->pieces++;
	str_add_bytes(&b->content, bytes, n);
	if (b->cancels)
		wlm_call_cancel(c);
}

static inline void file(void *box, struct wlm_call *c, const struct wlm_file *f)
{
	struct box *b = box;
	b->pieces++;
	str_addf(&b->content, "%s %lld %o%s\n", f->path, (long long)f->size, (unsigned)f->mode,
		f->folder ? " folder" : "");
	if (b->cancels)
		wlm_call_cancel(c);
}

static inline void writable(void *box, struct wlm_call *c)
{
	struct box *b = box;
	(void)c;
	b->writable++;
}

static inline struct wlm_caller by(struct box *b)
{
	b->done = 0;
	str_clear(&b->asked);
	return (struct wlm_caller){ b->client, 30000, told, content, writable, b, file };
}

static inline void when_done(struct box *b)
{
	while (!b->done)
		raw_turn(b->w.loop);
	assert_int_equal(b->done, 1);
}

/* One call, the answer to it, and what was asked by it. */
#define DOES(name, hex, answered, call)                       \
	do {                                                  \
		struct wlm_caller me = by(&b);                \
		b.answers[0] = (answered);                    \
		(void)(call);                                 \
		when_done(&b);                                \
		assert_string_equal(b.e.text, "");            \
		assert_string_equal(b.method, name);          \
		is_hex(str_text(&b.asked), b.asked.len, hex); \
	} while (0)

#endif
