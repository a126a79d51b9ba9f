/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the options of the exporter. */
#include "cmd/exporter_options.h"

#include "cmd/values.h"

struct err exporter_set_server(struct options *o, char *value)
{
	return value_text(&o->exporter.server, value);
}

struct err exporter_set_server_users(struct options *o, char *value)
{
	return value_users(&o->exporter.server_users, &o->exporter.n_server_users, value);
}

struct err exporter_set_cache(struct options *o, char *value)
{
	return value_duration(&o->exporter.cache_ms, value);
}

struct err exporter_set_per_user(struct options *o, char *value)
{
	return value_bool(&o->exporter.per_user_names, value);
}

struct err exporter_set_job_efficiency(struct options *o, char *value)
{
	return value_bool(&o->exporter.job_efficiency, value);
}

struct err exporter_set_slurm_token(struct options *o, char *value)
{
	return value_text(&o->exporter.token_file, value);
}

struct err exporter_set_scrape_token(struct options *o, char *value)
{
	return value_text(&o->exporter.scrape_token_file, value);
}

struct err exporter_set_describe(struct options *o, char *value)
{
	return value_bool(&o->exporter.describe, value);
}

struct err exporter_set_max_nodes(struct options *o, char *value)
{
	return value_count(&o->exporter.limits.nodes, value);
}

struct err exporter_set_max_users(struct options *o, char *value)
{
	return value_count(&o->exporter.limits.users, value);
}

struct err exporter_set_max_accounts(struct options *o, char *value)
{
	return value_count(&o->exporter.limits.accounts, value);
}

struct err exporter_set_max_gres(struct options *o, char *value)
{
	return value_count(&o->exporter.limits.gres, value);
}

struct err exporter_set_zap(struct options *o, char *value)
{
	(void)o, (void)value;
	return OK;
}
