/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base of a kubelet API in a test: its world, and in it a red-box with one file, one
 * folder and one checksum. For lib/kubelet_world.h.
 */
#ifndef TESTS_LIB_KUBELET_BOX_H
#define TESTS_LIB_KUBELET_BOX_H

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "lib/fake_http.h"
#include "lib/grpc_world.h"
#include "lib/identity.h"
#include "lib/raw_client.h"
#include "lib/redbox_folder.h"

#include "base/log.h"
#include "kubelet/kubelet.h"
#include "wlm/wlm.h"

enum { CLIENTS = 80, PIECE = 16 << 10 };

/* A red-box with one file, which is the log of its job. */
struct box {
	const char *text; /* what the file has; NULL: so many lines of 16 bytes */
	int64_t lines;    /* "0000000000000007\n" without the end: 15 digits and the end */
	enum grpc_status job_status, file_status; /* not GRPC_OK: what is answered instead */
	const char *sentence;                     /* with them */
	bool hangs;                               /* it gives nothing of its file */
	const char *missing;                      /* the path of a file that is not there */
	const char *text_again;       /* when it is opened for the second time; NULL: the same */
	bool is_older;                /* it has no TailLines */
	int64_t breaks_at;            /* the file cannot be read on there; 0: it can */
	const struct wlm_file *files; /* of its folder */
	size_t n_files;
	bool endless; /* its list has no end */
	int lists_gone;
	int64_t left_out, offset; /* offset: that was asked for */
	struct wlm_checksum sum;
	struct slurm_job_shown jobs[3];
	size_t n_jobs;
	int asked, opened, gone, finishes;
	/* A file that is made: what came of it, how, and what is said of it at the end */
	struct str taken;
	int mode, made, dropped;
	uint8_t sha256[32];
	enum grpc_status take_status;
	size_t sent; /* bytes of files, of all calls */
	char path[128];
};

struct client {
	int fd;
	SSL_CTX *context;
	SSL *tls;
	struct str got;
	bool ended, reads_nothing;
};

struct world {
	struct grpc_world grpc; /* its loop and socket */
	struct box box;
	struct grpc_client *red_box;
	struct sim_loop clock; /* of the fake API server */
	struct fake_http api;
	struct kube kube;
	const char *review, *right;    /* of the API server */
	const char *collector, *owner; /* the pod that copies results, and the object of the job */
	const char *older;             /* a SlurmJob of the older group; NULL: none */
	struct identity authority;     /* of clients; one of them is it itself */
	struct identity stranger;
	struct test_folder folder;
	struct kubelet_pod pod;
	bool everywhere; /* each namespace has such pods, of any name */
	struct kubelet *kubelet;
	struct client clients[CLIENTS];
	int n_clients;
};

/* ---- the red-box ---- */

struct reading {
	size_t sent;
	bool tails, ends;
};

static inline size_t file_bytes(const struct box *b)
{
	return b->text ? strlen(b->text) : (size_t)b->lines * 16;
}

static inline char byte_at(const struct box *b, size_t at)
{
	size_t line = at / 16, place = at % 16;
	if (b->text)
		return b->text[at];
	for (size_t i = 14; i > place; i--)
		line /= 10;
	return (char)(place == 15 ? '\n' : '0' + (char)(line % 10));
}

/* Where the last lines begin, counted simply. */
static inline size_t lines_from(const struct box *b, int64_t lines)
{
	size_t from = file_bytes(b);
	for (; lines > 0 && from > 0; lines--)
		for (from--; from > 0 && byte_at(b, from - 1) != '\n';)
			from--;
	return from;
}

static inline void send_some(struct box *b, struct grpc_call *c, struct reading *r)
{
	static char piece[PIECE];
	if (b->hangs)
		return;
	size_t end = b->breaks_at ? (size_t)b->breaks_at : file_bytes(b);
	while (r->sent < end && grpc_queued_bytes(c) < 4 * PIECE) {
		size_t n = end - r->sent < PIECE ? end - r->sent : PIECE;
		AUTO(str_free) struct str message = { 0 };
		for (size_t i = 0; i < n; i++)
			piece[i] = byte_at(b, r->sent + i);
		wlm_add_chunk(&message, piece, n);
		grpc_send(c, str_text(&message), message.len);
		r->sent += n;
		b->sent += n;
	}
	if (r->sent < end)
		return;
	if (b->breaks_at)
		grpc_finish(c, GRPC_UNAVAILABLE, b->sentence);
	else if (!r->tails || r->ends)
		grpc_finish(c, GRPC_OK, "");
}

static inline void job_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct world *w = world;
	AUTO(str_free) struct str message = { 0 };
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	assert_false(failed(wlm_read(WLM_JOB_INFO, bytes, n, &request)));
	assert_int_equal(request.job_id, w->pod.job_id);
	assert_string_equal(request.key, w->pod.key);
	w->box.asked++;
	wlm_add_jobs(&message, w->box.jobs, w->box.n_jobs, request.key);
	if (w->box.job_status == GRPC_OK)
		grpc_send(c, str_text(&message), message.len);
	grpc_finish(c, w->box.job_status, w->box.job_status ? w->box.sentence : "");
}

