/* pool_verbs.h - private: what cmd_pool.c hands on. */
#ifndef SD_CLI_POOL_VERBS_H
#define SD_CLI_POOL_VERBS_H

#include "pool_words.h"

/* Takes the leases, prints them, keeps them until standard input ends or a signal comes, gives them back. */
enum exit_status pool_acquire(struct cli *cli, struct pool_words *words);

/* Asks for the list with `body`, a ListRequest, and prints it for people. */
enum exit_status pool_show_list(struct cli *cli, struct sd_text body);

#endif
