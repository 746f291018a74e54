/* conn_impl.h - between the two files of a connection: its life (conn.c) and its reading (conn_read.c). */
#ifndef SD_CONN_IMPL_H
#define SD_CONN_IMPL_H

#include "conn.h"

/* Largest frame in the connection's state. */
uint64_t sd__conn_frame_max(const struct sd_conn *conn);

/* Whether it may be read now: what is unread by the peer is within bounds. */
bool sd__conn_may_read(const struct sd_conn *conn);

/* Looks at what was put aside and starts or stops reading, as may be. */
void sd__conn_resume(struct sd_conn *conn);

/* Reads and drops what comes, until the peer closes. */
void sd__conn_drop_input(struct sd_conn *conn);

#endif
