#include "jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "batch.h"
#include "packed.h"
#include "rpc.h"

/* What a worker keeps between jobs; a job of some thousand nodes needs no more, and the
 * memory of a monster goes back to the system. */
#define KEEP_BYTES (8u << 20)

struct sd_worker {
	uv_thread_t thread;
	struct sd_jobs *jobs;
	struct sd_arena arena;
};

static void list_add(struct sd_job_list *list, struct sd_job *job)
{
	job->prev = list->last;
	job->next = NULL;
	*(list->last ? &list->last->next : &list->first) = job;
	list->last = job;
	list->count++;
}

static void list_remove(struct sd_job_list *list, struct sd_job *job)
{
	*(job->prev ? &job->prev->next : &list->first) = job->next;
	*(job->next ? &job->next->prev : &list->last) = job->prev;
	job->prev = job->next = NULL;
	list->count--;
}

static struct sd_job *take_first(struct sd_job_list *list)
{
	struct sd_job *job = list->first;

	if (job)
		list_remove(list, job);
	return job;
}

/* How full it is without the job whose turn has come. */
static uint32_t fullness(const struct sd_jobs *jobs, const struct sd_job *job)
{
	uint64_t own = job->origin->batch ? sd_batch_bytes(job->origin->batch) : job->origin->body_bytes, others = jobs->bytes_held > own ? jobs->bytes_held - own : 0;
	uint32_t queue = sd_shed_percent(jobs->queued.count, jobs->queue_max), memory = sd_shed_percent(others, jobs->bytes_max);

	return queue > memory ? queue : memory;
}

/* Waits for a job; NULL: the workers stop. */
static struct sd_job *next_job(struct sd_jobs *jobs)
{
	struct sd_job *job = NULL;

	uv_mutex_lock(&jobs->lock);
	while (!jobs->is_stopping && !(job = take_first(&jobs->queued)))
		uv_cond_wait(&jobs->wake, &jobs->lock);
	if (job) {
		job->state = SD_JOB_RUNNING;
		job->started_ns = uv_hrtime();
		job->fullness = fullness(jobs, job);
		list_add(&jobs->running, job);
	}
	uv_mutex_unlock(&jobs->lock);
	return job;
}

static void end_job(struct sd_jobs *jobs, struct sd_job *job)
{
	uv_mutex_lock(&jobs->lock);
	list_remove(&jobs->running, job);
	job->state = SD_JOB_DONE;
	list_add(&jobs->done, job);
	uv_mutex_unlock(&jobs->lock);
	uv_async_send(&jobs->async);
}

static void work(void *arg)
{
	struct sd_worker *worker = arg;
	struct sd_job *job;

	while ((job = next_job(worker->jobs))) {
		worker->arena.budget_bytes = job->bounds.job_bytes_max;
		job->result.stage_ns[SD_STAGE_QUEUE] = job->started_ns - job->queued_ns;
		if (sd_job_open(job, &worker->arena))
			job->rpc->run(job, &worker->arena);
		sd_job_deflate(job, &worker->arena);
		job->result.peak_bytes = worker->arena.peak_bytes;
		sd_arena_reset(&worker->arena, KEEP_BYTES);
		end_job(worker->jobs, job);
	}
	sd_arena_finish(&worker->arena);
}

static void on_async(uv_async_t *async)
{
	struct sd_jobs *jobs = async->data;
	struct sd_job_list done;
	struct sd_job *job;

	uv_mutex_lock(&jobs->lock);
	done = jobs->done;
	jobs->done = (struct sd_job_list){ 0 };
	uv_mutex_unlock(&jobs->lock);
	while ((job = take_first(&done)))
		jobs->ended(jobs->arg, job);
}

static void join_workers(struct sd_jobs *jobs)
{
	uv_mutex_lock(&jobs->lock);
	jobs->is_stopping = true;
	for (struct sd_job *job = jobs->running.first; job; job = job->next)
		atomic_store(&job->stop, true);
	uv_cond_broadcast(&jobs->wake);
	uv_mutex_unlock(&jobs->lock);
	for (uint32_t i = 0; i < jobs->worker_count; i++)
		uv_thread_join(&jobs->worker[i].thread);
}

static void release_all(struct sd_jobs *jobs)
{
	uv_close((uv_handle_t *)&jobs->async, NULL);
	uv_cond_destroy(&jobs->wake);
	uv_mutex_destroy(&jobs->lock);
	free(jobs->worker);
}

static bool start_workers(struct sd_jobs *jobs, uint32_t workers)
{
	for (; jobs->worker_count < workers; jobs->worker_count++) {
		struct sd_worker *worker = &jobs->worker[jobs->worker_count];

		worker->jobs = jobs;
		sd_arena_init(&worker->arena, 0);
		if (uv_thread_create(&worker->thread, work, worker) != 0)
			return false;
	}
	return true;
}

bool sd_jobs_start(struct sd_jobs *jobs, uv_loop_t *loop, uint32_t workers, struct sd_cache *cache,
                   void (*ended)(void *arg, struct sd_job *job), void *arg)
{
	*jobs = (struct sd_jobs){ .cache = cache, .ended = ended, .arg = arg };
	jobs->worker = calloc(workers, sizeof(*jobs->worker));
	if (!jobs->worker)
		return false;
	SD_REQUIRE(uv_mutex_init(&jobs->lock) == 0 && uv_cond_init(&jobs->wake) == 0);
	SD_REQUIRE(uv_async_init(loop, &jobs->async, on_async) == 0);
	jobs->async.data = jobs;
	if (start_workers(jobs, workers))
		return true;
	join_workers(jobs);
	release_all(jobs);
	return false;
}

