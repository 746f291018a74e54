/* rpc.h - the table of methods, and what becomes of a request that arrived whole.
 *
 * All of it is for the loop thread, save the `run` functions, which are for workers. */
#ifndef SD_RPC_H
#define SD_RPC_H

#include <stdbool.h>

#include "call.h"
#include "frame.h"
#include "jobs.h"
#include "shed.h"

/* Who may ask: everybody who can open the socket (submit, observe); root, the daemon's own user and
 * members of pool.group, everybody where none is named (lease); root and the daemon's own user (admin). */
enum sd_role { SD_ROLE_SUBMIT, SD_ROLE_OBSERVE, SD_ROLE_LEASE, SD_ROLE_ADMIN };

struct sd_rpc {
	const char *name;
	enum sd_method number;
	/* One of the two: answers at once on the loop, or runs as a job on a worker. */
	void (*answer)(struct sd_server *server, struct sd_call *call);
	void (*run)(struct sd_job *job, struct sd_arena *arena);
	enum sd_role role;
	enum sd_shed_class shed;
	bool is_idempotent; /* a client may send it again when it does not know what became of it */
};

/* Largest body of a method that is answered on the loop, which must not stand still for it. */
#define SD_RPC_LOOP_BODY_MAX ((64u << 10) + 64)

/* Whether it is answered at once, and need not wait until other calls of its connection are done. */
static inline bool sd_rpc_is_short(const struct sd_rpc *rpc)
{
	return rpc && rpc->shed == SD_SHED_NEVER;
}

uint32_t sd_rpc_count(void);
const struct sd_rpc *sd_rpc_row(uint32_t row);         /* NULL past the end */
const struct sd_rpc *sd_rpc_find(uint16_t number);     /* NULL if there is none */
uint32_t sd_rpc_row_of(const struct sd_rpc *rpc);      /* NULL: the count, for an unknown one */

/* A request as its envelope announces it. */
struct sd_ask {
	const struct sd_rpc *rpc; /* NULL: there is no such method */
	uint16_t method;          /* as it was asked for, for messages */
	uint64_t request_id;      /* unique among those that the connection has open */
	uint32_t body_bytes;
	uint32_t deadline_ms;     /* from now; 0: none is stated */
	uint32_t unpacked_max, pack_above; /* as in struct sd_call */
};

/* Whether the request may be read: SD_OK accounts for its body; else the refusal is counted and
 * logged, `diag` is to be told to the peer, and the body to be skipped. */
enum sd_status sd_rpc_admit(struct sd_conn *conn, const struct sd_ask *ask, struct sd_diag *diag);

/* The largest body that a method takes, unpacked. */
uint64_t sd_rpc_body_max(const struct sd_server *server, const struct sd_rpc *rpc);

/* Counts and logs a request that is refused with `diag`. */
void sd_rpc_refused(struct sd_conn *conn, const struct sd_ask *ask, const struct sd_diag *diag);

/* An admitted request of so many bytes does not get complete. */
void sd_rpc_give_up(struct sd_server *server, uint32_t body_bytes);

/* An admitted request is complete; takes the body over. */
void sd_rpc_begin(struct sd_conn *conn, const struct sd_ask *ask, unsigned char *body);

/* The peer wants no answer any more; nothing happens where there is no such request. */
void sd_rpc_cancel(struct sd_conn *conn, uint64_t request_id);

/* The peer of all these calls is gone. */
void sd_rpc_abandon(struct sd_conn *conn);

/* Answers a call with the bytes of its answer message (taken over; NULL: no memory was left), or with an error. */
void sd_call_answer(struct sd_call *call, struct sd_blob *body);
void sd_call_fail(struct sd_call *call, const struct sd_diag *diag);

/* Answers a call that runs as a job or is parked, and lets go of it. */
void sd_call_fail_early(struct sd_call *call, enum sd_code code, int64_t number);

/* Queues an item of a batch, however many jobs there are: who calls sees to it that they are few. */
enum sd_status sd_rpc_submit_item(struct sd_call *item, struct sd_diag *diag);

/* A worker is done with a job (sd_jobs.ended). */
void sd_rpc_ended(void *server, struct sd_job *job);

/* Queued jobs whose peers understand it are answered with `code`; they will not run. */
void sd_rpc_fail_queued(struct sd_server *server, enum sd_code code);

/* Handlers of rows, by file. rpc_plan.c: */
void sd_run_plan(struct sd_job *job, struct sd_arena *arena);
void sd_run_explain(struct sd_job *job, struct sd_arena *arena);
void sd_run_simulate(struct sd_job *job, struct sd_arena *arena);
void sd_run_verify(struct sd_job *job, struct sd_arena *arena);
/* rpc_batch.c: */
void sd_run_plan_batch(struct sd_job *job, struct sd_arena *arena);
/* rpc_report.c: */
void sd_answer_report(struct sd_server *server, struct sd_call *call);
/* rpc_admin.c: */
void sd_answer_status(struct sd_server *server, struct sd_call *call);
void sd_answer_limits(struct sd_server *server, struct sd_call *call);
void sd_answer_cache_stats(struct sd_server *server, struct sd_call *call);
void sd_run_cache_flush(struct sd_job *job, struct sd_arena *arena);
void sd_answer_drain(struct sd_server *server, struct sd_call *call);
void sd_answer_ping(struct sd_server *server, struct sd_call *call);
void sd_answer_jobs(struct sd_server *server, struct sd_call *call);
void sd_answer_cancel_job(struct sd_server *server, struct sd_call *call);
/* acquire.c, rpc_pool.c, rpc_pool_list.c, watch.c: */
void sd_answer_acquire(struct sd_server *server, struct sd_call *call);
void sd_answer_register_model(struct sd_server *server, struct sd_call *call);
void sd_answer_unload(struct sd_server *server, struct sd_call *call);
void sd_answer_heartbeat(struct sd_server *server, struct sd_call *call);
void sd_answer_release(struct sd_server *server, struct sd_call *call);
void sd_answer_reserve(struct sd_server *server, struct sd_call *call);
void sd_answer_describe(struct sd_server *server, struct sd_call *call);
void sd_answer_budget(struct sd_server *server, struct sd_call *call);
void sd_answer_pool_stats(struct sd_server *server, struct sd_call *call);
void sd_answer_list(struct sd_server *server, struct sd_call *call);
void sd_answer_watch(struct sd_server *server, struct sd_call *call);
/* The server's hello, and the daemon's limits as they are said in it. */
struct sd_blob *sd_server_hello(const struct sd_server *server);

#endif
