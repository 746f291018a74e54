/* runtime_alloc_sweep - every allocation of host device, task queue and memory pool may fail: nothing is lost, and nothing leaks.
 *
 * The same short life is played again and again with its first allocation failing, its second, and so
 * on; a call that fails must say that there is no memory, and succeeds when it is made again. Prints one TAP line. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/failing_memory.h"
#include "streamd/device_host.h"
#include "streamd/memory_pool.h"
#include "streamd/task_queue.h"

#define TASKS 40u
#define BLOCKS 30

/* Leaves the function if the call does not succeed the second time. */
#define TRY(call)                                                          \
	do {                                                               \
		enum sd_status status_ = (call);                           \
		if (status_ != SD_OK && status_ != SD_RESOURCE_EXHAUSTED)  \
			return 0;                                          \
		if (status_ != SD_OK && (call) != SD_OK)                   \
			return 0;                                          \
	} while (0)

static atomic_uint ended;

static void end(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	atomic_fetch_add(&ended, status == SD_OK);
}

/* Streams that wait for each other, a hold, a collective, more tasks than a fresh ring takes. */
static int live_on(struct sd_device *d, struct sd_memory_pool *pool)
{
	struct sd_task task[TASKS] = { { .kind = SD_TASK_COLLECTIVE } };
	sd_handle a, b, event, notify;
	void *memory[BLOCKS];
	int32_t rt_id;

	atomic_store(&ended, 0);
	for (uint32_t i = 0; i < TASKS; i++)
		task[i].done = end;
	TRY(d->ops->stream_create(d, 0, 0, &a, &rt_id, NULL));
	TRY(d->ops->stream_create(d, 1, 0, &b, &rt_id, NULL));
	TRY(d->ops->event_create(d, 0, &event, NULL));
	TRY(d->ops->notify_create(d, 0, &notify, NULL));
	for (int i = 0; i < BLOCKS; i++)
		TRY(sd_memory_pool_alloc(pool, 1000u << i % 10, a, i % 3 ? SD_PAGES_HUGE_FIRST : SD_PAGES_NORMAL_FIRST, i % 2 ? "odd" : "even", &memory[i], NULL));
	TRY(d->ops->stream_hold(d, a, NULL));
	TRY(d->ops->submit(d, a, task, TASKS, NULL));
	TRY(sd_memory_pool_use(pool, memory[3], b, NULL));
	for (int i = 0; i < BLOCKS; i += 2)
		TRY(sd_memory_pool_free(pool, memory[i], a, NULL));
	TRY(sd_memory_pool_recorded(pool, a, event, NULL));
	TRY(d->ops->event_record(d, a, event, NULL));
	TRY(d->ops->event_wait(d, b, event, NULL));
	TRY(sd_memory_pool_waited(pool, b, event, NULL));
	TRY(d->ops->submit(d, b, task, TASKS, NULL));
	TRY(d->ops->notify_record(d, a, notify, NULL));
	TRY(d->ops->notify_wait(d, b, notify, NULL));
	TRY(d->ops->activate(d, b, b, NULL)); /* nothing is held there */
	for (int i = 1; i < BLOCKS; i += 2)
		TRY(sd_memory_pool_free(pool, memory[i], b, NULL));
	TRY(sd_memory_pool_alloc(pool, 3000000, b, SD_PAGES_HUGE_FIRST, "late", &memory[0], NULL));
	TRY(sd_memory_pool_free(pool, memory[0], SD_NO_HANDLE, NULL));
	TRY(d->ops->stream_create(d, 1, 0, &event, &rt_id, NULL));
	TRY(d->ops->activate(d, event, a, NULL));
	TRY(d->ops->stream_synchronize(d, b, 20000, NULL));
	TRY(d->ops->stream_synchronize(d, a, 20000, NULL));
	return atomic_load(&ended) == 2 * TASKS && sd_memory_pool_is_sound(pool);
}

static int live(void)
{
	const struct sd_host_options options = { .cores = 1 };
	struct sd_device *host, *queue;
	struct sd_memory_pool *pool;
	int well;

	TRY(sd_host_open(&options, &host, NULL));
	TRY(sd_task_queue_open(NULL, host, &queue, NULL));
	TRY(sd_memory_pool_open(NULL, queue, &pool, NULL));
	well = live_on(queue, pool);
	well = sd_memory_pool_close(pool, NULL) == SD_OK && well;
	queue->ops->close(queue);
	host->ops->close(host);
	return well;
}

int main(void)
{
	unsigned total, bad = 0;
	int well = live();

	total = atomic_load(&calls);
	for (unsigned k = 1; k <= total; k++) {
		atomic_store(&calls, 0);
		atomic_store(&fail_at, k);
		if (!live()) {
			printf("#   allocation %u fails\n", k);
			bad++;
		}
	}
	well = well && bad == 0 && total > 50;
	printf("%s 1 - %u allocations, each fails once\n1..1\n", well ? "ok" : "not ok", total);
	return well ? 0 : 1;
}
