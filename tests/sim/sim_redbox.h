/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lives of red-box: its service, its submitter and its journal, which is a folder of
 * its own. A life ends at once; the last line of the journal may be cut then, as one that
 * was not synced. After a while another life begins.
 */
#ifndef SIM_REDBOX_H
#define SIM_REDBOX_H

#include "redbox/rest/rest.h"
#include "redbox/service.h"
#include "sim/sim_hpc.h"
#include "sim/sim_link.h"

struct sim_redbox {
	struct loop *loop;
	struct sim_link *link;
	struct sim_hpc *hpc;
	struct sim_rand rand; /* its own, so that a crash that is left out changes little */
	struct redbox_config config;
	char folder[64];
	struct journal *journal;
	struct submitter *submitter;
	struct service *service; /* NULL: it is dead */
	struct rest *rest;       /* at "unix:", the folder, "/rest" */
	struct timer *turn;
	int lives;
};

/* old: its journal has been whole for more than a week. */
void sim_redbox_init(struct sim_redbox *b, struct sim_link *link, struct sim_hpc *hpc,
	uint64_t seed, bool old);
void sim_redbox_live(struct sim_redbox *b);
/* Nothing of it is on the stack. */
void sim_redbox_crash(struct sim_redbox *b, int64_t for_ms);
/* red-box dies, and a person removes its journal. */
void sim_redbox_lose_journal(struct sim_redbox *b);
void sim_redbox_free(struct sim_redbox *b);

#endif
