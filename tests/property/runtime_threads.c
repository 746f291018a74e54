/* runtime_threads - threads that share a memory pool, a task queue and the host device, all at once.
 *
 * Each round takes a block, fills it by a task of one stream, reads it by a task of another one that
 * waits for the first, and frees it on the second, enqueueing all before any of it need have run.
 * A block that is given to somebody else too early, or a task that runs too early, spoils what is read. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "streamd/device_host.h"
#include "streamd/memory_pool.h"
#include "streamd/task_queue.h"

#define THREADS 4
#define ROUNDS 1500
#define WORDS_MAX 20000u

static struct sd_device *host, *queue;
static struct sd_memory_pool *pool;
static atomic_uint spoilt, done, refused;

struct share {
	uint32_t *word;
	uint32_t count, value;
};

static void fill(void *arg)
{
	const struct share *share = arg;

	for (uint32_t i = 0; i < share->count; i++)
		share->word[i] = share->value;
}

static void look(void *arg)
{
	const struct share *share = arg;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < share->count; i++)
		wrong += share->word[i] != share->value;
	atomic_fetch_add(&spoilt, wrong != 0);
}

static void end(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	free(arg);
	atomic_fetch_add(&done, status == SD_OK);
}

static void must(enum sd_status status, const char *what)
{
	if (status != SD_OK) {
		fprintf(stderr, "runtime_threads: %s: %s\n", what, sd_status_name(status));
		exit(1);
	}
}

static sd_handle new_stream(int32_t priority)
{
	sd_handle stream;
	int32_t rt_id;

	must(queue->ops->stream_create(queue, priority, 0, &stream, &rt_id, NULL), "stream_create");
	return stream;
}

static void order(sd_handle before, sd_handle behind, sd_handle event)
{
	must(sd_memory_pool_recorded(pool, before, event, NULL), "recorded");
	must(queue->ops->event_record(queue, before, event, NULL), "event_record");
	must(queue->ops->event_wait(queue, behind, event, NULL), "event_wait");
	must(sd_memory_pool_waited(pool, behind, event, NULL), "waited");
}

static void synchronize(sd_handle stream)
{
	uint64_t mark = sd_memory_pool_mark(pool, stream);

	must(queue->ops->stream_synchronize(queue, stream, 60000, NULL), "synchronize");
	sd_memory_pool_finished(pool, stream, mark);
}

/* False if the pool is exhausted just now. */
static bool live_round(sd_handle writer, sd_handle reader, sd_handle event, uint32_t value)
{
	struct share *share = malloc(sizeof(*share));
	struct sd_task task = { .name = "fill", .kind = SD_TASK_KERNEL, .run = fill, .arg = share };
	void *memory;

	if (!share)
		exit(1);
	share->count = 1 + value * 7919u % WORDS_MAX;
	share->value = value;
	if (sd_memory_pool_alloc(pool, share->count * sizeof(*share->word), writer, SD_PAGES_HUGE_FIRST, "share", &memory, NULL) != SD_OK) {
		free(share);
		return false;
	}
	share->word = memory;
	must(queue->ops->submit(queue, writer, &task, 1, NULL), "submit");
	order(writer, reader, event);
	task = (struct sd_task){ .name = "look", .kind = SD_TASK_KERNEL, .run = look, .arg = share, .done = end, .done_arg = share };
	must(queue->ops->submit(queue, reader, &task, 1, NULL), "submit");
	must(sd_memory_pool_free(pool, memory, reader, NULL), "free");
	return true;
}

static void *live(void *arg)
{
	uint32_t self = (uint32_t)(uintptr_t)arg;
	sd_handle writer = new_stream((int32_t)self), reader = new_stream(0), event;

	must(queue->ops->event_create(queue, 0, &event, NULL), "event_create");
	for (uint32_t i = 0; i < ROUNDS; i++) {
		while (!live_round(writer, reader, event, self * ROUNDS + i)) {
			atomic_fetch_add(&refused, 1);
			synchronize(reader);
		}
		if (i % 16 == 0)
			order(reader, writer, event);
	}
	synchronize(writer);
	synchronize(reader);
	must(queue->ops->event_destroy(queue, event, NULL), "event_destroy");
	return NULL;
}

static bool report(int number, const char *what, bool is_fine)
{
	printf("%sok %d - %s\n", is_fine ? "" : "not ", number, what);
	return is_fine;
}

int main(void)
{
	const struct sd_host_options host_options = { .cores = 2, .has = { .memory_bytes = 4 << 20, .tasks_per_stream_max = 100 } };
	const struct sd_memory_pool_options pool_options = { .reuse = SD_REUSE_DEFAULT | SD_REUSE_INTERNAL_WAITS };
	struct sd_memory_pool_stats stats;
	pthread_t thread[THREADS];
	bool is_fine = true;

	must(sd_host_open(&host_options, &host, NULL), "host");
	must(sd_task_queue_open(NULL, host, &queue, NULL), "queue");
	must(sd_memory_pool_open(&pool_options, queue, &pool, NULL), "pool");
	for (uintptr_t i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, live, (void *)i) != 0)
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	sd_memory_pool_stats(pool, &stats);
	printf("# by stream %llu, event %llu, query %llu, fit %llu, wait %llu, growth %llu; exhausted %u times\n", (unsigned long long)stats.by_stream,
	       (unsigned long long)stats.by_event, (unsigned long long)stats.by_query, (unsigned long long)stats.by_fit, (unsigned long long)stats.by_wait,
	       (unsigned long long)stats.by_growth, atomic_load(&refused));
	is_fine &= report(1, "each task ran once", atomic_load(&done) == THREADS * ROUNDS);
	is_fine &= report(2, "nobody wrote into a block that another one still used", atomic_load(&spoilt) == 0);
	is_fine &= report(3, "blocks were given again", stats.by_growth < ROUNDS / 10 && stats.by_stream + stats.by_event + stats.by_query + stats.by_wait > ROUNDS);
	is_fine &= report(4, "the pool's figures agree", sd_memory_pool_is_sound(pool) && stats.used_blocks == 0);
	is_fine &= report(5, "it closes", sd_memory_pool_close(pool, NULL) == SD_OK);
	queue->ops->close(queue);
	host->ops->close(host);
	printf("1..5\n");
	return is_fine ? 0 : 1;
}
