#include "client_io.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG_PAUSE_MS 5 /* a full backlog cannot be polled for */

int64_t sd__now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds left, rounded so that a deadline that is not over is never waited for with 0. */
static int left_ms(int64_t until_ms)
{
	int64_t left = until_ms - sd__now_ms();

	return left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

void sd__link_close(struct sd__link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	free(link->inbox.body);
	link->fd = -1;
	link->inbox = (struct sd__inbox){ 0 };
	link->ahead_at = link->ahead_len = 0;
}

static int try_connect(struct sd__link *link, const struct sockaddr_un *address, int64_t until_ms)
{
	while (connect(link->fd, (const struct sockaddr *)address, sizeof(*address)) != 0) {
		if (errno != EAGAIN && errno != EINTR)
			return errno;
		if (left_ms(until_ms) == 0)
			return ETIMEDOUT;
		poll(NULL, 0, BACKLOG_PAUSE_MS);
	}
	return 0;
}

int sd__link_connect(struct sd__link *link, const char *path, int64_t until_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int error;

	if (strlen(path) >= sizeof(address.sun_path))
		return ENAMETOOLONG;
	strcpy(address.sun_path, path);
	sd__link_close(link);
	link->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (link->fd < 0)
		return errno;
	error = try_connect(link, &address, until_ms);
	if (error)
		sd__link_close(link);
	return error;
}

/* ---- receiving ---- */

static ssize_t receive(struct sd__link *link, unsigned char *at, size_t room)
{
	ssize_t got = recv(link->fd, at, room, 0);

	if (got > 0)
		return got;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static bool is_ahead(const struct sd__link *link)
{
	return link->ahead_at < link->ahead_len;
}

/* Bytes into the place where the frame's next ones belong; 0 none now, -1 the connection is gone. */
static ssize_t receive_into(struct sd__link *link, unsigned char *at, size_t room)
{
	size_t some;

	if (!is_ahead(link)) {
		ssize_t got;

		if (room >= SD__READ_AHEAD)
			return receive(link, at, room);
		got = receive(link, link->ahead, SD__READ_AHEAD);
		if (got <= 0)
			return got;
		link->ahead_at = 0;
		link->ahead_len = (size_t)got;
	}
	some = link->ahead_len - link->ahead_at < room ? link->ahead_len - link->ahead_at : room;
	memcpy(at, link->ahead + link->ahead_at, some);
	link->ahead_at += some;
	return (ssize_t)some;
}

static bool header_is_whole(const struct sd__inbox *in)
{
	return in->header_got == SD_FRAME_HEADER;
}

static bool frame_is_whole(const struct sd__inbox *in)
{
	return header_is_whole(in) && in->body_got == in->frame.body_bytes;
}

static enum sd__event start_body(struct sd__inbox *in)
{
	if (sd_frame_read(in->header, &in->frame) != SD_OK)
		return SD__LOST;
	in->body = malloc(in->frame.body_bytes ? in->frame.body_bytes : 1);
	return in->body ? SD__FRAME : SD__NO_MEMORY;
}

/* Takes what is there. SD__FRAME: a frame is whole; SD__NOTHING: not yet. */
static enum sd__event receive_some(struct sd__link *link)
{
	struct sd__inbox *in = &link->inbox;
	ssize_t got;

	while (!frame_is_whole(in)) {
		bool in_body = header_is_whole(in);

		got = in_body ? receive_into(link, in->body + in->body_got, in->frame.body_bytes - in->body_got)
		              : receive_into(link, in->header + in->header_got, SD_FRAME_HEADER - in->header_got);
		if (got <= 0)
			return got < 0 ? SD__LOST : SD__NOTHING;
		if (in_body) {
			in->body_got += (size_t)got;
			continue;
		}
		in->header_got += (size_t)got;
		if (header_is_whole(in)) {
			enum sd__event event = start_body(in);

			if (event != SD__FRAME)
				return event;
		}
	}
	return SD__FRAME;
}

/* Waits until something can be done; SD__NOTHING, or what ends the wait. */
static enum sd__event wait_ready(struct sd__link *link, short events, int64_t until_ms, short *ready)
{
	struct pollfd poll_fd[2] = { { link->fd, events, 0 }, { link->wake, POLLIN, 0 } };
	int left = left_ms(until_ms);

	*ready = 0;
	if (left == 0)
		return SD__LATE;
	if (poll(poll_fd, 2, left) < 0)
		return errno == EINTR ? SD__NOTHING : SD__LOST;
	if (poll_fd[1].revents)
		return SD__WOKEN;
	*ready = poll_fd[0].revents;
	return SD__NOTHING;
}

enum sd__event sd__link_receive(struct sd__link *link, int64_t until_ms)
{
	for (;;) {
		/* Before the first byte of a frame there is mostly none to be had yet. */
		enum sd__event event = is_ahead(link) || link->inbox.header_got ? receive_some(link) : SD__NOTHING;
		short ready;

		if (event == SD__NOTHING)
			event = wait_ready(link, POLLIN, until_ms, &ready);
		/* What has come by the deadline has come in time. */
		if ((event == SD__NOTHING && ready) || event == SD__LATE) {
			enum sd__event got = receive_some(link);

			event = got == SD__NOTHING ? event : got;
		}
		if (event != SD__NOTHING)
			return event;
	}
}

unsigned char *sd__link_take(struct sd__link *link, struct sd_frame *frame)
{
	unsigned char *body = link->inbox.body;

	*frame = link->inbox.frame;
	link->inbox = (struct sd__inbox){ 0 };
	return body;
}

/* ---- sending ---- */

static ssize_t send_some(struct sd__link *link, const unsigned char *header, const void *body, size_t body_bytes, size_t sent)
{
	struct iovec part[2];
	struct msghdr message = { .msg_iov = part };
	ssize_t count;

	if (sent < SD_FRAME_HEADER)
		part[message.msg_iovlen++] = (struct iovec){ (void *)(uintptr_t)(header + sent), SD_FRAME_HEADER - sent };
	if (body_bytes > 0) {
		size_t skip = sent > SD_FRAME_HEADER ? sent - SD_FRAME_HEADER : 0;

		part[message.msg_iovlen++] = (struct iovec){ (void *)((uintptr_t)body + skip), body_bytes - skip };
	}
	count = sendmsg(link->fd, &message, MSG_NOSIGNAL);
	if (count >= 0)
		return count;
	return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

enum sd__event sd__link_send(struct sd__link *link, const struct sd_frame *frame, const void *body, int64_t until_ms)
{
	size_t sent = 0, whole = SD_FRAME_HEADER + (size_t)frame->body_bytes;
	unsigned char header[SD_FRAME_HEADER];

	sd_frame_write(header, frame);
	while (sent < whole) {
		ssize_t count = send_some(link, header, body, frame->body_bytes, sent);
		enum sd__event event;
		short ready;

		if (count < 0) {
			/* Why it hung up may have come in before. */
			return receive_some(link) == SD__FRAME ? SD__FRAME : SD__LOST;
		}
		sent += (size_t)count;
		if (count > 0)
			continue;
		event = wait_ready(link, POLLOUT | POLLIN, until_ms, &ready);
		if (event == SD__NOTHING && ready & POLLIN)
			event = receive_some(link);
		if (event != SD__NOTHING)
			return event;
	}
	return SD__SENT;
}

void sd__link_calm(struct sd__link *link)
{
	uint64_t count;

	while (read(link->wake, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}
