/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the tables of rows share; for the files of this folder only. */
#ifndef PLAN_EXPORTER_ROWS_PARTS_H
#define PLAN_EXPORTER_ROWS_PARTS_H

#include "base/own.h"
#include "plan/exporter/counts.h"
#include "plan/exporter/rows.h"

#define MIB 1048576.0

/* A gauge of exporter 0.1, and a new gauge. */
#define ROW_01(scope, name, measure, help) \
	{ name, help, scope, EXPORTER_GAUGE, EXPORTER_01, measure, 1, NULL }
#define ROW_NOW(scope, name, measure, help) \
	{ name, help, scope, EXPORTER_GAUGE, EXPORTER_NOW, measure, 1, NULL }
/* A gauge of 0.3 whose name has the suffix of a counter, and its right name. */
#define ROW_TOTAL(scope, name, measure, help, right) \
	{ name "_total", help, scope, EXPORTER_GAUGE, EXPORTER_03, measure, 1, right }
#define ROWS_TOTAL(scope, name, measure, help) \
	ROW_TOTAL(scope, name, measure, help, name), ROW_NOW(scope, name, measure, help)
/* Memory that 0.3 reports in MiB under a name with "bytes", and the metric in bytes. */
#define ROWS_MEMORY(scope, name, measure, right, right_measure, help)                          \
	{ name, help ", in MiB.", scope, EXPORTER_GAUGE, EXPORTER_03, measure, 1, right },     \
	{                                                                                      \
		right, help ", in bytes.", scope, EXPORTER_GAUGE, EXPORTER_NOW, right_measure, \
			MIB, NULL                                                              \
	}

extern const struct exporter_table exporter_node_table, exporter_partition_table,
	exporter_job_table, exporter_user_table, exporter_gres_table, exporter_ended_table,
	exporter_statistic_table, exporter_rpc_table, exporter_self_table;

#endif
