/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request at a time, waited for: for tests by hand and for stories that look from
 * outside.
 */
#ifndef SIM_ASK_H
#define SIM_ASK_H

#include "sim/sim_world.h"

struct answer {
	struct err err;
	int status;
	int64_t asked_ms, retry_after_ms;
	char *body;
	yyjson_doc *doc; /* NULL: not JSON */
	yyjson_val *root;
};

/*
 * Sends and steps the world until the answer is there. content_type NULL: JSON, or merge
 * patch for PATCH. token NULL: no Slurm token. In body, ' stands for " when it holds no
 * ".
 */
struct answer sim_ask(struct world *w, struct http *h, const char *method, const char *path,
	const char *content_type, const char *token, const char *body);
void answer_free(struct answer *a);

/* A stream's text as it comes. */
struct listener {
	struct str text;
	bool done;
	struct err err;
	int status;
	int pieces, stop_after; /* 0: never */
};
struct http_call *sim_stream_open(struct listener *l, struct http *h, const char *path);
/* Lines of the stream that hold the text */
size_t sim_lines_with(const struct listener *l, const char *part);

#endif
