/* The device table in front of another device. */
#include "streamd/race_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

struct checked {
	struct sd_device device;     /* first */
	struct sd_device *inner;
	struct sd_race_check *check;
	struct sd_tree blocks;       /* memory that was given */
	bool missed;
	pthread_mutex_t lock;        /* what is fed is fed in the order in which the device took it */
};

struct block {
	struct sd_tree_node node;
	uint64_t address, bytes;
};

static struct checked *checked_of(const struct sd_device *device)
{
	return (struct checked *)(void *)(uintptr_t)device;
}

static const struct sd_device_ops *enter(struct sd_device *device, struct checked **checked)
{
	*checked = checked_of(device);
	pthread_mutex_lock(&(*checked)->lock);
	return (*checked)->inner->ops;
}

/* Lets others in, and notes a feed that failed. Answers the device's status. */
static enum sd_status leave(struct checked *checked, enum sd_status status, enum sd_status fed)
{
	checked->missed |= fed == SD_RESOURCE_EXHAUSTED;
	pthread_mutex_unlock(&checked->lock);
	return status;
}

static int compare_blocks(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	uint64_t left = SD_TREE_OF(a, struct block, node)->address, right = SD_TREE_OF(b, struct block, node)->address;

	return (left > right) - (left < right);
}

/* ---- what only goes through ---- */

static void checked_facts(struct sd_device *device, struct sd_device_facts *facts)
{
	checked_of(device)->inner->ops->facts(checked_of(device)->inner, facts);
}

static uint64_t checked_now(struct sd_device *device)
{
	return checked_of(device)->inner->ops->now_ns(checked_of(device)->inner);
}

static void checked_take_fault(struct sd_device *device, struct sd_device_fault *fault)
{
	checked_of(device)->inner->ops->take_fault(checked_of(device)->inner, fault);
}

static enum sd_status checked_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id,
                                            struct sd_diag *diag)
{
	return checked_of(device)->inner->ops->stream_create(checked_of(device)->inner, priority, flags, stream, rt_id, diag);
}

static enum sd_status checked_event_create(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	return checked_of(device)->inner->ops->event_create(checked_of(device)->inner, flags, event, diag);
}

static enum sd_status checked_notify_create(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag)
{
	return checked_of(device)->inner->ops->notify_create(checked_of(device)->inner, flags, notify, diag);
}

static enum sd_status checked_event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return checked_of(device)->inner->ops->event_reset(checked_of(device)->inner, stream, event, diag);
}

static enum sd_status checked_event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag)
{
	return checked_of(device)->inner->ops->event_elapsed(checked_of(device)->inner, start, end, ns, diag);
}

/* ---- what the host waits for: without the lock, since others may enqueue meanwhile ---- */

static enum sd_status checked_synchronize(struct sd_device *device, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	struct checked *checked = checked_of(device);
	enum sd_status status = checked->inner->ops->stream_synchronize(checked->inner, stream, timeout_ms, diag), fed = SD_OK;

	pthread_mutex_lock(&checked->lock);
	if (status == SD_OK)
		fed = sd_race_stream_done(checked->check, stream);
	return leave(checked, status, fed);
}

static enum sd_status checked_query(struct sd_device *device, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->stream_query(checked->inner, stream, progress, diag), fed = SD_OK;

	if (status == SD_OK && *progress == SD_DONE)
		fed = sd_race_stream_done(checked->check, stream);
	return leave(checked, status, fed);
}

static enum sd_status checked_event_query(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->event_query(checked->inner, event, progress, diag), fed = SD_OK;

	if (status == SD_OK && *progress == SD_DONE)
		fed = sd_race_event_done(checked->check, event);
	return leave(checked, status, fed);
}

static enum sd_status checked_event_synchronize(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag)
{
	struct checked *checked = checked_of(device);
	enum sd_status status = checked->inner->ops->event_synchronize(checked->inner, event, timeout_ms, diag), fed = SD_OK;

