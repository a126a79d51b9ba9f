/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the options of the exporter; for option_rows.c. */
#ifndef CMD_EXPORTER_OPTIONS_H
#define CMD_EXPORTER_OPTIONS_H

#include "cmd/options.h"

/* Each function sets the value of its row. */
struct err exporter_set_server(struct options *o, char *value);
struct err exporter_set_cache(struct options *o, char *value);
struct err exporter_set_per_user(struct options *o, char *value);
struct err exporter_set_job_efficiency(struct options *o, char *value);
struct err exporter_set_server_users(struct options *o, char *value);
struct err exporter_set_slurm_token(struct options *o, char *value);
struct err exporter_set_scrape_token(struct options *o, char *value);
struct err exporter_set_describe(struct options *o, char *value);
struct err exporter_set_max_nodes(struct options *o, char *value);
struct err exporter_set_max_users(struct options *o, char *value);
struct err exporter_set_max_accounts(struct options *o, char *value);
struct err exporter_set_max_gres(struct options *o, char *value);
/* Accepts and ignores an option of the logger zap. */
struct err exporter_set_zap(struct options *o, char *value);

#endif
