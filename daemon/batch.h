/* batch.h - calls that ask for several plans.
 *
 * A worker finds the requests of a batch (rpc_batch.c); from then on each becomes a call of its own, an item, that runs as a job like
 * any other: it joins flights, finds the cache, is listed and can be cancelled. What an item is answered goes to the peer of the
 * batch, as soon as that peer has read enough of what came before.
 *
 * A batch has few jobs at once (batch.jobs_max), and all batches together have at most a fourth of the queue: others wait behind
 * what runs, not behind what a batch has still to do. Batches take turns. For the loop thread, save sd_batch_bytes(). */
#ifndef SD_BATCH_H
#define SD_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct sd_answer;
struct sd_batch;
struct sd_call;
struct sd_conn;
struct sd_result;
struct sd_server;

#define SD_BATCH_QUEUE_SHARE 4u /* of jobs.queue_jobs_max, for the jobs of all batches */

/* The requests of a batch, found by a worker: slices of `body`, or of the call's own body. */
struct sd_batch_parts {
	unsigned char *body; /* owned: the unpacked message; NULL: the call's is as it is */
	uint32_t body_bytes;
	uint32_t count;
	struct sd_text item[];
};

void sd_batch_parts_free(struct sd_batch_parts *parts); /* NULL is fine */

/* Of a server. */
struct sd_batches {
	struct sd_batch *first, *last; /* whose turn is next comes first */
	uint32_t count;
	uint32_t jobs;                 /* that wait or run */
	bool is_due;                   /* some batch may have something to do */
};

/* Goes on with a call whose requests were found; takes the call and the parts over. */
void sd_batch_begin(struct sd_call *call, struct sd_result *found);

/* What an item is answered; takes its body over. Then the item is over and leaves. */
void sd_batch_take(struct sd_call *item, const struct sd_answer *answer);
void sd_batch_leave(struct sd_call *item);

/* Once a turn of the loop: sends what may be sent, and begins what may begin. */
void sd_batch_turn(struct sd_server *server);

/* Behind what a turn sends: whether some batch keeps an answer back that its peer has room for by now. No event will tell, then. */
bool sd_batch_can_send(const struct sd_server *server);

/* Whom it answers; NULL: nobody any more. */
struct sd_conn *sd_batch_conn(const struct sd_batch *batch);

/* Bytes of requests that it holds; for any thread. */
uint64_t sd_batch_bytes(const struct sd_batch *batch);

#endif
