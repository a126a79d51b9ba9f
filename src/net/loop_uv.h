/* The libuv loop behind a struct loop; for the files of this folder only. */
#ifndef NET_LOOP_UV_H
#define NET_LOOP_UV_H

#include <uv.h>

#include "net/loop.h"

uv_loop_t *loop_uv_handle(struct loop *l);

#endif