void sd_jobs_stop(struct sd_jobs *jobs)
{
	struct sd_job *job;

	join_workers(jobs);
	while ((job = take_first(&jobs->done)) || (job = take_first(&jobs->queued)))
		jobs->ended(jobs->arg, job);
	release_all(jobs);
}

enum sd_status sd_jobs_submit(struct sd_jobs *jobs, struct sd_call *call, bool alone, const struct sd_admission *bounds,
                              uint32_t queue_max, struct sd_diag *diag)
{
	struct sd_job *job = calloc(1, sizeof(*job));

	if (!job)
		return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("no memory is left"));
	*job = (struct sd_job){ .jobs = jobs, .rpc = call->rpc, .queued_ns = uv_hrtime(), .origin = call, .calls = call,
	                        .call_count = 1, .wanted = 1, .is_alone = alone, .bounds = *bounds };
	uv_mutex_lock(&jobs->lock);
	if (queue_max && jobs->queued.count >= queue_max) {
		uint32_t queued = jobs->queued.count;

		uv_mutex_unlock(&jobs->lock);
		free(job);
		return SD_FAIL1(diag, SD_CODE_LIMIT_QUEUE, SD_NO_NODE, sd_arg_int(queued));
	}
	if (queue_max)
		jobs->queue_max = queue_max;
	job->id = ++jobs->last_id;
	call->job = job;
	call->job_next = NULL;
	list_add(&jobs->queued, job);
	uv_cond_signal(&jobs->wake);
	uv_mutex_unlock(&jobs->lock);
	return SD_OK;
}

void sd_jobs_set_held(struct sd_jobs *jobs, uint64_t bytes, uint64_t bytes_max)
{
	uv_mutex_lock(&jobs->lock);
	jobs->bytes_held = bytes;
	jobs->bytes_max = bytes_max;
	uv_mutex_unlock(&jobs->lock);
}

bool sd_jobs_forsake(struct sd_jobs *jobs, struct sd_call *call, struct sd_job **taken)
{
	struct sd_job *job;
	bool is_taken = false;

	uv_mutex_lock(&jobs->lock);
	job = call->job;
	SD_REQUIRE(job && job->wanted > 0);
	if (--job->wanted == 0) {
		atomic_store(&job->stop, true);
		is_taken = job->state == SD_JOB_QUEUED;
		if (is_taken)
			list_remove(&jobs->queued, job);
	}
	uv_mutex_unlock(&jobs->lock);
	*taken = is_taken ? job : NULL;
	return is_taken;
}

struct sd_job *sd_jobs_take_queued(struct sd_jobs *jobs, bool (*is_meant)(const struct sd_job *job))
{
	struct sd_job *job;

	uv_mutex_lock(&jobs->lock);
	for (job = jobs->queued.first; job && !is_meant(job); job = job->next)
		;
	if (job)
		list_remove(&jobs->queued, job);
	uv_mutex_unlock(&jobs->lock);
	return job;
}

void sd_job_destroy(struct sd_job *job)
{
	sd_blob_release(job->result.body);
	sd_blob_release(job->result.deflated.blob);
	sd_batch_parts_free(job->result.parts);
	free(job);
}

static void describe(const struct sd_job *job, struct sd_job_info *info)
{
	*info = (struct sd_job_info){
		.id = job->id, .bytes = job->origin->body_bytes, .rpc = job->rpc, .state = job->state,
		.requests = job->wanted, .deadline_ms = job->origin->deadline_ms, .arrived_ns = job->origin->arrived_ns,
	};
}

/* A job whose calls joined another one is on its way out. */
static uint32_t describe_list(const struct sd_job_list *list, struct sd_job_info *out, uint32_t max)
{
	uint32_t count = 0;

	for (struct sd_job *job = list->first; job && count < max; job = job->next) {
		if (job->origin)
			describe(job, &out[count++]);
	}
	return count;
}

uint32_t sd_jobs_list(struct sd_jobs *jobs, struct sd_job_info *out, uint32_t max)
{
	uint32_t count;

	uv_mutex_lock(&jobs->lock);
	count = describe_list(&jobs->running, out, max);
	count += describe_list(&jobs->queued, out + count, max - count);
	uv_mutex_unlock(&jobs->lock);
	return count;
}

static struct sd_job *find_job(struct sd_job_list *list, uint64_t id)
{
	for (struct sd_job *job = list->first; job; job = job->next) {
		if (job->id == id)
			return job;
	}
	return NULL;
}

struct sd_call *sd_jobs_find_call(struct sd_jobs *jobs, uint64_t id, bool *exists)
{
	struct sd_job *job;
	struct sd_call *call;

	uv_mutex_lock(&jobs->lock);
	job = find_job(&jobs->running, id);
	if (!job)
		job = find_job(&jobs->queued, id);
	for (call = job ? job->calls : NULL; call && call->is_answered; call = call->job_next)
		;
	uv_mutex_unlock(&jobs->lock);
	*exists = job != NULL;
	return call;
}

void sd_jobs_count(struct sd_jobs *jobs, struct sd_jobs_counts *counts)
{
	uv_mutex_lock(&jobs->lock);
	*counts = (struct sd_jobs_counts){ .queued = jobs->queued.count, .running = jobs->running.count, .joins = jobs->joins };
	uv_mutex_unlock(&jobs->lock);
}