static inline void file_asked(struct world *w, struct grpc_call *c, enum wlm_request_kind kind,
	bool of_lines, const void *bytes, size_t n)
{
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	struct reading *r = grpc_call_state(c);
	assert_false(failed(wlm_read(kind, bytes, n, &request)));
	if (request.read_to_end && r) {
		r->ends = true;
		w->box.finishes++;
	} else {
		if (w->box.text_again && w->box.opened)
			w->box.text = w->box.text_again;
		snprintf(w->box.path, sizeof(w->box.path), "%s", request.path);
		w->box.offset = request.offset;
		r = own_alloc(sizeof(*r));
		r->sent = of_lines ? lines_from(&w->box, request.lines) : (size_t)request.offset;
		r->tails = kind == WLM_TAIL_FILE && !request.read_to_end;
		grpc_call_set(c, r);
		w->box.opened++;
	}
	if (w->box.missing && str_eq(w->box.path, w->box.missing))
		grpc_finish(c, GRPC_NOT_FOUND, "no such file");
	else if (w->box.file_status)
		grpc_finish(c, w->box.file_status, w->box.sentence);
	else
		send_some(&w->box, c, r);
}

static inline void open_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	file_asked(world, c, WLM_OPEN_FILE, false, bytes, n);
}

static inline void files_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct world *w = world;
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	assert_false(failed(wlm_read(WLM_LIST_FILES, bytes, n, &request)));
	snprintf(w->box.path, sizeof(w->box.path), "%s", request.path);
	for (size_t i = 0; i < w->box.n_files; i++) {
		AUTO(str_free) struct str message = { 0 };
		wlm_add_file(&message, &w->box.files[i]);
		grpc_send(c, str_text(&message), message.len);
	}
	if (w->box.endless)
		return;
	AUTO(str_free) struct str end = { 0 };
	wlm_add_files_end(&end, w->box.left_out);
	if (!w->box.file_status)
		grpc_send(c, str_text(&end), end.len);
	grpc_finish(c, w->box.file_status, w->box.sentence);
}

static inline void list_gone(void *world, struct grpc_call *c)
{
	(void)c;
	((struct world *)world)->box.lists_gone++;
}

static inline void checksum_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct world *w = world;
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	AUTO(str_free) struct str message = { 0 };
	assert_false(failed(wlm_read(WLM_FILE_CHECKSUM, bytes, n, &request)));
	snprintf(w->box.path, sizeof(w->box.path), "%s", request.path);
	wlm_add_checksum(&message, &w->box.sum);
	if (!w->box.file_status)
		grpc_send(c, str_text(&message), message.len);
	grpc_finish(c, w->box.file_status, w->box.sentence);
}

static inline void piece_came(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct world *w = world;
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	assert_false(failed(wlm_read(WLM_CREATE_FILE, bytes, n, &request)));
	if (!grpc_call_state(c)) {
		snprintf(w->box.path, sizeof(w->box.path), "%s", request.path);
		w->box.mode = (int)request.mode;
		assert_int_equal(request.sha256.len, sizeof(w->box.sha256));
		memcpy(w->box.sha256, request.sha256.text, sizeof(w->box.sha256));
		str_clear(&w->box.taken);
		grpc_call_set(c, own_alloc(1));
	}
	str_add_bytes(&w->box.taken, str_text(&request.content), request.content.len);
}

static inline void file_ended(void *world, struct grpc_call *c)
{
	struct world *w = world;
	if (w->box.hangs)
		return;
	w->box.made++;
	if (!w->box.take_status)
		grpc_send(c, "", 0);
	grpc_finish(c, w->box.take_status, w->box.take_status ? w->box.sentence : "");
}

static inline void file_gone(void *world, struct grpc_call *c)
{
	struct world *w = world;
	w->box.dropped++;
	free(grpc_call_state(c));
}

static struct grpc_call *tailing; /* the last one */

static inline void tail_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	tailing = c;
	file_asked(world, c, WLM_TAIL_FILE, false, bytes, n);
}

static inline void lines_asked(void *world, struct grpc_call *c, const void *bytes, size_t n)
{
	struct world *w = world;
	if (w->box.is_older) {
		grpc_finish(c, GRPC_UNIMPLEMENTED, "unknown method TailLines");
		return;
	}
	tailing = c;
	file_asked(world, c, WLM_TAIL_FILE, true, bytes, n);
}

static inline void go_on(void *world, struct grpc_call *c)
{
	struct world *w = world;
	if (grpc_call_state(c) && !w->box.file_status)
		send_some(&w->box, c, grpc_call_state(c));
}

static inline void reading_gone(void *world, struct grpc_call *c)
{
	struct world *w = world;
	w->box.gone++;
	tailing = c == tailing ? NULL : tailing;
	free(grpc_call_state(c));
}

static const struct grpc_method box_methods[] = {
	{ "/api.WorkloadManager/JobInfo", NULL, job_asked, NULL, NULL, NULL },
	{ "/api.WorkloadManager/OpenFile", NULL, open_asked, NULL, go_on, reading_gone },
	{ "/api.WorkloadManager/TailFile", NULL, tail_asked, NULL, go_on, reading_gone },
	{ "/api.WorkloadManager/TailLines", NULL, lines_asked, NULL, go_on, reading_gone },
	{ "/api.WorkloadManager/ListFiles", NULL, files_asked, NULL, NULL, list_gone },
	{ "/api.WorkloadManager/CreateFile", NULL, piece_came, file_ended, NULL, file_gone },
	{ "/api.WorkloadManager/FileChecksum", NULL, checksum_asked, NULL, NULL, NULL },
	{ NULL },
};

#endif
