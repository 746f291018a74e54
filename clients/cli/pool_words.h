/* pool_words.h - private: the words KEY=VALUE of streamctl pool. */
#ifndef SD_CLI_POOL_WORDS_H
#define SD_CLI_POOL_WORDS_H

#include "cli.h"

#define POOL_LEASES_MAX 256u /* of one command line */

enum pool_verb { POOL_ACQUIRE = 1 << 0, POOL_RELEASE = 1 << 1, POOL_LIST = 1 << 2 };

struct pool_words {
	enum pool_verb verb;
	const char *model;   /* of acquire: its name; of release: its number, checked */
	const char *domain;
	int64_t priority;
	uint64_t device, flags, count, task_count, events, notifies, wait_ms, ttl_ms;
	uint64_t model_id;
	uint64_t lease[POOL_LEASES_MAX];
	size_t lease_count;
	bool force;
};

/* Reads the words behind the verb; on EXIT_GOOD all that must be said is. */
enum exit_status pool_words_read(const struct cli *cli, enum pool_verb verb, struct pool_words *words);

/* The names of flags, joined by |, "0" for none; cut to `size`. Answers `out`. */
const char *pool_flags_text(uint32_t flags, char *out, size_t size);
#define POOL_FLAGS_TEXT_MAX 256

#endif