	pthread_mutex_lock(&checked->lock);
	if (status == SD_OK)
		fed = sd_race_event_done(checked->check, event);
	return leave(checked, status, fed);
}

/* Without the lock too: it may wait for what is queued. */
static enum sd_status checked_stream_destroy(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag)
{
	struct checked *checked = checked_of(device);
	enum sd_status status = checked->inner->ops->stream_destroy(checked->inner, stream, force, diag);

	pthread_mutex_lock(&checked->lock);
	if (status == SD_OK)
		sd_race_forget_stream(checked->check, stream);
	return leave(checked, status, SD_OK);
}

static enum sd_status checked_abort(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	struct checked *checked = checked_of(device);
	enum sd_status status = checked->inner->ops->stream_abort(checked->inner, stream, diag);

	pthread_mutex_lock(&checked->lock);
	if (status == SD_OK)
		sd_race_forget_stream(checked->check, stream);
	return leave(checked, status, SD_OK);
}

static enum sd_status checked_stop(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	return checked_of(device)->inner->ops->stream_stop(checked_of(device)->inner, stream, diag);
}

/* ---- what is enqueued ---- */

static enum sd_status checked_hold(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->stream_hold(checked->inner, stream, diag);

	return leave(checked, status, status == SD_OK ? sd_race_hold(checked->check, stream) : SD_OK);
}

static enum sd_status checked_activate(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->activate(checked->inner, stream, started, diag);

	return leave(checked, status, status == SD_OK ? sd_race_activate(checked->check, stream, started) : SD_OK);
}

static enum sd_status feed_task(struct checked *checked, sd_handle stream, const struct sd_task *task)
{
	bool copies = task->kind == SD_TASK_COPY && task->source && task->target;
	struct sd_access *access = copies ? malloc((task->access_count + 2) * sizeof(*access)) : NULL;
	uint32_t count = task->access_count;
	enum sd_status status;

	if (!copies)
		return sd_race_task(checked->check, stream, task->name ? task->name : "", 0, task->access, count);
	if (!access)
		return SD_RESOURCE_EXHAUSTED;
	if (count > 0)
		memcpy(access, task->access, count * sizeof(*access));
	access[count++] = (struct sd_access){ (uintptr_t)task->source, task->bytes, false };
	access[count++] = (struct sd_access){ (uintptr_t)task->target, task->bytes, true };
	status = sd_race_task(checked->check, stream, task->name ? task->name : "", 0, access, count);
	free(access);
	return status;
}

static enum sd_status checked_submit(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->submit(checked->inner, stream, task, count, diag), fed = SD_OK;

	for (uint32_t i = 0; status == SD_OK && fed == SD_OK && i < count; i++)
		fed = feed_task(checked, stream, &task[i]);
	return leave(checked, status, fed);
}

static enum sd_status checked_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->event_record(checked->inner, stream, event, diag);

	return leave(checked, status, status == SD_OK ? sd_race_record(checked->check, stream, event) : SD_OK);
}

static enum sd_status checked_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->event_wait(checked->inner, stream, event, diag);

	return leave(checked, status, status == SD_OK ? sd_race_wait(checked->check, stream, event) : SD_OK);
}

static enum sd_status checked_notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->notify_record(checked->inner, stream, notify, diag);

	return leave(checked, status, status == SD_OK ? sd_race_notify_record(checked->check, stream, notify) : SD_OK);
}

static enum sd_status checked_notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->notify_wait(checked->inner, stream, notify, diag);

	return leave(checked, status, status == SD_OK ? sd_race_notify_wait(checked->check, stream, notify) : SD_OK);
}

static enum sd_status checked_event_destroy(struct sd_device *device, sd_handle event, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->event_destroy(checked->inner, event, diag);

	if (status == SD_OK)
		sd_race_forget_event(checked->check, event);
	return leave(checked, status, SD_OK);
}

static enum sd_status checked_notify_destroy(struct sd_device *device, sd_handle notify, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->notify_destroy(checked->inner, notify, diag);

	if (status == SD_OK)
		sd_race_forget_notify(checked->check, notify);
	return leave(checked, status, SD_OK);
}

