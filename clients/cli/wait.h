/* wait.h - private: tells at a terminal, from half a second on, that the daemon is waited for and how long already. */
#ifndef SD_CLI_WAIT_H
#define SD_CLI_WAIT_H

#include <pthread.h>
#include <stdbool.h>

struct cli;

struct cli_wait {
	struct cli *cli;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool is_told, is_over;
};

/* Between the two nothing else may tell progress. */
void cli_wait_begin(struct cli *cli, struct cli_wait *wait);
void cli_wait_end(struct cli_wait *wait);

#endif
