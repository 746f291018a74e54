/* service.h - what the service manager is told: ready, reading settings, stopping, and that the loop still turns.
 *
 * The protocol is one datagram a message to the socket that NOTIFY_SOCKET names; without it nothing is told. */
#ifndef SD_SERVICE_H
#define SD_SERVICE_H

#include <stdbool.h>
#include <uv.h>

struct sd_service {
	uv_timer_t watchdog; /* twice in the time that WATCHDOG_USEC allows */
};

/* Starts the watchdog where one is asked for. */
void sd_service_open(struct sd_service *service, uv_loop_t *loop);
void sd_service_close(struct sd_service *service);

void sd_service_ready(const char *status);
void sd_service_reloading(void);
void sd_service_stopping(void);

/* Sends `message` to the manager; false: there is none, or it does not take it. */
bool sd_service_tell(const char *message);

#endif