/* ---- memory ---- */

static enum sd_status checked_memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->memory_alloc(checked->inner, bytes, policy, memory, diag), fed = SD_OK;
	struct block *block = status == SD_OK ? calloc(1, sizeof(*block)) : NULL;

	if (status == SD_OK)
		fed = block ? sd_race_memory_given(checked->check, (uintptr_t)*memory, bytes) : SD_RESOURCE_EXHAUSTED;
	if (block) {
		block->address = (uintptr_t)*memory;
		block->bytes = bytes;
		sd_tree_insert(&checked->blocks, &block->node);
	}
	return leave(checked, status, fed);
}

static enum sd_status checked_memory_free(struct sd_device *device, void *memory, struct sd_diag *diag)
{
	struct checked *checked;
	enum sd_status status = enter(device, &checked)->memory_free(checked->inner, memory, diag), fed = SD_OK;
	struct block key = { .address = (uintptr_t)memory };
	struct sd_tree_node *found = status == SD_OK ? sd_tree_find(&checked->blocks, &key.node) : NULL;

	if (found) {
		struct block *block = SD_TREE_OF(found, struct block, node);

		fed = sd_race_memory_freed(checked->check, block->address, block->bytes);
		sd_tree_remove(&checked->blocks, found);
		free(block);
	}
	return leave(checked, status, fed);
}

/* ---- the device ---- */

static void checked_close(struct sd_device *device)
{
	struct checked *checked = checked_of(device);
	struct sd_tree_node *node;

	while ((node = sd_tree_first(&checked->blocks)) != NULL) {
		sd_tree_remove(&checked->blocks, node);
		free(SD_TREE_OF(node, struct block, node));
	}
	sd_race_check_destroy(checked->check);
	pthread_mutex_destroy(&checked->lock);
	free(checked);
}

static const struct sd_device_ops checked_ops = {
	.name = "checked", .close = checked_close, .facts = checked_facts, .now_ns = checked_now, .take_fault = checked_take_fault,
	.stream_create = checked_stream_create, .stream_destroy = checked_stream_destroy, .stream_synchronize = checked_synchronize,
	.stream_query = checked_query, .stream_abort = checked_abort, .stream_stop = checked_stop, .stream_hold = checked_hold,
	.activate = checked_activate, .submit = checked_submit, .event_create = checked_event_create, .event_destroy = checked_event_destroy,
	.event_record = checked_record, .event_wait = checked_wait, .event_reset = checked_event_reset, .event_query = checked_event_query,
	.event_synchronize = checked_event_synchronize, .event_elapsed = checked_event_elapsed, .notify_create = checked_notify_create,
	.notify_destroy = checked_notify_destroy, .notify_record = checked_notify_record, .notify_wait = checked_notify_wait,
	.memory_alloc = checked_memory_alloc, .memory_free = checked_memory_free,
};

enum sd_status sd_race_device_open(struct sd_device *inner, struct sd_device **device, struct sd_diag *diag)
{
	struct checked *checked = calloc(1, sizeof(*checked));
	pthread_mutexattr_t recursive;

	*device = NULL;
	if (!checked || sd_race_check_create(&checked->check) != SD_OK) {
		free(checked);
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	}
	checked->device.ops = &checked_ops;
	checked->inner = inner;
	checked->blocks.compare = compare_blocks;
	/* A device may call back, and be called from there, while time goes on in a query. */
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&checked->lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	*device = &checked->device;
	return SD_OK;
}

const struct sd_race_check *sd_race_device_check(const struct sd_device *device, bool *missed)
{
	*missed = checked_of(device)->missed;
	return checked_of(device)->check;
}

void sd_race_device_host_access(struct sd_device *device, const void *memory, uint64_t bytes, bool is_write)
{
	struct checked *checked = checked_of(device);

	pthread_mutex_lock(&checked->lock);
	leave(checked, SD_OK, sd_race_host_access(checked->check, (uintptr_t)memory, bytes, is_write));
}
