/* jobs.h - the worker threads, and the bounded queue in front of them.
 *
 * A job does the work of one or more calls: of one when it is queued, of more once
 * identical ones joined it (flight.h). A job is done exactly once. It ends early, through
 * its stop flag, only when no call wants it any more; a queued job that nobody wants is
 * taken out and never runs.
 *
 * Threads: the loop submits, forsakes, lists and is told of finished jobs; workers run.
 * Lists, counts and the calls of a job are guarded by `lock`. A running job reads the
 * body of its origin; calls are freed by the loop alone, after their job is done. */
#ifndef SD_JOBS_H
#define SD_JOBS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/arena.h"
#include "base/diag.h"
#include "blob.h"
#include "cache.h"
#include "call.h"
#include "count.h"
#include "deflated.h"

enum sd_job_state { SD_JOB_QUEUED, SD_JOB_RUNNING, SD_JOB_DONE };

/* Where an answer came from. */
#define SD_SOURCE_LIST(X) X(NONE, "none") X(RAW, "raw") X(KEY, "key") X(PLANNED, "planned") X(JOINED, "joined")
enum sd_source {
#define SD_X(name, text) SD_SOURCE_##name,
	SD_SOURCE_LIST(SD_X)
#undef SD_X
	SD_SOURCES
};

/* What took how long; 0 = did not happen. */
#define SD_STAGE_LIST(X) X(QUEUE, "queue") X(PREPARE, "prepare") X(PLAN, "plan") X(VERIFY, "verify") X(ENCODE, "encode") X(PACK, "pack")
enum sd_stage {
#define SD_X(name, text) SD_STAGE_##name,
	SD_STAGE_LIST(SD_X)
#undef SD_X
	SD_STAGES
};

struct sd_result {
	enum sd_status status;
	enum sd_code code;    /* of a failure */
	struct sd_blob *body; /* the answer (of Plan: the plan alone), or an Error; NULL: no memory was left */
	struct sd_deflated deflated; /* the same body packed, for calls that take it so */
	enum sd_source source;
	uint64_t stage_ns[SD_STAGES];
	uint64_t nodes, peak_bytes;
	struct sd_batch_parts *parts; /* of a PlanBatch: its requests, and no body */
};

struct sd_jobs;

struct sd_job {
	struct sd_job *prev, *next; /* in the list of its state */
	struct sd_jobs *jobs;
	const struct sd_rpc *rpc;
	uint64_t id, queued_ns, started_ns;
	enum sd_job_state state;
	struct sd_call *origin; /* whose body it works on; among calls */
	struct sd_text bytes;   /* that body, unpacked; of the worker */
	struct sd_call *calls;
	uint32_t call_count;
	uint32_t wanted;        /* calls that are not answered yet */
	bool is_alone;          /* joins none and is joined by none */
	uint32_t fullness;      /* percent, of queue or memory without itself, when its turn came */
	atomic_bool stop;
	bool has_raw, has_key;  /* digests that a later identical request finds it by */
	unsigned char raw[SD_CACHE_KEY_BYTES], key[SD_CACHE_KEY_BYTES];
	struct sd_admission bounds; /* as configured when it was submitted */
	struct sd_result result;
};

struct sd_job_list {
	struct sd_job *first, *last;
	uint32_t count;
};

struct sd_worker;

struct sd_jobs {
	uv_mutex_t lock;
	uv_cond_t wake;
	uv_async_t async; /* the only one: "some job is done" */
	struct sd_job_list queued, running, done;
	struct sd_worker *worker;
	uint32_t worker_count;
	bool is_stopping;
	uint64_t last_id, joins;
	uint32_t queue_max;              /* as it was submitted with last */
	uint64_t bytes_held, bytes_max;  /* of requests */
	struct sd_cache *cache;
	void *arg;
	void (*ended)(void *arg, struct sd_job *job); /* on the loop, once a job */
};

/* Starts the workers. False when the system refuses; nothing is left behind then. */
bool sd_jobs_start(struct sd_jobs *jobs, uv_loop_t *loop, uint32_t workers, struct sd_cache *cache,
                   void (*ended)(void *arg, struct sd_job *job), void *arg);

/* Tells running jobs to stop, waits for the workers, hands out what is done and queued
 * through `ended`, closes the async handle. The loop must run once more. */
void sd_jobs_stop(struct sd_jobs *jobs);

/* Queues a job for the call. RESOURCE_EXHAUSTED (SD2013) with `queue_max` jobs waiting; 0: no bound. */
enum sd_status sd_jobs_submit(struct sd_jobs *jobs, struct sd_call *call, bool alone, const struct sd_admission *bounds,
                              uint32_t queue_max, struct sd_diag *diag);

/* How much memory requests take, and may take: told by the loop once a turn. */
void sd_jobs_set_held(struct sd_jobs *jobs, uint64_t bytes, uint64_t bytes_max);

/* A call that was answered, or is wanted no more, counts no longer. True: its job was
 * queued, was taken out and belongs to the caller now. */
bool sd_jobs_forsake(struct sd_jobs *jobs, struct sd_call *call, struct sd_job **taken);

/* Takes the oldest queued job out that is meant; NULL if there is none. */
struct sd_job *sd_jobs_take_queued(struct sd_jobs *jobs, bool (*is_meant)(const struct sd_job *job));

/* Frees a job that is done or was taken out; its calls are the caller's. */
void sd_job_destroy(struct sd_job *job);

/* For listings: what each job is, in order of age. */
struct sd_job_info {
	uint64_t id, arrived_ns, bytes;
	const struct sd_rpc *rpc;
	enum sd_job_state state;
	uint32_t requests, deadline_ms;
};
uint32_t sd_jobs_list(struct sd_jobs *jobs, struct sd_job_info *out, uint32_t max);

/* The first call of job `id` that is not answered; NULL if there is none. */
struct sd_call *sd_jobs_find_call(struct sd_jobs *jobs, uint64_t id, bool *exists);

struct sd_jobs_counts {
	uint32_t queued, running;
	uint64_t joins;
};
void sd_jobs_count(struct sd_jobs *jobs, struct sd_jobs_counts *counts);

#endif
