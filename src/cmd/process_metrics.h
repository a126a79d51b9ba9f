/* SPDX-License-Identifier: Apache-2.0 */
/* The usual metrics of Prometheus clients about the process and its build. */
#ifndef CMD_PROCESS_METRICS_H
#define CMD_PROCESS_METRICS_H

/* Updates the metrics for a scrape. */
void process_measure(void);
/* In each member 0 means unknown. */
struct process_facts {
	double resident_bytes, virtual_bytes, open_fds, max_fds;
};
struct process_facts process_facts(void);

#endif
