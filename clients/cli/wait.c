#include "wait.h"

#include <time.h>

#include "cli.h"

#define STEP_NS 250000000

static void *tell(void *arg)
{
	struct cli_wait *wait = arg;
	uint64_t began = cli_now_ns();
	struct timespec until;

	pthread_mutex_lock(&wait->lock);
	while (!wait->is_over) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += STEP_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&wait->over, &wait->lock, &until);
		if (!wait->is_over)
			cli_progress(wait->cli, began, "waiting for the daemon, %.1f s", (double)(cli_now_ns() - began) / 1e9);
	}
	pthread_mutex_unlock(&wait->lock);
	return NULL;
}

void cli_wait_begin(struct cli *cli, struct cli_wait *wait)
{
	*wait = (struct cli_wait){ .cli = cli };
	if (!cli->at_terminal || cli->quiet)
		return;
	pthread_mutex_init(&wait->lock, NULL);
	pthread_cond_init(&wait->over, NULL);
	wait->is_told = pthread_create(&wait->thread, NULL, tell, wait) == 0;
}

void cli_wait_end(struct cli_wait *wait)
{
	if (!wait->is_told)
		return;
	pthread_mutex_lock(&wait->lock);
	wait->is_over = true;
	pthread_cond_signal(&wait->over);
	pthread_mutex_unlock(&wait->lock);
	pthread_join(wait->thread, NULL);
	pthread_cond_destroy(&wait->over);
	pthread_mutex_destroy(&wait->lock);
	cli_progress_done(wait->cli);
}
