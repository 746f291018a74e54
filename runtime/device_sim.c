#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

#include "streamd/device_profile.h"

#define MEMORY_BYTES (UINT64_C(1) << 30)

static struct sim *enter(struct sd_device *device)
{
	struct sim *sim = (struct sim *)device; /* its first member */

	pthread_mutex_lock(&sim->lock);
	return sim;
}

static enum sd_status leave(struct sim *sim, enum sd_status status)
{
	pthread_mutex_unlock(&sim->lock);
	return status;
}

static enum sd_status stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_create(sim, priority, flags, stream, rt_id, diag));
}

static enum sd_status stream_destroy(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_destroy(sim, stream, force, diag));
}

static enum sd_status stream_synchronize(struct sd_device *device, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_synchronize(sim, stream, timeout_ms, diag));
}

static enum sd_status stream_query(struct sd_device *device, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_query(sim, stream, progress, diag));
}

static enum sd_status stream_abort(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_abort(sim, stream, diag));
}

static enum sd_status stream_stop(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_stop(sim, stream, diag));
}

static enum sd_status stream_hold(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_stream_hold(sim, stream, diag));
}

static enum sd_status activate(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_activate(sim, stream, started, diag));
}

static enum sd_status submit(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_submit(sim, stream, task, count, diag));
}

static enum sd_status event_create(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_create(sim, flags, event, diag));
}

static enum sd_status event_destroy(struct sd_device *device, sd_handle event, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_destroy(sim, event, diag));
}

static enum sd_status event_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_record(sim, stream, event, diag));
}

static enum sd_status event_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_wait(sim, stream, event, diag));
}

static enum sd_status event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_reset(sim, stream, event, diag));
}

static enum sd_status event_query(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_query(sim, event, progress, diag));
}

static enum sd_status event_synchronize(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_synchronize(sim, event, timeout_ms, diag));
}

static enum sd_status event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_event_elapsed(sim, start, end, ns, diag));
}

static enum sd_status notify_create(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_notify_create(sim, flags, notify, diag));
}

static enum sd_status notify_destroy(struct sd_device *device, sd_handle notify, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_notify_destroy(sim, notify, diag));
}

static enum sd_status notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_notify_record(sim, stream, notify, diag));
}

static enum sd_status notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_notify_wait(sim, stream, notify, diag));
}

static enum sd_status memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_memory_alloc(sim, bytes, policy, memory, diag));
}

static enum sd_status memory_free(struct sd_device *device, void *memory, struct sd_diag *diag)
{
	struct sim *sim = enter(device);

	return leave(sim, sim_memory_free(sim, memory, diag));
}

static void facts(struct sd_device *device, struct sd_device_facts *facts)
{
	struct sim *sim = enter(device);

	*facts = sim->facts;
	leave(sim, SD_OK);
}

static uint64_t now_ns(struct sd_device *device)
{
	struct sim *sim = enter(device);
	uint64_t now = (uint64_t)sd_machine_now(sim->machine);

	leave(sim, SD_OK);
	return now;
}

static void take_fault(struct sd_device *device, struct sd_device_fault *fault)
{
	struct sim *sim = enter(device);

	*fault = sim->fault;
	sim->fault = (struct sd_device_fault){ .status = SD_OK };
	leave(sim, SD_OK);
}

static void release(struct sim *sim)
{
	sd_arena_finish(&sim->mem);
	pthread_mutex_destroy(&sim->lock);
	free(sim->faults);
	free(sim);
}

static void close_device(struct sd_device *device)
{
	struct sim *sim = (struct sim *)device;

	sim_objects_finish(sim);
	sim_memory_finish(sim);
	release(sim);
}

