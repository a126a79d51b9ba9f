/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes of gRPC. https://grpc.io/docs/guides/status-codes */
#ifndef GRPC_STATUS_H
#define GRPC_STATUS_H

enum grpc_status {
	GRPC_OK = 0,
	GRPC_CANCELLED = 1,
	GRPC_UNKNOWN = 2,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_ALREADY_EXISTS = 6,
	GRPC_PERMISSION_DENIED = 7,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_FAILED_PRECONDITION = 9,
	GRPC_ABORTED = 10,
	GRPC_OUT_OF_RANGE = 11,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14,
	GRPC_DATA_LOSS = 15,
	GRPC_UNAUTHENTICATED = 16,
	GRPC_STATUSES
};

const char *grpc_status_name(enum grpc_status status); /* "NOT_FOUND" */

/*
 * Upper ends of the buckets for durations of calls, in seconds. A call may read a file.
 */
enum { GRPC_TOOK_BOUNDS = 12 };
extern const double grpc_took_bounds[GRPC_TOOK_BOUNDS];

#endif
