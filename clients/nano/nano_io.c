#include "nano_io.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG_PAUSE_MS 5 /* a full backlog cannot be polled for */

int64_t sd__nano_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int left_ms(const struct sd_nano *client)
{
	int64_t left = client->until_ms - sd__nano_now_ms();

	return left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

bool sd__nano_late(const struct sd_nano *client)
{
	return left_ms(client) == 0;
}

int sd__nano_connect(struct sd_nano *client)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int failed;

	memcpy(address.sun_path, client->path, sizeof(address.sun_path));
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	client->out_used = client->in_at = client->in_end = 0;
	client->body_left = 0;
	if (client->fd < 0)
		return errno;
	while (connect(client->fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
		failed = errno == EAGAIN && sd__nano_late(client) ? ETIMEDOUT : errno;
		if (failed != EAGAIN && failed != EINTR) {
			sd_nano_close(client);
			return failed;
		}
		poll(NULL, 0, BACKLOG_PAUSE_MS);
	}
	return 0;
}

/* What can be done on the connection of `events`, waiting for it; 0: nothing by the deadline. */
static short wait_ready(const struct sd_nano *client, short events)
{
	struct pollfd ready = { client->fd, events, 0 };
	int left;

	while ((left = left_ms(client)) > 0) {
		int got = poll(&ready, 1, left);

		if (got > 0)
			return ready.revents;
		if (got < 0 && errno != EINTR)
			return 0;
	}
	return 0;
}

/* The daemon may say no before it was told all: its frame is in the buffer or about to be. */
static bool hear_early(struct sd_nano *client)
{
	unsigned char byte;

	client->answered_early = recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
	return client->answered_early;
}

bool sd__nano_flush(struct sd_nano *client)
{
	size_t sent = 0;

	while (sent < client->out_used) {
		ssize_t count = send(client->fd, client->out + sent, client->out_used - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (count > 0) {
			sent += (size_t)count;
			continue;
		}
		if (count < 0 && errno != EAGAIN && errno != EINTR) {
			hear_early(client);
			return false;
		}
		if (!wait_ready(client, POLLOUT | POLLIN) || hear_early(client))
			return false;
	}
	client->out_used = 0;
	return true;
}

bool sd__nano_put(struct sd_nano *client, const void *bytes, size_t count)
{
	const unsigned char *from = bytes;

	while (count > 0) {
		size_t room = SD_NANO_BUFFER - client->out_used, part = count < room ? count : room;

		memcpy(client->out + client->out_used, from, part);
		client->out_used += part;
		from += part;
		count -= part;
		if (client->out_used == SD_NANO_BUFFER && !sd__nano_flush(client))
			return false;
	}
	return true;
}

static bool fill(struct sd_nano *client)
{
	for (;;) {
		ssize_t got = recv(client->fd, client->in, SD_NANO_BUFFER, MSG_DONTWAIT);

		if (got > 0) {
			client->in_at = 0;
			client->in_end = (size_t)got;
			return true;
		}
		if (got == 0 || (errno != EAGAIN && errno != EINTR) || !wait_ready(client, POLLIN))
			return false;
	}
}

bool sd__nano_get(struct sd_nano *client, void *to, size_t count)
{
	unsigned char *next = to;

	while (count > 0) {
		size_t there = client->in_end - client->in_at, part = count < there ? count : there;

		if (there == 0 && !fill(client))
			return false;
		if (next) {
			memcpy(next, client->in + client->in_at, part);
			next += part;
		}
		client->in_at += part;
		count -= part;
	}
	return true;
}
