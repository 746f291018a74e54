#include "device_host_impl.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STUCK_AFTER_MS 250 /* longer than a host takes between two enqueues, short for who waits */

uint64_t host_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum sd_status host_short_of(const char *what, struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words(what));
}

enum sd_status host_bad_argument(const char *what, int64_t value, const char *must, struct sd_diag *diag)
{
	return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words(what), sd_arg_int(value), sd_arg_words(must));
}

static void facts(struct sd_device *device, struct sd_device_facts *facts)
{
	struct host *host = host_of(device);

	host_lock(host);
	*facts = host->facts;
	host_unlock(host);
}

static uint64_t now_ns(struct sd_device *device)
{
	return host_now_ns();
}

static void take_fault(struct sd_device *device, struct sd_device_fault *fault)
{
	struct host *host = host_of(device);

	host_lock(host);
	*fault = host->fault;
	host->fault = (struct sd_device_fault){ 0 };
	host_unlock(host);
}

/* Ends what runs, drops what is queued, and lets the threads end when all is told. */
static void end_threads(struct host *host)
{
	host_lock(host);
	host->is_closing = true;
	for (uint32_t i = 0; i < host->streams.count; i++) {
		struct host_stream *stream = sd_handles_at(&host->streams, i);

		if (stream) {
			host_drop_queued(host, stream);
			host_cut(host, stream);
		}
	}
	host_settle(host);
	pthread_cond_broadcast(&host->work);
	pthread_cond_broadcast(&host->clock);
	host_unlock(host);
	for (uint32_t i = 0; i < host->thread_count; i++)
		pthread_join(host->thread[i], NULL);
}

static void finish(struct host *host)
{
	for (uint32_t i = 0; i < host->streams.count; i++) {
		struct host_stream *stream = sd_handles_at(&host->streams, i);

		if (stream)
			host_stream_free(host, stream);
	}
	for (uint32_t i = 0; i < host->events.count; i++) {
		struct host_event *event = sd_handles_at(&host->events, i);

		if (event)
			host_record_release(event->last);
		free(event);
	}
	for (uint32_t i = 0; i < host->notifies.count; i++)
		free(sd_handles_at(&host->notifies, i));
	for (struct host_communicator *next, *at = host->communicators; at; at = next) {
		next = at->next;
		free(at);
	}
	sd_handles_finish(&host->streams);
	sd_handles_finish(&host->events);
	sd_handles_finish(&host->notifies);
	host_memory_finish(host);
	pthread_cond_destroy(&host->progress);
	pthread_cond_destroy(&host->clock);
	pthread_cond_destroy(&host->work);
	pthread_mutex_destroy(&host->lock);
	free(host->ready);
	free(host->sleeping);
	free(host->thread);
	free(host);
}

static void close_device(struct sd_device *device)
{
	end_threads(host_of(device));
	finish(host_of(device));
}

static const struct sd_device_ops ops = {
	.name = "host",
	.close = close_device,
	.facts = facts,
	.now_ns = now_ns,
	.take_fault = take_fault,
	.stream_create = host_stream_create,
	.stream_destroy = host_stream_destroy,
	.stream_synchronize = host_stream_synchronize,
	.stream_query = host_stream_query,
	.stream_abort = host_stream_abort,
	.stream_stop = host_stream_stop,
	.stream_hold = host_stream_hold,
	.activate = host_activate,
	.submit = host_submit,
	.event_create = host_event_create,
	.event_destroy = host_event_destroy,
	.event_record = host_event_record,
	.event_wait = host_event_wait,
	.event_reset = host_event_reset,
	.event_query = host_event_query,
	.event_synchronize = host_event_synchronize,
	.event_elapsed = host_event_elapsed,
	.notify_create = host_notify_create,
	.notify_destroy = host_notify_destroy,
	.notify_record = host_notify_record,
	.notify_wait = host_notify_wait,
	.memory_alloc = host_memory_alloc,
	.memory_free = host_memory_free,
};

/* Its maxima, with counts of nothing yet. */
static void start_facts(struct host *host, uint32_t cores)
{
	const struct sd_device_facts *has = &host->options.has;

	host->facts = (struct sd_device_facts){
		.name = ops.name,
		.profile = has->profile,
		.streams_max = has->streams_max,
		.events_max = has->events_max,
		.notifies_max = has->notifies_max,
		.tasks_per_stream_max = has->tasks_per_stream_max,
		.huge_streams_max = has->huge_streams_max,
		.tasks_per_huge_stream_max = has->tasks_per_huge_stream_max,
		.has_huge = has->has_huge,
		.unlimited_depth = has->unlimited_depth,
		.memory_bytes = has->memory_bytes,
		.cube_cores = has->cube_cores ? has->cube_cores : cores,
		.vector_cores = has->vector_cores ? has->vector_cores : cores,
	};
	if (host->facts.memory_bytes == 0)
		host->facts.memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	host->facts.memory_free_bytes = host->facts.memory_bytes;
}

static void init(struct host *host, uint32_t cores)
{
	pthread_condattr_t monotonic;

	host->device.ops = &ops;
	pthread_mutex_init(&host->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&host->work, &monotonic);
	pthread_cond_init(&host->clock, &monotonic);
	pthread_cond_init(&host->progress, &monotonic);
	pthread_condattr_destroy(&monotonic);
	host_list_init(&host->pending);
	host_memory_init(host);
	if (host->options.stuck_after_ms == 0)
		host->options.stuck_after_ms = STUCK_AFTER_MS;
	start_facts(host, cores);
}

static bool start_threads(struct host *host, uint32_t cores)
{
	host->thread = calloc(cores + 1u, sizeof(*host->thread));
	if (!host->thread)
		return false;
	while (host->thread_count <= cores) {
		void *(*run)(void *) = host->thread_count == 0 ? host_clock_thread : host_core_thread;

		if (pthread_create(&host->thread[host->thread_count], NULL, run, host) != 0)
			return false;
		host->thread_count++;
	}
	return true;
}

enum sd_status sd_host_open(const struct sd_host_options *options, struct sd_device **device, struct sd_diag *diag)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t cores = options && options->cores ? options->cores : online > 0 ? (uint32_t)online : 1;
	struct host *host;

	*device = NULL;
	if (cores > SD_HOST_CORES_MAX)
		return host_bad_argument("the number of cores", cores, "at most 1024", diag);
	host = calloc(1, sizeof(*host));
	if (!host)
		return host_short_of("memory", diag);
	if (options)
		host->options = *options;
	init(host, cores);
	if (!start_threads(host, cores)) {
		close_device(&host->device);
		return host_short_of("threads", diag);
	}
	*device = &host->device;
	return SD_OK;
}
