/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that client and server set for their peer; private to this folder. */
#ifndef GRPC_LIMITS_H
#define GRPC_LIMITS_H

#include <nghttp2/nghttp2.h>

/*
 * Callbacks and options for a new session; the options have the limits of both ends.
 * AUTO(...) frees them. Out of memory ends the process, as in own_alloc.
 */
nghttp2_session_callbacks *limits_callbacks(void);
nghttp2_option *limits_options(void);
void limits_free_callbacks(nghttp2_session_callbacks **c);
void limits_free_options(nghttp2_option **o);

/* Queues our settings and the flow control window of the connection. */
void limits_queue(nghttp2_session *s, const nghttp2_settings_entry *ours, size_t n);

#endif
