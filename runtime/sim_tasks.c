#include "sim_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)
#define BAD_ADDRESS 507015

struct sim_item *sim_item_new(struct sim_stream *stream)
{
	struct sim_item *item = calloc(1, sizeof(*item));

	if (item)
		item->stream = stream;
	return item;
}

/* 0: the copy was made; else the vendor's number. */
static int64_t copy(const struct sim *sim, const struct sd_task *task)
{
	bool to_device = task->way == SD_COPY_HOST_TO_DEVICE || task->way == SD_COPY_DEVICE_TO_DEVICE;
	bool from_device = task->way == SD_COPY_DEVICE_TO_HOST || task->way == SD_COPY_DEVICE_TO_DEVICE;

	if (task->bytes == 0)
		return 0;
	if ((to_device && !sim_memory_has(sim, task->target, task->bytes)) || (from_device && !sim_memory_has(sim, task->source, task->bytes)))
		return BAD_ADDRESS;
	memmove(task->target, task->source, task->bytes);
	return 0;
}

static void note_fault(struct sim *sim, const struct sim_item *item, int64_t vendor_code)
{
	struct sim_stream *stream = item->stream;

	sim->fault = (struct sd_device_fault){ .status = SD_INTERNAL, .vendor_code = vendor_code, .stream = stream->object.handle, .task_index = item->index };
	snprintf(sim->fault.task_name, sizeof(sim->fault.task_name), "%s", item->task.name ? item->task.name : "");
	if (stream->vendor_code)
		return; /* the first failure is the cause */
	stream->vendor_code = vendor_code;
	stream->failed_task = item->index;
	stream->ended = NULL;
}

static enum sd_status perform(struct sim *sim, const struct sim_item *item)
{
	int64_t vendor_code = item->vendor_code;

	if (!vendor_code && item->task.kind == SD_TASK_COPY)
		vendor_code = copy(sim, &item->task);
	if (vendor_code) {
		note_fault(sim, item, vendor_code);
		return SD_INTERNAL;
	}
	if (item->task.kind == SD_TASK_KERNEL && item->task.run)
		item->task.run(item->task.arg);
	return SD_OK;
}

void sim_item_ends(struct sim *sim, const struct sd_machine_end *end, bool is_dropped)
{
	struct sim_item *item = (struct sim_item *)(uintptr_t)end->tag;
	struct sim_notify *notify = NULL;

	if (end->kind == SD_MACHINE_WAIT && item->waits_for == SIM_NOTIFY)
		notify = sim_object_find(sim, SIM_NOTIFY, item->object);
	if (notify)
		notify->waits--;
	if (end->kind == SD_MACHINE_WORK) {
		enum sd_status status = is_dropped ? SD_ABORTED : perform(sim, item);

		if (item->task.done)
			item->task.done(item->task.done_arg, status, (uint64_t)end->began_ns, (uint64_t)end->ended_ns);
	}
	free(item);
}

bool sim_step(struct sim *sim, int64_t until_ns)
{
	struct sd_machine_end end;

	if (!sd_machine_next(sim->machine, until_ns, &end))
		return false;
	sim_item_ends(sim, &end, false);
	return true;
}

enum sd_status sim_check_timeout(int64_t timeout_ms, struct sd_diag *diag)
{
	if (timeout_ms == SD_FOR_EVER || timeout_ms > 0)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("timeout_ms"), sd_arg_int(timeout_ms), sd_arg_words("above 0, or -1 (for ever)"));
}

enum sd_status sim_waits_for_ever(struct sim *sim, sd_handle stream, struct sd_diag *diag)
{
	static const char *const names[] = { [SIM_STREAM] = "activation of stream", [SIM_EVENT] = "event", [SIM_NOTIFY] = "notify" };
	const struct sim_stream *s = sim_object_find(sim, SIM_STREAM, stream);
	struct sd_machine_head head;
	const struct sim_item *item;

	if (!s || !s->takes_tasks || !sd_machine_at(sim->machine, s->machine, &head))
		return SD_FAIL3(diag, SD_CODE_WAITS_FOR_EVER, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_words("a record that was dropped on stream"), sd_arg_int((int64_t)stream));
	item = (const struct sim_item *)(uintptr_t)head.tag;
	return SD_FAIL3(diag, SD_CODE_WAITS_FOR_EVER, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_words(names[item->waits_for]),
	                sd_arg_int((int64_t)item->object));
}

enum sd_status sim_run_until(struct sim *sim, bool (*is_done)(const struct sim *sim, sd_handle of), sd_handle of, int64_t timeout_ms,
                             sd_handle stream, struct sd_diag *diag)
{
	int64_t now = sd_machine_now(sim->machine), until = SD_MACHINE_FOR_EVER;

	if (timeout_ms != SD_FOR_EVER && timeout_ms < (SD_MACHINE_FOR_EVER - now) / 1000000)
		until = now + timeout_ms * 1000000;
	while (!is_done(sim, of)) {
		if (!sd_machine_is_quiet(sim->machine) && sim_step(sim, until))
			continue;
		if (sd_machine_is_broken(sim->machine))
			return sim_no_memory(diag);
		if (sd_machine_is_quiet(sim->machine))
			return sim_waits_for_ever(sim, stream, diag);
		return SD_DEADLINE_EXCEEDED;
	}
	return SD_OK;
}

