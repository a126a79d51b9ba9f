/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the health and metrics endpoints. */
#include "cmd/endpoint_options.h"

#include "cmd/values.h"

struct err endpoint_set_probe(struct options *o, char *value)
{
	return value_text(&o->manager.probe_address, value);
}

struct err endpoint_set_metrics(struct options *o, char *value)
{
	return value_text(&o->manager.metrics_address, value);
}

struct err endpoint_set_metrics_cert(struct options *o, char *value)
{
	return value_text(&o->manager.metrics_cert_path, value);
}

struct err endpoint_set_measured(struct options *o, char *value)
{
	return str_to_i64(value, 1, 1000000, &o->manager.measured_objects)
		? OK
		: value_wrong(value, "must be a whole number from 1 to 1000000");
}
