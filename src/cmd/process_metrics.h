/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics that every exporter for Prometheus has about its process and its build. */
#ifndef CMD_PROCESS_METRICS_H
#define CMD_PROCESS_METRICS_H

/* Sets the metrics, before they are written. */
void process_measure(void);
/* Each 0: not known. */
struct process_facts {
	double resident_bytes, virtual_bytes, open_fds, max_fds;
};
struct process_facts process_facts(void);

#endif
