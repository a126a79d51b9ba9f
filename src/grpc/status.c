/* SPDX-License-Identifier: Apache-2.0 */
/* Names of status codes, as in gRPC, and the buckets for durations of calls. */
#include "grpc/status.h"

const double grpc_took_bounds[GRPC_TOOK_BOUNDS] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
	60, 300 };

const char *grpc_status_name(enum grpc_status status)
{
	static const char *const names[GRPC_STATUSES] = { "OK", "CANCELLED", "UNKNOWN",
		"INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
		"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
		"OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
		"UNAUTHENTICATED" };
	return status < GRPC_STATUSES ? names[status] : "UNKNOWN";
}
