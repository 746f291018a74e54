/* socket_bench - an acquire and a release through the daemon's socket, beside a bare echo on a socket of the same kind.
 *
 * usage: socket_bench SOCKET RUNS PAIRS
 * In turns, RUNS times each: PAIRS acquires of one stream with its release, by the C client, and as many
 * round trips to a process that sends back what it gets, with as many bytes as an acquire has. Prints the
 * medians, and that of the shares: pairs a second of the echoes a second in the run beside it. As JSON. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "c/streamd_pool.h"

#define ECHO_BYTES 34u /* header and body of the acquire */
#define RUNS_MAX 99u
#define WARM_UP 200u

struct echo {
	int fd;
	pid_t pid;
};

static void give_up(const char *what)
{
	fprintf(stderr, "socket_bench: %s\n", what);
	exit(1);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the echo ---- */

static void serve_echo(int fd)
{
	char bytes[ECHO_BYTES];
	ssize_t got;

	while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
		if (send(fd, bytes, (size_t)got, MSG_NOSIGNAL) != got)
			break;
	}
	_exit(0);
}

static void open_echo(struct echo *echo)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
		give_up("no socket for the echo");
	echo->pid = fork();
	if (echo->pid == 0) {
		close(fd[0]);
		serve_echo(fd[1]);
	}
	close(fd[1]);
	echo->fd = fd[0];
}

static double time_echo(const struct echo *echo, uint32_t count)
{
	char bytes[ECHO_BYTES] = { 0 };
	double began = now_s();

	for (uint32_t i = 0; i < count; i++) {
		if (send(echo->fd, bytes, sizeof(bytes), MSG_NOSIGNAL) != sizeof(bytes) ||
		    recv(echo->fd, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
			give_up("the echo is gone");
	}
	return now_s() - began;
}

/* ---- the pool ---- */

struct pool {
	struct sd_client *client;
	struct sd_client_model model;
};

static void need(enum sd_status status, const struct sd_client_error *error)
{
	if (status != SD_OK)
		give_up(error->message);
}

static void open_pool(struct pool *pool, const char *socket)
{
	const struct sd_client_options options = { .socket = socket, .name = "bench" };
	struct sd_client_error error;

	need(sd_client_open(&pool->client, &options, &error), &error);
	need(sd_client_register(pool->client, &(struct sd_client_model_ask){ .name = "bench" }, &pool->model, &error), &error);
}

static void acquire_and_release(struct pool *pool)
{
	const struct sd_pool_want want = { .flags = 1, .task_count = 100, .count = 1 };
	const struct sd_client_acquire_ask ask = { .want = &want, .want_count = 1 };
	struct sd_client_release_ask back = { .lease_count = 1 };
	struct sd_client_grants grants;
	struct sd_client_returned returned;
	struct sd_client_error error;

	need(sd_client_acquire(pool->client, &pool->model, &ask, &grants, &error), &error);
	back.lease = &grants.grant[0].lease;
	need(sd_client_release(pool->client, &pool->model, &back, &returned, &error), &error);
	if (grants.count != 1 || returned.released != 1)
		give_up("an acquire brought no stream, or a release took none");
	sd_client_grants_finish(&grants);
	sd_client_ids_finish(&returned.gone);
}

static double time_pool(struct pool *pool, uint32_t count)
{
	double began = now_s();

	for (uint32_t i = 0; i < count; i++)
		acquire_and_release(pool);
	return now_s() - began;
}

/* ---- both ---- */

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *value, uint32_t count)
{
	qsort(value, count, sizeof(*value), by_size);
	return value[count / 2];
}

int main(int argc, char **argv)
{
	uint32_t runs = argc > 3 ? (uint32_t)atoi(argv[2]) : 0, pairs = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
	double echo_s[RUNS_MAX], pool_s[RUNS_MAX], share[RUNS_MAX];
	struct echo echo;
	struct pool pool;

	if (runs == 0 || runs > RUNS_MAX || pairs == 0) {
		fprintf(stderr, "usage: socket_bench SOCKET RUNS PAIRS\n");
		return 2;
	}
	open_echo(&echo);
	open_pool(&pool, argv[1]);
	time_echo(&echo, WARM_UP);
	time_pool(&pool, WARM_UP);
	for (uint32_t i = 0; i < runs; i++) {
		echo_s[i] = time_echo(&echo, pairs);
		pool_s[i] = time_pool(&pool, pairs);
		share[i] = echo_s[i] / pool_s[i];
	}
	sd_client_close(pool.client);
	close(echo.fd);
	waitpid(echo.pid, NULL, 0);
	printf("{\"runs\": %u, \"pairs\": %u, \"echo_us\": %.2f, \"pair_us\": %.2f, \"share\": %.3f}\n", runs, pairs,
	       median(echo_s, runs) / pairs * 1e6, median(pool_s, runs) / pairs * 1e6, median(share, runs));
	return 0;
}
