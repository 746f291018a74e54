#include "streamd/device_try.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMES 8
#define SLOW_NS 500000 /* so that whoever does not wait is seen */
#define PATIENCE_MS 30000

struct trying {
	struct sd_device *device;
	sd_handle stream[2], event;
	void *memory;
	unsigned char *from, *to;
	atomic_uint ran, behind; /* functions so far; of the other stream when the second one's ran */
};

static void count(void *arg)
{
	atomic_fetch_add(&((struct trying *)arg)->ran, 1);
}

static void count_slowly(void *arg)
{
	nanosleep(&(struct timespec){ 0, SLOW_NS }, NULL);
	count(arg);
}

static void look(void *arg)
{
	struct trying *t = arg;

	atomic_store(&t->behind, atomic_load(&t->ran));
}

static enum sd_status take(struct trying *t, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = t->device->ops;
	int32_t rt_id;

	SD_TRY(ops->stream_create(t->device, SD_PRIORITY_MOST_URGENT, 0, &t->stream[0], &rt_id, diag));
	SD_TRY(ops->stream_create(t->device, SD_PRIORITY_LEAST_URGENT, 0, &t->stream[1], &rt_id, diag));
	SD_TRY(ops->event_create(t->device, 0, &t->event, diag));
	SD_TRY(ops->memory_alloc(t->device, SD_TRY_BYTES, SD_PAGES_HUGE_FIRST, &t->memory, diag));
	t->from = malloc(SD_TRY_BYTES);
	t->to = calloc(1, SD_TRY_BYTES);
	if (!t->from || !t->to)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	for (uint64_t i = 0; i < SD_TRY_BYTES; i++)
		t->from[i] = (unsigned char)(i * 31 + i / 251);
	return SD_OK;
}

static enum sd_status run(struct trying *t, sd_handle stream, const struct sd_task *task, uint32_t tasks, uint64_t *least, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = t->device->ops;

	*least = UINT64_MAX;
	for (int i = 0; i < TIMES; i++) {
		uint64_t began = ops->now_ns(t->device), took;

		SD_TRY(ops->submit(t->device, stream, task, tasks, diag));
		SD_TRY(ops->stream_synchronize(t->device, stream, PATIENCE_MS, diag));
		took = ops->now_ns(t->device) - began;
		*least = took < *least ? took : *least;
	}
	return SD_OK;
}

/* The second stream waits for an event of the first, which takes its time. */
static enum sd_status order(struct trying *t, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = t->device->ops;
	const struct sd_task one = { .name = "count", .kind = SD_TASK_KERNEL, .duration_ns = SLOW_NS, .run = count_slowly, .arg = t };
	const struct sd_task other = { .name = "look", .kind = SD_TASK_KERNEL, .run = look, .arg = t };

	atomic_store(&t->ran, 0);
	for (int i = 0; i < TIMES; i++)
		SD_TRY(ops->submit(t->device, t->stream[0], &one, 1, diag));
	SD_TRY(ops->event_record(t->device, t->stream[0], t->event, diag));
	SD_TRY(ops->event_wait(t->device, t->stream[1], t->event, diag));
	SD_TRY(ops->submit(t->device, t->stream[1], &other, 1, diag));
	SD_TRY(ops->stream_synchronize(t->device, t->stream[1], PATIENCE_MS, diag));
	return ops->stream_synchronize(t->device, t->stream[0], PATIENCE_MS, diag);
}

static enum sd_status try(struct trying *t, struct sd_device_trial *trial, struct sd_diag *diag)
{
	const struct sd_task function = { .name = "count", .kind = SD_TASK_KERNEL, .run = count, .arg = t };
	struct sd_task copy[2];

	SD_TRY(take(t, diag));
	copy[0] = (struct sd_task){ .name = "there", .kind = SD_TASK_COPY, .source = t->from, .target = t->memory, .bytes = SD_TRY_BYTES, .way = SD_COPY_HOST_TO_DEVICE };
	copy[1] = (struct sd_task){ .name = "back", .kind = SD_TASK_COPY, .source = t->memory, .target = t->to, .bytes = SD_TRY_BYTES, .way = SD_COPY_DEVICE_TO_HOST };
	SD_TRY(run(t, t->stream[0], &function, 1, &trial->launch_ns, diag));
	SD_TRY(run(t, t->stream[0], copy, 2, &trial->copy_ns, diag));
	SD_TRY(order(t, diag));
	trial->is_ordered = atomic_load(&t->behind) == TIMES;
	trial->is_copied = memcmp(t->from, t->to, SD_TRY_BYTES) == 0;
	return SD_OK;
}

/* The first failure is told; all is given back. */
static enum sd_status give_back(struct trying *t, enum sd_status status, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = t->device->ops;
	bool force = status != SD_OK;

	for (int i = 0; i < 2; i++)
		if (t->stream[i] && ops->stream_destroy(t->device, t->stream[i], force, status == SD_OK ? diag : NULL) != SD_OK && status == SD_OK)
			status = diag ? sd_code_status(diag->code) : SD_INTERNAL;
	if (t->event)
		ops->event_destroy(t->device, t->event, NULL);
	if (t->memory)
		ops->memory_free(t->device, t->memory, NULL);
	free(t->from);
	free(t->to);
	return status;
}

enum sd_status sd_device_try(struct sd_device *device, struct sd_device_trial *trial, struct sd_diag *diag)
{
	struct trying t = { .device = device };

	*trial = (struct sd_device_trial){ 0 };
	return give_back(&t, try(&t, trial, diag), diag);
}
