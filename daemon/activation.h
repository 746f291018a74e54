/* activation.h - sockets that the service manager listens on already, passed in as descriptors (LISTEN_FDS, LISTEN_PID).
 *
 * Whoever passes them made them and removes them: their paths, modes and owners are its business. */
#ifndef SD_ACTIVATION_H
#define SD_ACTIVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* The descriptor that listens on this path of a Unix socket, or on this port of 127.0.0.1; -1: none was passed.
 * Each is given once; it does not block, and is not passed on. */
int sd_activation_take(const char *path);
int sd_activation_take_port(uint16_t port);

/* False: something was passed that nobody took; `error` says what, and what would be right. */
bool sd_activation_is_used_up(char error[SD_CONFIG_ERROR_MAX]);

#endif
