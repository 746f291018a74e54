#include "device_host_impl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/heap.h"

#define AI_CORE_EXCEPTION 507015 /* what a chip answers for a task that failed */
#define SPIN_ROUNDS 2000         /* a few microseconds between two looks at the clock */

/* T7: urgency, then the stream's number. */
static int compare_ready(const void *ctx, uint32_t a, uint32_t b)
{
	const struct host *host = ctx;
	const struct host_stream *x = sd_handles_at(&host->streams, a), *y = sd_handles_at(&host->streams, b);

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return (a > b) - (a < b);
}

static int compare_due(const void *ctx, uint32_t a, uint32_t b)
{
	const struct host *host = ctx;
	const struct host_stream *x = sd_handles_at(&host->streams, a), *y = sd_handles_at(&host->streams, b);

	if (x->due_ns != y->due_ns)
		return x->due_ns < y->due_ns ? -1 : 1;
	return (a > b) - (a < b);
}

bool host_is_idle(const struct host *host)
{
	return host->ready_count == 0 && host->sleeping_count == 0 && host->running == 0;
}

bool host_task_takes_core(const struct sd_task *task)
{
	switch (task->kind) {
	case SD_TASK_KERNEL:
		return true;
	case SD_TASK_COLLECTIVE:
		return task->run != NULL;
	case SD_TASK_COPY:
		return task->bytes > 0;
	case SD_TASK_SLEEP:
		break;
	}
	return false;
}

void host_make_ready(struct host *host, struct host_stream *stream)
{
	stream->state = HOST_READY;
	sd_heap_push(host->ready, &host->ready_count, stream->index, compare_ready, host);
	pthread_cond_signal(&host->work);
}

void host_sleep(struct host *host, struct host_stream *stream, uint64_t due_ns)
{
	stream->state = HOST_SLEEPING;
	stream->due_ns = due_ns;
	sd_heap_push(host->sleeping, &host->sleeping_count, stream->index, compare_due, host);
	if (host->sleeping[0] == stream->index)
		pthread_cond_signal(&host->clock);
}

