/* call.h - one open request of one connection.
 *
 * Lives from the last byte of its body until its job is done, whoever lost interest
 * before: that is how long it counts among the requests that its connection may have
 * open. A call without a job is answered at once, or parked until something else happens
 * on the loop. For the loop thread, save `job`, `job_next` and the body, which follow the
 * rules of jobs.h. */
#ifndef SD_CALL_H
#define SD_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/text.h"

struct sd_batch;
struct sd_blob;
struct sd_conn;
struct sd_job;
struct sd_rpc;
struct sd_server;

struct sd_call {
	struct sd_server *server;
	struct sd_conn *conn; /* NULL: the peer is gone, or it is an item of a batch */
	struct sd_batch *batch; /* of whose requests this is one (batch.h); else NULL */
	uint32_t item;          /* and which */
	struct sd_call *conn_prev, *conn_next; /* of its connection or batch */
	struct sd_job *job;
	struct sd_call *job_next;
	const struct sd_rpc *rpc;
	uint64_t conn_id, request_id;
	unsigned char *body; /* owned; an item's is its batch's */
	uint32_t body_bytes;
	uint32_t unpacked_max; /* 0: the body is as it is; else it is packed (packed.h), and of so many bytes at most */
	uint32_t pack_above;   /* answers of so many bytes go out packed; 0: none */
	uint32_t items_max;    /* requests of one batch, as configured when it came */
	uint32_t deadline_ms; /* from arrival */
	uint64_t arrived_ns;
	uv_timer_t deadline;
	bool is_answered; /* or nobody wants it any more */
	/* Of a call that waits on the loop instead of running as a job: it is over early, let go of it. */
	void (*dropped)(struct sd_call *call);
	void *arg; /* of whoever parked it */
};

/* Keeps a call open that its handler does not answer yet (a copy, without the body); `dropped` is
 * called when it is cancelled or its peer is gone, and the call is freed after that. NULL: no memory. */
struct sd_call *sd_call_park(const struct sd_call *call, void (*dropped)(struct sd_call *call), void *arg);

/* Lets go of a parked call that was answered. */
void sd_call_unpark(struct sd_call *call);

/* One of several answers; the call stays open. */
void sd_call_answer_part(struct sd_call *call, struct sd_blob *body);

#endif
