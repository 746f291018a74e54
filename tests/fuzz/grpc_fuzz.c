/* grpc_fuzz - any bytes as what a gRPC peer sends: a whole daemon in this process answers them, and nothing of them is left when the
 * peer has gone.
 *
 * The first byte says how the rest comes: bit 0, behind the preface and empty SETTINGS; bit 1, whether the peer reads what it is
 * answered; bit 2, whether it is known to have ended sending before it goes; bit 3, whether it waits until no job of it is left; the upper bits, in pieces of how many bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "grpc_conn.h"
#include "server.h"

#define TURNS_MAX 200000 /* of the loop, for one input: what takes more hangs */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sd_server server;
static struct sd_config config;
static struct sd_config_source source;
static char folder[] = "/tmp/streamd-fuzz-XXXXXX";

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
	char path[sizeof(folder) + 16];
	static const char *const name[] = { "s.sock", "grpc.sock", "s.sock.lock", "grpc.sock.lock" };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, name[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* Once: small limits, so that short inputs reach them, and times that no input outlasts. */
static void open_daemon(void)
{
	char error[SD_CONFIG_ERROR_MAX], path[sizeof(folder) + 16];

	SD_REQUIRE(mkdtemp(folder));
	atexit(tidy_up);
	snprintf(path, sizeof(path), "%s/s.sock", folder);
	sd_config_defaults(&config);
	set("socket.path", path);
	set("http.port", "0");
	set("log.level", "off");
	set("jobs.workers", "2");
	set("socket.frame_bytes_max", "64 KiB");
	set("jobs.queue_bytes_max", "256 KiB");
	set("limits.job_bytes_max", "8 MiB");
	set("limits.nodes_max", "500");
	set("jobs.deadline_default", "2 s");
	set("jobs.deadline_max", "2 s");
	set("batch.items_max", "16");
	set("batch.jobs_max", "3");
	set("grpc.streams_max", "8");
	set("grpc.header_bytes_max", "4 KiB");
	set("grpc.compress_above", "64");
	set("socket.owed_bytes_max", "8 KiB");
	set("socket.unread_bytes_max", "64 KiB");
	if (!sd_server_open(&server, &config, &source, error)) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
}

/* ---- the peer ---- */

static void read_away(int fd)
{
	unsigned char bytes[4096];

	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

/* Some of what is to be sent; answers how many bytes were taken. The daemon may have hung up. */
static size_t send_some(int fd, const uint8_t *data, size_t len, bool *is_gone)
{
	ssize_t sent = send(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	*is_gone = sent < 0 && errno != EAGAIN && errno != EINTR;
	return sent > 0 ? (size_t)sent : 0;
}

static void turn(int fd, bool reads)
{
	uv_run(&server.loop, UV_RUN_NOWAIT);
	if (reads)
		read_away(fd);
}

static void talk(int fd, const uint8_t *data, size_t len, size_t piece, bool reads)
{
	bool is_gone = false;

	for (int turns = 0; len && !is_gone && server.conn_count; turns++) {
		size_t sent = send_some(fd, data, len < piece ? len : piece, &is_gone);

		data += sent;
		len -= sent;
		turn(fd, reads);
		/* Held up by answers that it does not read: it never will. */
		if (!sent && !reads)
			return;
		SD_REQUIRE(turns < TURNS_MAX);
	}
}

static bool is_left(void)
{
	return server.conn_count || server.requests_open || server.request_bytes || server.batches.count || server.batches.jobs;
}

/* What was asked for is done, as far as its peer reads the answers. */
static void wait_for_jobs(int fd, bool reads)
{
	struct sd_jobs_counts jobs = { .running = 1 };

	for (int turns = 0; jobs.running || jobs.queued || (reads && server.batches.count); turns++) {
		SD_REQUIRE(turns < TURNS_MAX);
		usleep(20);
		turn(fd, reads);
		sd_jobs_count(&server.jobs, &jobs);
	}
}

/* Until nothing is left of it. */
static void settle(void)
{
	for (int turns = 0; is_left(); turns++) {
		SD_REQUIRE(turns < TURNS_MAX);
		if (server.requests_open)
			usleep(50); /* a worker is at it */
		uv_run(&server.loop, UV_RUN_NOWAIT);
	}
	uv_run(&server.loop, UV_RUN_NOWAIT); /* handles are closed */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
	struct sd_who who = { .uid = 1000, .pid = 1000, .may_lease = true }; /* no operator: nobody drains it */
	int fd[2];
	uint8_t how;

	if (size == 0)
		return 0;
	if (!server.read_buffer)
		open_daemon();
	how = data[0];
	SD_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) == 0);
	sd_grpc_conn_open(&server, fd[0], &who);
	if (how & 1)
		talk(fd[1], greeting, sizeof(greeting) - 1, sizeof(greeting), how & 2);
	talk(fd[1], data + 1, size - 1, (size_t)1 << (how >> 4), how & 2);
	if (how & 8)
		wait_for_jobs(fd[1], how & 2);
	if (how & 4)
		shutdown(fd[1], SHUT_WR);
	turn(fd[1], how & 2);
	close(fd[1]);
	settle();
	return 0;
}
