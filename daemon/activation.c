#include "activation.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3
#define FDS_MAX 64

union address {
	struct sockaddr any;
	struct sockaddr_un un;
	struct sockaddr_in in;
};

/* Asked of the environment each time: there is no state but that of the descriptors. */
static int count_passed(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	long count = fds ? strtol(fds, NULL, 10) : 0;

	if (!pid || strtol(pid, NULL, 10) != (long)getpid() || count < 0)
		return 0;
	return count < FDS_MAX ? (int)count : FDS_MAX;
}

/* A passed descriptor still lacks close-on-exec; one that was taken has it. */
static bool is_taken(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return flags < 0 || (flags & FD_CLOEXEC);
}

static bool read_address(int fd, union address *address)
{
	socklen_t len = sizeof(*address);
	int listens = 0;
	socklen_t size = sizeof(listens);

	memset(address, 0, sizeof(*address));
	return getsockname(fd, &address->any, &len) == 0 && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens;
}

static int take(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

int sd_activation_take(const char *path)
{
	union address address;

	for (int i = 0, fd = FIRST_FD; i < count_passed(); i++, fd++) {
		if (!is_taken(fd) && read_address(fd, &address) && address.any.sa_family == AF_UNIX &&
		    strncmp(address.un.sun_path, path, sizeof(address.un.sun_path)) == 0)
			return take(fd);
	}
	return -1;
}

int sd_activation_take_port(uint16_t port)
{
	union address address;

	for (int i = 0, fd = FIRST_FD; i < count_passed(); i++, fd++) {
		if (!is_taken(fd) && read_address(fd, &address) && address.any.sa_family == AF_INET && address.in.sin_port == htons(port) &&
		    address.in.sin_addr.s_addr == htonl(INADDR_LOOPBACK))
			return take(fd);
	}
	return -1;
}

bool sd_activation_is_used_up(char error[SD_CONFIG_ERROR_MAX])
{
	union address address;

	for (int i = 0, fd = FIRST_FD; i < count_passed(); i++, fd++) {
		if (is_taken(fd))
			continue;
		if (!read_address(fd, &address))
			snprintf(error, SD_CONFIG_ERROR_MAX, "the service manager passes descriptor %d, which is no socket that listens; pass stream sockets", fd);
		else if (address.any.sa_family == AF_UNIX)
			snprintf(error, SD_CONFIG_ERROR_MAX, "the service manager passes a socket at %.*s, where nothing is to be served; "
			         "set socket.path to its ListenStream=", (int)sizeof(address.un.sun_path), address.un.sun_path);
		else
			snprintf(error, SD_CONFIG_ERROR_MAX, "the service manager passes a socket that is not on port http.port of 127.0.0.1; "
			         "make its ListenStream= and http.port the same");
		return false;
	}
	return true;
}
