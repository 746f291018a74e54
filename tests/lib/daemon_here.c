#include "daemon_here.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "framed.h"
#include "grpc_conn.h"

#define PATIENCE_S 300 /* what takes longer hangs, on any machine */

struct sd_server daemon_here;
static struct sd_config config;
static struct sd_config_source source;
static char folder[] = "/tmp/streamd-here-XXXXXX";

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Lets workers have the core. */
static void pause_in_time(time_t begun)
{
	SD_REQUIRE(seconds() - begun < PATIENCE_S);
	usleep(20);
}

static void set(const char *key, const char *value)
{
	char error[SD_CONFIG_ERROR_MAX];

	if (!sd_config_set(&config, key, value, error)) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
}

static void tidy_up(void)
{
	static const char *const name[] = { "s.sock", "grpc.sock", "s.sock.lock", "grpc.sock.lock" };
	char path[sizeof(folder) + 16];

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, name[i]);
		unlink(path);
	}
	rmdir(folder);
}

void daemon_here_open(const char *const *settings)
{
	char error[SD_CONFIG_ERROR_MAX], path[sizeof(folder) + 16];

	if (daemon_here.read_buffer)
		return;
	SD_REQUIRE(mkdtemp(folder));
	atexit(tidy_up);
	snprintf(path, sizeof(path), "%s/s.sock", folder);
	sd_config_defaults(&config);
	set("socket.path", path);
	set("http.port", "0");
	set("log.level", "off");
	for (; settings[0]; settings += 2)
		set(settings[0], settings[1]);
	if (!sd_server_open(&daemon_here, &config, &source, error)) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
}

int daemon_here_connect(bool by_grpc)
{
	struct sd_who who = { .uid = 1000, .pid = 1000, .may_lease = true };
	int fd[2];

	SD_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) == 0);
	if (by_grpc)
		sd_grpc_conn_open(&daemon_here, fd[0], &who);
	else
		sd_framed_open(&daemon_here, fd[0], &who);
	return fd[1];
}

void daemon_here_turn(int peer, bool reads)
{
	unsigned char bytes[4096];

	uv_run(&daemon_here.loop, UV_RUN_NOWAIT);
	while (reads && recv(peer, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

void daemon_here_talk(int peer, const void *data, size_t len, size_t piece, bool reads)
{
	const unsigned char *at = data;

	for (time_t begun = seconds(); len && daemon_here.conn_count;) {
		ssize_t sent = send(peer, at, len < piece ? len : piece, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return;
		at += sent > 0 ? sent : 0;
		len -= sent > 0 ? (size_t)sent : 0;
		daemon_here_turn(peer, reads);
		/* Held up by answers that it does not read: it never will. */
		if (sent <= 0 && !reads)
			return;
		if (sent <= 0)
			pause_in_time(begun);
	}
}

void daemon_here_wait_for_jobs(int peer, bool reads)
{
	struct sd_jobs_counts jobs = { .running = 1 };

	for (time_t begun = seconds(); jobs.running || jobs.queued || (reads && daemon_here.batches.count);) {
		pause_in_time(begun);
		daemon_here_turn(peer, reads);
		sd_jobs_count(&daemon_here.jobs, &jobs);
	}
}

static bool is_left(void)
{
	return daemon_here.conn_count || daemon_here.requests_open || daemon_here.request_bytes || daemon_here.batches.count ||
	       daemon_here.batches.jobs;
}

void daemon_here_settle(void)
{
	for (time_t begun = seconds(); is_left();) {
		if (daemon_here.requests_open)
			pause_in_time(begun); /* a worker is at it */
		SD_REQUIRE(seconds() - begun < PATIENCE_S);
		uv_run(&daemon_here.loop, UV_RUN_NOWAIT);
	}
	uv_run(&daemon_here.loop, UV_RUN_NOWAIT); /* handles are closed */
}