void sim_drop_all(struct sim *sim, struct sim_stream *stream)
{
	struct sd_machine_end end;

	while (stream->takes_tasks && sd_machine_cut(sim->machine, stream->machine, &end))
		sim_item_ends(sim, &end, true);
}

/* Time of a copy that states none. */
static int64_t copy_time(const struct sim *sim, const struct sd_task *task)
{
	bool crosses = task->way == SD_COPY_HOST_TO_DEVICE || task->way == SD_COPY_DEVICE_TO_HOST;
	int64_t rate = crosses ? sim->model.link_bytes_per_s : sim->model.hbm_bytes_per_s, ns = 0;

	if (rate > 0)
		ns = task->bytes / (uint64_t)rate > 1000000 ? SD_MACHINE_LONGEST_NS : (int64_t)((double)task->bytes / (double)rate * (double)NS_PER_S);
	return ns + (crosses ? sim->model.link_alpha_ns : 0);
}

static struct sd_machine_work work_of(const struct sim *sim, const struct sd_task *task)
{
	struct sd_engine_work stated = {
		.engine = task->kind == SD_TASK_SLEEP ? SD_ENGINE_NONE : task->kind == SD_TASK_COLLECTIVE ? SD_ENGINE_COMM : task->engine,
		.cube_cores = task->cube_cores, .vector_cores = task->vector_cores, .communicator = task->communicator, .gang = task->gang,
		.duration_ns = task->kind == SD_TASK_COPY && task->duration_ns == 0 ? (uint64_t)copy_time(sim, task) : task->duration_ns,
	};

	return sd_machine_work_of(&sim->model, &stated);
}

static enum sd_status check_task(const struct sim *sim, const struct sd_task *task, struct sd_diag *diag)
{
	struct sd_machine_work work;

	if ((uint32_t)task->kind > SD_TASK_SLEEP)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the kind of a task"), sd_arg_int(task->kind), sd_arg_words("0 to 3"));
	if ((uint32_t)task->engine > SD_ENGINE_OTHER)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the engine of a task"), sd_arg_int(task->engine), sd_arg_words("0 to 6"));
	if (task->kind == SD_TASK_COPY && (uint32_t)task->way > SD_COPY_HOST_TO_HOST)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the way of a copy"), sd_arg_int(task->way), sd_arg_words("0 to 3"));
	if (task->kind == SD_TASK_COPY && task->bytes && (!task->target || !task->source))
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("an address of a copy"), sd_arg_int(0), sd_arg_words("that of memory"));
	work = work_of(sim, task);
	if (!sd_machine_can_run(sim->machine, &work))
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the number of cores that a task needs at once"),
		                sd_arg_int(work.cube > work.vector ? work.cube : work.vector), sd_arg_words("at most what the device has of that kind"));
	return SD_OK;
}

static void drop_batch(struct sim_item *first)
{
	while (first) {
		struct sim_item *next = first->next;

		free(first);
		first = next;
	}
}

/* Items of all tasks, before any of them is queued; NULL: no memory. */
static struct sim_item *make_batch(struct sim_stream *stream, const struct sd_task *task, uint32_t count)
{
	struct sim_item *first = NULL, **last = &first;

	for (uint32_t i = 0; i < count; i++) {
		*last = sim_item_new(stream);
		if (!*last) {
			drop_batch(first);
			return NULL;
		}
		(*last)->task = task[i];
		last = &(*last)->next;
	}
	return first;
}

enum sd_status sim_submit(struct sim *sim, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct sim_stream *s;
	struct sim_item *item, *next;

	SD_TRY(sim_find_taker(sim, stream, count, "task", &s, diag));
	for (uint32_t i = 0; i < count; i++)
		SD_TRY(check_task(sim, &task[i], diag));
	SD_TRY(sim_fault(sim, SD_SIM_SUBMIT, diag));
	if (count == 0)
		return SD_OK;
	item = make_batch(s, task, count);
	if (!item)
		return sim_no_memory(diag);
	for (; item; item = next) {
		struct sd_machine_work work = work_of(sim, &item->task);

		next = item->next;
		item->index = s->tasks++;
		item->vendor_code = sim_fault_of(sim, SD_SIM_TASK);
		if (sd_machine_add_work(sim->machine, s->machine, &work, (uintptr_t)item) != SD_OK) {
			drop_batch(item);
			return sim_no_memory(diag);
		}
	}
	sim->facts.tasks_submitted += count;
	sim->facts.submissions++;
	return SD_OK;
}