static const struct sd_device_ops sim_ops = {
	.name = "sim",
	.close = close_device,
	.facts = facts,
	.now_ns = now_ns,
	.take_fault = take_fault,
	.stream_create = stream_create,
	.stream_destroy = stream_destroy,
	.stream_synchronize = stream_synchronize,
	.stream_query = stream_query,
	.stream_abort = stream_abort,
	.stream_stop = stream_stop,
	.stream_hold = stream_hold,
	.activate = activate,
	.submit = submit,
	.event_create = event_create,
	.event_destroy = event_destroy,
	.event_record = event_record,
	.event_wait = event_wait,
	.event_reset = event_reset,
	.event_query = event_query,
	.event_synchronize = event_synchronize,
	.event_elapsed = event_elapsed,
	.notify_create = notify_create,
	.notify_destroy = notify_destroy,
	.notify_record = notify_record,
	.notify_wait = notify_wait,
	.memory_alloc = memory_alloc,
	.memory_free = memory_free,
};

static void replace(uint32_t *figure, uint32_t stated)
{
	if (stated)
		*figure = stated;
}

static enum sd_status set_facts(struct sim *sim, const struct sd_sim_options *options, struct sd_diag *diag)
{
	SD_TRY(sd_device_profile_facts(options->profile, &sim->facts, diag));
	sim->facts.name = sim_ops.name;
	replace(&sim->facts.streams_max, options->streams_max);
	replace(&sim->facts.events_max, options->events_max);
	replace(&sim->facts.notifies_max, options->notifies_max);
	replace(&sim->facts.tasks_per_stream_max, options->tasks_per_stream_max);
	replace(&sim->facts.huge_streams_max, options->huge_streams_max);
	replace(&sim->facts.tasks_per_huge_stream_max, options->tasks_per_huge_stream_max);
	sim->facts.has_huge |= options->tasks_per_huge_stream_max > 0;
	sim->facts.memory_bytes = options->memory_bytes ? options->memory_bytes : MEMORY_BYTES;
	sim->facts.memory_free_bytes = sim->facts.memory_bytes;
	sim->facts.cube_cores = sim->model.cube_cores;
	sim->facts.vector_cores = sim->model.vector_cores;
	return SD_OK;
}

static enum sd_status set_faults(struct sim *sim, const struct sd_sim_options *options, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < options->fault_count; i++) {
		if ((uint32_t)options->faults[i].call >= SD_SIM_CALLS)
			return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the call of a planned fault"),
			                sd_arg_int(options->faults[i].call), sd_arg_words("0 to 12"));
	}
	sim->seed = options->seed;
	sim->fault_permille = options->fault_permille;
	if (options->fault_count == 0)
		return SD_OK;
	sim->faults = calloc(options->fault_count, sizeof(*sim->faults));
	if (!sim->faults)
		return sim_no_memory(diag);
	memcpy(sim->faults, options->faults, options->fault_count * sizeof(*sim->faults));
	sim->fault_count = options->fault_count;
	return SD_OK;
}

static enum sd_status fill(struct sim *sim, const struct sd_sim_options *options, struct sd_diag *diag)
{
	sd_machine_model_of(NULL, &sim->model);
	if (options->model)
		sim->model = *options->model;
	SD_TRY(set_facts(sim, options, diag));
	SD_TRY(set_faults(sim, options, diag));
	sim->machine = sd_machine_new(&sim->mem, &sim->model);
	return sim->machine ? SD_OK : sim_no_memory(diag);
}

enum sd_status sd_sim_open(const struct sd_sim_options *options, struct sd_device **device, struct sd_diag *diag)
{
	static const struct sd_sim_options nothing = { 0 };
	struct sim *sim = calloc(1, sizeof(*sim));
	pthread_mutexattr_t recursive;
	enum sd_status status;

	if (!sim)
		return sim_no_memory(diag);
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&sim->lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	sim->device.ops = &sim_ops;
	sd_arena_init(&sim->mem, 0);
	status = fill(sim, options ? options : &nothing, diag);
	if (status != SD_OK) {
		release(sim);
		return status;
	}
	*device = &sim->device;
	return SD_OK;
}
