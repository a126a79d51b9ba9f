/* SPDX-License-Identifier: Apache-2.0 */
/* What every exporter for Prometheus says of its process, and which build it is. */
#ifndef CMD_PROCESS_METRICS_H
#define CMD_PROCESS_METRICS_H

/* Sets the metrics, before they are written. */
void process_measure(void);
/* Resident memory; 0: not known. */
double process_resident_bytes(void);

#endif
