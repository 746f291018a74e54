/* watch.h - peers that are told what changes about a device, and the look after each turn.
 *
 * A watcher is told at most once a turn of the loop, and not before it has read what it was told
 * last: what changed meanwhile is told as one. */
#ifndef SD_WATCH_H
#define SD_WATCH_H

#include "devices.h"

struct sd_server;

/* Before the loop waits: whoever waits or watches and may go on. */
void sd_watch_turn(struct sd_server *server);

uint32_t sd_watch_count(const struct sd_devices *devices);

/* All calls end. */
void sd_watch_drain(struct sd_server *server);

#endif