/* Its place in the heap changes with its time: the heap is made anew. */
void host_hasten(struct host *host, struct host_stream *stream)
{
	uint32_t count = host->sleeping_count;

	stream->due_ns = 0;
	host->sleeping_count = 0;
	for (uint32_t i = 0; i < count; i++)
		sd_heap_push(host->sleeping, &host->sleeping_count, host->sleeping[i], compare_due, host);
	pthread_cond_signal(&host->clock);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Works for that long, as this thread's own clock counts, so that time on which another program had the core does not. */
static void keep_core_busy(uint64_t duration_ns, const atomic_bool *is_cut)
{
	uint64_t end = duration_ns ? cpu_ns() + duration_ns : 0;

	while (end && cpu_ns() < end && !atomic_load_explicit(is_cut, memory_order_relaxed)) {
		for (unsigned i = 0; i < SPIN_ROUNDS; i++)
			__asm__ volatile("");
	}
}

static void execute(const struct sd_task *task, const atomic_bool *is_cut)
{
	if (task->kind == SD_TASK_COPY)
		memmove(task->target, task->source, task->bytes);
	else if (task->run)
		task->run(task->arg);
	else
		keep_core_busy(task->duration_ns, is_cut);
}

/* Of those that wait for the communicator, the next one tries. */
static void free_communicator(struct host *host, struct host_stream *stream)
{
	struct host_communicator *communicator = stream->communicator;
	struct host_stream *next = NULL;

	if (!communicator)
		return;
	stream->communicator = NULL;
	communicator->is_busy = false;
	for (struct host_link *at = communicator->waiting.next; at != &communicator->waiting; at = at->next) {
		struct host_stream *candidate = (struct host_stream *)at;

		if (!next || compare_ready(host, candidate->index, next->index) < 0)
			next = candidate;
	}
	if (next)
		host_wake(host, next);
}

static void note_failed(struct host *host, struct host_stream *stream, const char *name)
{
	struct sd_device_fault fault = {
		.status = SD_INTERNAL, .vendor_code = AI_CORE_EXCEPTION, .stream = stream->handle, .task_index = stream->tasks_passed };

	snprintf(fault.task_name, sizeof(fault.task_name), "%s", name ? name : "");
	host->fault = fault;
	if (stream->fault.status == SD_OK)
		stream->fault = fault;
}

/* Tells the end of the task at the head and lets the stream go on. Called with the lock, which it gives away meanwhile. */
static void end_task(struct host *host, struct host_stream *stream, const struct sd_task *task, enum sd_status status, uint64_t began_ns)
{
	uint64_t ended_ns = host_now_ns();

	if (status == SD_INTERNAL)
		note_failed(host, stream, task->name);
	if (task->done) {
		host_unlock(host);
		task->done(task->done_arg, status, began_ns, ended_ns);
		host_lock(host);
	}
	free_communicator(host, stream);
	stream->tasks_passed++;
	stream->state = HOST_IDLE;
	host_pass(host, stream);
	host_wake(host, stream);
	host->running--;
	host->changed_ns = host_now_ns();
	host_settle(host);
	if (host->is_closing) {
		pthread_cond_broadcast(&host->work);
		pthread_cond_broadcast(&host->clock);
	}
}

/* How a task ends that was begun; counts it for the fault. */
static enum sd_status outcome(struct host *host, const struct host_stream *stream)
{
	if (atomic_load(&stream->is_cut))
		return SD_ABORTED;
	return host_is_fault(&host->calls.task, host->options.fault.task) ? SD_INTERNAL : SD_OK;
}

/* The task at the head of the most urgent stream; its entry may move while the lock is away. */
static void run_next(struct host *host)
{
	struct host_stream *stream = sd_handles_at(&host->streams, sd_heap_pop(host->ready, &host->ready_count, compare_ready, host));
	const struct sd_task task = host_head(stream)->task;
	enum sd_status status = SD_ABORTED;
	uint64_t began_ns = host_now_ns();

	host->running++;
	stream->state = HOST_RUNNING;
	if (!host_is_dropped(stream)) {
		host_unlock(host);
		execute(&task, &stream->is_cut);
		host_lock(host);
		status = outcome(host, stream);
	}
	end_task(host, stream, &task, status, began_ns);
}

void *host_core_thread(void *arg)
{
	struct host *host = arg;

	host_lock(host);
	while (!host->is_closing || host->ready_count > 0 || host->running > 0) {
		if (host->ready_count > 0)
			run_next(host);
		else
			pthread_cond_wait(&host->work, &host->lock);
	}
	host_unlock(host);
	return NULL;
}

static void wake_next(struct host *host)
{
	struct host_stream *stream = sd_handles_at(&host->streams, sd_heap_pop(host->sleeping, &host->sleeping_count, compare_due, host));
	const struct sd_task task = host_head(stream)->task;
	enum sd_status status = host_is_dropped(stream) ? SD_ABORTED : outcome(host, stream);

	host->running++;
	stream->state = HOST_RUNNING;
	end_task(host, stream, &task, status, stream->began_ns);
}

static void wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t due_ns)
{
	struct timespec due = { .tv_sec = (time_t)(due_ns / 1000000000u), .tv_nsec = (long)(due_ns % 1000000000u) };

	pthread_cond_timedwait(cond, lock, &due);
}

void *host_clock_thread(void *arg)
{
	struct host *host = arg;

	host_lock(host);
	while (!host->is_closing || !host_is_idle(host)) {
		uint64_t due_ns = UINT64_MAX;

		if (host->sleeping_count > 0) {
			const struct host_stream *first = sd_handles_at(&host->streams, host->sleeping[0]);

			due_ns = first->due_ns;
		}
		if (due_ns == UINT64_MAX)
			pthread_cond_wait(&host->clock, &host->lock);
		else if (due_ns > host_now_ns())
			wait_until(&host->clock, &host->lock, due_ns);
		else
			wake_next(host);
	}
	host_unlock(host);
	return NULL;
}
