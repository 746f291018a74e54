/* still_clock.h - the C library's clock and poll() as the linker wraps them: time stands still until the test lets it pass, so that
 * what has a deadline meets it where the test says, on any machine.
 *
 * For one file of a program that is linked with --wrap for clock_gettime and poll. One thread at a time may wait. */
#ifndef SD_STILL_CLOCK_H
#define SD_STILL_CLOCK_H

#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int __real_clock_gettime(clockid_t id, struct timespec *now);
int __real_poll(struct pollfd *fd, nfds_t count, int timeout_ms);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_poll(struct pollfd *fd, nfds_t count, int timeout_ms);

static atomic_llong clock_ms = 1000000;
static atomic_llong due_ms; /* when the poll() that waits gives up; 0: none waits */

static inline int64_t now_ms(void)
{
	return atomic_load(&clock_ms);
}

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
	if (id != CLOCK_MONOTONIC)
		return __real_clock_gettime(id, now);
	*now = (struct timespec){ .tv_sec = (time_t)(now_ms() / 1000), .tv_nsec = (long)(now_ms() % 1000) * 1000000 };
	return 0;
}

/* A pause, in which nothing is expected from a peer, is over at once, and its time has passed. */
static int pause_at_once(struct pollfd *fd, nfds_t count, int timeout_ms)
{
	int ready = __real_poll(fd, count, 0);

	if (ready == 0)
		atomic_fetch_add(&clock_ms, timeout_ms);
	return ready;
}

int __wrap_poll(struct pollfd *fd, nfds_t count, int timeout_ms)
{
	int64_t until = now_ms() + timeout_ms;
	int ready;

	if (count < 2)
		return pause_at_once(fd, count, timeout_ms);
	atomic_store(&due_ms, until);
	do
		ready = __real_poll(fd, count, 1);
	while (ready == 0 && now_ms() < until);
	atomic_store(&due_ms, 0);
	return ready;
}

/* Up to the moment at which whoever waits gives up, once somebody waits. */
static inline void let_time_pass(void)
{
	int64_t due;

	while ((due = atomic_load(&due_ms)) == 0)
		usleep(100);
	atomic_store(&clock_ms, due);
}

#endif
