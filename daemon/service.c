#include "service.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MAX 256

bool sd_service_tell(const char *message)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	bool sent;
	int fd;

	if (len < 2 || len >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return false;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* a name in no directory */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	sent = sendto(fd, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address,
	              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (path[0] == '/'))) >= 0;
	close(fd);
	return sent;
}

void sd_service_ready(const char *status)
{
	char message[MESSAGE_MAX];

	snprintf(message, sizeof(message), "READY=1\nSTATUS=%s", status);
	sd_service_tell(message);
}

void sd_service_reloading(void)
{
	char message[MESSAGE_MAX];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(message, sizeof(message), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
	sd_service_tell(message);
}

void sd_service_stopping(void)
{
	sd_service_tell("STOPPING=1\nSTATUS=draining");
}

static void on_watchdog(uv_timer_t *timer)
{
	sd_service_tell("WATCHDOG=1");
}

/* Half of the time that the manager waits, in milliseconds; 0: it does not. */
static uint64_t watchdog_ms(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t every = usec ? strtoull(usec, NULL, 10) / 2000 : 0;

	return pid && strtol(pid, NULL, 10) != (long)getpid() ? 0 : every;
}

void sd_service_open(struct sd_service *service, uv_loop_t *loop)
{
	uint64_t every = watchdog_ms();

	uv_timer_init(loop, &service->watchdog);
	if (every)
		uv_timer_start(&service->watchdog, on_watchdog, every, every);
}

void sd_service_close(struct sd_service *service)
{
	uv_close((uv_handle_t *)&service->watchdog, NULL);
}
