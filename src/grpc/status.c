/* SPDX-License-Identifier: Apache-2.0 */
/* Names of status codes, as gRPC has them. */
#include "grpc/status.h"

const char *grpc_status_name(enum grpc_status status)
{
	static const char *const names[GRPC_STATUSES] = { "OK", "CANCELLED", "UNKNOWN",
		"INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
		"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
		"OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
		"UNAUTHENTICATED" };
	return status < GRPC_STATUSES ? names[status] : "UNKNOWN";
}
