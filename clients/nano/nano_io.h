/* nano_io.h - private: bytes through the two buffers of a client, never past its deadline. */
#ifndef SD_NANO_IO_H
#define SD_NANO_IO_H

#include "streamd_nano.h"

int64_t sd__nano_now_ms(void);

/* Connects; 0, or the errno of what failed. */
int sd__nano_connect(struct sd_nano *client);

/* Buffers and sends. False: the connection is gone, the deadline came, or a frame came in (answered_early). */
bool sd__nano_put(struct sd_nano *client, const void *bytes, size_t count);
bool sd__nano_flush(struct sd_nano *client);

/* Reads exactly `count` bytes; `to` NULL passes over them. False: gone, or the deadline came. */
bool sd__nano_get(struct sd_nano *client, void *to, size_t count);

/* The deadline of the call is over. */
bool sd__nano_late(const struct sd_nano *client);

#endif
