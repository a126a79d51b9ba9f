/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a session, for client and server. */
#include "grpc/limits.h"

#include <stdlib.h>

enum {
	CONNECTION_WINDOW_BYTES = 1 << 20,
	MOST_ACKS = 500, /* of PING and SETTINGS that the peer does not read */
	MOST_SETTINGS = 32,
	MOST_CONTINUATIONS = 8,
};

void limits_free_callbacks(nghttp2_session_callbacks **c) { nghttp2_session_callbacks_del(*c); }
void limits_free_options(nghttp2_option **o) { nghttp2_option_del(*o); }

nghttp2_session_callbacks *limits_callbacks(void)
{
	nghttp2_session_callbacks *c;
	if (nghttp2_session_callbacks_new(&c) != 0)
		abort();
	return c;
}

nghttp2_option *limits_options(void)
{
	nghttp2_option *o;
	if (nghttp2_option_new(&o) != 0)
		abort();
	nghttp2_option_set_no_closed_streams(o, 1);
	nghttp2_option_set_max_outbound_ack(o, MOST_ACKS);
	nghttp2_option_set_max_settings(o, MOST_SETTINGS);
	nghttp2_option_set_max_continuations(o, MOST_CONTINUATIONS);
	return o;
}

void limits_queue(nghttp2_session *s, const nghttp2_settings_entry *ours, size_t n)
{
	nghttp2_submit_settings(s, NGHTTP2_FLAG_NONE, ours, n);
	nghttp2_session_set_local_window_size(s, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW_BYTES);
}
